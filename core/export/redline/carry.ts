// What content of the newer package needs around it, brought into the older one: styles, lists, pictures, charts, links, notes.
//
// Owns: which style, list, relationship or note of the older package stands for one of the newer, and copying what has none there.
// Rule: what both packages have is never copied; the older package's definition holds (as Word does when it pastes).
// Never carried: macros, ActiveX controls, sub-documents: parts that run or that load something.
import { ListCarrier } from './lists.ts';
import type { DocxPackage, Relation } from './package.ts';
import { childOf, clone, elements, findAll, visit, type XmlElement } from './xml.ts';

export interface Carrier {
  /** Style of the older package for one of the newer; null where there is none to be had. */
  style(id: string): string | null;
  /** List (w:numId) of the older package. */
  list(id: string): string | null;
  relation(id: string): string | null;
  /** Id of the note that a reference gets in the older package. */
  note(reference: XmlElement): string | null;
  /** Whether a bookmark can be linked to. */
  anchor(name: string): boolean;
  /** An id for a drawing, unique in the older document. */
  drawing(): string;
  /** Two paragraphs are one: their lists are the same list. */
  pair(before: XmlElement, after: XmlElement): void;
  /** Says that something could not be carried. */
  lost(what: string): void;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

/** For content that comes from the older document itself, or from blocks: everything it names is there or is left out. */
export function plainCarrier(styles: ReadonlySet<string> | null): Carrier {
  const own = (id: string): string | null => (styles === null || styles.has(id) ? id : null);
  const same = (id: string): string | null => (styles === null ? id : null);
  const none = (): void => undefined;
  return { style: own, list: same, relation: same, note: () => null, anchor: () => false, drawing: () => '1', pair: none, lost: none, before: {}, after: {} };
}

/** Types of relationships whose parts are shown and do nothing. */
const SHOWN =
  /^(?:image|hyperlink|chart|chartEx|chartStyle|chartColorStyle|chartUserShapes|themeOverride|diagram\w+|oleObject|package|video|audio|media|hdphoto|ink)$/;
/** A part that leads to itself over others would copy for ever without the map; this bounds a hostile chain. */
const MOST_PARTS = 2_000;

export class PackageCarrier implements Carrier {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly losses = new Map<string, number>();
  noteOf: (reference: XmlElement) => string | null = () => null;
  private readonly older: DocxPackage;
  private readonly newer: DocxPackage;
  private readonly lists: ListCarrier;
  private readonly styles = new Map<string, string | null>();
  private readonly parts = new Map<string, string>();
  private readonly bookmarks: ReadonlySet<string>;
  /** An object, for carriers of other parts count on with it. */
  private readonly drawings = { next: 1 };

  constructor(older: DocxPackage, newer: DocxPackage) {
    this.older = older;
    this.newer = newer;
    this.before = namespacesOf(older.document);
    this.after = namespacesOf(newer.document);
    this.lists = new ListCarrier(older, newer, (id) => (this.copied.has(id) ? (this.styles.get(id) ?? null) : null));
    const bookmarks = new Set<string>();
    visit(older.document, ({ name, attributes }) => {
      if (name === 'w:bookmarkStart') bookmarks.add(attributes['w:name'] ?? '');
      const id = name.endsWith(':docPr') ? Number(attributes['id']) : 0;
      // ST_DrawingElementId is an unsigned 32-bit number; Word itself stays below 2^31.
      if (id >= this.drawings.next && id < 0x7fffffff) this.drawings.next = id + 1;
    });
    this.bookmarks = bookmarks;
  }

  /** To be called when all content is brought over. */
  finish(): void {
    for (const type of ['', 'styles', 'numbering', 'footnotes', 'endnotes']) {
      const [from, to] = type === '' ? [this.newer.main, this.older.main] : [this.newer.partName(type), this.older.partName(type)];
      const root = from === undefined ? undefined : this.newer.tree(from);
      if (root && to !== undefined) this.older.declare(to, namespacesOf(root), (root.attributes['mc:Ignorable'] ?? '').split(/\s+/));
    }
  }

  /** The same for content of another part than the main one: relationships belong to a part. */
  within(from: string, to: string): Carrier {
    const own: Carrier = Object.create(this);
    own.relation = (id) => this.relate(id, from, to);
    return own;
  }

  relation(id: string): string | null {
    return this.relate(id, this.newer.main, this.older.main);
  }

  list(id: string): string | null {
    return this.lists.carry(id);
  }

  pair(before: XmlElement, after: XmlElement): void {
    this.lists.pair(before, after);
  }

  note(reference: XmlElement): string | null {
    return this.noteOf(reference);
  }

