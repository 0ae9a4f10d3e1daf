import { describe, expect, it } from 'vitest';
import type { Page } from '../../../core/contract/document.ts';
import { eyeOf, fitScale, GAP, layOut, MARGIN, pageAt, PIXELS_PER_POINT } from './pages.ts';

const page = (width: number, height: number): Page => ({ width, height, label: '1', source: 'digital', confidence: null });

describe('the column of pages', () => {
  it('puts pages of different heights one below the other', () => {
    const column = layOut([page(600, 800), page(600, 400), page(600, 800)], 2);
    expect(column.tops).toEqual([MARGIN, MARGIN + 1600 + GAP, MARGIN + 1600 + GAP + 800 + GAP]);
    expect(column.height).toBe(column.tops[2]! + 1600 + MARGIN);
  });

  it('finds the page at every height, also above the first and below the last', () => {
    const column = layOut([page(600, 100), page(600, 100), page(600, 100)], 1);
    expect(pageAt(column, -50)).toBe(0);
    for (const [index, top] of column.tops.entries()) {
      expect(pageAt(column, top)).toBe(index);
      expect(pageAt(column, top + 99)).toBe(index);
    }
    expect(pageAt(column, 1e6)).toBe(2);
  });

  it('fits the widest page and never magnifies beyond 150 %', () => {
    expect(fitScale([page(300, 800), page(600, 800)], 600 + 2 * MARGIN)).toBe(1);
    expect(fitScale([page(600, 800)], 5000)).toBe(1.5 * PIXELS_PER_POINT);
  });

  it('reads near the top at the beginning and a third down after it', () => {
    expect(eyeOf(0, 900)).toBe(60);
    expect(eyeOf(1000, 900)).toBe(300);
  });
});
