// A second opinion for tests: the paragraphs of a DOCX with all tracked changes accepted or rejected, read by the program's reader of parts and
// by none of the writer's code. Strict where Word is: the last mark of a container can not go, so what is left of it counts as a paragraph.
import { child, readXml, type XmlNode } from '../../ingest/docx/xml.ts';
import { resolvePart, ZipReader } from '../../ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../ingest/limits.ts';

export type View = 'accept' | 'reject';

const SKIPPED = new Set(['w:pPr', 'w:rPr', 'w:tcPr', 'w:instrText', 'w:delInstrText']);

/** Names what a relationship of the part points at, for views that show pictures and links. */
type Targets = (id: string) => string;

class ViewReader {
  readonly lines: string[] = [];
  /** References to notes that stand in this view, in order: "footnotes 3". */
  readonly references: string[] = [];
  private carried: string | null = null;
  private readonly gone: ReadonlySet<string>;
  private readonly flags: readonly string[];

  private readonly targets: Targets | null;

  constructor(view: View, targets: Targets | null = null) {
    this.targets = targets;
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
      else if (!child(child(entry, 'w:tcPr'), this.gone.has('w:del') ? 'w:cellDel' : 'w:cellIns')) {
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
      const inner = new ViewReader(this.gone.has('w:del') ? 'accept' : 'reject', this.targets);
      inner.container(box.children);
      this.references.push(...inner.references);
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
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        this.references.push(`${node.name.slice(2).replace('Reference', 's')} ${node.attributes['w:id']}`);
        return '';
      case 'mc:AlternateContent':
        return this.first(node, boxes);
      default:
        return this.pointing(node, node.children.map((entry) => this.inline(entry, boxes)).join(''));
    }
  }

  /** Both branches hold the same; a box counts in each, a picture or note once. */
  private first(node: XmlNode, boxes: XmlNode[]): string {
    const before = this.references.length;
    const shown = node.children.map((entry) => this.inline(entry, boxes));
    this.references.length = Math.min(this.references.length, before + (this.references.length - before) / Math.max(1, node.children.length));
    return shown[0] ?? '';
  }

  /** Pictures by what they show; every character of a link with where it leads. */
  private pointing(node: XmlNode, text: string): string {
    if (!this.targets) return text;
    const id = node.attributes['r:id'] ?? node.attributes['r:embed'] ?? '';
    if (id === '') return text;
    if (node.name === 'w:hyperlink') return [...text].map((character) => `${character}‹${this.targets!(id)}›`).join('');
    return node.name === 'a:blip' || node.name === 'v:imagedata' || node.name === 'c:chart' ? `[${this.targets(id)}]${text}` : text;
  }
}

function readPart(bytes: Uint8Array, view: View, part: string, container: string | null, targets: Targets | null): ViewReader {
  const reader = new ViewReader(view, targets);
  const content = new ZipReader(bytes, 'test', DEFAULT_LIMITS).read(part);
  if (content)
    readXml(content, part, container, (node) => {
      reader.block(node);
      if (container === null) reader.end();
    });
  reader.end();
  return reader;
}

/** Lines of one part: a line for each paragraph, with marks for rows, cells and text boxes. Empty if the part is not there. */
export function linesOf(bytes: Uint8Array, view: View, part = 'word/document.xml', container: string | null = 'w:body'): string[] {
  return readPart(bytes, view, part, container, null).lines;
}

/** The same with pictures (their bytes' length and sum) and the addresses that links lead to. */
export function richLinesOf(bytes: Uint8Array, view: View): string[] {
  const zip = new ZipReader(bytes, 'test', DEFAULT_LIMITS);
  const targets = new Map<string, string>();
  readXml(zip.read('word/_rels/document.xml.rels') ?? new TextEncoder().encode('<r/>'), 'rels', null, ({ attributes }) => {
    const target = attributes['Target'] ?? '';
    const content = attributes['TargetMode'] === 'External' ? null : zip.read(resolvePart('word/', target));
    targets.set(attributes['Id'] ?? '', content ? `${content.length}:${content.reduce((sum, byte) => (sum + byte) % 65_521, 0)}` : target);
  });
  return readPart(bytes, view, 'word/document.xml', 'w:body', (id) => targets.get(id) ?? `no relationship ${id}`).lines;
}

/** Notes as a reader meets them: those whose reference stands in this view, in the order of the references. */
export function noteLinesOf(bytes: Uint8Array, view: View): string[] {
  const zip = new ZipReader(bytes, 'test', DEFAULT_LIMITS);
  const { references } = readPart(bytes, view, 'word/document.xml', 'w:body', null);
  const notes = new Map<string, XmlNode>();
  for (const kind of ['footnotes', 'endnotes']) {
    const content = zip.read(`word/${kind}.xml`);
    if (content) readXml(content, kind, null, (node) => void notes.set(`${kind} ${node.attributes['w:id']}`, node));
  }
  return references.flatMap((reference) => {
    const note = notes.get(reference);
    if (!note) return [`no note ${reference.split(' ')[0]}`];
    const reader = new ViewReader(view);
    reader.container(note.children);
    // A note without any paragraph (Word repairs it) is one with an empty one: the last can not go.
    return [`[${reference.split(' ')[0]}]`, ...(reader.lines.length > 0 ? reader.lines : [''])];
  });
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
