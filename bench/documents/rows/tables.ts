// Tables of PDFs: structure against the ICDAR 2013 competition, cell facts of olmOCR-bench, tables found where contracts have none, time on such pages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Block } from '../../../core/contract/document.ts';
import { readGlyphs } from '../../../core/ingest/pdf/text/glyphs.ts';
import { loadMupdf, type Mupdf } from '../../../core/ingest/pdf/mupdf.ts';
import { mayHoldTable } from '../../../core/ingest/pdf/tables/tablePages.ts';
import { findTables, type PageTables } from '../../../core/ingest/pdf/tables/tables.ts';
import { readFile } from '../../../core/ingest/read.ts';
import { foldCell, readStructure, scoreTables, type ScoredCell, type ScoredTable, type Tally } from '../adjacency.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

interface Measured extends PageTables {
  readonly ms: number;
}

/** Page by page, as the competition counts: the product joins what goes on over a page break. */
function* pageTables(library: Mupdf, file: string): Generator<Measured> {
  const document = library.PDFDocument.openDocument(readFileSync(file), 'application/pdf') as InstanceType<Mupdf['PDFDocument']>;
  try {
    for (let index = 0; index < document.countPages(); index++) {
      const page = document.loadPage(index);
      const [x0, y0, x1, y1] = page.getBounds();
      const area = { size: [x1 - x0, y1 - y0], origin: [x0, y0] } as const;
      const glyphs = readGlyphs(library, page, area, { tagged: false, unclipped: false });
      const visible = glyphs.segments.filter((segment) => segment.paint === 'ink' || segment.paint === 'white');
      const start = process.threadCpuUsage();
      const found = mayHoldTable(visible, glyphs.vectors, x1 - x0, y1 - y0)
        ? findTables(visible, glyphs.vectors, index, x1 - x0, y1 - y0)
        : { tables: [], rest: visible };
      const used = process.threadCpuUsage(start);
      page.destroy();
      yield { ...found, ms: (used.user + used.system) / 1000 };
    }
  } finally {
    document.destroy();
  }
}

function scored(table: PageTables['tables'][number], page: number): ScoredTable {
  const cells = new Map<string, ScoredCell>();
  for (const { cell, text } of table.lines) {
    if (!cell) continue;
    const key = `${cell.row},${cell.column}`;
    cells.set(key, { ...cell, text: (cells.get(key)?.text ?? '') + foldCell(text) });
  }
  return { page, cells: [...cells.values()] };
}

const f1 = (precision: number, recall: number): number => (precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

async function icdarRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const root = path.join(corpora, 'pdf/tabula/src/test/resources/technology/tabula/icdar2013-dataset');
  if (!existsSync(root)) throw new MissingSet(root);
  const library = await loadMupdf();
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('-str.xml'));
  const tallies: (Tally & { readonly name: string })[] = [];
  for (const file of files.toSorted()) {
    const pdf = path.join(root, file.replace('-str.xml', '.pdf'));
    if (!existsSync(pdf)) continue; // Held back.
    const found = [...pageTables(library, pdf)].flatMap((page, index) => page.tables.map((table) => scored(table, index + 1)));
    tallies.push({ ...scoreTables(found, readStructure(readFileSync(path.join(root, file), 'utf8'))), name: path.basename(pdf) });
  }
  const precision = (tally: Tally): number => tally.right / Math.max(1, tally.found);
  const recall = (tally: Tally): number => tally.right / Math.max(1, tally.wanted);
  for (const tally of tallies) log(`${tally.name}: precision ${precision(tally).toFixed(3)}, recall ${recall(tally).toFixed(3)}, ${tally.wanted} relations`);
  const [p, r] = [mean(tallies.map(precision)), mean(tallies.map(recall))];
  const sum = (pick: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + pick(tally), 0);
  const overall = f1(sum((tally) => tally.right) / sum((tally) => tally.found), sum((tally) => tally.right) / sum((tally) => tally.wanted));
  return {
    score: `precision ${p.toFixed(3)}, recall ${r.toFixed(3)}, F1 ${f1(p, r).toFixed(3)} per document over ${tallies.length}; F1 ${overall.toFixed(3)} over all relations`,
    reached: f1(p, r) >= 0.85,
    failures: tallies
      .filter((tally) => f1(precision(tally), recall(tally)) < 0.9)
      .map((tally) => `${tally.name}: ${tally.right} right of ${tally.found} found, ${tally.wanted} wanted`),
  };
}

type Neighbour = 'left' | 'right' | 'up' | 'down' | 'top_heading' | 'left_heading';
type Fact = { readonly pdf: string; readonly page: number; readonly id: string; readonly type: string; readonly cell: string } & {
  readonly [key in Neighbour]?: string;
};
const NEIGHBOURS: readonly Neighbour[] = ['left', 'right', 'up', 'down', 'top_heading', 'left_heading'];

type Cell = NonNullable<Block['cell']> & { readonly text: string };

function cellsOn(blocks: readonly Block[], page: number): Cell[] {
  return blocks.flatMap((block) => (block.cell && block.at.some((place) => place.page === page) ? [{ ...block.cell, text: foldCell(block.text) }] : []));
}

const overlaps = (a: number, lengthA: number, b: number, lengthB: number): boolean => a < b + lengthB && b < a + lengthA;

