// Columns of a page: where a gutter divides a run of rows into texts that are read one after the other.
//
// Method: a gutter is white space that stays free over a run of rows. It divides columns when both of its sides read as running text, when their baselines do
// not answer each other (the rows of a table do), or when both sides are the same form to be signed. A label with its value, a number with its heading and the
// cells of a table stay in their rows.
import type { Box } from '../../../contract/document.ts';
import { SIGNATURE_LABELS } from '../../titles.ts';
import { boxOf, type Segment } from '../text/glyphs.ts';
import type { OpenRow } from './rows.ts';

export interface Cut {
  /** Rows [start, end) are divided at x. */
  readonly start: number;
  readonly end: number;
  readonly x: number;
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** One printed line on one side of a gutter. */
interface Strip extends Box {
  readonly size: number;
  /** Width of its last segment: a line of text ends in a long one, a row of cells in a cell. */
  readonly tail: number;
  readonly characters: number;
  readonly text: () => string;
}

/** First run of rows that a gutter divides into columns. */
export function findGutter(rows: readonly OpenRow[]): Cut | null {
  const size = typicalSize(rows);
  const tried: Run[] = [];
  for (let start = 0; start < rows.length; start++)
    for (const gap of innerGaps(rows[start] as OpenRow, size)) {
      // The rows of a run share its gap: trying it again from each of them would be quadratic.
      if (tried.some((run) => run.first <= start && start < run.end && run.gaps.some((known) => gap.from <= known.from && known.to <= gap.to))) continue;
      const run = runFrom(rows, start, gap, size);
      tried.push(run);
      const cut = cutOf(rows, run, size);
      if (cut) return cut;
    }
  return null;
}

interface Run {
  readonly first: number;
  readonly end: number;
  readonly gaps: readonly Gap[];
}

function cutOf(rows: readonly OpenRow[], { first, end, gaps }: Run, size: number): Cut | null {
  const part = rows.slice(first, end);
  for (const gap of gaps.toSorted((a, b) => b.to - b.from - (a.to - a.from))) {
    if (gap.to - gap.from < clearGutter(size) && part.length < 8) continue;
    const x = (gap.from + gap.to) / 2;
    const left = stripsOf(part, (segment) => segment.box.x1 <= x);
    const right = stripsOf(part, (segment) => segment.box.x1 > x);
    if (divides(left, right)) return { start: first, end: first + bandEnd(part, x), x };
    const signed = signedRows(part, x);
    if (signed) return { start: first + signed.start, end: first + signed.end, x };
  }
  return null;
}

/** Rows of the run that are read as columns: all of them, unless numbers say that a grid is read row by row ("1 | 2" above "3 | 4"). */
function bandEnd(rows: readonly OpenRow[], x: number): number {
  const numbered = rows.flatMap((row, index) =>
    [true, false].flatMap((isLeft) => {
      const text = stripsOf([row], (segment) => segment.box.x1 <= x === isLeft)[0]?.text() ?? '';
      const value = Number(/^\s*(\d{1,2})[.)]\s/.exec(text)?.[1] ?? Number.NaN);
      return Number.isNaN(value) ? [] : [{ index, isLeft, value }];
    }),
  );
  const lefts = numbered.filter((entry) => entry.isLeft);
  const counts = (entries: readonly { readonly value: number }[]): boolean =>
    entries.every((entry, at) => at === 0 || entry.value === (entries[at - 1] as { value: number }).value + 1);
  if (lefts.length < 2 || lefts.length === numbered.length || counts(lefts) || !counts(numbered)) return rows.length;
  return (lefts[1] as { index: number }).index;
}

