// The marks of tracked changes: who, when, and ids that are unique in the document (ISO/IEC 29500-1, 17.13.5).
//
// Owns: the elements around runs, the marks of paragraphs and rows, the order of elements that the schema asks for.
import { childOf, clone, element, elements, visit, type XmlElement } from './xml.ts';

export type MarkKind = 'w:ins' | 'w:del' | 'w:moveFrom' | 'w:moveTo';

export class Revisions {
  /** Marks made so far, by the name of their element. */
  readonly counts = new Map<string, number>();
  private next = 1;
  private readonly author: string;
  private readonly date: string;

  constructor(author: string, date: string, taken: readonly XmlElement[]) {
    this.author = author;
    this.date = date;
    for (const root of taken)
      visit(root, ({ attributes }) => {
        const id = Number(attributes['w:id']);
        // Bookmarks and comments share the space of ids; a broken file may hold anything there.
        if (Number.isInteger(id) && id >= this.next && id < 0x3fffffff) this.next = id + 1;
      });
  }

  id(): string {
    return String(this.next++);
  }

  mark(name: string, children: XmlElement[] = []): XmlElement {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return element(name, { 'w:id': this.id(), 'w:author': this.author, 'w:date': this.date }, children);
  }

  deletion(nodes: readonly XmlElement[]): XmlElement {
    return this.mark(
      'w:del',
      nodes.map((node) => deletedText(clone(node))),
    );
  }

  /** New runs under their mark. A link can not stand inside a mark (CT_RunTrackChange), so the mark stands inside the link. */
  insertion(nodes: readonly XmlElement[], kind: MarkKind = 'w:ins'): XmlElement[] {
    const out: XmlElement[] = [];
    let held: XmlElement[] = [];
    const flush = (): void => {
      if (held.length > 0) out.push(this.mark(kind, held));
      held = [];
    };
    for (const node of nodes) {
      if (node.name !== 'w:hyperlink') {
        held.push(node);
        continue;
      }
      flush();
      out.push(element(node.name, node.attributes, [this.mark(kind, elements(node))]));
    }
    flush();
    return out;
  }

  /** Marks the end of a paragraph: CT_ParaRPr wants the marks before the properties of the run. */
  markParagraph(paragraph: XmlElement, kind: MarkKind): void {
    let properties = childOf(paragraph, 'w:pPr');
    if (!properties) paragraph.children.unshift((properties = element('w:pPr')));
    let run = childOf(properties, 'w:rPr');
    if (!run) {
      run = element('w:rPr');
      const last = elements(properties).find((entry) => entry.name === 'w:sectPr' || entry.name === 'w:pPrChange');
      properties.children.splice(last ? properties.children.indexOf(last) : properties.children.length, 0, run);
    }
    run.children.unshift(this.mark(kind));
  }

  markRow(row: XmlElement, kind: 'w:ins' | 'w:del'): void {
    let properties = childOf(row, 'w:trPr');
    if (!properties) {
      properties = element('w:trPr');
      const exception = childOf(row, 'w:tblPrEx');
      row.children.splice(exception ? row.children.indexOf(exception) + 1 : 0, 0, properties);
    }
    properties.children.push(this.mark(kind));
  }
}

/** Inside w:del text has another name; text boxes keep theirs, they are deleted with their drawing. */
function deletedText(node: XmlElement): XmlElement {
  if (node.name === 'w:t') node.name = 'w:delText';
  else if (node.name === 'w:instrText') node.name = 'w:delInstrText';
  else if (node.name === 'w:r') for (const entry of elements(node)) deletedText(entry);
  return node;
}
