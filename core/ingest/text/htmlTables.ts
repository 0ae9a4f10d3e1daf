// Tables of HTML: the grid of cells (HTML standard, 4.9.12), and whether a table holds data or only sets text beside text.
//
// Owns: spans, header cells, empty columns that only make room, the judgement. Leaves the text of cells to htmlBlocks.ts.
// Old word processors and filings set "1.1 | text" as a table of its own: such a row is a numbered paragraph, not two cells.
import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { bulletLength, readLabel } from '../labels.ts';
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

/** Browsers cut spans there. */
const MOST_COLUMNS = 1000;

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

function addSection(lines: readonly Element[], head: boolean, rows: GridCell[][]): void {
  const first = rows.length;
  const taken = new Set<string>();
  lines.forEach((line, index) => {
    const row = first + index;
    const cells: GridCell[] = [];
    let column = 0;
    for (const element of line.childNodes.filter(isElement)) {
      if (element.tagName !== 'td' && element.tagName !== 'th') continue;
      while (taken.has(`${row}:${column}`)) column++;
      const columnSpan = span(element, 'colspan', MOST_COLUMNS);
      const left = lines.length - index;
      const asked = attribute(element, 'rowspan')?.trim() === '0' ? left : span(element, 'rowspan', left);
      for (let down = 0; down < asked; down++) for (let over = 0; over < columnSpan; over++) taken.add(`${row + down}:${column + over}`);
      cells.push({ element, row, column, rowSpan: asked, columnSpan, header: head || element.tagName === 'th' });
      column += columnSpan;
    }
    rows.push(cells);
  });
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
  const within = (kept: readonly number[], from: number, count: number): number => kept.filter((index) => index >= from && index < from + count).length;
  const place = (kept: readonly number[], from: number): number => kept.filter((index) => index < from).length;
  const out = keptRows.map((row) =>
    (rows[row] ?? [])
      .map((cell) => ({
        ...cell,
        row: place(keptRows, cell.row),
        column: place(keptColumns, cell.column),
        rowSpan: Math.max(1, within(keptRows, cell.row, cell.rowSpan)),
        columnSpan: within(keptColumns, cell.column, cell.columnSpan),
      }))
      .filter((cell) => cell.columnSpan > 0),
  );
  return { rows: out, columns: keptColumns.length, caption };
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
