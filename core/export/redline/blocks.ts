// A body, cell, text box or note of the older document with everything that became of it marked in place.
//
// Owns: units in a container, pairs edited, units deleted and inserted, whole paragraphs moved, the marks at the end of a container.
// Rule: the last paragraph of a container can not lose its mark. If paragraphs at the end go or come, the mark of the paragraph before them
// carries the change and the last mark stays (17.13.5.15: a deleted mark joins its paragraph to the next).
import { adoptAt, adoptProperties, adoptRuns } from './adopt.ts';
import { alignUnits, countWords, type Entry, type Unit } from './align.ts';
import { plainCarrier, type Carrier } from './carry.ts';
import { readParagraph, type Paragraph, type Side } from './leaves.ts';
import { movesIn, type Move } from './moves.ts';
import { isNoteReference, type Notes } from './notes.ts';
import { editsOf, markEdits, newParagraph, removeParagraph, type Edit } from './paragraph.ts';
import type { Revisions } from './revisions.ts';
import { insertTable, redlineTable, removeTable, rowsOf, cellsOf } from './tables.ts';
import { childOf, clone, element, elements, findAll, type XmlElement } from './xml.ts';

export interface Redline {
  readonly revisions: Revisions;
  readonly carrier: Carrier;
  readonly before: Side;
  readonly after: Side;
  readonly notes: Notes;
  /** For newer text that is no DOCX: paragraphs whose number was cut off, with its form; they take the list of a neighbour of that form. */
  readonly forms?: ReadonlyMap<XmlElement, string>;
}

export interface BlockUnit extends Unit {
  readonly node: XmlElement;
  readonly parent: XmlElement;
  /** Null for tables. */
  readonly paragraph: Paragraph | null;
}

const TRANSPARENT = new Set(['w:sdt', 'w:sdtContent', 'w:customXml']);

export function unitsIn(container: XmlElement, side: Side): BlockUnit[] {
  return elements(container).flatMap((node): BlockUnit[] => {
    if (node.name === 'w:p') return [paragraphUnit(node, container, side)];
    if (node.name === 'w:tbl') return [tableUnit(node, container, side)];
    return TRANSPARENT.has(node.name) ? unitsIn(node, side) : [];
  });
}

function paragraphUnit(node: XmlElement, parent: XmlElement, side: Side): BlockUnit {
  const paragraph = readParagraph(node, side);
  return { kind: 'paragraph', key: paragraph.tokens.map((token) => token.id).join(), ...countWords(paragraph.tokens), node, parent, paragraph };
}

function tableUnit(node: XmlElement, parent: XmlElement, side: Side): BlockUnit {
  const rows = rowsOf(node).map((row) => cellsOf(row).map((cell) => unitsIn(cell, side)));
  const words = new Map<number, number>();
  const inner = rows.flat(2);
  for (const unit of inner) for (const [word, count] of unit.words) words.set(word, (words.get(word) ?? 0) + count);
  const key = rows.map((row) => row.map((cell) => cell.map((unit) => unit.key).join('¶')).join('|')).join('/');
  return { kind: 'table', key, words, size: inner.reduce((sum, unit) => sum + unit.size, 0), node, parent, paragraph: null };
}

/** `moves`: a paragraph may be told as moved (not inside cells, where Word does not tell them). */
export function redlineContainer(before: XmlElement, after: XmlElement, redline: Redline, moves = false): void {
  const entries = pairLast(alignUnits(unitsIn(before, redline.before), unitsIn(after, redline.after)));
  const end = endOf(entries);
  const moved = moves ? movesIn(entries.slice(0, end)) : new Map<BlockUnit, Move>();
  for (const entry of entries) if (entry.before?.paragraph && entry.after?.paragraph) redline.carrier.pair(entry.before.node, entry.after.node);
  const place = placer(before, entries);
  entries.forEach((entry, index) => {
    // In a changed end all marks but the last are marked, and that of the paragraph before it.
    const shifted = end < entries.length && index === entries.length - 1;
    if (entry.before && entry.after) {
      place.pass(entry.before);
      redlinePair(entry.before, entry.after, redline);
      if (index === end - 1 && end < entries.length) redline.revisions.markParagraph(entry.before.node, entries[end]!.before ? 'w:del' : 'w:ins');
    } else if (entry.before) {
      place.pass(entry.before);
      removeUnit(entry.before, moved.get(entry.before), !shifted, redline);
    } else if (entry.after) {
      const like = shifted ? entries[end - 1]!.before! : null;
      place.put(insertUnit(entry.after, moved.get(entry.after), { like, look: lookOf(entries, index, redline.forms) }, redline));
    }
  });
}

