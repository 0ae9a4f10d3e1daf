// Lists of the newer package in the older one (ISO/IEC 29500-1, 17.9).
//
// Owns: which w:num of the older package is the list of an inserted paragraph, so that its number is computed and goes on where it belongs.
// Rule: first the list that its neighbours are in (told by paragraphs that both sides have), then one of equal levels, else a copy of the definition.
import type { DocxPackage } from './package.ts';
import { childOf, clone, element, elements, findAll, type XmlElement } from './xml.ts';

const NUMBERING_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml';
/** Names of a definition, not its look; and what only one package can resolve. */
const NAMES = /^w:(?:nsid|tmpl|name|styleLink|numStyleLink|lvlPicBulletId)$/;

export class ListCarrier {
  private readonly older: DocxPackage;
  private readonly newer: DocxPackage;
  /** Style of the older package for a style that was copied; null for others. */
  private readonly copiedStyle: (id: string) => string | null;
  private readonly carried = new Map<string, string | null>();

  constructor(older: DocxPackage, newer: DocxPackage, copiedStyle: (id: string) => string | null) {
    this.older = older;
    this.newer = newer;
    this.copiedStyle = copiedStyle;
  }

  /** Paragraphs of both sides that are one: lists of equal levels are one list from here on. */
  pair(before: XmlElement, after: XmlElement): void {
    const [own, other] = [listOf(after), listOf(before)];
    if (own === null || other === null || own === '0' || other === '0' || this.carried.has(own)) return;
    if (formOf(this.newer, own) === formOf(this.older, other)) this.carried.set(own, other);
  }

  carry(id: string): string | null {
    if (id === '0') return '0';
    const known = this.carried.get(id);
    if (known !== undefined) return known;
    const form = formOf(this.newer, id);
    const found = form === null ? null : (this.equal(id, form) ?? this.copy(id));
    this.carried.set(id, found);
    return found;
  }

  private equal(id: string, form: string): string | null {
    const ids = numbersOf(this.older).map((num) => num.attributes['w:numId'] ?? '');
    return [id, ...ids].find((candidate) => ids.includes(candidate) && formOf(this.older, candidate) === form) ?? null;
  }

  private copy(id: string): string | null {
    const own = numbersOf(this.newer).find((num) => num.attributes['w:numId'] === id);
    const abstract = abstractOf(this.newer, id);
    if (!own || !abstract) return null;
    const root = this.numbering();
    const definition = clone(abstract);
    const abstractId = String(highest(root, 'w:abstractNumId', 'w:abstractNum') + 1);
    definition.attributes['w:abstractNumId'] = abstractId;
    definition.children = elements(definition).filter(({ name }) => !NAMES.test(name));
    const list = clone(own);
    const numId = String(highest(root, 'w:numId', 'w:num') + 1);
    list.attributes['w:numId'] = numId;
    childOf(list, 'w:abstractNumId')!.attributes['w:val'] = abstractId;
    for (const level of findAll(element('w:both', {}, [definition, list]), (node) => node.name === 'w:lvl')) this.adoptLevel(level);
    // CT_Numbering: pictures, then definitions, then lists, then the mark of a clean-up.
    const lists = elements(root).find(({ name }) => name === 'w:num' || name === 'w:numIdMacAtCleanup');
    root.children.splice(lists ? root.children.indexOf(lists) : root.children.length, 0, definition);
    const end = elements(root).find(({ name }) => name === 'w:numIdMacAtCleanup');
    root.children.splice(end ? root.children.indexOf(end) : root.children.length, 0, list);
    this.older.touch(this.older.partName('numbering')!);
    return numId;
  }

  /** A level keeps its tie to a style only if the style came with it. */
  private adoptLevel(level: XmlElement): void {
    level.children = elements(level).filter((entry) => {
      if (entry.name === 'w:lvlPicBulletId') return false;
      if (entry.name !== 'w:pStyle') return true;
      const style = this.copiedStyle(entry.attributes['w:val'] ?? '');
      if (style !== null) entry.attributes['w:val'] = style;
      return style !== null;
    });
  }

  private numbering(): XmlElement {
    const known = this.older.part('numbering');
    if (known) return known;
    const root = element('w:numbering', { ...this.newer.part('numbering')!.attributes });
    const name = 'word/numbering.xml';
    const { uri } = this.newer.relations(this.newer.main).find(({ type }) => type === 'numbering')!;
    this.older.add(name, root, NUMBERING_TYPE);
    this.older.relate(this.older.main, { uri, target: name, outside: false });
    return root;
  }
}

const numbersOf = (docx: DocxPackage): XmlElement[] => elements(docx.part('numbering')).filter(({ name }) => name === 'w:num');

function listOf(paragraph: XmlElement): string | null {
  return childOf(childOf(childOf(paragraph, 'w:pPr'), 'w:numPr'), 'w:numId')?.attributes['w:val'] ?? null;
}

/** The definition behind a list, through the style that a definition may point at (17.9.21). */
function abstractOf(docx: DocxPackage, id: string, depth = 0): XmlElement | undefined {
  const num = numbersOf(docx).find(({ attributes }) => attributes['w:numId'] === id);
  const abstractId = childOf(num, 'w:abstractNumId')?.attributes['w:val'];
  const abstract = elements(docx.part('numbering')).find(({ name, attributes }) => name === 'w:abstractNum' && attributes['w:abstractNumId'] === abstractId);
  const link = childOf(abstract, 'w:numStyleLink')?.attributes['w:val'];
  if (link === undefined || depth > 4) return abstract;
  const style = elements(docx.part('styles')).find(({ attributes }) => attributes['w:styleId'] === link);
  const next = findAll(style ?? element('w:none'), (node) => node.name === 'w:numId')[0]?.attributes['w:val'];
  return next === undefined ? abstract : (abstractOf(docx, next, depth + 1) ?? abstract);
}

/** What the numbers of a list look like, as text: equal for equal lists. Null if there is no such list. */
function formOf(docx: DocxPackage, id: string): string | null {
  const num = numbersOf(docx).find(({ attributes }) => attributes['w:numId'] === id);
  const abstract = abstractOf(docx, id);
  if (!num || !abstract) return null;
  const level = (node: XmlElement): string =>
    ['w:start', 'w:numFmt', 'w:lvlText', 'w:isLgl', 'w:lvlRestart', 'w:suff']
      .map((name) =>
        Object.entries(childOf(node, name)?.attributes ?? { none: '' })
          .map(([key, value]) => `${key}=${value}`)
          .join(),
      )
      .join('|');
  const levels = (node: XmlElement): string =>
    findAll(node, (entry) => entry.name === 'w:lvl')
      .map((entry) => `${entry.attributes['w:ilvl']}:${level(entry)}`)
      .join('\n');
  const starts = findAll(num, (entry) => entry.name === 'w:startOverride').map((entry) => entry.attributes['w:val']);
  return `${levels(abstract)}\n${levels(num)}\n${starts.join()}`;
}

function highest(root: XmlElement, attribute: string, name: string): number {
  return Math.max(0, ...elements(root).map((node) => (node.name === name ? Number(node.attributes[attribute]) || 0 : 0)));
}
