// Glyphs as a reader sees them, where the file draws them in another way: letters on a circle, signs drawn in two parts, ligatures, bullets of fonts that
// give them no character.
//
// Rule: only the places and signs of the glyphs decide, never the words they make.
import type { Box } from '../../../contract/document.ts';
import { isMark } from '../../characters.ts';
import { isInk, type Glyph, type Segment } from './glyphs.ts';

/** Letters of a text on a circle stand upright at its top and sides: one or two letters beside slanted ones are part of that drawing. */
export function joinSlanted(segments: readonly Segment[]): readonly Segment[] {
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

/** U+20DD, ○ or ◯. */
export function isCircle({ text }: Glyph): boolean {
  const code = text.charCodeAt(0);
  return code === 0x20dd || code === 0x25cb || code === 0x25ef;
}

function isInside(inner: Box, outer: Box): boolean {
  const middle = (inner.x0 + inner.x1) / 2;
  return middle > outer.x0 && middle < outer.x1 && inner.x1 - inner.x0 < outer.x1 - outer.x0;
}

/** On a page with more of them the font's letters lack a meaning, and a single one may be any letter. */
const FEW = 0.1;

/** A sign without a meaning that begins a line and stands apart from its text is a bullet, whatever its font drew. */
export function nameBullets(segments: readonly Segment[], unmapped: number): readonly Segment[] {
  const all = segments.reduce((sum, segment) => sum + segment.glyphs.length, 0);
  if (unmapped === 0 || unmapped > FEW * all) return segments;
  return segments.map((segment) => {
    const [first, second] = segment.glyphs;
    if (first?.text !== '\uFFFD' || (second && isInk(second) && second.x0 - first.x1 < 0.4 * first.size)) return segment;
    return { ...segment, glyphs: [{ ...first, text: '•' }, ...segment.glyphs.slice(1)] };
  });
}

/** A glyph that the file maps to several letters gives its whole width to the first: each gets its share, so that a box can be drawn around any of them. */
export function shareWidths(glyphs: Glyph[]): Glyph[] {
  for (let start = 0; start + 1 < glyphs.length; start++) {
    const first = glyphs[start] as Glyph;
    let end = start + 1;
    while (end < glyphs.length && followsInside(first, glyphs[end] as Glyph)) end++;
    if (end === start + 1) continue;
    const width = (first.x1 - first.x0) / (end - start);
    for (let index = start; index < end; index++) {
      const x0 = first.x0 + (index - start) * width;
      glyphs[index] = { ...(glyphs[index] as Glyph), x0, x1: x0 + width };
    }
    start = end - 1;
  }
  return glyphs;
}

/** Without a width, at the pen's place after `first`, and no accent (those are set over a letter). */
function followsInside(first: Glyph, glyph: Glyph): boolean {
  return glyph.x1 - glyph.x0 < 0.01 && first.x1 - first.x0 > 0.1 && Math.abs(glyph.x0 - first.x1) < 0.1 && isInk(glyph) && !isMark(glyph.text);
}
