// Tables drawn with crossing rules: grids with text in their cells.
//
// Owns: which words stand in which cell, rows inside a tall ruled band, header rows of a grid, and which grids are no table (boxed text, charts, page frames,
// contracts laid out in a frame). Leaves grids of one column to alignedTables.ts, which takes their rules as evidence.
import type { Box } from '../../../contract/document.ts';
import { readLabel } from '../../labels.ts';
import { SIGNATURE_LABELS } from '../../titles.ts';
import type { DraftTable } from './alignedTables.ts';
import { columnsOf, type Band } from './tableColumns.ts';
import { readGrids, type Grid } from './gridCells.ts';
import { boxOf } from '../text/glyphs.ts';
import { fillGrid, holds } from './gridText.ts';
import type { Rules, Shade } from './rules.ts';
import { rowTable, type DraftCell } from './tableRows.ts';
import { chunksOf, isNumeric, isDate, rowsOf, type TextRow, type Word } from './tableText.ts';

/** Lines of values in one ruled band from which the rules part groups of rows, not rows. */
const GROUPED = 3;
/** Grids of so many cells with so little text are charts and squared paper. */
const SPARSE_CELLS = 24;
const FILLED_CELLS = 0.25;
/** What a party fills in when it signs; a framed block of signatures has little else. */
const SIGNATURE = new RegExp(String.raw`^(?:${SIGNATURE_LABELS})\s?[:：]|_{5,}`, 'i');
const SIGNED_CELLS = 0.4;
/** Share of the words that rules may cut: more, and the lines belong to a drawing. */
const CUT_WORDS = 0.04;

export function findRuled(words: readonly Word[], rules: Rules): DraftTable[] {
  const taken = new Set<Word>();
  const tables: DraftTable[] = [];
  const grids = readGrids(rules).filter((grid) => grid.xs.length > 2);
  // A grid inside a cell of another one is a table of its own; what is left belongs to the outer one.
  grids.sort((a, b) => areaOf(a) - areaOf(b));
  for (const grid of grids) {
    const inside = words.filter((word) => !taken.has(word) && holds(boxOfGrid(grid), word));
    const table = inside.length < 2 ? null : tableOf(grid, inside, rules);
    if (!table) continue;
    for (const word of inside) taken.add(word);
    tables.push(table);
  }
  return tables;
}

function boxOfGrid({ xs, ys }: Grid): Box {
  return { x0: xs[0] as number, x1: xs.at(-1) as number, y0: ys[0] as number, y1: ys.at(-1) as number };
}

function areaOf(grid: Grid): number {
  const box = boxOfGrid(grid);
  return (box.x1 - box.x0) * (box.y1 - box.y0);
}

function tableOf(grid: Grid, words: readonly Word[], rules: Rules): DraftTable | null {
  const { rows, xs, cells, cut } = fillGrid(grid, words);
  const columns = new Set(cells.map((cell) => cell.column)).size;
  if (cells.length < 3 || columns < 2 || cut > Math.max(1, CUT_WORDS * words.length)) return null;
  if (cells.some(isLaidOut) || cells.filter((cell) => SIGNATURE.test(textOf(cell))).length >= SIGNED_CELLS * cells.length) return null;
  if (grid.cells.length >= SPARSE_CELLS && cells.length < FILLED_CELLS * grid.cells.length) return null;
  const lines = rowsOf(words);
  if (isGrouped(grid, lines)) return groupedTable(grid, lines, rules);
  if (new Set(cells.map((cell) => cell.row)).size < 2) return null;
  const headerRows = headerRowsOf(cells, xs.length - 1, rows, rules);
  for (const cell of cells) cell.header = cell.row < headerRows;
  return { rows, columns: xs.length - 1, headerRows, cells, box: boxOfGrid(grid), bands: bandsOf(xs), ruled: true };
}

function bandsOf(xs: readonly number[]): Band[] {
  return xs.slice(1).map((x1, index) => ({ x0: xs[index] as number, x1 }));
}

/** A cell that holds numbered clauses is a frame around running text. */
function isLaidOut(cell: DraftCell): boolean {
  const lines = rowsOf(cell.words).map((row) => row.words.map((word) => word.text).join(' '));
  const clauses = lines.filter((line) => {
    const label = readLabel(line);
    return label !== null && !label.weak && line.length > 40;
  });
  return clauses.length >= 3;
}