/** Makes sure that the last paragraphs of both sides are one, or that `endOf` can deal with what follows the last pair. */
function pairLast(entries: readonly Entry<BlockUnit>[]): Entry<BlockUnit>[] {
  const from = entries.findLastIndex((entry) => entry.before && entry.after) + 1;
  const tail = entries.slice(from);
  const [last, newest] = [tail.findLast((entry) => entry.before)?.before, tail.findLast((entry) => entry.after)?.after];
  if (!last && !newest) return [...entries];
  const pair = entries[from - 1];
  if (last && newest) {
    if (!last.paragraph || !newest.paragraph) return [...entries];
    const gone = tail.filter((entry) => entry.before && entry.before !== last);
    return [...entries.slice(0, from), ...gone, ...tail.filter((entry) => entry.after && entry.after !== newest), { before: last, after: newest }];
  }
  // A table in the end parts the last mark from the pair before it: then the last paragraph takes that pair's partner.
  if (!pair?.before?.paragraph || !pair.after || tail.every(paragraphOf) || !paragraphOf(tail.at(-1)!)) return [...entries];
  const single = last ? { before: pair.before, after: null } : { before: null, after: pair.after };
  const closing = last ? { before: last, after: pair.after } : { before: pair.before, after: newest! };
  return [...entries.slice(0, from - 1), single, ...tail.slice(0, -1), closing];
}

const paragraphOf = (entry: Entry<BlockUnit>): boolean => (entry.before ?? entry.after)?.paragraph != null;

/** Where an end begins that only comes or only goes, right after a pair of paragraphs; the number of entries if there is none. */
function endOf(entries: readonly Entry<BlockUnit>[]): number {
  let from = entries.length;
  while (from > 0 && (entries[from - 1]!.before === null || entries[from - 1]!.after === null) && paragraphOf(entries[from - 1]!)) from--;
  const previous = entries[from - 1];
  return previous?.before?.paragraph && previous.after ? from : entries.length;
}

/** Puts new blocks after the last block that was passed, or before the next one where that stands further out. */
function placer(container: XmlElement, entries: readonly Entry<BlockUnit>[]): { pass(unit: BlockUnit): void; put(nodes: readonly XmlElement[]): void } {
  const olds = entries.flatMap((entry) => entry.before ?? []);
  let passed = 0;
  let last: { parent: XmlElement; node: XmlElement } | null = null;
  const insert = (parent: XmlElement, at: number, nodes: readonly XmlElement[]): void => void parent.children.splice(at, 0, ...nodes);
  return {
    pass: (unit) => {
      passed++;
      last = unit;
    },
    put: (nodes) => {
      const next = olds[passed];
      if (next && (last === null || (last.parent !== container && next.parent === container)))
        insert(next.parent, next.parent.children.indexOf(next.node), nodes);
      else if (last) insert(last.parent, last.parent.children.indexOf(last.node) + 1, nodes);
      else {
        const section = childOf(container, 'w:sectPr');
        insert(container, section ? container.children.indexOf(section) : container.children.length, nodes);
      }
      // Until the next old block is passed, more new blocks follow these.
      if (nodes.length > 0) last = { parent: parentOf(nodes.at(-1)!, [container, next?.parent, last?.parent]), node: nodes.at(-1)! };
    },
  };
}

const parentOf = (node: XmlElement, candidates: readonly (XmlElement | undefined)[]): XmlElement =>
  candidates.find((parent) => parent?.children.includes(node))!;

function redlinePair(before: BlockUnit, after: BlockUnit, redline: Redline): void {
  if (!before.paragraph || !after.paragraph) return redlineTable(before.node, after.node, redline);
  const [old, now] = [before.paragraph, after.paragraph];
  const edits = before.key === after.key ? [] : editsOf(old, now);
  redlineObjects(old, now, edits, redline);
  if (edits.length === 0) return;
  for (const leaf of old.leaves) if (isNoteReference(leaf.node) && edits.some(({ a0, a1 }) => covers(a0, a1, leaf))) redline.notes.remove(leaf.node);
  const insertions = edits
    .map(({ a0, a1, b0, b1 }) => ({ at: a1, nodes: adoptAt(old, a1 > a0 ? a0 + 1 : Math.max(a0, 1), now, b0, b1, redline.carrier) }))
    .filter((insertion) => insertion.nodes.length > 0);
  markEdits(old, edits, insertions, redline.revisions);
}

const covers = (from: number, to: number, leaf: { readonly start: number; readonly end: number }): boolean => from <= leaf.start && leaf.end <= to;

/** Text boxes and notes of objects that both sides have are compared as containers of their own. */
function redlineObjects(before: Paragraph, after: Paragraph, edits: readonly Edit[], redline: Redline): void {
  const olds = before.leaves.filter((leaf) => leaf.kind === 'object' && !edits.some(({ a0, a1 }) => covers(a0, a1, leaf)));
  const news = after.leaves.filter((leaf) => leaf.kind === 'object' && !edits.some(({ b0, b1 }) => covers(b0, b1, leaf)));
  if (olds.length !== news.length) return;
  olds.forEach((leaf, index) => {
    const other = news[index]!;
    const boxes = findAll(leaf.node, (node) => node.name === 'w:txbxContent');
    const others = findAll(other.node, (node) => node.name === 'w:txbxContent');
    if (boxes.length === others.length) boxes.forEach((box, at) => redlineContainer(box, others[at]!, redline));
    redline.notes.compare(leaf.node, other.node);
  });
}

