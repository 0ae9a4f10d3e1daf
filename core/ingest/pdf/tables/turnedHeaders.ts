// Column headers that are written upwards, downwards or at a slant, so that narrow columns have long names.
//
// Owns: which column such a text heads. Rule: only the header of a table that was found without them takes turned text.
import type { DraftTable } from './alignedTables.ts';
import { toFrame, type Frame } from '../layout/frames.ts';
import { isInked, type Segment } from '../text/glyphs.ts';
import type { Band } from './tableColumns.ts';
import type { DraftCell } from './tableRows.ts';
import type { Word } from './tableText.ts';

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

/** Each segment that does not run along the frame as one word, placed in the frame. */
export function readTurned(segments: readonly Segment[], frame: Frame): Word[] {
  return segments.flatMap((segment, index) => {
    const { direction, glyphs, size } = segment;
    if (direction === frame.turn || glyphs.length === 0) return [];
    const text = glyphs.map((glyph) => glyph.text).join('');
    const bold = glyphs.filter(isInked).every((glyph) => glyph.bold);
    return [{ ...toFrame(segment.box, frame), text, size, bold, segment: index, from: 0, to: glyphs.length }];
  });
}

export function withTurned(draft: DraftTable, turned: readonly Word[]): DraftTable {
  const inside = turned.filter((word) => isInside(word, draft)).sort((a, b) => a.x0 - b.x0);
  if (inside.length === 0 || draft.headerRows === 0) return draft;
  const named = new Map<number, Word[]>();
  for (const word of inside) {
    const column = columnOf(word, draft.bands);
    named.set(column, [...(named.get(column) ?? []), word]);
  }
  const last = draft.headerRows - 1;
  const added = draft.cells.some((cell) => isOver(cell, last, named)) ? 1 : 0;
  const cells = draft.cells.map((cell) => (cell.row > last ? { ...cell, row: cell.row + added } : tallOver(cell, last, added, named)));
  for (const [column, words] of named) head(cells, last + added, column, words);
  for (const cell of cells) if (cell.header && cell.row < last + added && cell.columnSpan === 1) reachOver(cell, cells, named);
  return { ...draft, rows: draft.rows + added, headerRows: draft.headerRows + added, cells: cells.sort((a, b) => a.row - b.row || a.column - b.column) };
}

/** A name in the last header row that stands over turned ones: they need a row of their own. */
function isOver(cell: DraftCell, last: number, named: ReadonlyMap<number, readonly Word[]>): boolean {
  if (!cell.header || cell.row !== last) return false;
  return [...named].some(
    ([column, words]) =>
      column >= cell.column && column < cell.column + cell.columnSpan && words.every((word) => cell.words.every((above) => above.y1 < word.y0 + 2)),
  );
}

/** A header that reaches the last row goes down into the added one where nothing stands under it. */
function tallOver(cell: DraftCell, last: number, added: number, named: ReadonlyMap<number, readonly Word[]>): Mutable<DraftCell> {
  const under = Array.from({ length: cell.columnSpan }, (_entry, index) => cell.column + index).some((column) => named.has(column));
  return { ...cell, words: [...cell.words], rowSpan: cell.rowSpan + (cell.row + cell.rowSpan > last && !under ? added : 0) };
}

/** Wholly above the first row of the body: a stamp or a watermark across the table is not. Slanted names reach over the right edge. */
function isInside(word: Word, { box, cells, headerRows }: DraftTable): boolean {
  const body = Math.min(...cells.flatMap((cell) => (cell.row >= headerRows ? cell.words.map((entry) => entry.y0) : [])));
  return footOf(word) > box.x0 && footOf(word) < box.x1 && word.y0 > box.y0 - 2 && word.y1 < body + 2;
}

/** Where the text stands on its column: its middle, or the beginning of a slanted one, whose box is about as wide as high. */
function footOf({ x0, x1, y0, y1, size }: Word): number {
  return x1 - x0 > 2 * size && y1 - y0 > 2 * size ? x0 + size / 2 : (x0 + x1) / 2;
}

function columnOf(word: Word, bands: readonly Band[]): number {
  const foot = footOf(word);
  const distance = (band: Band): number => Math.max(band.x0 - foot, foot - band.x1, 0);
  return bands.reduce((best, band, index) => (distance(band) < distance(bands[best] as Band) ? index : best), 0);
}

/** Joins the column's own header in the last header row; a header that reached down to there over it ends above. */
function head(cells: DraftCell[], row: number, column: number, words: readonly Word[]): void {
  const covering = cells.find((cell) => cell.header && cell.column <= column && cell.column + cell.columnSpan > column && cell.row + cell.rowSpan > row);
  if (covering && covering.columnSpan === 1 && covering.row === row) {
    covering.words.push(...words);
    return;
  }
  if (covering && covering.row < row) covering.rowSpan = row - covering.row;
  else if (covering) return;
  cells.push({ row, column, rowSpan: 1, columnSpan: 1, header: true, words: [...words] });
}

/** A name over the middle of columns with turned names is the name of all of them. */
function reachOver(cell: Mutable<DraftCell>, cells: readonly DraftCell[], named: ReadonlyMap<number, unknown>): void {
  const covers = (other: DraftCell, column: number): boolean =>
    other.row <= cell.row && other.row + other.rowSpan > cell.row && other.column <= column && other.column + other.columnSpan > column;
  const isFree = (column: number): boolean => named.has(column) && !cells.some((other) => other !== cell && covers(other, column));
  if (!named.has(cell.column)) return;
  while (isFree(cell.column - 1) && isFree(cell.column + cell.columnSpan)) {
    cell.column--;
    cell.columnSpan += 2;
  }
}