  anchor(name: string): boolean {
    return this.bookmarks.has(name);
  }

  drawing(): string {
    return String(this.drawings.next++);
  }

  lost(what: string): void {
    this.losses.set(what, (this.losses.get(what) ?? 0) + 1);
  }

  private readonly copied = new Set<string>();

  style(id: string): string | null {
    const known = this.styles.get(id);
    if (known !== undefined) return known;
    const own = stylesOf(this.newer).find((style) => style.attributes['w:styleId'] === id);
    const found = own ? this.standIn(own, id) : null;
    this.styles.set(id, found);
    if (found !== null || !own || !this.older.part('styles')) return found;
    return this.copyStyle(own, id);
  }

  /** A style of the same kind and name; ids are translated by Word's language, names of built-in styles are not. */
  private standIn(own: XmlElement, id: string): string | null {
    const type = own.attributes['w:type'];
    const peers = stylesOf(this.older).filter((style) => style.attributes['w:type'] === type);
    const name = nameOf(own);
    const named = peers.find((style) => nameOf(style) === name);
    const standard = own.attributes['w:default'] === '1' ? peers.find((style) => style.attributes['w:default'] === '1') : undefined;
    const same = peers.find((style) => style.attributes['w:styleId'] === id && (nameOf(style) === '' || name === ''));
    return (named ?? standard ?? same)?.attributes['w:styleId'] ?? null;
  }

  private copyStyle(own: XmlElement, id: string): string {
    const root = this.older.part('styles')!;
    const taken = new Set(stylesOf(this.older).map((style) => style.attributes['w:styleId']));
    let free = id;
    for (let number = 1; taken.has(free); number++) free = `${id}${number}`;
    this.styles.set(id, free);
    this.copied.add(id);
    const copy = clone(own);
    copy.attributes['w:styleId'] = free;
    delete copy.attributes['w:default'];
    root.children.push(copy);
    for (const entry of elements(copy)) {
      if (!['w:basedOn', 'w:next', 'w:link'].includes(entry.name)) continue;
      const other = this.style(entry.attributes['w:val'] ?? '');
      if (other === null) copy.children.splice(copy.children.indexOf(entry), 1);
      else entry.attributes['w:val'] = other;
    }
    for (const entry of findAll(copy, (node) => node.name === 'w:numPr')) {
      const list = childOf(entry, 'w:numId');
      const carried = list ? this.lists.carry(list.attributes['w:val'] ?? '0') : null;
      if (list) list.attributes['w:val'] = carried ?? '0';
    }
    this.older.touch(this.older.partName('styles')!);
    return free;
  }

  private relate(id: string, from: string, to: string): string | null {
    const relation = this.newer.relations(from).find((entry) => entry.id === id);
    if (!relation || !SHOWN.test(relation.type)) return null;
    const key = this.newer.targetKey(relation);
    const same = this.older.relations(to).find((entry) => entry.type === relation.type && this.older.targetKey(entry) === key);
    if (same) return same.id;
    if (relation.outside) return this.older.relate(to, relation);
    const target = this.copyPart(relation);
    return target === null ? null : this.older.relate(to, { ...relation, target });
  }

  /** A part with all that it points at, under names that are free. */
  private copyPart({ target }: Relation): string | null {
    const known = this.parts.get(target);
    if (known !== undefined) return known;
    const bytes = this.newer.bytes(target);
    if (!bytes || this.parts.size >= MOST_PARTS) return null;
    const dot = target.lastIndexOf('.');
    let name = target;
    for (let number = 1; this.older.has(name); number++) name = `${target.slice(0, dot)}-${number}${target.slice(dot)}`;
    this.parts.set(target, name);
    this.older.add(name, bytes, this.newer.contentType(target));
    for (const relation of this.newer.relations(target)) {
      if (!SHOWN.test(relation.type)) continue;
      const inner = relation.outside ? relation.target : this.copyPart(relation);
      if (inner !== null) this.older.relate(name, { ...relation, target: inner }, relation.id);
    }
    return name;
  }
}

const stylesOf = (docx: DocxPackage): XmlElement[] => elements(docx.part('styles')).filter((node) => node.name === 'w:style');
const nameOf = (style: XmlElement): string => (childOf(style, 'w:name')?.attributes['w:val'] ?? '').toLowerCase();

function namespacesOf(root: XmlElement): Record<string, string> {
  return Object.fromEntries(
    Object.entries(root.attributes)
      .filter(([name]) => name.startsWith('xmlns:'))
      .map(([name, uri]) => [name.slice('xmlns:'.length), uri]),
  );
}
