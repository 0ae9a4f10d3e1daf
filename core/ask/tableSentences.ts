// A row of a table as one line that can be read without the table: each value under the name of its column, "Item: Hosting; 2024: 100".
//
// Rule: values stand in the line exactly as in their cells, so that a quote of one is found there.
import type { Block } from '../contract/document.ts';

/** Table id -> name of each column: its header cells from top to bottom. Columns without a header have none. */
export type ColumnNames = ReadonlyMap<string, ReadonlyMap<number, string>>;

export const foldSpace = (text: string): string => text.replace(/\s+/gu, ' ').trim();

export function columnNames(blocks: readonly Block[]): ColumnNames {
  const tables = new Map<string, Map<number, string>>();
  for (const { cell, text } of blocks) {
    if (cell?.header !== true || text.trim() === '') continue;
    const names = tables.get(cell.table) ?? new Map<number, string>();
    tables.set(cell.table, names);
    for (let column = cell.column; column < cell.column + cell.columnSpan; column++) names.set(column, `${names.get(column) ?? ''} ${foldSpace(text)}`.trim());
  }
  return tables;
}

/** Cells of one row, in order. A header row, and a row of a table without headers, is its cells with bars between them. */
export function rowText(row: readonly Block[], names: ColumnNames): string {
  const columns = row[0]?.cell ? names.get(row[0].cell.table) : undefined;
  const cells = cellTexts(row);
  if (columns === undefined || row.some((block) => block.cell?.header === true)) return cells.map(({ text }) => text).join(' | ');
  return cells
    .map(({ column, text }) => {
      const name = columns.get(column);
      return name === undefined ? text : `${name.replace(/[:：]$/, '')}: ${text}`;
    })
    .join('; ');
}

/** A cell of several paragraphs is one text. */
function cellTexts(row: readonly Block[]): { readonly column: number; readonly text: string }[] {
  const texts = new Map<number, string>();
  for (const { cell, text } of row) if (cell) texts.set(cell.column, `${texts.get(cell.column) ?? ''} ${foldSpace(text)}`.trim());
  return [...texts].map(([column, text]) => ({ column, text }));
}
