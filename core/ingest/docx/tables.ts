// Table markup -> grid: which cell stands where, how far it reaches, which rows are headers (ISO/IEC 29500-1, 17.4).
//
// Owns: spans (w:gridSpan, w:vMerge, w:gridBefore), rows and cells inside content controls, cells that a view leaves out.
// Rule: a vertically merged cell is its first cell; the cells that continue it hold nothing that Word shows.
import type { View } from '../../contract/document.ts';
import { changeStands, propertiesOf } from './marks.ts';
import { child, integer, toggle, valueOf, type XmlNode } from './xml.ts';

export interface GridCell {
  readonly node: XmlNode;
  readonly column: number;
  columnSpan: number;
  rowSpan: number;
  readonly merge: 'restart' | 'continue' | null;
}

export interface GridRow {
  readonly node: XmlNode;
  readonly header: boolean;
  readonly cells: readonly GridCell[];
}

export interface Grid {
  readonly rows: readonly GridRow[];
  readonly columns: number;
}

/** Word's own limit of columns (63) keeps a damaged span from making a huge grid. */
const MAX_SPAN = 63;

export function gridOf(table: XmlNode, view: View): Grid {
  let inHeader = true;
  const rows = rowsOf(table)
    .filter((row) => gridStands(row, view))
    .map((node): GridRow => {
      inHeader &&= toggle(child(node, 'w:trPr'), 'w:tblHeader') ?? false;
      return { node, header: inHeader, cells: placeCells(node, view) };
    });
  joinRows(rows);
  const reach = rows.flatMap((row) => row.cells.map((cell) => cell.column + cell.columnSpan));
  const declared = child(table, 'w:tblGrid')?.children.filter((entry) => entry.name === 'w:gridCol').length ?? 0;
  return { rows, columns: reach.reduce((most, end) => Math.max(most, end), Math.min(declared, MAX_SPAN)) };
}

/** Tracked insertions and deletions of a row (w:trPr) or a cell (w:tcPr). */
export function gridChanges(node: XmlNode): XmlNode[] {
  const properties = child(node, 'w:trPr') ?? child(node, 'w:tcPr');
  return properties?.children.filter((entry) => /^w:(?:ins|del|cellIns|cellDel)$/.test(entry.name)) ?? [];
}

/** A row can be inserted and deleted again: it stands only where both allow it. */
export function gridStands(node: XmlNode, view: View): boolean {
  return gridChanges(node).every((entry) => changeStands(entry, view));
}

function placeCells(row: XmlNode, view: View): GridCell[] {
  let column = span(valueOf(child(row, 'w:trPr'), 'w:gridBefore'), 0);
  const cells: GridCell[] = [];
  for (const node of cellsOf(row)) {
    const properties = propertiesOf(node, 'w:tcPr', view);
    const columnSpan = span(valueOf(properties, 'w:gridSpan'), 1);
    const last = cells.at(-1);
    if (gridStands(node, view)) cells.push({ node, column, columnSpan, rowSpan: 1, merge: mergeOf(properties, view) });
    // Cells merged sideways are tracked as deleted ones: the cell before them takes their room.
    else if (last && gridChanges(node).some((entry) => entry.name === 'w:cellDel')) last.columnSpan += columnSpan;
    else continue;
    column += columnSpan;
  }
  return cells;
}

/** w:vMerge, or what a tracked merge (w:cellMerge) says of it: "rest" begins, "cont" continues. */
function mergeOf(properties: XmlNode | undefined, view: View): GridCell['merge'] {
  const tracked = child(properties, 'w:cellMerge')?.attributes;
  const state = tracked && (view === 'original' ? tracked['w:vMergeOrig'] : tracked['w:vMerge']);
  if (tracked) return state === undefined ? null : state === 'rest' ? 'restart' : 'continue';
  if (!child(properties, 'w:vMerge')) return null;
  return valueOf(properties, 'w:vMerge') === 'restart' ? 'restart' : 'continue';
}

/** Gives each first cell of a vertical merge its height. */
function joinRows(rows: readonly GridRow[]): void {
  let open = new Map<number, GridCell>();
  for (const row of rows) {
    const next = new Map<number, GridCell>();
    for (const cell of row.cells) {
      const first = cell.merge === 'continue' ? open.get(cell.column) : undefined;
      if (first) first.rowSpan++;
      const owner = first ?? (cell.merge === null ? undefined : cell);
      if (owner) next.set(cell.column, owner);
    }
    open = next;
  }
}

export function rowsOf(node: XmlNode): XmlNode[] {
  return node.children.flatMap((entry) =>
    entry.name === 'w:tr' ? [entry] : /^w:(?:sdt|sdtContent|customXml|ins|moveTo)$/.test(entry.name) ? rowsOf(entry) : [],
  );
}

export function cellsOf(node: XmlNode): XmlNode[] {
  return node.children.flatMap((entry) => (entry.name === 'w:tc' ? [entry] : /^w:(?:sdt|sdtContent|customXml)$/.test(entry.name) ? cellsOf(entry) : []));
}

function span(text: string | undefined, least: number): number {
  return Math.max(least, Math.min(MAX_SPAN, integer(text) ?? least));
}
