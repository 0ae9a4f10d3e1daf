// Segments as a reader sees them, where the file draws them in another way: letters on a circle, vertical fonts set side by side, signs drawn in two parts.
//
// Rule: only the places of the glyphs decide, and what is joined keeps every glyph.
import type { Box } from '../../contract/document.ts';
import { boxOf, isInk, type Glyph, type Segment } from './glyphs.ts';

export function joinDrawn(segments: readonly Segment[]): readonly Segment[] {
  return joinSlanted(joinSteps(segments).filter((segment) => segment.glyphs.some(isInk)));
}

/** Letters of a text on a circle stand upright at its top and sides: one or two letters beside slanted ones are part of that drawing. */
function joinSlanted(segments: readonly Segment[]): readonly Segment[] {
  const slanted = segments.filter((segment) => segment.direction === 'slanted');
  if (slanted.length < 3) return segments;
  const near = (a: Segment, b: Segment): boolean => {
    const reach = 2.5 * a.size;
    return a.box.x0 < b.box.x1 + reach && b.box.x0 < a.box.x1 + reach && a.box.y0 < b.box.y1 + reach && b.box.y0 < a.box.y1 + reach;
  };
  return segments.map((segment) => {
    const letters = segment.glyphs.filter(isInk).length;
    return letters <= 2 && segment.direction !== 'slanted' && slanted.some((other) => near(segment, other))
      ? { ...segment, direction: 'slanted' as const }
      : segment;
  });
}

/** Fewer steps to the right than this happen in vertical text too: two columns that begin at one height. */
const LEAST_STEPS = 3;

/** A font for vertical writing whose glyphs the file sets one beside the other is an ordinary line: each glyph is one step to the right of the last. */
function joinSteps(segments: readonly Segment[]): readonly Segment[] {
  if (!segments.some((segment) => segment.direction === 'down' && segment.glyphs.length === 1)) return segments;
  const joined: Segment[] = [];
  for (let start = 0; start < segments.length;) {
    let end = start + 1;
    while (end < segments.length && isStep(segments[end - 1] as Segment, segments[end] as Segment)) end++;
    const run = segments.slice(start, end);
    if (run.length > LEAST_STEPS) joined.push(asLine(run));
    else joined.push(...run);
    start = end;
  }
  return joined;
}

function isStep(last: Segment, next: Segment): boolean {
  if (last.direction !== 'down' || next.direction !== 'down' || last.glyphs.length !== 1 || next.glyphs.length !== 1 || last.paint !== next.paint) return false;
  const step = next.box.x0 - last.box.x0;
  return Math.abs(next.box.y0 - last.box.y0) < 0.2 * last.size && step > 0.1 * last.size && step < 1.5 * last.size;
}

/** The boxes of a vertical font are as wide as the font; side by side each glyph reaches half way to its neighbours. */
function asLine(run: readonly Segment[]): Segment {
  const first = run[0] as Segment;
  const middles = run.map(({ box }) => (box.x0 + box.x1) / 2);
  const edges = middles.map((middle, index) => (index === 0 ? middle - first.size / 4 : ((middles[index - 1] as number) + middle) / 2));
  edges.push((middles.at(-1) as number) + first.size / 4);
  const glyphs = run.map((segment, index): Glyph => ({ ...(segment.glyphs[0] as Glyph), x0: edges[index] as number, x1: edges[index + 1] as number }));
  return { ...first, glyphs, box: boxOf(glyphs), direction: 'right' };
}

const ENCLOSED: Readonly<Record<string, string>> = { c: '©', C: '©', r: '®', R: '®', P: '℗' };

/** TeX draws © as a "c" and a circle over it. */
export function joinEnclosed(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(isCircle)) return glyphs;
  return glyphs.flatMap((glyph, index) => {
    const [before, after] = [glyphs[index - 1], glyphs[index + 1]];
    if (isCircle(glyph)) return [before, after].some((other) => other && other.text in ENCLOSED && isInside(other, glyph)) ? [] : [glyph];
    const circle = [before, after].find((other) => other && isCircle(other) && isInside(glyph, other));
    const sign = ENCLOSED[glyph.text];
    return circle && sign !== undefined ? [{ ...glyph, text: sign, x0: circle.x0, x1: circle.x1 }] : [glyph];
  });
}

function isCircle(glyph: Glyph): boolean {
  return glyph.text === '\u20DD' || glyph.text === '○' || glyph.text === '◯';
}

function isInside(inner: Box, outer: Box): boolean {
  const middle = (inner.x0 + inner.x1) / 2;
  return middle > outer.x0 && middle < outer.x1 && inner.x1 - inner.x0 < outer.x1 - outer.x0;
}
