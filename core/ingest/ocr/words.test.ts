import { describe, expect, it } from 'vitest';
import type { RecognisedLine } from './recogniser.ts';
import { readWords } from './words.ts';

const line = (text: string, confidence: number, y: number, rowHeight = 30): RecognisedLine => {
  let x = 100;
  const words = text.split(' ').map((word) => {
    const symbols = [...word].map((letter) => {
      const bbox = { x0: x, y0: y, x1: x + 15, y1: y + rowHeight };
      x += 15;
      return { text: letter, bbox };
    });
    x += 8;
    return { text: word, confidence, symbols, bbox: { x0: symbols[0]!.bbox.x0, y0: y, x1: symbols.at(-1)!.bbox.x1, y1: y + rowHeight } };
  });
  return { words, baseline: { x0: 100, y0: y + rowHeight, x1: x, y1: y + rowHeight }, rowAttributes: { rowHeight } };
};
const PAGE = ['This agreement begins on the day of its signature.', 'It lasts for two years and ends without a notice.'].map((text, index) =>
  line(text, 95, 200 + 50 * index),
);

describe('recognised words', () => {
  it('fault: what is taken for a stamp vanishes without a word', () => {
    const read = readWords([...PAGE, line('REGD Nr', 41, 400, 90)], 0.24);
    expect(read.leftOut).toEqual(['REGD Nr']);
    expect(read.segments.flatMap((segment) => segment.glyphs.map((glyph) => glyph.text)).join('')).not.toContain('REGD');
  });

  it('leaves nothing out of a page that is read with doubt as a whole', () => {
    const doubtful = PAGE.map((one) => ({ ...one, words: one.words.map((word) => ({ ...word, confidence: 60 })) }));
    expect(readWords([...doubtful, line('REGD Nr', 20, 400, 90)], 0.24)).toMatchObject({ leftOut: [], words: 21 });
  });

  it('says nothing of dust without letters', () => {
    expect(readWords([...PAGE, line('~ |', 75, 400)], 0.24).leftOut).toEqual([]);
  });
});
