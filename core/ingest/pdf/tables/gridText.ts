// Words into the cells of a ruled grid, and what the rules left out: columns and rows that only white space parts.
//
// Owns: merged cells whose text shows that they are several (rows of a table with rules between rows only), bands that hold several rows of paragraphs.
// Leaves to ruledTables.ts whether the grid is a table. Rule: words of the grid come out in exactly one cell each.
import type { Box } from '../../../contract/document.ts';
import { boxOfCell, type Grid } from './gridCells.ts';
import { columnsOf } from './tableColumns.ts';
import type { DraftCell } from './tableRows.ts';
import { chunksOf, isListMark, rowsOf, type TextRow, type Word } from './tableText.ts';

export interface FilledGrid {
  readonly rows: number;
  /** Separators of the columns, those that white space makes among them. */
  readonly xs: readonly number[];
  readonly cells: DraftCell[];
  /** Words that a rule cuts. */
  readonly cut: number;
}

/** Share of the size: lines of one paragraph stand closer, paragraphs with an empty line or extra leading between them do not. */
const BLOCK_GAP = 0.55;
/** Points by which a chunk may reach over a separator. */
const OVERHANG = 2;

export function fillGrid(grid: Grid, words: readonly Word[]): FilledGrid {
  const boxes = grid.cells.map((cell) => boxOfCell(grid, cell));
  const inside = boxes.map((): Word[] => []);
  let cut = 0;
  for (const word of words) {
    const at = boxes.findIndex((box) => holds(box, word));
    const box = boxes[at];
    if (!box) continue;
    (inside[at] as Word[]).push(word);
    if (word.x0 < box.x0 - OVERHANG || word.x1 > box.x1 + OVERHANG) cut++;
  }
  const cells = grid.cells
    .flatMap((cell, index) => splitColumns({ ...cell, header: false, words: inside[index] as Word[] }, grid))
    .filter((cell) => cell.words.length > 0);
  const parted = splitGutters(cells, grid.xs);
  return { ...splitRows(parted.cells, grid.ys.length - 1), xs: parted.xs, cut };
}

export function holds(box: Box, part: Box): boolean {
  const [x, y] = [(part.x0 + part.x1) / 2, (part.y0 + part.y1) / 2];
  return x > box.x0 && x < box.x1 && y > box.y0 && y < box.y1;
}

/** Tables with rules between rows only have their columns' rules in the header: text that keeps to these columns stands in them. */
function splitColumns(cell: DraftCell, grid: Grid): DraftCell[] {
  if (cell.columnSpan === 1 || cell.words.length < 2) return [cell];
  const columns = new Map<number, Word[]>();
  for (const row of rowsOf(cell.words))
    for (const chunk of chunksOf(row.words)) {
      const column = columnOf(chunk, grid.xs);
      if (column === null) return [cell];
      columns.set(column, [...(columns.get(column) ?? []), ...chunk.words]);
    }
  if (columns.size < 2) return [cell];
  const parts = [...columns].map(([column, words]): DraftCell => ({ ...cell, column, columnSpan: 1, words }));
  return cell.rowSpan === 1 ? parts : parts.flatMap((part) => splitTall(part, grid));
}

/** Share of a column's cells that must stand on both sides of a gutter, and their least number. */
const GUTTERED = 0.6;
const GUTTERED_CELLS = 3;

/** A ruled column in which most cells have the same gutter is two: labels and texts under one header. */
function splitGutters(cells: readonly DraftCell[], separators: readonly number[]): { readonly cells: readonly DraftCell[]; readonly xs: readonly number[] } {
  let xs = [...separators];
  let parted = cells;
  for (let column = separators.length - 2; column >= 0; column--) {
    const gutter = gutterOf(parted.filter((cell) => cell.column === column && cell.columnSpan === 1));
    if (gutter === null) continue;
    xs = [...xs.slice(0, column + 1), gutter, ...xs.slice(column + 1)];
    parted = parted.flatMap((cell) => partCell(cell, column, gutter));
  }
  return { cells: parted, xs };
}

function gutterOf(cells: readonly DraftCell[]): number | null {
  if (cells.length < GUTTERED_CELLS) return null;
  const lines = cells.map((cell) => rowsOf(cell.words).map((row) => chunksOf(row.words)));
  if (lines.filter((cell) => cell.some((chunks) => chunks.length > 1)).length < GUTTERED_CELLS) return null;
  const [left, right, more] = columnsOf(lines.flat());
  if (!left || !right || more) return null;
  const x = (left.x1 + right.x0) / 2;
  const both = cells.filter((cell) => cell.words.some((word) => word.x1 <= x) && cell.words.some((word) => word.x0 >= x) && !crosses(cell, x));
  const labels = both.map((cell) => rowsOf(cell.words.filter((word) => word.x1 <= x)).map((row) => row.words.map((word) => word.text).join(' ')));
  // Numbers and bullets before the text of a cell are a list in it.
  if (labels.filter(([text = '']) => isListMark(text)).length * 2 > labels.length) return null;
  return both.length >= GUTTERED_CELLS && both.length >= GUTTERED * cells.length ? x : null;
}

