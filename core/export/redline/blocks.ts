// A body, cell, text box or note of the older document with everything that became of it marked in place.
//
// Owns: units in a container, pairs edited, units deleted and inserted, whole paragraphs moved, the marks at the end of a container.
// Rule: the last paragraph of a container can not lose its mark. If paragraphs at the end go or come, the mark of the paragraph before them
// carries the change and the last mark stays (17.13.5.15: a deleted mark joins its paragraph to the next).
import { adoptAt, adoptProperties, adoptRuns, type Known } from './adopt.ts';
import { alignUnits, countWords, type Entry, type Unit } from './align.ts';
import { OBJECT, readParagraph, type Paragraph, type Side } from './leaves.ts';
import { editsOf, insertParagraph, markEdits, removeParagraph } from './paragraph.ts';
import type { Revisions } from './revisions.ts';
import { insertTable, redlineTable, removeTable, rowsOf, cellsOf } from './tables.ts';
import { childOf, clone, element, elements, findAll, type XmlElement } from './xml.ts';

export interface Redline {
  readonly revisions: Revisions;
  readonly known: Known;
  readonly before: Side;
  readonly after: Side;
  /** The note that a reference points at, one per side; null where there is none. */
  notes(before: XmlElement, after: XmlElement): readonly [XmlElement, XmlElement] | null;
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
  const moved = moves ? movesIn(entries.slice(0, end)) : new Map<BlockUnit, string>();
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
      place.put(insertUnit(entry.after, moved.get(entry.after), like, redline));
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

/** Fewer characters than this move unseen: "Date:" occurs everywhere. */
const LEAST_MOVED = 20;

/** Paragraphs of plain text that went at one place and came at another, each with the name of its move. */
function movesIn(entries: readonly Entry<BlockUnit>[]): Map<BlockUnit, string> {
  const gone = new Map<string, BlockUnit[]>();
  for (const { before, after } of entries) if (before?.paragraph && !after) gone.set(before.key, [...(gone.get(before.key) ?? []), before]);
  const moved = new Map<BlockUnit, string>();
  for (const { before, after } of entries) {
    if (before || !after?.paragraph || after.paragraph.text.length < LEAST_MOVED || after.paragraph.text.includes(OBJECT)) continue;
    const source = gone.get(after.key)?.shift();
    if (!source || source.paragraph!.leaves.some((leaf) => leaf.kind === 'control')) continue;
    const name = `move${moved.size / 2 + 1}`;
    moved.set(source, name).set(after, name);
  }
  return moved;
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
  const insertions = edits
    .map(({ a0, a1, b0, b1 }) => ({ at: a1, nodes: adoptAt(old, a1 > a0 ? a0 + 1 : Math.max(a0, 1), now, b0, b1, redline.known) }))
    .filter((insertion) => insertion.nodes.length > 0);
  markEdits(old, edits, insertions, redline.revisions);
}

/** Text boxes and notes of objects that both sides have are compared as containers of their own. */
function redlineObjects(before: Paragraph, after: Paragraph, edits: readonly { a0: number; a1: number; b0: number; b1: number }[], redline: Redline): void {
  const olds = before.leaves.filter((leaf) => leaf.kind === 'object' && !edits.some((edit) => edit.a0 <= leaf.start && leaf.end <= edit.a1));
  const news = after.leaves.filter((leaf) => leaf.kind === 'object' && !edits.some((edit) => edit.b0 <= leaf.start && leaf.end <= edit.b1));
  if (olds.length !== news.length) return;
  olds.forEach((leaf, index) => {
    const other = news[index]!;
    const boxes = findAll(leaf.node, (node) => node.name === 'w:txbxContent');
    const others = findAll(other.node, (node) => node.name === 'w:txbxContent');
    if (boxes.length === others.length) boxes.forEach((box, at) => redlineContainer(box, others[at]!, redline));
    const notes = redline.notes(leaf.node, other.node);
    if (notes) redlineContainer(notes[0], notes[1], redline);
  });
}

function removeUnit(unit: BlockUnit, move: string | undefined, withMark: boolean, redline: Redline): void {
  if (!unit.paragraph) return removeTable(unit.node, redline);
  removeParagraph(unit.paragraph, move === undefined ? 'w:del' : 'w:moveFrom', withMark, redline.revisions);
  if (move !== undefined) rangeAround(unit.node, 'w:moveFrom', move, redline);
}

/** Blocks that show a unit of the newer document as inserted. `like`: take the properties of this paragraph and leave the mark alone. */
function insertUnit(unit: BlockUnit, move: string | undefined, like: BlockUnit | null, redline: Redline): XmlElement[] {
  if (!unit.paragraph) return [insertTable(unit.node, redline)];
  const own = like ? childOf(like.node, 'w:pPr') : childOf(unit.node, 'w:pPr');
  const properties = own ? adoptProperties(own, redline.known) : undefined;
  const runs = adoptRuns(unit.paragraph, 0, unit.paragraph.text.length, null, redline.known);
  const paragraph = insertParagraph(properties, runs, like ? null : move === undefined ? 'w:ins' : 'w:moveTo', redline.revisions);
  if (move !== undefined) rangeAround(paragraph, 'w:moveTo', move, redline);
  return [paragraph];
}

/** The named range that ties the two ends of a move (17.13.5.21 to .28), around the content of the paragraph. */
function rangeAround(paragraph: XmlElement, kind: 'w:moveFrom' | 'w:moveTo', name: string, { revisions }: Redline): void {
  const start = revisions.mark(`${kind}RangeStart`);
  start.attributes['w:name'] = name;
  const properties = childOf(paragraph, 'w:pPr');
  paragraph.children.splice(properties ? paragraph.children.indexOf(properties) + 1 : 0, 0, start);
  paragraph.children.push(element(`${kind}RangeEnd`, { 'w:id': start.attributes['w:id']! }));
}

/** Every block of a cell of the newer document as inserted. */
export function insertBlocks(container: XmlElement, redline: Redline): XmlElement[] {
  return unitsIn(container, redline.after).flatMap((unit) => insertUnit(unit, undefined, null, redline));
}

/** Every block of a cell of the older document as deleted. */
export function removeBlocks(container: XmlElement, redline: Redline): void {
  for (const unit of unitsIn(container, redline.before)) removeUnit(unit, undefined, true, redline);
}

export const copyOf = (node: XmlElement | undefined): XmlElement[] => (node ? [clone(node)] : []);
