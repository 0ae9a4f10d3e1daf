// What stands beside or across the text of a page without being part of its lines: margin numbers and watermarks set aside, drop capitals given to their line.
//
// Owns: line numbers (pleading paper, numbered drafts), paragraph numbers in the margin (Randnummern), large words across the text.
// It works on segments, before rows are made: a number that has become part of a row can not be told from a number in its text.
// Rule: nothing is deleted; what is set aside becomes furniture.
import { boxOf, inkBoxOf, isInked, type Glyph, type Segment } from '../text/glyphs.ts';

export interface Margins {
  readonly text: readonly Segment[];
  readonly aside: readonly Segment[];
}

interface Numeral {
  readonly segment: Segment;
  readonly value: number;
}

/** Fonts of signs claim heights of three lines for a bullet; text has 1.1 to 1.5 of its size. */
const TALLEST = 1.7;
/** Typewriters set columns by spaces: white of this many sizes inside a segment is as good as a move of the pen. */
const WIDEST_BLANK = 2.2;

/** Segments of one frame, in which the text stands upright. */
export function splitMargins(all: readonly Segment[]): Margins {
  const segments = all.flatMap(tidy);
  const size = typicalSize(segments);
  const aside = new Set<Segment>(findWatermarks(segments, size));
  for (const segment of findMarginNumbers(segments.filter((entry) => !aside.has(entry)))) aside.add(segment);
  const text = aside.size === 0 ? segments : segments.filter((segment) => !aside.has(segment));
  return { text: joinDropCapitals(text, size), aside: [...aside] };
}

function isBlank(glyph: Glyph | undefined): boolean {
  return glyph !== undefined && !isInked(glyph);
}

/** A segment as what is seen of it: without white at its ends, divided at wide white, as tall as its size. */
function tidy(segment: Segment): readonly Segment[] {
  const { glyphs, size } = segment;
  const parts: Glyph[][] = [];
  let from = 0;
  for (let index = 0; index < glyphs.length; index++) {
    if (!isBlank(glyphs[index])) continue;
    let end = index;
    while (isBlank(glyphs[end + 1])) end++;
    if (index === 0 || end === glyphs.length - 1 || (end > index && (glyphs[end] as Glyph).x1 - (glyphs[index] as Glyph).x0 > WIDEST_BLANK * size)) {
      if (index > from) parts.push(glyphs.slice(from, index));
      from = end + 1;
    }
    index = end;
  }
  if (from === 0 && segment.box.y1 - segment.box.y0 <= TALLEST * size) return [segment];
  if (from < glyphs.length) parts.push(glyphs.slice(from));
  const { direction, paint, order, tag } = segment;
  return parts.map((part) => {
    const fit = part.some((glyph) => isTall(glyph, size)) ? part.map((glyph) => lowered(glyph, size)) : part;
    return { glyphs: fit, box: inkBoxOf(fit), size, direction, paint, order, tag };
  });
}

function isTall(glyph: Glyph, size: number): boolean {
  return glyph.y1 - glyph.y0 > TALLEST * size;
}

/** The same glyph with the height of its size, about its middle. */
function lowered(glyph: Glyph, size: number): Glyph {
  if (!isTall(glyph, size)) return glyph;
  const middle = (glyph.y0 + glyph.y1) / 2;
  return { ...glyph, y0: middle - 0.6 * size, y1: middle + 0.6 * size };
}

/** Size of most characters. */
function typicalSize(segments: readonly Segment[]): number {
  const weights = new Map<number, number>();
  let best = 0;
  let most = 0;
  for (const segment of segments) {
    const size = Math.round(segment.size * 2) / 2;
    const weight = (weights.get(size) ?? 0) + segment.glyphs.length;
    weights.set(size, weight);
    if (weight > most) [best, most] = [size, weight];
  }
  return best;
}

/** A word at least three times as large as the text, with lines of it underneath. */
function findWatermarks(segments: readonly Segment[], size: number): Segment[] {
  return segments.filter((segment) => {
    if (segment.size < 3 * size || segment.glyphs.length < 3) return false;
    const { x0, y0, x1, y1 } = segment.box;
    let under = 0;
    for (const { box } of segments) {
      const middle = (box.y0 + box.y1) / 2;
      if (box !== segment.box && middle > y0 && middle < y1 && box.x1 > x0 && box.x0 < x1 && ++under >= 2) return true;
    }
    return false;
  });
}

