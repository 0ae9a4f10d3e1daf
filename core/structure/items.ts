// What of a document may begin a clause: blocks with their numbers, and the pieces of a block that carries two numbers.
//
// Owns: which blocks are read at all (no furniture, nothing hidden), numbers in table cells, lines of a table of contents,
// "2.3 Termination. (a) Either party ..." as two items of one block. Leaves the level of a number to sequence.ts.
// Rule: the items of a block cover it without gap or overlap.
import { isContent, type Block } from '../contract/document.ts';
import { isContentsLine, isContentsTitle, readLabel, type Label } from '../ingest/labels.ts';
import type { Range, RawDocument } from '../ingest/raw.ts';
import { headingOf } from './headings.ts';

export interface Item {
  readonly block: Block;
  /** Characters [start, end) of the block's text. */
  readonly start: number;
  readonly end: number;
  readonly label: Label | null;
  /** Depth of the list item by the document's own list, null outside lists. */
  readonly listLevel: number | null;
  /** An unnumbered heading: what follows may start numbering anew. */
  readonly heading: boolean;
}

/** A table of contents or a list of exhibits is told from the body by at least this many entries. */
const CONTENTS_ENTRIES = 3;
/** Longest entry of a table of contents. */
const ENTRY_LENGTH = 160;
/** How many labels ahead the second of a pair of brackets may stand: (a) with twenty romans below it is still followed by (b). */
const LOOKAHEAD = 24;
/** "2. (a) (i) text" goes three deep; nobody writes more on one line. */
const MAX_NESTED = 4;

export function readItems(raw: RawDocument): Item[] {
  const blocks = raw.blocks.filter(isContent);
  const cells = numberedCells(blocks);
  const whole = dropContents(blocks.map((block) => itemOf(block, raw, cells)));
  const labels = whole.map((item) => item.label).filter((label) => label !== null);
  let passed = 0;
  const nested = whole.flatMap((item) => {
    if (item.label === null) return [item];
    passed++;
    return cutNested(item, raw.emphasis.get(item.block.id) ?? [], labels.slice(passed, passed + LOOKAHEAD));
  });
  return nested.flatMap((item, index) => cutBeforeSecond(item, nested[index + 1]));
}

function itemOf(block: Block, raw: RawDocument, cells: ReadonlySet<string>): Item {
  const numbered = block.kind === 'tableCell' ? cells.has(block.id) : block.number !== null && block.kind !== 'footnote' && block.kind !== 'signature';
  const read = numbered ? readLabel(block.text) : null;
  const listLevel = raw.listLevel.get(block.id) ?? null;
  // A computed number that the grammar does not know ("Recital 1") is placed by its list level alone.
  const label =
    read ??
    (numbered && block.number !== null
      ? { number: block.number, rest: block.number.length, readings: [{ form: `list${listLevel ?? 0}`, values: [0] }], weak: false }
      : null);
  return { block, start: 0, end: block.text.length, label, listLevel, heading: block.kind === 'heading' && label === null };
}

/**
 * Cells whose numbers are the document's numbering: at least two in a row that follow each other, and either nothing was numbered before
 * (a cover page in the form of a table) or they go on with what was. A price list that counts its rows is neither.
 */
function numberedCells(blocks: readonly Block[]): ReadonlySet<string> {
  const out = new Set<string>();
  let last: Label | null = null;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    if (block.cell === null) {
      last = (block.number === null ? null : readLabel(block.text)) ?? last;
      continue;
    }
    const table: Block[] = [];
    while (blocks[index]?.cell?.table === block.cell.table) table.push(blocks[index++] as Block);
    index--;
    const found = table.map((cell) => ({ id: cell.id, label: cellLabel(cell) })).filter((cell) => cell.label !== null);
    const chained = found.filter((cell, at) => at === 0 || found.slice(0, at).some((before) => continues(before.label as Label, cell.label as Label)));
    const first = chained[0]?.label;
    const joins = first != null && (last === null ? first.readings.some((reading) => reading.values.every((value) => value === 1)) : continues(last, first));
    if (chained.length < 2 || chained.length * 2 <= found.length || !joins) continue;
    for (const cell of chained) out.add(cell.id);
    last = chained.at(-1)?.label ?? last;
  }
  return out;
}

/** A number with text behind it, or one that Word computed; a figure alone counts rows. */
function cellLabel(cell: Block): Label | null {
  const label = readLabel(cell.text);
  if (label === null || label.weak || label.readings.some((reading) => reading.form.startsWith('('))) return null;
  return cell.number !== null || label.rest < cell.text.length ? label : null;
}

function continues(before: Label, after: Label): boolean {
  return after.readings.some((next) =>
    before.readings.some(
      (open) =>
        open.form === next.form &&
        next.values.length > 0 &&
        ((open.values.length === next.values.length && (next.values.at(-1) ?? 0) === (open.values.at(-1) ?? 0) + 1) ||
          // 3 -> 3.1 goes down, 3.2 -> 4 goes on above.
          (next.values.length === open.values.length + 1 && next.values.at(-1) === 1 && next.values[0] === open.values[0]) ||
          (next.values.length < open.values.length && next.values.at(-1) === (open.values[next.values.length - 1] ?? 0) + 1)),
    ),
  );
}

