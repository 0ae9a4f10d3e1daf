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
  if (columns === undefined || row.some((block) => block.cell?.header === true)) return row.map((block) => foldSpace(block.text)).join(' | ');
  return row
    .map((block, index) => {
      const name = block.cell ? columns.get(block.cell.column) : undefined;
      // Paragraphs of one cell follow each other without its name.
      const goesOn = index > 0 && row[index - 1]?.cell?.column === block.cell?.column;
      return `${goesOn ? ' ' : index > 0 ? '; ' : ''}${name === undefined || goesOn ? '' : `${name.replace(/[:：]$/, '')}: `}${foldSpace(block.text)}`;
    })
    .join('');
}