function numeralOf(segment: Segment): Numeral | null {
  if (segment.glyphs.length > 6) return null;
  const text = segment.glyphs.map((glyph) => glyph.text).join('').trim(); // prettier-ignore
  return /^\d{1,4}$/.test(text) ? { segment, value: Number(text) } : null;
}

function findMarginNumbers(segments: readonly Segment[]): Segment[] {
  const numerals = segments.flatMap((segment) => numeralOf(segment) ?? []);
  if (numerals.length === 0) return [];
  const own = new Set(numerals.map((numeral) => numeral.segment));
  const others = segments.filter((segment) => !own.has(segment));
  return [...lineNumbers(numerals, others), ...paragraphNumbers(numerals, others)];
}

/** Numbers are set flush in their column; 2.5 points is the width of a digit's side bearing in large type. */
const FLUSH = 2.5;
/** A page of pleading paper has 25 or 28 lines, a numbered draft up to 50; its last page may have few. */
const LEAST_LINES = 6;
/** Share of the numbers that stand before a wrapped line or before nothing: entries of a list begin with a capital, every one. */
const WRAPPED_SHARE = 0.15;

/** Numbers in a column of their own that count the lines of the page: evenly spaced, every line or every fifth. */
function lineNumbers(numerals: readonly Numeral[], others: readonly Segment[]): Segment[] {
  for (const first of numerals) {
    const column = numerals
      .filter(({ segment: { box } }) => Math.abs(box.x1 - first.segment.box.x1) < FLUSH || Math.abs(box.x0 - first.segment.box.x0) < FLUSH)
      .sort((a, b) => a.segment.box.y0 - b.segment.box.y0);
    if (column[0] !== first || column.length < 3 || !countsEvenly(column)) continue;
    const left = Math.min(...column.map(({ segment }) => segment.box.x0));
    const right = Math.max(...column.map(({ segment }) => segment.box.x1));
    const top = first.segment.box.y0;
    const bottom = (column.at(-1) as Numeral).segment.box.y1;
    const beside = others.filter(({ box }) => box.y1 > top && box.y0 < bottom);
    // Whatever else stands in the column makes it part of a table; text on both sides of it too.
    if (beside.length === 0 || !(beside.every(({ box }) => box.x0 > right) || beside.every(({ box }) => box.x1 < left))) continue;
    if (column.filter(({ segment }) => countsWrapped(segment, beside)).length < WRAPPED_SHARE * column.length) continue;
    return column.map(({ segment }) => segment);
  }
  return [];
}

/** The number stands beside a line that goes on with a sentence, or beside an empty line. */
function countsWrapped({ box }: Segment, beside: readonly Segment[]): boolean {
  const middle = (box.y0 + box.y1) / 2;
  const line = beside.filter((segment) => segment.box.y0 < middle && segment.box.y1 > middle).sort((a, b) => a.box.x0 - b.box.x0)[0];
  return line === undefined || /^\s*[\p{Ll}\p{Lo}]/u.test(line.glyphs.slice(0, 4).map((glyph) => glyph.text).join('')); // prettier-ignore
}

function countsEvenly(column: readonly Numeral[]): boolean {
  const steps = column.slice(1).map((next, index) => next.value - (column[index] as Numeral).value);
  const step = steps.toSorted((a, b) => a - b)[steps.length >> 1] ?? 0;
  if (step !== 1 && step !== 5 && step !== 10) return false;
  if (column.length < (step === 1 ? LEAST_LINES : 4) || steps.some((value) => value !== step)) return false;
  const pitches = column.slice(1).map((next, index) => next.segment.box.y1 - (column[index] as Numeral).segment.box.y1);
  const pitch = pitches.toSorted((a, b) => a - b)[pitches.length >> 1] ?? 0;
  return pitches.filter((value) => Math.abs(value - pitch) < 0.12 * pitch).length >= 0.9 * pitches.length;
}

