import { describe, expect, it } from 'vitest';
import type { Box } from '../../../contract/document.ts';
import type { Glyph, Segment } from '../text/glyphs.ts';
import type { Vector } from '../text/vectors.ts';
import { mayHoldTable } from './tablePages.ts';

/** Ten points of size, six of width each, as typewriters set them. */
function segment(text: string, x: number, y: number): Segment {
  const glyphs = [...text].map((sign, index): Glyph => ({
    text: sign,
    x0: x + 6 * index,
    y0: y,
    x1: x + 6 * index + 6,
    y1: y + 10,
    size: 10,
    bold: false,
    italic: false,
    font: 0,
    cid: -1,
  }));
  const box: Box = { x0: x, y0: y, x1: x + 6 * text.length, y1: y + 10 };
  return { glyphs, box, size: 10, direction: 'right', paint: 'ink', order: 0, tag: null };
}

const rule = (x0: number, y0: number, x1: number, y1: number): Vector => ({
  box: { x0, y0, x1, y1 },
  stroked: false,
  rectangle: true,
  color: 0xff000000,
  order: 0,
});
const looked = (segments: readonly Segment[], vectors: readonly Vector[] = []): boolean => mayHoldTable(segments, vectors, 612, 792);
const PROSE = [segment('The parties agree on what follows.', 72, 100), segment('They have read it.', 72, 112)];

describe('mayHoldTable', () => {
  it('looks where two rows have texts side by side', () => {
    expect(looked([segment('Licence      100', 72, 100), segment('Support      200', 72, 112)])).toBe(true);
    expect(looked([segment('Licence', 72, 100), segment('100', 300, 100), segment('Support', 72, 112), segment('200', 300, 112)])).toBe(true);
  });

  it('looks at rows of narrow columns where rules are drawn', () => {
    const rows = [segment('Fee  100', 72, 100), segment('Tax  200', 72, 112)];
    expect(looked(rows)).toBe(false);
    expect(
      looked(
        rows,
        [95, 111, 123, 124].map((y) => rule(72, y, 300, y + 1)),
      ),
    ).toBe(true);
  });

  it('passes clauses whose numbers stand apart from their text', () => {
    expect(looked([segment('1.1      The licence', 72, 100), segment('(a)      The support', 72, 112)])).toBe(false);
    expect(looked([segment('1.', 72, 100), segment('The licence', 108, 100), segment('2.', 72, 112), segment('The support', 108, 112)])).toBe(false);
  });

  it('passes prose with underlined headings and looks where rules cross', () => {
    const level = [100, 112, 124, 136].map((y) => rule(72, y, 300, y + 1));
    expect(looked(PROSE, level)).toBe(false);
    expect(looked(PROSE, [...level, rule(72, 100, 73, 137)])).toBe(true);
  });
});
