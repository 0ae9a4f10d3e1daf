// Time and memory of reading long contracts: real PDFs joined to 30, 300 and 3,000 pages, each read in a process of its own.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as mupdf from 'mupdf';
import { MissingSet, type Row, type RowResult } from '../row.ts';

interface Figures {
  /** The first document of a process: mupdf is compiled and every function is met for the first time. */
  readonly ms: number;
  /** The same file again. */
  readonly againMs: number;
  readonly firstPageMs: number;
  readonly megabytes: number;
  readonly pages: number;
  readonly clauses: number;
}

const run = promisify(execFile);
/** Issue 4: 300 pages with clauses on one core. */
const TARGET_MS = 3000;
const TARGET_MEGABYTES = 400;
/** Time per page may grow by this much from 300 to 3,000 pages: sorting and tables of all words are n log n. */
const LINEAR = 1.3;

/** Pages of the PDFs in `folder`, one file after the other and again from the first, until there are `pages`. */
function joinPages(folder: string, pages: number): Uint8Array {
  const files = readdirSync(folder)
    .filter((file) => /\.pdf$/i.test(file))
    .toSorted();
  const joined = new mupdf.PDFDocument();
  let count = 0;
  while (count < pages)
    for (const file of files) {
      const source = mupdf.Document.openDocument(readFileSync(path.join(folder, file)), 'application/pdf') as mupdf.PDFDocument;
      const map = joined.newGraftMap();
      const take = Math.min(source.countPages(), pages - count);
      for (let index = 0; index < take; index++) map.graftPage(-1, source, index);
      count += take;
      map.destroy();
      source.destroy();
      if (count >= pages) break;
    }
  return joined.saveToBuffer('compress').asUint8Array().slice();
}

async function measure(file: string, twice: boolean): Promise<Figures> {
  const { stdout } = await run(process.execPath, [path.join(import.meta.dirname, '../measureRead.ts'), file, ...(twice ? ['twice'] : [])], {
    maxBuffer: 1 << 20,
  });
  return JSON.parse(stdout) as Figures;
}

async function speedRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const folder = path.join(corpora, 'contracts/cuad/pdf');
  if (!existsSync(folder)) throw new MissingSet(folder);
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'codicil-bench-'));
  mupdf.setLog({});
  const all: Figures[] = [];
  try {
    for (const pages of [30, 300, 3000]) {
      const file = path.join(scratch, `${pages}.pdf`);
      writeFileSync(file, joinPages(folder, pages));
      const figures = await measure(file, pages < 3000);
      log(JSON.stringify(figures));
      all.push(figures);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const [, middle, large] = all as [Figures, Figures, Figures];
  const growth = large.ms / large.pages / (middle.ms / middle.pages);
  const failures = [
    ...(middle.againMs > TARGET_MS
      ? [`300 pages: expected at most ${TARGET_MS} ms in a worker that has read before, found ${Math.round(middle.againMs)}`]
      : []),
    ...(middle.megabytes > TARGET_MEGABYTES ? [`300 pages: expected at most ${TARGET_MEGABYTES} MB, found ${Math.round(middle.megabytes)}`] : []),
    ...(growth > LINEAR ? [`time per page grows by ${growth.toFixed(2)} from 300 to 3,000 pages`] : []),
  ];
  const parts = all.map(
    (figures) =>
      `${figures.pages} pages ${(figures.ms / 1000).toFixed(2)} s (again ${(figures.againMs / 1000).toFixed(2)} s), ${Math.round(figures.megabytes)} MB, first page ${Math.round(figures.firstPageMs)} ms`,
  );
  return { score: `${parts.join('; ')}; growth per page ${growth.toFixed(2)}`, reached: failures.length === 0, failures };
}

export const rows: readonly Row[] = [
  {
    id: 'pdf-speed',
    what: 'long contracts to a Document with clauses, processor time and most memory',
    set: 'contracts/cuad/pdf joined to 30, 300, 3,000 pages',
    target: '300 pages <= 3 s and <= 400 MB; near linear',
    run: speedRow,
  },
];
