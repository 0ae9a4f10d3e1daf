// Columns of a table by white space: chunks of its rows -> bands that no chunk crosses, but for spans.
//
// Owns: which rows go together (their gaps lie over each other), which chunks span columns, the bands. Works without rules.
// Leaves to alignedTables.ts whether what has columns is a table: two columns of prose have them too.
import type { Chunk } from './tableText.ts';

/** Horizontal extent of what stands in one column. */
export interface Band {
  readonly x0: number;
  readonly x1: number;
}

/** Share of the smaller number of gaps that two rows must have in common to belong together. */
const COMMON_GAPS = 0.6;
/** Points that two gaps must share to be one: a third of the smallest print. */
const SHARED_GAP = 2;
/** Rows above and below that tell whether a chunk spans columns: all would take quadratic time on a page of newspaper. */
const NEAR_ROWS = 30;
/** Share of the rows in which a chunk may stick out over a gutter. */
const OUTLIERS = 0.08;

/** Whether two rows have their gaps at the same places. */
export function isAligned(upper: readonly Chunk[], lower: readonly Chunk[]): boolean {
  if (upper.length < 2 || lower.length < 2) return false;
  const [few, many] = upper.length <= lower.length ? [gapsOf(upper), gapsOf(lower)] : [gapsOf(lower), gapsOf(upper)];
  const common = few.filter((gap) => many.some((other) => Math.min(gap.x1, other.x1) - Math.max(gap.x0, other.x0) >= SHARED_GAP)).length;
  return common >= COMMON_GAPS * few.length;
}

function gapsOf(chunks: readonly Chunk[]): Band[] {
  return chunks.slice(1).map((chunk, index) => ({ x0: (chunks[index] as Chunk).x1, x1: chunk.x0 }));
}

/** Bands from left to right. `walls` are x values that part columns in any case (vertical rules). */
export function columnsOf(rows: readonly (readonly Chunk[])[], walls: readonly number[] = []): Band[] {
  const single = rows.map((chunks, row) => chunks.filter((chunk) => !isSpanning(chunk, row, rows)));
  const tolerated = Math.floor(OUTLIERS * rows.length);
  const bands: { x0: number; x1: number }[] = [];
  for (const band of [...coveredBands(single.flat(), tolerated, walls), ...forgotten(single.flat(), tolerated, walls)].sort((a, b) => a.x0 - b.x0)) {
    const last = bands.at(-1);
    const walled = last !== undefined && walls.some((wall) => wall >= last.x1 - 1 && wall <= band.x0 + 1);
    if (last && band.x0 < last.x1 + 0.5 && !walled) last.x1 = Math.max(last.x1, band.x1);
    else bands.push({ ...band });
  }
  return bands;
}

/** A chunk over places where most other rows have two or more: a header over several columns, a title or a note inside the table. */
function isSpanning(chunk: Chunk, row: number, rows: readonly (readonly Chunk[])[]): boolean {
  let several = 0;
  let one = 0;
  const from = Math.max(0, row - NEAR_ROWS);
  rows.slice(from, row + NEAR_ROWS + 1).forEach((others, index) => {
    if (from + index === row) return;
    let inside = 0;
    let touching = 0;
    for (const other of others) {
      const middle = (other.x0 + other.x1) / 2;
      if (middle > chunk.x0 && middle < chunk.x1) inside++;
      if (other.x0 < chunk.x1 && other.x1 > chunk.x0) touching++;
    }
    if (inside >= 2 || (inside === 1 && touching >= 2)) several++;
    else if (touching > 0) one++;
  });
  return several > 0 && several >= 0.5 * one;
}

/** Stretches of x that more than `tolerated` chunks cover. */
function coveredBands(chunks: readonly Chunk[], tolerated: number, walls: readonly number[]): Band[] {
  const events = chunks.flatMap((chunk) =>
    cut(chunk, walls).flatMap((part) => [
      { x: part.x0, step: 1 },
      { x: part.x1, step: -1 },
    ]),
  );
  events.sort((a, b) => a.x - b.x || a.step - b.step);
  const bands: Band[] = [];
  let depth = 0;
  let from = 0;
  for (const { x, step } of events) {
    const before = depth;
    depth += step;
    if (before <= tolerated && depth > tolerated) from = x;
    if (before > tolerated && depth <= tolerated && x > from) bands.push({ x0: from, x1: x });
  }
  return bands;
}

function cut(chunk: Band, walls: readonly number[]): Band[] {
  const inside = walls.filter((wall) => wall > chunk.x0 && wall < chunk.x1);
  return [...inside, chunk.x1].map((x1, index) => ({ x0: index === 0 ? chunk.x0 : (inside[index - 1] as number), x1 }));
}

/** A column that few rows fill lies within what was tolerated: its chunks touch no band, and become bands of their own. */
function forgotten(chunks: readonly Chunk[], tolerated: number, walls: readonly number[]): Band[] {
  if (tolerated === 0) return [];
  const bands = coveredBands(chunks, tolerated, walls);
  return coveredBands(
    chunks.filter((chunk) => bands.every((band) => band.x1 <= chunk.x0 || band.x0 >= chunk.x1)),
    0,
    walls,
  );
}
