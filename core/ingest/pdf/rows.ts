// Reading order of one page: segments -> rows on a baseline -> columns read one after the other.
//
// Owns: which segments make one printed line and in which order lines are read. Method: XY-cut; horizontal cuts are the rows, a vertical cut is taken
// where a gutter stays free over a run of rows and both of its sides look like running text (so that label columns and table cells stay in their rows).
// Rule: every segment comes out exactly once.
import type { Box } from '../../contract/document.ts';
import { boxOf, type Segment } from './glyphs.ts';

export interface Row {
  readonly segments: readonly Segment[];
  readonly box: Box;
  /** Rows of one region (a column of a page) share its number. */
  readonly region: number;
}

interface OpenRow {
  segments: Segment[];
  box: Box;
  /** Vertical extent of its largest segment: what later segments must overlap. */
  top: number;
  bottom: number;
  size: number;
}

export function readRows(segments: readonly Segment[]): Row[] {
  const out: Row[] = [];
  let region = 0;
  const order = (rows: readonly OpenRow[], depth: number): void => {
    const cut = depth < 4 ? findColumns(rows) : null;
    if (!cut) {
      if (rows.length > 0) region++;
      for (const row of rows) out.push({ segments: row.segments, box: row.box, region });
      return;
    }
    order(rows.slice(0, cut.start), 4);
    const run = rows.slice(cut.start, cut.end);
    order(
      side(run, (segment) => segment.box.x1 <= cut.x),
      depth + 1,
    );
    order(
      side(run, (segment) => segment.box.x1 > cut.x),
      depth + 1,
    );
    order(rows.slice(cut.end), depth);
  };
  order(gatherRows(segments), 0);
  return out;
}

function side(rows: readonly OpenRow[], belongs: (segment: Segment) => boolean): OpenRow[] {
  return gatherRows(rows.flatMap((row) => row.segments.filter(belongs)));
}

function gatherRows(segments: readonly Segment[]): OpenRow[] {
  const sorted = [...segments].sort((a, b) => a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1 || a.box.x0 - b.box.x0);
  const rows: OpenRow[] = [];
  for (const segment of sorted) {
    const { y0, y1 } = segment.box;
    // Sorted by middle: only rows just above can share a baseline; six cover super- and subscripts around a line in several columns.
    let home: OpenRow | undefined;
    for (let back = rows.length - 1; back >= Math.max(0, rows.length - 6) && !home; back--) {
      const row = rows[back] as OpenRow;
      const overlap = Math.min(y1, row.bottom) - Math.max(y0, row.top);
      if (overlap >= 0.5 * Math.min(y1 - y0, row.bottom - row.top) && !collides(row, segment)) home = row;
    }
    if (!home) {
      rows.push({ segments: [segment], box: segment.box, top: y0, bottom: y1, size: segment.size });
      continue;
    }
    home.segments.push(segment);
    home.box = boxOf([home.box, segment.box]);
    if (segment.size > home.size) Object.assign(home, { size: segment.size, top: y0, bottom: y1 });
  }
  for (const row of rows) row.segments.sort((a, b) => a.box.x0 - b.box.x0);
  return rows.sort((a, b) => a.top - b.top);
}

/** Two segments of one row do not lie on each other; text that does is a second row (tight leading, a stamp). */
function collides(row: OpenRow, segment: Segment): boolean {
  return row.segments.some((other) => {
    const shared = Math.min(other.box.x1, segment.box.x1) - Math.max(other.box.x0, segment.box.x0);
    return shared > 0.5 * Math.min(other.box.x1 - other.box.x0, segment.box.x1 - segment.box.x0);
  });
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly x: number;
}

/** First run of rows that a gutter divides into columns. */
function findColumns(rows: readonly OpenRow[]): Cut | null {
  for (let start = 0; start < rows.length; start++) {
    let gaps = innerGaps(rows[start] as OpenRow);
    if (gaps.length === 0) continue;
    let end = start + 1;
    while (end < rows.length && isClose(rows[end - 1] as OpenRow, rows[end] as OpenRow)) {
      const next = narrow(gaps, rows[end] as OpenRow);
      if (next.length === 0) break;
      gaps = next;
      end++;
    }
    let first = start;
    while (first > 0 && isClose(rows[first - 1] as OpenRow, rows[first] as OpenRow)) {
      const next = narrow(gaps, rows[first - 1] as OpenRow);
      if (next.length === 0) break;
      gaps = next;
      first--;
    }
    for (const gap of [...gaps].sort((a, b) => b.to - b.from - (a.to - a.from))) {
      const x = (gap.from + gap.to) / 2;
      if (isText(rows.slice(first, end), (segment) => segment.box.x1 <= x) && isText(rows.slice(first, end), (segment) => segment.box.x1 > x))
        return { start: first, end, x };
    }
    // A run without columns: its rows share their gaps, trying each of them again would be quadratic.
    start += Math.max(0, ((end - start) >> 2) - 1);
  }
  return null;
}

/** White space of two and a half lines is a horizontal cut: what stands below may have other columns. */
function isClose(upper: OpenRow, lower: OpenRow): boolean {
  return lower.top - upper.bottom <= 2.5 * Math.max(upper.bottom - upper.top, lower.bottom - lower.top);
}

/** 0.9 of the size of the text: narrower gaps are word spaces. */
function minimumGutter(row: OpenRow): number {
  return Math.max(7, 0.9 * row.size);
}

function innerGaps(row: OpenRow): Gap[] {
  const gaps: Gap[] = [];
  let right = -Infinity;
  for (const { box } of row.segments) {
    if (right > -Infinity && box.x0 - right >= minimumGutter(row)) gaps.push({ from: right, to: box.x0 });
    right = Math.max(right, box.x1);
  }
  return gaps;
}

function narrow(gaps: readonly Gap[], row: OpenRow): Gap[] {
  let kept: Gap[] = [...gaps];
  for (const { box } of row.segments) {
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
  const least = minimumGutter(row);
  return kept.filter((gap) => gap.to - gap.from >= least);
}

/** Running text fills its column and has even leading; labels, figures and table cells do not. */
function isText(rows: readonly OpenRow[], belongs: (segment: Segment) => boolean): boolean {
  const lines = rows
    .map((row) => row.segments.filter(belongs))
    .filter((segments) => segments.length > 0)
    .map((segments) => boxOf(segments.map((segment) => segment.box)));
  if (lines.length < 4) return false;
  const bounds = boxOf(lines);
  const width = bounds.x1 - bounds.x0;
  if (width < 72) return false;
  const filled = lines.map((line) => (line.x1 - line.x0) / width).sort((a, b) => a - b);
  const pitches = lines
    .slice(1)
    .map((line, index) => line.y1 - (lines[index] as Box).y1)
    .sort((a, b) => a - b);
  const height = lines.map((line) => line.y1 - line.y0).sort((a, b) => a - b)[lines.length >> 1] ?? 1;
  // Measured on two-column contracts and papers: median fill 0.9 and pitch 1.1 .. 1.3 heights; key-term tables: fill below 0.5 or pitch above 2.
  return (filled[filled.length >> 1] ?? 0) >= 0.6 && (pitches[pitches.length >> 1] ?? 0) <= 1.9 * height;
}
