// A second opinion for tests: the paragraphs of a DOCX with all tracked changes accepted or rejected, read by the program's reader of parts and
// by none of the writer's code. Strict where Word is: the last mark of a container can not go, so what is left of it counts as a paragraph.
import { child, readXml, type XmlNode } from '../../ingest/docx/xml.ts';
import { ZipReader } from '../../ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../ingest/limits.ts';

export type View = 'accept' | 'reject';

const SKIPPED = new Set(['w:pPr', 'w:rPr', 'w:tcPr', 'w:instrText', 'w:delInstrText']);

class ViewReader {
  readonly lines: string[] = [];
  private carried: string | null = null;
  private readonly gone: ReadonlySet<string>;
  private readonly flags: readonly string[];

  constructor(view: View) {
    this.flags = view === 'accept' ? ['w:del', 'w:moveFrom'] : ['w:ins', 'w:moveTo'];
    this.gone = new Set(this.flags);
  }

  block(node: XmlNode): void {
    if (this.gone.has(node.name)) return;
    if (node.name === 'w:p') this.paragraph(node);
    else if (node.name === 'w:tbl') {
      if (this.carried !== null && this.carried !== '') this.lines.push(this.carried);
      this.carried = null;
      this.rows(node);
    } else for (const entry of node.children) this.block(entry);
  }

  end(): void {
    if (this.carried !== null) this.lines.push(this.carried);
    this.carried = null;
  }

  container(nodes: readonly XmlNode[]): void {
    for (const node of nodes) this.block(node);
    this.end();
  }

  private rows(node: XmlNode): void {
    for (const entry of node.children) {
      const properties = child(entry, 'w:trPr');
      if (entry.name !== 'w:tr') this.rows(entry);
      else if (!this.flags.some((flag) => child(properties, flag))) {
        this.lines.push('[row]');
        this.cells(entry);
      }
    }
  }

  private cells(node: XmlNode): void {
    for (const entry of node.children) {
      if (entry.name !== 'w:tc') this.cells(entry);
      else {
        this.lines.push('[cell]');
        this.container(entry.children);
      }
    }
  }

  private paragraph(node: XmlNode): void {
    const mark = child(child(node, 'w:pPr'), 'w:rPr');
    const boxes: XmlNode[] = [];
    const text = (this.carried ?? '') + this.inline(node, boxes);
    this.carried = null;
    if (this.flags.some((flag) => child(mark, flag))) this.carried = text;
    else this.lines.push(text);
    for (const box of boxes) {
      const inner = new ViewReader(this.gone.has('w:del') ? 'accept' : 'reject');
      inner.container(box.children);
      this.lines.push(...inner.lines.map((line) => `[box] ${line}`));
    }
  }

  private inline(node: XmlNode, boxes: XmlNode[]): string {
    if (this.gone.has(node.name) || SKIPPED.has(node.name)) return '';
    switch (node.name) {
      case 'w:t':
      case 'w:delText':
        return node.attributes['xml:space'] === 'preserve' ? node.text : node.text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
      case 'm:t':
        return node.text;
      case 'w:tab':
        return '\t';
      case 'w:br':
      case 'w:cr':
        return '\n';
      case 'w:noBreakHyphen':
        return '\u2011';
      case 'w:softHyphen':
        return '\u00ad';
      case 'w:txbxContent':
        boxes.push(node);
        return '';
      default:
        return node.children.map((entry) => this.inline(entry, boxes)).join('');
    }
  }
}

/** Lines of one part: a line for each paragraph, with marks for rows, cells and text boxes. Empty if the part is not there. */
export function linesOf(bytes: Uint8Array, view: View, part = 'word/document.xml', container: string | null = 'w:body'): string[] {
  const content = new ZipReader(bytes, 'test', DEFAULT_LIMITS).read(part);
  if (!content) return [];
  const reader = new ViewReader(view);
  readXml(content, part, container, (node) => {
    reader.block(node);
    if (container === null) reader.end();
  });
  reader.end();
  return reader.lines;
}

/** The main part as a tree: one node below which all blocks stand. */
export function bodyNodes(bytes: Uint8Array): XmlNode[] {
  const nodes: XmlNode[] = [];
  readXml(new ZipReader(bytes, 'test', DEFAULT_LIMITS).read('word/document.xml')!, 'word/document.xml', 'w:body', (node) => nodes.push(node));
  return nodes;
}

export function everyNode(nodes: readonly XmlNode[]): XmlNode[] {
  return nodes.flatMap((node) => [node, ...everyNode(node.children)]);
}