/** Rules that part groups: a band holds several lines with values in more than one column. */
function isGrouped(grid: Grid, rows: readonly TextRow[]): boolean {
  const [first, wall] = [grid.xs[0] as number, grid.xs[1] as number];
  return grid.ys.slice(1).some((bottom, index) => {
    const top = grid.ys[index] as number;
    const lines = rows.filter((row) => row.y0 + row.y1 > 2 * top && row.y0 + row.y1 < 2 * bottom);
    const valued = lines.filter((row) => row.words.some((word) => word.x0 > wall - 2 && word.x0 > first && isNumeric(word.text)));
    const labelled = valued.filter((row) => row.words.some((word) => word.x1 < wall + 2));
    return labelled.length >= GROUPED && valued.length >= 0.5 * lines.length;
  });
}

function groupedTable(grid: Grid, rows: readonly TextRow[], rules: Rules): DraftTable | null {
  const lines = rows.map((row) => ({ row, chunks: chunksOf(row.words) }));
  const walls = grid.xs.slice(1, -1);
  const bands = columnsOf(
    lines.map((line) => line.chunks),
    walls,
  );
  if (bands.length < 2) return null;
  const box = boxOfGrid(grid);
  const inside = rules.horizontal.filter((rule) => rule.at > box.y0 - 2 && rule.at < box.y1 + 2 && rule.from < box.x1 && rule.to > box.x0);
  const rowed = rowTable({ lines, bands, rules: inside });
  return { ...rowed, box, columns: bands.length, bands, ruled: true };
}

/** The first rows are a header when they are bold or shaded as few others are, the first when it has no values and the columns below have. */
function headerRowsOf(cells: readonly DraftCell[], columns: number, height: number, rules: Rules): number {
  const first = cells.filter((cell) => cell.row === 0);
  const body = cells.filter((cell) => cell.row > 0);
  if (first.length === 0 || body.length === 0) return 0;
  const shade = shadeOf(first[0] as DraftCell, rules);
  const isShaded = (cell: DraftCell): boolean => shade !== null && shadeOf(cell, rules) === shade;
  const isBold = (cell: DraftCell): boolean => cell.words.every((word) => word.bold);
  const isValue = (cell: DraftCell): boolean => isNumeric(textOf(cell)) && !isDate(textOf(cell));
  const values = body.filter((cell) => cell.column > 0);
  const plain = !first.some(isValue);
  const valued = values.filter(isValue).length >= 0.4 * values.length;
  const marked = Math.max(markedRows(cells, isBold), plain ? markedRows(cells, isShaded) : 0);
  if (marked > 1) return marked;
  if (marked === 0 && !(plain && valued)) return 0;
  // A cell over several columns heads those below it; a cell over several rows reaches to the end of the header.
  let rows = Math.max(...first.map((cell) => cell.rowSpan));
  const parted = first.some((cell) => cell.columnSpan > 1 && cell.columnSpan < columns);
  const second = cells.filter((cell) => cell.row === 1);
  if (rows === 1 && parted && second.every((cell) => !isValue(cell))) rows = 2;
  return Math.min(rows, height - 1);
}

/** Rows from the top that pass wholly; none where many cells below pass too: striped rows and bold labels of groups mark more than a header. */
function markedRows(cells: readonly DraftCell[], test: (cell: DraftCell) => boolean): number {
  const last = Math.max(...cells.map((cell) => cell.row));
  let rows = 0;
  while (rows < last && cells.every((cell) => cell.row !== rows || test(cell))) rows++;
  const below = cells.filter((cell) => cell.row >= rows && cell.column > 0);
  return rows * 2 <= last + 1 && below.filter(test).length <= 0.2 * below.length ? rows : 0;
}

/** Colour of the smallest area under the cell's text. */
function shadeOf(cell: DraftCell, { shades }: Rules): number | null {
  const box = boxOf(cell.words);
  let best: Shade | null = null;
  for (const shade of shades) if (holds(shade, box) && (best === null || shade.y1 - shade.y0 < best.y1 - best.y0)) best = shade;
  return best?.color ?? null;
}

function textOf(cell: DraftCell): string {
  return cell.words.map((word) => word.text).join(' ');
}