/** The rows around `start` that leave a part of its gap free. */
function runFrom(rows: readonly OpenRow[], start: number, gap: Gap, size: number): Run {
  let gaps: readonly Gap[] = [gap];
  let end = start + 1;
  while (end < rows.length && isClose(rows[end - 1] as OpenRow, rows[end] as OpenRow, size)) {
    const next = narrow(gaps, rows[end] as OpenRow, size);
    if (next.length === 0) break;
    gaps = next;
    end++;
  }
  let first = start;
  while (first > 0 && isClose(rows[first - 1] as OpenRow, rows[first] as OpenRow, size)) {
    const next = narrow(gaps, rows[first - 1] as OpenRow, size);
    if (next.length === 0) break;
    gaps = next;
    first--;
  }
  return { first, end, gaps };
}

function typicalSize(rows: readonly OpenRow[]): number {
  const sizes = rows.map((row) => row.size).sort((a, b) => a - b);
  return sizes[sizes.length >> 1] ?? 0;
}

/** White space of three and a half lines is a horizontal cut: what stands below may have other columns. */
function isClose(upper: OpenRow, lower: OpenRow, size: number): boolean {
  return lower.top - upper.bottom <= 3.5 * Math.max(1.15 * size, Math.min(upper.bottom - upper.top, lower.bottom - lower.top));
}

/** Narrower white is a word space; many rows must share what is not clearly more (newspapers set 6 points between columns). */
function leastGutter(size: number): number {
  return Math.max(3, 0.6 * size);
}

function clearGutter(size: number): number {
  return Math.max(5, 0.9 * size);
}

function innerGaps(row: OpenRow, size: number): Gap[] {
  const gaps: Gap[] = [];
  let right = -Infinity;
  for (const { box } of row.segments) {
    if (right > -Infinity && box.x0 - right >= leastGutter(size)) gaps.push({ from: right, to: box.x0 });
    right = Math.max(right, box.x1);
  }
  return gaps;
}

function narrow(gaps: readonly Gap[], row: OpenRow, size: number): Gap[] {
  let kept: Gap[] = [...gaps];
  for (const { box } of row.segments) {
    if (kept.every((gap) => box.x1 <= gap.from || box.x0 >= gap.to)) continue;
    const next: Gap[] = [];
    for (const gap of kept) {
      if (box.x1 <= gap.from || box.x0 >= gap.to) next.push(gap);
      else {
        if (box.x0 > gap.from) next.push({ from: gap.from, to: box.x0 });
        if (box.x1 < gap.to) next.push({ from: box.x1, to: gap.to });
      }
    }
    kept = next;
  }
  const least = leastGutter(size);
  return kept.filter((gap) => gap.to - gap.from >= least);
}

function stripsOf(rows: readonly OpenRow[], belongs: (segment: Segment) => boolean): Strip[] {
  const strips: Strip[] = [];
  for (const row of rows) {
    const segments = row.segments.filter(belongs);
    if (segments.length === 0) continue;
    const text = (): string => segments.map((segment) => segment.glyphs.map((glyph) => glyph.text).join('')).join(' ');
    const size = Math.max(...segments.map((segment) => segment.size));
    const last = (segments.at(-1) as Segment).box;
    const tail = last.x1 - last.x0;
    strips.push({
      ...boxOf(segments.map((segment) => segment.box)),
      size,
      tail,
      characters: segments.reduce((sum, { glyphs }) => sum + glyphs.length, 0),
      text,
    });
  }
  return strips;
}

function divides(left: readonly Strip[], right: readonly Strip[]): boolean {
  if ((isText(left) || isJustified(left)) && (isText(right) || isJustified(right))) return true;
  if (left.length < 3 || right.length < 3) return isLegend(left, right) || isLegend(right, left);
  return isReadable(left) && isReadable(right) && shareApart(left, right) >= 0.5;
}

