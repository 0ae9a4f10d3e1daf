// Where pages lie in the scrolled column, and which of them are near the window. Pure arithmetic, in CSS pixels.
import type { Page } from '../../../core/contract/document.ts';

export const GAP = 18;
export const MARGIN = 24;
/** A PDF point is 1/72 inch, a CSS pixel 1/96. */
export const PIXELS_PER_POINT = 96 / 72;

export interface Column {
  readonly tops: readonly number[];
  readonly height: number;
}

export function layOut(pages: readonly Page[], scale: number): Column {
  const tops: number[] = [];
  let y = MARGIN;
  for (const page of pages) {
    tops.push(y);
    y += page.height * scale + GAP;
  }
  return { tops, height: y - GAP + MARGIN };
}

/** Index of the page that holds the height `y` (or the last that begins above it). */
export function pageAt(column: Column, y: number): number {
  let low = 0;
  let high = column.tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (column.tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Scale at which the widest page fills the width, at most 150 %. */
export function fitScale(pages: readonly Page[], width: number): number {
  const widest = Math.max(1, ...pages.map((page) => page.width));
  return Math.max(0.3, Math.min(1.5 * PIXELS_PER_POINT, (width - 2 * MARGIN) / widest));
}

/**
 * The height below the pane's top edge at which one reads: a third down, where a jump puts its place and a heading has not just gone out of sight;
 * at the beginning of a document nearer the top, so that its first clause is the current one.
 */
export const eyeOf = (top: number, height: number): number => Math.min(height / 3, top + 60);
