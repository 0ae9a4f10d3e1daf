// Tables of HTML: the grid of cells (HTML standard, 4.9.12), and whether a table holds data or only sets text beside text.
//
// Owns: spans, header cells, empty columns that only make room, the judgement. Leaves the text of cells to htmlBlocks.ts.
// Old word processors and filings set "1.1 | text" as a table of its own: such a row is a numbered paragraph, not two cells.
import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { bulletLength, readLabel } from '../labels.ts';
import { within } from '../limits.ts';
import { attribute, type Element } from './htmlStyle.ts';

export interface GridCell {
  readonly element: Element;
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly header: boolean;
}

export interface Grid {
  readonly rows: readonly (readonly GridCell[])[];
  readonly columns: number;
  readonly caption: Element | null;
}

/** Browsers cut spans there (HTML standard, 4.9.12). */
const MOST_COLUMNS = 1000;
/** Every row walks along them: stairs of 16,000 such cells took 5 s. A column each, they make a table wider than any that is read. */
const MOST_OPEN = 1000;

export function readGrid(table: Element): Grid {
  const sections = table.childNodes.filter(isElement);
  const caption = sections.find((element) => element.tagName === 'caption') ?? null;
  const rows: GridCell[][] = [];
  for (const section of sections) {
    const head = section.tagName === 'thead';
    const lines = section.tagName === 'tr' ? [section] : section.childNodes.filter(isElement).filter((element) => element.tagName === 'tr');
    if (!['tr', 'thead', 'tbody', 'tfoot'].includes(section.tagName)) continue;
    addSection(lines, head, rows);
  }
  return squeeze(rows, caption);
}

/** Columns that a cell of a row above still takes. */
interface OpenSpan {
  readonly from: number;
  readonly to: number;
  /** Its first row without the cell. */
  readonly until: number;
}

function addSection(lines: readonly Element[], head: boolean, rows: GridCell[][]): void {
  const end = rows.length + lines.length;
  let open: OpenSpan[] = [];
  for (const line of lines) {
    const row = rows.length;
    open = open.filter((taken) => taken.until > row);
    const cells = cellsOf(line, head, row, end, open);
    const begun = cells.filter((cell) => cell.rowSpan > 1).map((cell) => ({ from: cell.column, to: cell.column + cell.columnSpan, until: row + cell.rowSpan }));
    if (begun.length > 0) open = [...open, ...begun].sort((a, b) => a.from - b.from);
    within(open.length, MOST_OPEN, 'cells of a table beside each other that reach over several rows');
    rows.push(cells);
  }
}

/** `open` is in the order of columns, so one walk along it finds room for all cells of the row. `end`: spans of rows stop at the end of their section. */
function cellsOf(line: Element, head: boolean, row: number, end: number, open: readonly OpenSpan[]): GridCell[] {
  const cells: GridCell[] = [];
  let column = 0;
  let next = 0;
  for (const element of line.childNodes.filter(isElement)) {
    if (element.tagName !== 'td' && element.tagName !== 'th') continue;
    for (let taken = open[next]; taken && taken.from <= column; taken = open[++next]) column = Math.max(column, taken.to);
    const columnSpan = span(element, 'colspan', MOST_COLUMNS);
    const rowSpan = attribute(element, 'rowspan')?.trim() === '0' ? end - row : span(element, 'rowspan', end - row);
    cells.push({ element, row, column, rowSpan, columnSpan, header: head || element.tagName === 'th' });
    column += columnSpan;
  }
  return cells;
}

function span(element: Element, name: string, most: number): number {
  const value = Number.parseInt(attribute(element, name) ?? '1', 10);
  return Number.isFinite(value) ? Math.max(1, Math.min(value, most)) : 1;
}

/** Columns in which no cell with text begins (spacers of filings) and rows without a cell with text are left out. */
function squeeze(rows: readonly (readonly GridCell[])[], caption: Element | null): Grid {
  const filled = rows.map((cells) => cells.filter((cell) => textOf(cell.element) !== ''));
  const keptRows = rows.map((_cells, row) => row).filter((row) => (filled[row] ?? []).length > 0);
  const starts = new Set(filled.flatMap((cells) => cells.map((cell) => cell.column)));
  const keptColumns = [...starts].sort((a, b) => a - b);
  const out = keptRows.map((row) =>
    (rows[row] ?? [])
      .map((cell) => {
        const [top, left] = [countBelow(keptRows, cell.row), countBelow(keptColumns, cell.column)];
        const rowSpan = Math.max(1, countBelow(keptRows, cell.row + cell.rowSpan) - top);
        return { ...cell, row: top, column: left, rowSpan, columnSpan: countBelow(keptColumns, cell.column + cell.columnSpan) - left };
      })
      .filter((cell) => cell.columnSpan > 0),
  );
  return { rows: out, columns: keptColumns.length, caption };
}

/** How many of the sorted indexes are below `limit`, by halving: large tables ask for every cell. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether the table only places text: then its rows are read as paragraphs, from left to right. */
export function isLayoutTable(table: Element, grid: Grid): boolean {
  const role = attribute(table, 'role');
  if (role === 'presentation' || role === 'none') return true;
  if (grid.caption || grid.rows.some((cells) => cells.some((cell) => cell.header))) return false;
  if (grid.columns <= 1 || contains(table, (element) => BLOCKS_OF_PAGES.has(element.tagName) && element !== table)) return true;
  return grid.rows.every((cells) => numberedRow(cells) !== null);
}
const BLOCKS_OF_PAGES = new Set(['table', 'h1', 'h2', 'h3', 'ol', 'ul', 'hr', 'blockquote']);

/** "1.1 | text": the number and the one cell beside it; null for any other row. */
export function numberedRow(cells: readonly GridCell[]): { readonly number: string; readonly body: GridCell } | null {
  const filled = cells.filter((cell) => textOf(cell.element) !== '');
  const [first, body, more] = filled;
  if (!first || !body || more) return null;
  const number = textOf(first.element);
  const label = readLabel(`${number} x`);
  const whole = label !== null && label.rest >= number.length;
  return whole || bulletLength(`${number} x`) > number.length || /^[•●○■□·–—-]$/.test(number) ? { number, body } : null;
}

export function isElement(node: Tree.ChildNode): node is Element {
  return 'tagName' in node;
}

function contains(element: Element, test: (element: Element) => boolean): boolean {
  return element.childNodes.filter(isElement).some((child) => test(child) || contains(child, test));
}

/** Bare text, for judging only. */
function textOf(element: Element): string {
  let text = '';
  const visit = (node: Tree.ChildNode): void => {
    if (node.nodeName === '#text') text += (node as Tree.TextNode).value;
    else if (isElement(node)) node.childNodes.forEach(visit);
  };
  visit(element);
  return text.replace(/[\s\u00A0\u200B]+/g, ' ').trim();
}