/**
 * Numbers beside a text whose lines are flush: paragraphs are counted there. Page numbers of a table of contents end at the edge of their text, not outside
 * it. On the left the number of a clause stands outside too, as large as its text; what counts paragraphs is smaller.
 */
function paragraphNumbers(numerals: readonly Numeral[], others: readonly Segment[]): Segment[] {
  const right = flushEdge(others, (segment) => segment.box.x1, -1);
  const left = flushEdge(others, (segment) => segment.box.x0, 1);
  return numerals
    .filter(({ segment: { box, size } }) => {
      const isRight = right !== null && box.x0 > right.edge + 0.4 * size && box.y0 > right.top - size && box.y1 < right.bottom + size;
      const isLeft = left !== null && box.x1 < left.edge - 0.4 * size && size < 0.92 * left.size && box.y0 > left.top - size && box.y1 < left.bottom + size;
      const outside = (other: Segment): boolean => (isRight ? other.box.x1 > right.edge + 3 : left !== null && other.box.x0 < left.edge - 3);
      return (isRight || isLeft) && !others.some((other) => outside(other) && other.box.y1 > box.y0 && other.box.y0 < box.y1);
    })
    .map(({ segment }) => segment);
}

interface Flush {
  readonly edge: number;
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
}

/** The edge that a third of the segments share, near their outermost; `inwards` is the direction from there to the text. */
function flushEdge(segments: readonly Segment[], edgeOf: (segment: Segment) => number, inwards: 1 | -1): Flush | null {
  const edges = segments.map(edgeOf).sort((a, b) => inwards * (a - b));
  const edge = edges[Math.floor(edges.length / 20)];
  if (edge === undefined) return null;
  const full = segments.filter((segment) => Math.abs(edgeOf(segment) - edge) < 1.5);
  if (full.length < 5 || full.length < 0.3 * segments.length) return null;
  const { y0, y1 } = boxOf(full.map(({ box }) => box));
  return { edge, top: y0, bottom: y1, size: typicalSize(full) };
}

/** A capital over several lines belongs to the first of them; it takes that line's height, so that the rows below stay apart. */
function joinDropCapitals(segments: readonly Segment[], size: number): readonly Segment[] {
  const capitals = segments.filter((segment) => segment.size > 1.7 * size && /^["“‘«„]?\p{Lu}$/u.test(inkOf(segment)));
  if (capitals.length === 0) return segments;
  const joined = new Map<Segment, Segment | null>();
  for (const capital of capitals) {
    const beside = segments
      .filter((segment) => segment !== capital && segment.size < 0.7 * capital.size && standsBeside(capital, segment, size))
      .sort((a, b) => a.box.y0 - b.box.y0);
    const line = beside[0];
    if (line === undefined || beside.length < 2 || joined.has(line)) continue;
    joined.set(capital, null);
    joined.set(line, { ...line, glyphs: [...besideLine(capital, line), ...line.glyphs], box: { ...line.box, x0: capital.box.x0 } });
  }
  return segments.flatMap((segment) => {
    const replaced = joined.get(segment);
    return replaced === undefined ? segment : (replaced ?? []);
  });
}

function inkOf(segment: Segment): string {
  return segment.glyphs.length > 4 ? '' : segment.glyphs.map((glyph) => glyph.text).join('').trim(); // prettier-ignore
}

function standsBeside(capital: Segment, { box }: Segment, size: number): boolean {
  const middle = (box.y0 + box.y1) / 2;
  const gap = box.x0 - capital.box.x1;
  return gap > -0.4 * size && gap < 1.6 * size && middle > capital.box.y0 && middle < capital.box.y1;
}

/** Ends where the line begins: no space comes between. */
function besideLine(capital: Segment, line: Segment): Glyph[] {
  return capital.glyphs
    .filter((glyph) => glyph.text.trim() !== '')
    .map((glyph) => ({ ...glyph, y0: line.box.y0, y1: line.box.y1, x1: Math.max(glyph.x0, Math.min(glyph.x1, line.box.x0)), size: line.size }))
    .map((glyph, index, all) => (index === all.length - 1 ? { ...glyph, x1: line.box.x0 } : glyph));
}