function stands(cell: Cell, relation: Neighbour, other: Cell, all: readonly Cell[]): boolean {
  if (other.table !== cell.table) return false;
  const sameRow = overlaps(cell.row, cell.rowSpan, other.row, other.rowSpan);
  const sameColumn = overlaps(cell.column, cell.columnSpan, other.column, other.columnSpan);
  const table = all.filter((entry) => entry.table === cell.table);
  if (relation === 'top_heading')
    return (
      sameColumn &&
      other.row < cell.row &&
      (other.header || !table.some((entry) => entry.header && overlaps(cell.column, cell.columnSpan, entry.column, entry.columnSpan)))
    );
  if (relation === 'left_heading')
    return (
      sameRow &&
      other.column < cell.column &&
      !table.some(
        (entry) =>
          entry.column < other.column &&
          overlaps(cell.row, cell.rowSpan, entry.row, entry.rowSpan) &&
          overlaps(other.row, other.rowSpan, entry.row, entry.rowSpan) &&
          entry.text === '',
      )
    );
  // Empty cells lie between no neighbours.
  const between = (entry: Cell, from: number, to: number, across: boolean): boolean =>
    across
      ? overlaps(cell.row, cell.rowSpan, entry.row, entry.rowSpan) &&
        overlaps(other.row, other.rowSpan, entry.row, entry.rowSpan) &&
        entry.column >= from &&
        entry.column < to
      : overlaps(cell.column, cell.columnSpan, entry.column, entry.columnSpan) &&
        overlaps(other.column, other.columnSpan, entry.column, entry.columnSpan) &&
        entry.row >= from &&
        entry.row < to;
  const free = (from: number, to: number, across: boolean): boolean =>
    from <= to && !table.some((entry) => entry !== cell && entry !== other && between(entry, from, to, across));
  if (relation === 'left') return sameRow && free(other.column + other.columnSpan, cell.column, true);
  if (relation === 'right') return sameRow && free(cell.column + cell.columnSpan, other.column, true);
  if (relation === 'up') return sameColumn && free(other.row + other.rowSpan, cell.row, false);
  return sameColumn && free(cell.row + cell.rowSpan, other.row, false);
}

function holds(fact: Fact, cells: readonly Cell[]): boolean {
  return cells
    .filter((cell) => cell.text === foldCell(fact.cell))
    .some((cell) =>
      NEIGHBOURS.every((relation) => {
        const wanted = fact[relation];
        return wanted === undefined || wanted === '' || cells.some((other) => other.text === foldCell(wanted) && stands(cell, relation, other, cells));
      }),
    );
}

async function factsRow(corpora: string): Promise<RowResult> {
  const folder = path.join(corpora, 'pdf/olmocr/olmocr/bench/sample_data');
  if (!existsSync(folder)) throw new MissingSet(folder);
  const facts = readFileSync(path.join(folder, 'dataset.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Fact)
    .filter((fact) => fact.type === 'table' && existsSync(path.join(folder, 'pdfs', fact.pdf)));
  const read = new Map<string, readonly Block[]>();
  const failures: string[] = [];
  for (const fact of facts) {
    const blocks = read.get(fact.pdf) ?? (await readFile(readFileSync(path.join(folder, 'pdfs', fact.pdf)), fact.pdf, {})).blocks;
    read.set(fact.pdf, blocks);
    if (!holds(fact, cellsOn(blocks, fact.page - 1))) failures.push(`${fact.id}: expected ${JSON.stringify(fact)}, found no such cell`);
  }
  const right = facts.length - failures.length;
  return { score: `${right} of ${facts.length} facts whose file is here`, reached: right >= 0.8 * facts.length, failures };
}

const CONTRACTS = ['contracts/cuad/pdf', 'contracts/templates'];

/** Tables found in contract PDFs, and what looking for them costs where there are none. */
async function contractsRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const library = await loadMupdf();
  const folders = CONTRACTS.map((folder) => path.join(corpora, folder)).filter((folder) => existsSync(folder));
  if (folders.length === 0) throw new MissingSet(path.join(corpora, CONTRACTS[0] ?? ''));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.pdf$/i.test(file))
      .map((file) => path.join(folder, file)),
  );
  let pages = 0;
  let tables = 0;
  const times: number[] = [];
  for (const file of files.toSorted()) {
    let number = 0;
    for (const page of pageTables(library, file)) {
      number++;
      pages++;
      tables += page.tables.length;
      if (page.tables.length === 0) times.push(page.ms);
      for (const { table } of page.tables) log(`${path.basename(file).slice(0, 60)}, page ${number}: ${table.rows} x ${table.columns}`);
    }
  }
  const ms = mean(times);
  return {
    score: `${tables} tables on ${pages} pages of ${files.length} contracts (${((100 * tables) / pages).toFixed(1)} per 100 pages); ${ms.toFixed(2)} ms a page without tables`,
    reached: ms <= 1.5,
    failures: [],
  };
}

export const rows: readonly Row[] = [
  {
    id: 'tables-icdar2013',
    what: 'structure of tables, found and read end to end, by adjacency relations',
    set: 'pdf/tabula (ICDAR 2013)',
    target: 'F1 >= 0.85',
    run: icdarRow,
  },
  { id: 'tables-olmocr', what: 'cells and their neighbours', set: 'pdf/olmocr', target: '>= 80 %', run: factsRow },
  {
    id: 'tables-contracts',
    what: 'tables found in contracts (few have any), time on pages without',
    set: CONTRACTS.join(', '),
    target: '<= 1.5 ms a page',
    run: contractsRow,
  },
];
