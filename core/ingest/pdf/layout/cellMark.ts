// What a line knows of the table that it stands in. The tables are found in tables/, which builds on layout; layout only carries the mark.
import type { Box } from '../../../contract/document.ts';

/** Where a line stands when it stands in a table. Rows and columns from 0. */
export interface CellMark {
  readonly table: PageTable;
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly header: boolean;
}

export interface PageTable {
  readonly box: Box;
  readonly rows: number;
  readonly columns: number;
  readonly headerRows: number;
  /** Extents of the columns, along the writing. */
  readonly bands: readonly { readonly x0: number; readonly x1: number }[];
  readonly ruled: boolean;
}
