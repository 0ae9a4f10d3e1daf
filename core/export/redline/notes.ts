// Footnotes and endnotes of a redline: pairs compared in their own part, notes that only the older has deleted, those of the newer brought over.
//
// Owns: which note belongs to which reference, the part for notes where the older package has none.
// Rule: what a note says is marked like its reference, so that either answer to a change leaves the right notes (Word does the same).
import { insertBlocks, redlineContainer, removeBlocks, type Redline } from './blocks.ts';
import type { PackageCarrier } from './carry.ts';
import type { DocxPackage } from './package.ts';
import { element, elements, type XmlElement } from './xml.ts';

export interface Notes {
  compare(before: XmlElement, after: XmlElement): void;
  remove(reference: XmlElement): void;
}

export const NO_NOTES: Notes = { compare: () => undefined, remove: () => undefined };

const KINDS = { 'w:footnoteReference': 'footnotes', 'w:endnoteReference': 'endnotes' } as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];
const kindOf = (reference: XmlElement): Kind | undefined => (KINDS as Readonly<Record<string, Kind>>)[reference.name];
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

export const isNoteReference = (node: XmlElement): boolean => kindOf(node) !== undefined;

export class PackageNotes implements Notes {
  private readonly older: DocxPackage;
  private readonly newer: DocxPackage;
  private readonly carrier: PackageCarrier;
  private readonly redline: () => Redline;
  /** A note that was compared, deleted or brought over once is not touched again. */
  private readonly done = new Set<XmlElement>();
  private readonly brought = new Map<string, string>();

  constructor(older: DocxPackage, newer: DocxPackage, carrier: PackageCarrier, redline: () => Redline) {
    [this.older, this.newer, this.carrier, this.redline] = [older, newer, carrier, redline];
  }

  compare(before: XmlElement, after: XmlElement): void {
    const kind = kindOf(before);
    if (kind === undefined || before.name !== after.name) return;
    const [old, now] = [noteOf(this.older, kind, before), noteOf(this.newer, kind, after)];
    if (!old || !now || this.done.has(old)) return;
    this.done.add(old);
    redlineContainer(old, now, this.within(kind));
    this.older.touch(this.older.partName(kind)!);
  }

  remove(reference: XmlElement): void {
    const kind = kindOf(reference);
    const note = kind === undefined ? undefined : noteOf(this.older, kind, reference);
    if (kind === undefined || !note || this.done.has(note)) return;
    this.done.add(note);
    removeBlocks(note, this.within(kind), true);
    this.older.touch(this.older.partName(kind)!);
  }

  /** Brings the note of a reference over; its id there, or null if the newer file has no such note. */
  bring(reference: XmlElement): string | null {
    const kind = kindOf(reference);
    const note = kind === undefined ? undefined : noteOf(this.newer, kind, reference);
    if (kind === undefined || !note) return null;
    const key = `${kind} ${note.attributes['w:id']}`;
    const known = this.brought.get(key);
    if (known !== undefined) return known;
    const root = this.older.part(kind) ?? this.makePart(kind);
    const id = String(Math.max(0, ...elements(root).map(({ attributes }) => Number(attributes['w:id']) || 0)) + 1);
    this.brought.set(key, id);
    const copy = element(note.name, { 'w:id': id });
    root.children.push(copy);
    copy.children.push(...insertBlocks(note, this.within(kind), true));
    this.older.touch(this.older.partName(kind)!);
    return id;
  }

  private within(kind: Kind): Redline {
    const redline = this.redline();
    const from = this.newer.partName(kind);
    const to = this.older.partName(kind);
    if (from === undefined || to === undefined) return redline;
    return {
      ...redline,
      carrier: this.carrier.within(from, to),
      before: { ...redline.before, relation: (id) => this.older.relationKey(to, id) },
      after: { ...redline.after, relation: (id) => this.newer.relationKey(from, id) },
    };
  }

  /** A part with the separators of the newer file, which Word expects in it (17.11.23). */
  private makePart(kind: Kind): XmlElement {
    const own = this.newer.part(kind)!;
    const separators = elements(own).filter(({ attributes }) => attributes['w:type'] !== undefined && attributes['w:type'] !== 'normal');
    const root = element(own.name, { ...own.attributes }, separators);
    const name = `word/${kind}.xml`;
    const { uri } = this.newer.relations(this.newer.main).find(({ type }) => type === kind)!;
    this.older.add(name, root, `${CONTENT_TYPE}.${kind}+xml`);
    this.older.relate(this.older.main, { uri, target: name, outside: false });
    return root;
  }
}

function noteOf(docx: DocxPackage, kind: Kind, reference: XmlElement): XmlElement | undefined {
  return elements(docx.part(kind)).find((note) => note.attributes['w:id'] === reference.attributes['w:id']);
}
