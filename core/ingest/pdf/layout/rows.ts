// Reading order of one page: segments -> rows on a baseline -> columns read one after the other.
//
// Owns: which segments make one printed line and in which order lines are read. Method: recursive XY-cut; horizontal cuts are the rows, a vertical cut is
// taken where gutters.ts finds a gutter. What stands above a run of columns is read before it, each column to its end, then what stands below.
// Rule: every segment comes out exactly once.
import type { Box } from '../../../contract/document.ts';
import { findGutter } from './gutters.ts';
import { boxOf, type Segment } from '../text/glyphs.ts';

export interface Row {
  readonly segments: readonly Segment[];
  readonly box: Box;
  /** Rows of one region (a column of a page) share its number. */
  readonly region: number;
}

export interface OpenRow {
  segments: Segment[];
  box: Box;
  /** Vertical extent of its largest segment: what later segments must overlap. */
  top: number;
  bottom: number;
  size: number;
}

/** Deeper cuts than a column in a column in a column are tables. */
const MAX_DEPTH = 4;

/** `rtl`: lines and columns begin at the right. */
export function readRows(segments: readonly Segment[], rtl: boolean): Row[] {
  const out: Row[] = [];
  let region = 0;
  const order = (rows: readonly OpenRow[], depth: number): void => {
    const cut = depth < MAX_DEPTH ? findGutter(rows) : null;
    if (!cut) {
      if (rows.length > 0) region++;
      for (const row of rows) out.push({ segments: rtl ? row.segments.toReversed() : row.segments, box: row.box, region });
      return;
    }
    order(rows.slice(0, cut.start), MAX_DEPTH);
    const run = rows.slice(cut.start, cut.end);
    const left = side(run, (segment) => segment.box.x1 <= cut.x);
    const right = side(run, (segment) => segment.box.x1 > cut.x);
    order(rtl ? right : left, depth + 1);
    order(rtl ? left : right, depth + 1);
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
    for (let back = rows.length - 1; back >= Math.max(0, rows.length - 6) && !home; back--) if (belongs(rows[back] as OpenRow, segment)) home = rows[back];
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

/** Half of the lower one's height stands beside the row; of small text that touches a word of it, a quarter (a subscript). */
function belongs(row: OpenRow, segment: Segment): boolean {
  const { box, size } = segment;
  const overlap = Math.min(box.y1, row.bottom) - Math.max(box.y0, row.top);
  const lower = Math.min(box.y1 - box.y0, row.bottom - row.top);
  if (overlap < 0.25 * lower) return false;
  const [small, large] = [Math.min(size, row.size), Math.max(size, row.size)];
  const reach = Math.min(...row.segments.map((other) => Math.max(box.x0 - other.box.x1, other.box.x0 - box.x1)));
  if (isNoteMark(row.segments, segment, reach)) return true;
  if (overlap < 0.5 * lower && (small > 0.8 * large || Math.abs(reach) > 0.5 * small)) return false;
  return !isApart(row, segment, reach) && !collides(row, segment);
}

/** A small raised number or sign before a line, as notes begin. */
function isNoteMark(row: readonly Segment[], segment: Segment, reach: number): boolean {
  const [mark, line] = (row[0] as Segment).size < segment.size ? [row[0] as Segment, segment] : [segment, row[0] as Segment];
  if (mark.size > 0.85 * line.size || mark.box.x1 > line.box.x0 || reach < 0 || reach > 5 * line.size) return false;
  return mark.glyphs.length < 4 && mark.glyphs.every((glyph) => /^[\d*†‡\s]$/.test(glyph.text));
}

/** Much smaller text far from a line and off its baseline is no superscript of it, but a line of its own (a logo beside a title). */
function isApart(row: OpenRow, { size, box }: Segment, reach: number): boolean {
  const [small, large] = [Math.min(size, row.size), Math.max(size, row.size)];
  if (small > 0.7 * large || Math.abs(box.y1 - row.bottom) < 0.15 * large) return false;
  return reach > 1.5 * large;
}

/** Two segments of one row do not lie on each other; text that does is a second row (tight leading, a stamp). Single wide characters may overlap. */
function collides(row: OpenRow, segment: Segment): boolean {
  return row.segments.some((other) => {
    const shared = Math.min(other.box.x1, segment.box.x1) - Math.max(other.box.x0, segment.box.x0);
    if (shared <= 0.5 * Math.min(other.box.x1 - other.box.x0, segment.box.x1 - segment.box.x0)) return false;
    if (fitsInto(segment, other) || fitsInto(other, segment)) return false;
    return other.glyphs.length > 2 || segment.glyphs.length > 2 || Math.abs(other.box.x0 - segment.box.x0) < 0.6 * segment.size;
  });
}

/** A sub- or superscript in a gap that the line leaves for it. */
function fitsInto(small: Segment, line: Segment): boolean {
  if (small.size > 0.85 * line.size || small.glyphs.length > 5) return false;
  const { x0, x1 } = small.box;
  return line.glyphs.every((glyph) => glyph.text.trim() === '' || Math.min(glyph.x1, x1) - Math.max(glyph.x0, x0) < 0.3 * (x1 - x0));
}
