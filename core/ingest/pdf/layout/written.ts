// Letters that stand beside each other although their font writes downwards.
//
// Some programs set ordinary text in a font with a vertical map and place each letter by hand: the file says "down", the page shows a line to the right.
// Rule: what counts is where the next letter stands. Real vertical text puts it below.
import { boxOf, type Glyph, type Segment } from '../text/glyphs.ts';

/** Widths of letters in shares of their size, for fonts whose own widths are those of vertical text. */
function usualWidth(letter: string): number {
  if (/[iljtfrI.,;:'|!()[\]\s-]/.test(letter)) return 0.32;
  if (/[mwMW@%]/.test(letter)) return 0.85;
  return /\p{Lu}/u.test(letter) ? 0.68 : 0.54;
}

function standsBeside(last: Glyph, next: Glyph): boolean {
  const step = next.x0 - last.x0;
  return Math.abs(next.y0 - last.y0) < 0.3 * last.size && step > 0.1 * last.size && step < 2 * last.size;
}

/** The same segments, where single letters of vertical fonts that stand in rows are lines to the right. */
export function asWritten(segments: readonly Segment[]): readonly Segment[] {
  const single = segments.filter(({ direction, glyphs }) => direction === 'down' && glyphs.length === 1);
  if (single.length < 8) return segments;
  const beside = single.filter(
    (segment, index) => index > 0 && standsBeside((single[index - 1] as Segment).glyphs[0] as Glyph, segment.glyphs[0] as Glyph),
  ).length;
  if (beside < 0.6 * single.length) return segments;
  const lines: Segment[] = [];
  let line: Glyph[] = [];
  const close = (like: Segment): void => {
    if (line.length > 0) lines.push({ ...like, direction: 'right', glyphs: line, box: boxOf(line) });
    line = [];
  };
  for (const segment of single) {
    const glyph = segment.glyphs[0] as Glyph;
    const last = line.at(-1);
    if (last && !standsBeside(last, glyph)) close(segment);
    else if (last) line[line.length - 1] = { ...last, x1: Math.min(glyph.x0, last.x0 + usualWidth(last.text) * last.size) };
    line.push({ ...glyph, x1: glyph.x0 + usualWidth(glyph.text) * glyph.size });
  }
  close(single.at(-1) as Segment);
  return [...segments.filter((segment) => !single.includes(segment)), ...lines];
}
