// Tables of all pages -> the tables of the document: joined over page breaks, their cells as groups of lines, their captions.
//
// Owns: when two tables on neighbouring pages are one, header rows that are repeated there, what a running head laid out as a table is, table ids.
// Leaves the blocks themselves to blocks.ts. Rule: a line of a table ends in exactly one cell, or in furniture when its row repeats a header.
import type { Block, Place, Table } from '../../contract/document.ts';
import type { PdfLine } from './lines.ts';
import type { CellMark, PageTable } from './tables.ts';

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

/** Points by which the columns of ruled and of unruled tables may differ from page to page; what stands in a column moves its edge where no rule does. */
const RULED_SHIFT = 6;
const UNRULED_SHIFT = 30;
/** Lines above the second part that say "Table 2 (continued)". */
const CONTINUED = /\b(?:cont(?:inued|['’]?d)?|fortsetzung|suite)\b|续|續/i;
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

/** `body` without furniture, in reading order. */
export function readTableGroups(body: readonly PdfLine[]): TableGroups {
  const parts = partsOf(body);
  const groups: CellGroup[] = [];
  const tables: Table[] = [];
  let open: { table: Table; part: Part; header: readonly string[] } | null = null;
  for (const part of parts) {
    const texts = rowTexts(part);
    const repeated: number = open && goesOn(open.part, part, open.header, texts) ? repeatedRows(open.header, texts) : -1;
    const joined = open && repeated >= 0 ? open.table : null;
    const table: Table = {
      id: joined?.id ?? `t${tables.length}`,
      rows: (joined?.rows ?? 0) + part.table.rows - Math.max(0, repeated),
      columns: Math.max(joined?.columns ?? 0, part.table.columns),
      places: [...(joined?.places ?? []), { page: part.page, box: part.table.box } satisfies Place],
      captionId: null,
    };
    if (joined) tables[tables.length - 1] = table;
    else tables.push(table);
    groups.push(...cellGroups(part, table.id, joined ? joined.rows - repeated : 0, Math.max(0, repeated), joined !== null));
    open = { table, part, header: joined && open ? open.header : texts };
  }
  return { groups, tables };
}

function partsOf(body: readonly PdfLine[]): Part[] {
  const parts: Part[] = [];
  let current: Part | null = null;
  let before: PdfLine[] = [];
  for (const line of body) {
    if (line.page !== (before[0]?.page ?? line.page)) before = [];
    if (line.cell && line.cell.table !== current?.table) {
      current = { table: line.cell.table, page: line.page, lines: [], before, after: 0 };
      parts.push(current);
      before = [];
    }
    const last = parts.at(-1);
    if (line.cell) {
      last?.lines.push(line);
      before = [];
    } else {
      if (!line.aside && !line.slanted) before.push(line);
      if (last && last.page === line.page && !line.aside && !line.slanted) last.after++;
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

/** Nothing stands between the two on their pages, and their columns are the same. */
function goesOn(upper: Part, lower: Part, header: readonly string[], texts: readonly string[]): boolean {
  if (lower.page !== upper.page + 1 || upper.after > 0 || upper.table.columns !== lower.table.columns) return false;
  if (lower.before.length > 2 || (lower.before.length > 0 && !lower.before.some((line) => CONTINUED.test(line.text)))) return false;
  const limit = upper.table.ruled && lower.table.ruled ? RULED_SHIFT : UNRULED_SHIFT;
  // Facing pages have different margins: what counts is the distance from the table's own left edge.
  const shift = (lower.table.edges[0] ?? 0) - (upper.table.edges[0] ?? 0);
  const near = upper.table.edges.filter((edge, index) => Math.abs((lower.table.edges[index] ?? 0) - shift - edge) <= limit).length;
  if (near < 0.75 * upper.table.edges.length) return false;
  return lower.table.headerRows === 0 || repeatedRows(header, texts) > 0;
}

function repeatedRows(header: readonly string[], texts: readonly string[]): number {
  let count = 0;
  while (count < texts.length - 1 && count < header.length && header[count] !== '' && header[count] === texts[count]) count++;
  return count;
}

/** `offset` is added to its rows; its first `dropped` rows repeat the header of the part before it. */
function cellGroups(part: Part, table: string, offset: number, dropped: number, goesOnHere: boolean): CellGroup[] {
  const groups: CellGroup[] = [];
  let open: CellMark | null = null;
  for (const line of part.lines) {
    const mark = line.cell as CellMark;
    if (mark === open) {
      (groups.at(-1) as { lines: PdfLine[] }).lines.push(line);
      continue;
    }
    open = mark;
    const { row, column, rowSpan, columnSpan, header } = mark;
    const cell = row < dropped ? null : { table, row: row + offset, column, rowSpan, columnSpan, header: header && !goesOnHere };
    groups.push({ lines: [line], cell });
  }
  return groups;
}

/** Ties "Table 3. Fees" right above or below a table to it, and says that it is a caption. */
export function tieCaptions(blocks: Block[], tables: readonly Table[]): Table[] {
  return tables.map((table) => {
    const first = blocks.findIndex((block) => block.cell?.table === table.id);
    const last = blocks.findLastIndex((block) => block.cell?.table === table.id);
    for (const at of [first - 1, first - 2, last + 1]) {
      const block = blocks[at];
      if (!block || (block.kind !== 'paragraph' && block.kind !== 'heading' && block.kind !== 'caption') || block.text.length > 400 || !CAPTION.test(block.text)) continue;
      blocks[at] = { ...block, kind: 'caption', level: null };
      return { ...table, captionId: block.id };
    }
    return table;
  });
}
