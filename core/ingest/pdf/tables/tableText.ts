// Text of a page as tables need it: words with their glyphs, rows on a baseline, chunks (words that stand together), and what is a number.
//
// Owns: the split of segments into words, the gaps that part chunks, cutting segments along words so that cells keep every glyph.
// Rule: every inked glyph of an upright segment is in exactly one word.
import type { Box } from '../../../contract/document.ts';
import { readLabel } from '../../labels.ts';
import { boxOf, inkBoxOf, isInked, type Glyph, type Segment } from '../text/glyphs.ts';
import { gapBetween, isSpaceBetween, letterSpacing, wordSpaceOf } from '../layout/spacing.ts';

export interface Word extends Box {
  readonly text: string;
  readonly size: number;
  readonly bold: boolean;
  /** Index of its segment on the page; its glyphs are [from, to) of that segment. */
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

/** Words of one row that stand closer than columns do. */
export interface Chunk extends Box {
  readonly words: readonly Word[];
  readonly text: string;
  readonly numeric: boolean;
}

export interface TextRow extends Box {
  readonly words: readonly Word[];
  readonly size: number;
}

/** Share of the size: the common word space (spacing.ts). */
const WORD_SPACE = 0.2;
/** Share of the size below which no white is a word space in any face. */
const LEAST_SPACE = 0.08;
/** Share of the size: word spaces of justified text stay below, gutters of tables seldom do. */
export const CHUNK_GAP = 0.85;
/** Two numbers stand in two columns from here on; the thin space that groups digits is 0.2. */
export const NUMBER_GAP = 0.38;

const NUMBER =
  /^[([]?\s?(?:[-+−–—~<>≤≥±]\s?)?(?:[A-Z]{0,3}[$€£¥￥₹])?\s?(?:[-+−–—]\s?)?(?:\d[\d.,'’ /]*|[.,]\d+)\s?(?:%|‰|[kKmMbB]n?)?[)\]]?[*†‡a-d]?(?:\s?[%€$£])?$/;
const BLANK_VALUE = /^(?:[-–—−*]{1,3}|\.{2,3}|n\/?a\.?|N\/?A\.?|NA|x|X|✓|✔)$/;
const CURRENCY = /^(?:[A-Z]{0,3}[$€£¥￥₹]|USD|EUR|GBP|RMB|CNY)$/;

export function isNumeric(text: string): boolean {
  return NUMBER.test(text) || BLANK_VALUE.test(text);
}

/** Years and dates are numbers that also head columns. */
export function isDate(text: string): boolean {
  return /^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}$/.test(text) || /^(?:19|20)\d\d\s?(?:[/–-]\s?\d{2,4})?[*a-d]?$/.test(text);
}

/** A bullet or a clause number that stands alone. */
export function isListMark(text: string): boolean {
  if (/^[^\p{L}\p{N}\s]$/u.test(text)) return true;
  const label = readLabel(text);
  return label !== null && text.length - label.rest <= 1;
}

/** Words of the segments that run in one direction, from left to right in the frame in which they stand upright. */
export function readWords(segments: readonly Segment[], direction: Segment['direction']): Word[] {
  const words: Word[] = [];
  segments.forEach((segment, index) => {
    if (segment.direction === direction) splitWords(segment, index, words);
  });
  return words;
}

function splitWords(segment: Segment, index: number, words: Word[]): void {
  const { glyphs } = segment;
  const inked = glyphs.filter(isInked);
  // Where the file writes spaces they tell the words, and measuring the white between all letters would take a third of the time.
  const space = inked.length < glyphs.length ? WORD_SPACE : wordSpaceOf(inked);
  const spaced = letterSpacing(inked, space);
  let start = -1;
  let end = -1;
  for (let at = 0; at < glyphs.length; at++) {
    const glyph = glyphs[at] as Glyph;
    const blank = !isInked(glyph);
    // Spaces inside letter-spaced words are part of the spacing.
    if (blank && (spaced !== null || start < 0)) continue;
    const last = glyphs[end - 1];
    const gap = blank || start < 0 || last === undefined ? 0 : gapBetween(last, glyph);
    // Most letters touch; asking after scripts comes second.
    const apart = gap > LEAST_SPACE * glyph.size && (spaced === null ? isSpaceBetween(last as Glyph, glyph, space) : gap > spaced);
    if (blank || apart) words.push(wordOf(segment, index, start, end));
    if (blank) start = -1;
    else {
      if (apart || start < 0) start = at;
      end = at + 1;
    }
  }
  if (start >= 0) words.push(wordOf(segment, index, start, end));
}

function wordOf({ glyphs }: Segment, segment: number, from: number, to: number): Word {
  let text = '';
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = from; at < to; at++) {
    const glyph = glyphs[at] as Glyph;
    if (!isInked(glyph)) continue;
    text += glyph.text;
    if (glyph.x0 < x0) x0 = glyph.x0;
    if (glyph.y0 < y0) y0 = glyph.y0;
    if (glyph.x1 > x1) x1 = glyph.x1;
    if (glyph.y1 > y1) y1 = glyph.y1;
  }
  const middle = glyphs[(from + to - 1) >> 1] as Glyph;
  return { x0, y0, x1, y1, text, size: middle.size, bold: middle.bold, segment, from, to };
}

/** Rows of the words on a baseline, from top to bottom. Words that lie on each other begin a row of their own. */
export function rowsOf(words: readonly Word[]): TextRow[] {
  const sorted = [...words].sort((a, b) => a.y0 + a.y1 - b.y0 - b.y1 || a.x0 - b.x0);
  const rows: OpenRow[] = [];
  for (const word of sorted) {
    const home = homeOf(word, rows);
    if (home === null) rows.push({ words: [word], y0: word.y0, y1: word.y1, size: word.size });
    else {
      home.words.push(word);
      if (word.size > home.size) {
        home.size = word.size;
        home.y0 = word.y0;
        home.y1 = word.y1;
      }
    }
  }
  return rows
    .map(({ words: own, size, y0, y1 }) => {
      own.sort((a, b) => a.x0 - b.x0);
      const { x0, x1 } = boxOf(own);
      return { words: own, size, x0, y0, x1, y1 };
    })
    .sort((a, b) => a.y0 - b.y0);
}

interface OpenRow {
  readonly words: Word[];
  y0: number;
  y1: number;
  size: number;
}

/** The lowest row that the word stands in. Words come sorted by middle: four rows back cover raised and lowered marks beside a line. */
function homeOf(word: Word, rows: readonly OpenRow[]): OpenRow | null {
  for (let back = rows.length - 1; back >= Math.max(0, rows.length - 4); back--) {
    const row = rows[back] as OpenRow;
    const overlap = Math.min(word.y1, row.y1) - Math.max(word.y0, row.y0);
    if (overlap >= 0.5 * Math.min(word.y1 - word.y0, row.y1 - row.y0) && !liesOnAny(word, row.words)) return row;
  }
  return null;
}

function liesOnAny(word: Word, others: readonly Word[]): boolean {
  for (const other of others) if (lies(other, word)) return true;
  return false;
}

function lies(a: Box, b: Box): boolean {
  return Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0) > 0.5 * Math.min(a.x1 - a.x0, b.x1 - b.x0);
}

export function chunksOf(words: readonly Word[]): Chunk[] {
  const chunks: Chunk[] = [];
  let open: Word[] = [];
  for (const word of words) {
    const last = open.at(-1);
    if (last && parts(last, word)) {
      chunks.push(chunkOf(open));
      open = [];
    }
    open.push(word);
  }
  if (open.length > 0) chunks.push(chunkOf(open));
  return chunks;
}

/** Whether a gutter may lie between two neighbours of a row. A currency sign belongs to its amount however far the amount is set to the right. */
function parts(left: Word, right: Word): boolean {
  const gap = right.x0 - left.x1;
  const size = Math.min(left.size, right.size);
  if (CURRENCY.test(left.text) && /^[(\d.,—–-]/.test(right.text)) return gap > 8 * size;
  if (/^[%)]$/.test(right.text)) return gap > 2 * size;
  if (isNumeric(left.text) && isNumeric(right.text)) return gap > (isTyped(left) && isTyped(right) ? CHUNK_GAP : NUMBER_GAP) * size;
  return gap > CHUNK_GAP * size;
}

/** Set in a typewriter face, whose one space is 0.6 of the size wide; figures of other faces are 0.5 to 0.56 wide. */
function isTyped(word: Word): boolean {
  return word.x1 - word.x0 > 0.575 * word.size * word.text.length - 0.1;
}

export function chunkOf(words: readonly Word[]): Chunk {
  const text = words.map((word) => word.text).join(' ');
  const { x0, y0, x1, y1 } = boxOf(words);
  return { words, text, numeric: isNumeric(text), x0, y0, x1, y1 };
}

/** The parts of the page's segments that hold these words, spaces between words of one part included. Words of a segment are given in its order. */
export function segmentsOf(words: readonly Word[], segments: readonly Segment[]): Segment[] {
  const parts: Segment[] = [];
  const sorted = [...words].sort((a, b) => a.segment - b.segment || a.from - b.from);
  for (let start = 0; start < sorted.length;) {
    const first = sorted[start] as Word;
    const segment = segments[first.segment] as Segment;
    let end = start + 1;
    // Only a space, or nothing, lies between two words of one run; another cell's word ends it.
    while (end < sorted.length && (sorted[end] as Word).segment === first.segment && isGap(segment, (sorted[end - 1] as Word).to, (sorted[end] as Word).from))
      end++;
    const glyphs = segment.glyphs.slice(first.from, (sorted[end - 1] as Word).to);
    parts.push({ ...segment, glyphs, box: inkBoxOf(glyphs) });
    start = end;
  }
  return parts;
}

function isGap(segment: Segment, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (isInked(segment.glyphs[at] as Glyph)) return false;
  return true;
}

/** What is left of the segments when these words are taken out. */
export function without(segments: readonly Segment[], taken: readonly Word[]): Segment[] {
  const holes = new Map<number, Word[]>();
  for (const word of taken) {
    const list = holes.get(word.segment);
    if (list) list.push(word);
    else holes.set(word.segment, [word]);
  }
  return segments.flatMap((segment, index) => {
    const list = holes.get(index);
    if (!list) return [segment];
    const kept = segment.glyphs.filter((_glyph, at) => !list.some((word) => at >= word.from && at < word.to));
    const inked = kept.filter(isInked);
    return inked.length === 0 ? [] : [{ ...segment, glyphs: kept, box: boxOf(inked) }];
  });
}