/** Below "TABLE OF CONTENTS" numbers are repeated, not begun: up to where the first of them comes again, or running text begins. */
function dropContents(items: readonly Item[]): Item[] {
  const out = [...items];
  for (let index = 0; index < out.length; index++) {
    const { block } = out[index] as Item;
    if (!isContentsTitle(block.text)) {
      if (isContentsLine(block.text)) out[index] = { ...(out[index] as Item), label: null, heading: false };
      continue;
    }
    const end = contentsEnd(out, index + 1);
    if (out.slice(index + 1, end).filter((item) => item.label !== null).length < CONTENTS_ENTRIES) continue;
    for (let at = index + 1; at < end; at++) out[at] = { ...(out[at] as Item), label: null, heading: false };
    index = end - 1;
  }
  return out;
}

function contentsEnd(items: readonly Item[], from: number): number {
  const seen = new Set<string>();
  for (let at = from; at < items.length; at++) {
    const { label, block } = items[at] as Item;
    const key = label?.number.toLowerCase();
    if (block.text.length > ENTRY_LENGTH && !isContentsLine(block.text)) return at;
    if (key !== undefined && seen.has(key)) return at;
    if (key !== undefined) seen.add(key);
  }
  // No body came: these were its lines.
  return from;
}

/** "2. (a) text" and "2.3 Term. (a) text" as one item per number, where (b) follows in a block of its own. */
function cutNested(item: Item, emphasis: readonly Range[], ahead: readonly Label[]): Item[] {
  const out: Item[] = [];
  let open = item;
  while (out.length < MAX_NESTED && open.label !== null) {
    const at = nestedAt(open, emphasis, ahead);
    if (at === null) break;
    const label = readLabel(open.block.text.slice(at)) as Label;
    out.push({ ...open, end: at });
    open = { ...open, start: at, label, listLevel: null };
  }
  return [...out, open];
}

/** Offset of a first bracket right behind the number or its heading; null where there is none, or where its list goes on in the same block. */
function nestedAt(item: Item, emphasis: readonly Range[], ahead: readonly Label[]): number | null {
  const { block, label } = item;
  if (label === null) return null;
  const rest = item.start + label.rest;
  const text = block.text.slice(rest);
  const heading = text.startsWith('(') ? '' : headingOf(block, rest, item.end, emphasis);
  const gap = text.startsWith('(')
    ? 0
    : heading === '' || !text.startsWith(heading)
      ? -1
      : heading.length + (/^[.:\s–—-]{1,4}/.exec(text.slice(heading.length))?.[0].length ?? 0);
  if (gap < 0 || !text.startsWith('(', gap)) return null;
  const nested = readLabel(text.slice(gap));
  const first = nested?.readings.find((reading) => reading.values[0] === 1 && reading.form.startsWith('('));
  if (!nested || !first || gap + nested.rest >= text.length) return null;
  const second = ahead.some((next) => next.readings.some((reading) => reading.form === first.form && reading.values[0] === 2));
  return second && !goesOnInside(text.slice(gap + nested.rest), first.form) ? rest + gap : null;
}

/** "... as follows: (i) one;" with "(ii) two" in the next block: the list began inside the paragraph. */
function cutBeforeSecond(item: Item, next: Item | undefined): Item[] {
  if (item.label === null || !next?.label) return [item];
  const second = next.label.readings.find((reading) => FIRST[reading.form] !== undefined && reading.values[0] === 2);
  if (!second || item.label.readings.some((reading) => reading.form === second.form && reading.values[0] === 1)) return [item];
  const text = item.block.text.slice(item.start, item.end);
  const at = FIRST[second.form]?.exec(text);
  const label = at ? readLabel(text.slice(at.index)) : null;
  if (!at || !label || at.index < item.label.rest || goesOnInside(text.slice(at.index), second.form)) return [item];
  const cut = item.start + at.index;
  return [
    { ...item, end: cut },
    { ...item, start: cut, label, listLevel: null },
  ];
}

const FIRST: Readonly<Record<string, RegExp>> = {
  '(a)': /(?<=[:;,.—–-]\s?|\b(?:either|that|if|by|to|shall|will|may|not|and|or)\s)\(a\)(?=\s)/,
  '(i)': /(?<=[:;,.—–-]\s?|\b(?:either|that|if|by|to|shall|will|may|not|and|or)\s)\(i\)(?=\s)/,
  '(1)': /(?<=[:;,.—–-]\s?|\b(?:either|that|if|by|to|shall|will|may|not|and|or)\s)\(1\)(?=\s)/,
  '(A)': /(?<=[:;,.—–-]\s?|\b(?:either|that|if|by|to|shall|will|may|not|and|or)\s)\(A\)(?=\s)/,
};
const SECOND: Readonly<Record<string, RegExp>> = { '(a)': /\(b\)/, '(A)': /\(B\)/, '(i)': /\(ii\)/, '(I)': /\(II\)/, '(1)': /\(2\)/ };

function goesOnInside(text: string, form: string): boolean {
  return SECOND[form]?.test(text) ?? false;
}