function removeUnit(unit: BlockUnit, move: Move | undefined, withMark: boolean, redline: Redline): void {
  if (!unit.paragraph) return removeTable(unit.node, redline);
  for (const leaf of unit.paragraph.leaves) if (isNoteReference(leaf.node)) redline.notes.remove(leaf.node);
  removeParagraph(unit.paragraph, move === undefined ? 'w:del' : 'w:moveFrom', withMark, redline.revisions);
  if (move !== undefined) rangeAround(unit.node, 'w:moveFrom', move.name, redline);
}

/** Entries on either side in which a neighbour of the same form is looked for. */
const MOST_FAR = 200;

/** The nearest paragraph of the older document whose counterpart had a number of the same form. */
function lookOf(entries: readonly Entry<BlockUnit>[], index: number, forms: Redline['forms']): BlockUnit | null {
  const form = forms?.get(entries[index]!.after!.node);
  if (form === undefined) return null;
  for (let far = 1; far < MOST_FAR; far++)
    for (const entry of [entries[index - far], entries[index + far]])
      if (entry?.before && entry.after && forms?.get(entry.after.node) === form) return entry.before;
  return null;
}

/** Whose properties a new paragraph takes: `like` also leaves the mark alone, `look` does not; without both it keeps its own. */
interface Model {
  readonly like: BlockUnit | null;
  readonly look: BlockUnit | null;
}
const OWN: Model = { like: null, look: null };

/** Blocks that show a unit of the newer document as inserted. */
function insertUnit(unit: BlockUnit, move: Move | undefined, { like, look }: Model, redline: Redline, marked = like === null): XmlElement[] {
  if (!unit.paragraph) return [insertTable(unit.node, redline)];
  const { revisions, carrier } = redline;
  const properties = adoptProperties(childOf((like ?? look ?? unit).node, 'w:pPr'), (like ?? look) ? plainCarrier(null) : carrier);
  const kind = move === undefined ? 'w:ins' : 'w:moveTo';
  const content =
    move === undefined ? revisions.insertion(adoptRuns(unit.paragraph, 0, unit.paragraph.text.length, null, carrier)) : movedContent(move, redline);
  const paragraph = newParagraph(properties, content, marked ? kind : null, revisions);
  if (move !== undefined) rangeAround(paragraph, 'w:moveTo', move.name, redline);
  return [paragraph];
}

/** A moved paragraph where it came to: what was edited on the way is inserted and deleted inside the move. */
function movedContent(move: Move, { revisions, carrier }: Redline): XmlElement[] {
  const [old, now] = [move.before.paragraph!, move.after.paragraph!];
  const edits = move.before.key === move.after.key ? [] : editsOf(old, now);
  const content: XmlElement[] = [];
  let at = 0;
  for (const { a0, a1, b0, b1 } of [...edits, { a0: 0, a1: 0, b0: now.text.length, b1: now.text.length }]) {
    content.push(...revisions.insertion(adoptRuns(now, at, b0, null, carrier), 'w:moveTo'));
    const gone = adoptRuns(old, a0, a1, null, plainCarrier(null));
    if (gone.length > 0) content.push(revisions.mark('w:moveTo', [revisions.deletion(gone)]));
    content.push(...revisions.insertion(adoptRuns(now, b0, b1, null, carrier)));
    at = b1;
  }
  return content;
}

/** The named range that ties the two ends of a move (17.13.5.21 to .28), around the content of the paragraph. */
function rangeAround(paragraph: XmlElement, kind: 'w:moveFrom' | 'w:moveTo', name: string, { revisions }: Redline): void {
  const start = revisions.mark(`${kind}RangeStart`);
  start.attributes['w:name'] = name;
  const properties = childOf(paragraph, 'w:pPr');
  paragraph.children.splice(properties ? paragraph.children.indexOf(properties) + 1 : 0, 0, start);
  paragraph.children.push(element(`${kind}RangeEnd`, { 'w:id': start.attributes['w:id']! }));
}

/** Every block of a cell or note of the newer document as inserted; in a note the last mark stays unmarked, for it can not go. */
export function insertBlocks(container: XmlElement, redline: Redline, note = false): XmlElement[] {
  const units = unitsIn(container, redline.after);
  return units.flatMap((unit, index) => insertUnit(unit, undefined, OWN, redline, !note || index < units.length - 1));
}

/** Every block of a cell or note of the older document as deleted. */
export function removeBlocks(container: XmlElement, redline: Redline, note = false): void {
  const units = unitsIn(container, redline.before);
  units.forEach((unit, index) => removeUnit(unit, undefined, !note || index < units.length - 1, redline));
}

export const copyOf = (node: XmlElement | undefined): XmlElement[] => (node ? [clone(node)] : []);
