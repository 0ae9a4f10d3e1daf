// Tables of all pages -> the tables of the document: joined over page breaks, their cells as groups of lines, their captions.
//
// Owns: when two tables on neighbouring pages are one, header rows that are repeated there, what a running head laid out as a table is, table ids.
// Leaves the blocks themselves to blocks.ts. Rule: a line of a table ends in exactly one cell, or in furniture when its row repeats a header.
import type { Block, Place, Table } from '../../../contract/document.ts';
import { bulletLength, readLabel } from '../../labels.ts';
import type { CellMark, PageTable } from '../layout/cellMark.ts';
import type { PdfLine } from '../layout/lines.ts';
import { splitParagraphs } from '../layout/paragraphs.ts';
import type { Band } from './tableColumns.ts';

export type Cell = NonNullable<Block['cell']>;

/** Lines that become one block; `cell` for those of a table. */
export interface CellGroup {
  readonly lines: readonly PdfLine[];
  readonly cell: Cell | null;
}

export interface TableGroups {
  /** In the order of the lines; those without a cell are repeated headers, which are furniture. */
  readonly groups: readonly CellGroup[];
  readonly tables: readonly Table[];
}

/** Points by which the columns of two parts may differ: ruled ones do not, in others the longest text of a page moves one edge. */
const COLUMN_SHIFT = 8;
/** Lines of a caption above the second part, or of notes below the first, when it says that it goes on. */
const MOST_TOLD = 3;
/** Lines above the second part that say "Table 2 (continued)". */
const CONTINUED = /\b(?:cont(?:inued|['’]?d)?|fortsetzung|suite)\b|续|續/i;
/** Lines from which the leading and the margin of a cell's text can be told. */
const RUNNING_TEXT = 4;
const NO_CUTS: ReadonlySet<PdfLine> = new Set();
const CAPTION = /^(?:table|tab\.|tabelle|tableau|tabla|表)\s?[A-Z]?[-.]?(?:\d|[IVX]+\b|[一二三四五六七八九十])/i;

/** `text` says of each line whether it is text of the document. A running head that is laid out as a table is text wholly or not at all. */
export function settleTables(lines: readonly PdfLine[], text: readonly boolean[]): boolean[] {
  const counts = new Map<PageTable, { text: number; all: number }>();
  lines.forEach((line, index) => {
    if (!line.cell) return;
    const count = counts.get(line.cell.table) ?? { text: 0, all: 0 };
    counts.set(line.cell.table, { text: count.text + Number(text[index] === true), all: count.all + 1 });
  });
  return lines.map((line, index) => {
    const count = line.cell ? counts.get(line.cell.table) : undefined;
    return count ? count.text * 2 >= count.all : text[index] === true;
  });
}

interface Part {
  readonly table: PageTable;
  readonly page: number;
  readonly lines: PdfLine[];
  /** Lines of running text right before and after it on its page. */
  readonly before: readonly PdfLine[];
  after: number;
}

/** A table of the document under way: its last part, and the texts of the rows that later parts may repeat. */
interface OpenTable {
  readonly part: Part;
  readonly texts: readonly string[];
}

/** `body` without furniture, in reading order. */
export function readTableGroups(body: readonly PdfLine[]): TableGroups {
  const groups: CellGroup[] = [];
  const tables: Table[] = [];
  let open: OpenTable | null = null;
  for (const part of partsOf(body)) {
    const texts = rowTexts(part);
    const last: Table | undefined = open !== null && goesOn(open.part, part, open.texts, texts) ? tables.at(-1) : undefined;
    const repeated = last && open ? repeatedRows(open.texts, texts) : 0;
    const first = last ? last.rows - repeated : 0;
    const table: Table = {
      id: last?.id ?? `t${tables.length}`,
      rows: first + part.table.rows,
      columns: part.table.columns,
      places: [...(last?.places ?? []), { page: part.page, box: part.table.box } satisfies Place],
      captionId: null,
    };
    if (last) tables.pop();
    tables.push(table);
    groups.push(...cellGroups(part, table.id, first, repeated, last !== undefined));
    open = { part, texts: last && open ? open.texts : texts };
  }
  return { groups, tables };
}

function partsOf(body: readonly PdfLine[]): Part[] {
  const parts: Part[] = [];
  let before: PdfLine[] = [];
  for (const line of body) {
    if (before.length > 0 && line.page !== (before[0] as PdfLine).page) before = [];
    const last = parts.at(-1);
    if (line.cell) {
      if (last?.table === line.cell.table) last.lines.push(line);
      else parts.push({ table: line.cell.table, page: line.page, lines: [line], before, after: 0 });
      before = [];
    } else if (!line.aside && !line.slanted) {
      before.push(line);
      if (last?.page === line.page) last.after++;
    }
  }
  return parts;
}

/** The text of each row, cells parted by a bar. */
function rowTexts(part: Part): string[] {
  const rows = Array.from({ length: part.table.rows }, () => '');
  for (const line of part.lines) {
    const { row, column } = line.cell as CellMark;
    rows[row] += `|${column}:${line.text.replace(/\s+/g, '').toLowerCase()}`;
  }
  return rows;
}

/** Nothing stands between the two on their pages, or the second says that it goes on; and their columns are the same. */
function goesOn(upper: Part, lower: Part, header: readonly string[], texts: readonly string[]): boolean {
  if (lower.page !== upper.page + 1 || upper.table.columns !== lower.table.columns) return false;
  const told = lower.before.length <= MOST_TOLD && lower.before.some((line) => CONTINUED.test(line.text));
  if (told ? upper.after > MOST_TOLD : upper.after + lower.before.length > 0) return false;
  return sameColumns(upper.table, lower.table) && (told || lower.table.headerRows === 0 || repeatedRows(header, texts) > 0);
}

/** Columns start, end, or have their middle at the same places; facing pages have different margins, so the distance from the left edge counts. */
function sameColumns(upper: PageTable, lower: PageTable): boolean {
  const shift = lower.box.x0 - upper.box.x0;
  const near = upper.bands.filter((band, index) => {
    const other = lower.bands[index] as Band;
    const [left, right] = [other.x0 - shift - band.x0, other.x1 - shift - band.x1];
    return Math.min(Math.abs(left), Math.abs(right), Math.abs(left + right) / 2) <= COLUMN_SHIFT;
  });
  return near.length >= 0.75 * upper.bands.length;
}

function repeatedRows(header: readonly string[], texts: readonly string[]): number {
  let count = 0;
  while (count < texts.length - 1 && count < header.length && header[count] !== '' && header[count] === texts[count]) count++;
  return count;
}

/** `offset` is added to its rows; its first `dropped` rows repeat the header of the part before it. */
function cellGroups(part: Part, table: string, offset: number, dropped: number, goesOnHere: boolean): CellGroup[] {
  const groups: { readonly lines: PdfLine[]; readonly cell: Cell | null }[] = [];
  let open: CellMark | null = null;
  for (const line of part.lines) {
    const mark = line.cell as CellMark;
    if (mark === open) {
      groups.at(-1)?.lines.push(line);
      continue;
    }
    open = mark;
    const { row, column, rowSpan, columnSpan, header } = mark;
    const cell = row < dropped ? null : { table, row: row + offset, column, rowSpan, columnSpan, header: header && !goesOnHere };
    groups.push({ lines: [line], cell });
  }
  return groups.flatMap(({ lines, cell }) => paragraphsIn(lines).map((paragraph) => ({ lines: paragraph, cell })));
}

/** A short cell is one block; a list or running text inside a cell is as many as it would be outside. */
function paragraphsIn(lines: readonly PdfLine[]): (readonly PdfLine[])[] {
  const listed = lines.slice(1).some((line) => bulletLength(line.text) > 0 || readLabel(line.text)?.weak === false);
  return lines.length >= RUNNING_TEXT || (listed && lines.length > 1) ? splitParagraphs(lines, NO_CUTS) : [lines];
}

/** Ties "Table 3. Fees" right above or below a table to it, and says that it is a caption. */
export function tieCaptions(blocks: Block[], tables: readonly Table[]): Table[] {
  const extents = cellExtents(blocks);
  return tables.map((table) => {
    const { first, last } = extents.get(table.id) ?? { first: -1, last: -1 };
    for (const at of [first - 1, first - 2, last + 1]) {
      const block = blocks[at];
      if (
        !block ||
        (block.kind !== 'paragraph' && block.kind !== 'heading' && block.kind !== 'caption') ||
        block.text.length > 400 ||
        !CAPTION.test(block.text)
      )
        continue;
      blocks[at] = { ...block, kind: 'caption', level: null };
      return { ...table, captionId: block.id };
    }
    return table;
  });
}

/** Indices of the first and the last cell of each table. */
function cellExtents(blocks: readonly Block[]): ReadonlyMap<string, { readonly first: number; readonly last: number }> {
  const extents = new Map<string, { first: number; last: number }>();
  blocks.forEach(({ cell }, index) => {
    if (cell) extents.set(cell.table, { first: extents.get(cell.table)?.first ?? index, last: index });
  });
  return extents;
}