function crosses(cell: DraftCell, x: number): boolean {
  return rowsOf(cell.words).some((row) => chunksOf(row.words).some((chunk) => chunk.x0 < x - OVERHANG && chunk.x1 > x + OVERHANG));
}

function partCell(cell: DraftCell, column: number, x: number): DraftCell[] {
  if (cell.column > column) return [{ ...cell, column: cell.column + 1 }];
  if (cell.column + cell.columnSpan <= column) return [cell];
  if (cell.columnSpan > 1 || crosses(cell, x)) return [{ ...cell, columnSpan: cell.columnSpan + 1 }];
  const sides = [cell.words.filter((word) => word.x0 + word.x1 < 2 * x), cell.words.filter((word) => word.x0 + word.x1 >= 2 * x)];
  return sides.flatMap((words, side) => (words.length === 0 ? [] : [{ ...cell, column: column + side, words }]));
}

/** A part of an undrawn body goes to the rows that the rules beside it make. */
function splitTall(cell: DraftCell, grid: Grid): DraftCell[] {
  const rows = new Map<number, Word[]>();
  for (const word of cell.words) {
    const middle = (word.y0 + word.y1) / 2;
    const row = grid.ys.findLastIndex((y) => y < middle);
    rows.set(row, [...(rows.get(row) ?? []), word]);
  }
  return [...rows].map(([row, words]) => ({ ...cell, row, rowSpan: 1, words }));
}

function columnOf(chunk: Box, xs: readonly number[]): number | null {
  const column = xs.findLastIndex((x) => x < (chunk.x0 + chunk.x1) / 2);
  const [left, right] = [xs[column], xs[column + 1]];
  return left === undefined || right === undefined || chunk.x0 < left - OVERHANG || chunk.x1 > right + OVERHANG ? null : column;
}

/** A band in which paragraphs of several columns begin on one line, after white space, holds several rows. */
function splitRows(cells: readonly DraftCell[], rows: number): { readonly rows: number; readonly cells: DraftCell[] } {
  const out: DraftCell[] = cells.filter((cell) => cell.rowSpan > 1).map((cell) => ({ ...cell }));
  const tall = [...out];
  let added = 0;
  for (let row = 0; row < rows; row++) {
    const band = cells.filter((cell) => cell.row === row && cell.rowSpan === 1);
    const starts = startsIn(band);
    for (const cell of tall) {
      const first = cells.find((other) => other.column === cell.column && other.words === cell.words)?.row ?? cell.row;
      if (first === row) cell.row = row + added;
      if (first <= row && row < first + (cells.find((other) => other.words === cell.words)?.rowSpan ?? 1)) cell.rowSpan += starts.length;
    }
    for (const cell of band) {
      const parts = new Map<number, Word[]>();
      for (const word of cell.words) {
        const part = starts.filter((y) => (word.y0 + word.y1) / 2 > y).length;
        parts.set(part, [...(parts.get(part) ?? []), word]);
      }
      for (const [part, words] of parts) out.push({ ...cell, row: row + added + part, words });
    }
    added += starts.length;
  }
  return { rows: rows + added, cells: out.sort((a, b) => a.row - b.row || a.column - b.column) };
}

function startsIn(band: readonly DraftCell[]): number[] {
  if (band.length < 2) return [];
  const lines = rowsOf(band.flatMap((cell) => cell.words));
  const owner = new Map(band.flatMap((cell) => cell.words.map((word) => [word, cell])));
  const columns = (line: TextRow): number => new Set(line.words.map((word) => owner.get(word))).size;
  const gaps = lines.slice(1).map((line, index) => line.y0 - Math.max(...lines.slice(0, index + 1).map((above) => above.y1)));
  // Where every line stands apart, the leading is wide and says nothing.
  if (gaps.length > 0 && gaps.every((gap, index) => gap > BLOCK_GAP * (lines[index + 1] as TextRow).size) && lines.some((line) => columns(line) < 2)) return [];
  return gaps.flatMap((gap, index) => {
    const line = lines[index + 1] as TextRow;
    return gap > BLOCK_GAP * line.size && columns(line) >= 2 ? [line.y0 - gap / 2] : [];
  });
}