/** One or two lines of another size beside running text: the title of a table or picture that stands in it. */
function isLegend(few: readonly Strip[], text: readonly Strip[]): boolean {
  const size = median(text.map((strip) => strip.size));
  return few.length < 3 && isText(text) && few.every((strip) => strip.characters >= 6 && Math.abs(strip.size - size) > 0.08 * size);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Running text fills its column and has even leading; labels, figures and table cells do not. */
function isText(strips: readonly Strip[]): boolean {
  if (strips.length < 4) return false;
  const bounds = boxOf(strips);
  const width = bounds.x1 - bounds.x0;
  const height = median(strips.map((strip) => strip.y1 - strip.y0));
  // Seven line heights: a narrower strip is a column of figures.
  if (width < 7 * height) return false;
  const filled = median(strips.map((strip) => (strip.x1 - strip.x0) / width));
  const pitch = median(strips.slice(1).map((strip, index) => strip.y1 - (strips[index] as Strip).y1));
  // Measured on two-column contracts and papers: median fill 0.9 and pitch 1.1 .. 1.3 heights; key-term tables: fill below 0.5 or pitch above 2.
  return filled >= 0.6 && pitch <= 1.9 * height;
}

/** Lines that end flush with others, in one column or in several that are divided later: a title across them and pictures leave their fill uneven. */
function isJustified(strips: readonly Strip[]): boolean {
  if (strips.length < 8) return false;
  const flush = strips.filter(
    (strip) => strip.tail > 8 * strip.size && strips.filter((other) => Math.abs(other.x1 - strip.x1) < 1.5 && other.tail > 8 * other.size).length > 3,
  );
  return flush.length >= 0.6 * strips.length;
}

/** Lines of a few words; a column of amounts or check marks is shorter. */
function isReadable(strips: readonly Strip[]): boolean {
  return median(strips.map((strip) => strip.characters)) >= 12;
}

/** Share of the lines of the shorter side that have no line at the same height beside them. */
function shareApart(left: readonly Strip[], right: readonly Strip[]): number {
  const [few, many] = left.length <= right.length ? [left, right] : [right, left];
  const span = boxOf(many);
  const facing = few.filter((strip) => strip.y1 > span.y0 && strip.y0 < span.y1);
  if (facing.length < 3) return 0;
  const apart = facing.filter((strip) => !many.some((other) => Math.abs(other.y0 + other.y1 - strip.y0 - strip.y1) < 0.35 * (strip.y1 - strip.y0)));
  return apart.length / facing.length;
}

/** Where to write to a party stands among what it fills in when it signs. */
const SIGN_LABEL = new RegExp(String.raw`^\W*(${SIGNATURE_LABELS}|address|email)\s*[:：_]`, 'i');

/** Names of the parties above their signatures: a company with its seat takes up to four lines. */
const NAME_ROWS = 4;

/** The same labels to fill in on both sides, row by row: two parties sign beside each other. Their rows, with the names above them. */
function signedRows(rows: readonly OpenRow[], x: number): { readonly start: number; readonly end: number } | null {
  const labelOf = (row: OpenRow, side: (segment: Segment) => boolean): string | undefined =>
    SIGN_LABEL.exec((stripsOf([row], side)[0]?.text() ?? '').trim())?.[1]?.toLowerCase();
  const left = (segment: Segment): boolean => segment.box.x1 <= x;
  const right = (segment: Segment): boolean => segment.box.x1 > x;
  const signed = rows.flatMap((row, index) => {
    const label = labelOf(row, left);
    return label !== undefined && label === labelOf(row, right) ? [index] : [];
  });
  if (signed.length < 2 || (signed[1] as number) - (signed[0] as number) > 3) return null;
  let start = signed[0] as number;
  // A line to sign on or the second line of a title may stand between two labels; more rows begin another part of the page.
  const apart = signed.findIndex((row, at) => at > 0 && row - (signed[at - 1] as number) > 3);
  const end = (signed.at(apart < 0 ? -1 : apart - 1) as number) + 1;
  const isPair = (row: OpenRow | undefined): boolean => row !== undefined && row.segments.some(left) && row.segments.some(right);
  for (let above = 0; above < NAME_ROWS && isPair(rows[start - 1]); above++) start--;
  return { start, end };
}
