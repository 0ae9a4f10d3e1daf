// Recognition of scans: words and speed against digital twins, facts of olmOCR-bench read from pictures of its pages, and every image-only PDF.
//
// Scans are made here: pages drawn to JPEG pictures of 200 dpi, turned by a fraction of a degree (makeScan.test-support.ts).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Document } from '../../../core/contract/document.ts';
import { compareDocuments } from '../../../core/compare/compare.ts';
import { toFailure } from '../../../core/contract/errors.ts';
import { makeScan, ocr, takePages, wordAccuracy, wordsOf } from '../../../core/ingest/ocr/makeScan.test-support.ts';
import type { ReadOptions } from '../../../core/ingest/limits.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../../../assets/samples');

/** Processor time is measured here; other work on the machine shall not make pages run out of time. */
const OPTIONS: ReadOptions = { ocr, limits: { ocrPageMs: 3_600_000 } };

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = process.cpuUsage();
  const value = await work();
  const used = process.cpuUsage(start);
  return [value, (used.user + used.system) / 1e6];
}

interface Twin {
  readonly file: string;
  readonly pages: readonly number[];
  readonly degrees: number;
}

async function twinsRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const folder = path.join(corpora, 'contracts/cuad/pdf');
  const twins: Twin[] = [
    { file: path.join(SAMPLES, 'bonterms-psa-1.2.pdf'), pages: [0, 1, 2], degrees: 0.7 },
    { file: path.join(SAMPLES, 'bonterms-psa-1.0.pdf'), pages: [3, 4], degrees: -1.4 },
    ...contractsBelow(folder).map((file, index) => ({ file, pages: [0, 1], degrees: [0, 0.4, -0.6, 1.1, 180, 90][index % 6] ?? 0 })),
  ];
  let [words, missed, pages, seconds, changes] = [0, 0, 0, 0, 0];
  const failures: string[] = [];
  for (const { file, pages: wanted, degrees } of twins) {
    const pdf = new Uint8Array(readFileSync(file));
    const there = wanted.slice(0, (await parseDocument(pdf, 'whole.pdf')).pages.length);
    const digital = await parseDocument(takePages(pdf, there), 'digital.pdf');
    const picture = makeScan(pdf, { pages: there, degrees });
    const [scan, spent] = await timed(() => parseDocument(picture, 'scan.pdf', OPTIONS));
    const right = wordsOf(digital.blocks);
    const accuracy = wordAccuracy(right, wordsOf(scan.blocks));
    const differing = compareDocuments(digital, scan).changes.length;
    words += right.length;
    missed += accuracy.missed.length;
    pages += there.length;
    seconds += spent;
    changes += differing;
    const line = `${path.basename(file)} at ${degrees} degrees: ${(100 * accuracy.share).toFixed(2)} % of ${right.length} words, ${differing} changes; missed: ${accuracy.missed.slice(0, 12).join(' ')}`;
    if (accuracy.share < 0.99) failures.push(line);
    else log(line);
  }
  const share = 1 - missed / Math.max(1, words);
  const score = `${(100 * share).toFixed(2)} % of ${words} words, ${changes} changes on ${pages} pages, ${(seconds / pages).toFixed(1)} s of processor time a page`;
  return { score, reached: share >= 0.99, failures };
}

/** Six contracts of CUAD, spread over the set; none where the set is not here. */
function contractsBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.pdf$/i.test(name));
  const step = Math.max(1, Math.floor(files.length / 6));
  return files
    .toSorted()
    .filter((_file, index) => index % step === 0)
    .slice(0, 6)
    .map((name) => path.join(folder, name));
}

interface Fact {
  readonly pdf: string;
  readonly page: number;
  readonly id: string;
  readonly type: string;
  readonly text?: string;
  readonly before?: string;
  readonly after?: string;
  readonly max_diffs?: number;
  /** Only this many characters at the page's begin or end are looked at. */
  readonly first_n?: number;
  readonly last_n?: number;
}

async function factsRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const folder = path.join(corpora, 'pdf/olmocr/olmocr/bench/sample_data');
  if (!existsSync(folder)) throw new MissingSet(folder);
  const facts = readFileSync(path.join(folder, 'dataset.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Fact)
    .filter((fact) => ['present', 'absent', 'order'].includes(fact.type) && existsSync(path.join(folder, 'pdfs', fact.pdf)));
  const counts = new Map<string, { right: number; all: number }>();
  const failures: string[] = [];
  for (const pdf of new Set(facts.map((fact) => fact.pdf))) {
    const bytes = new Uint8Array(readFileSync(path.join(folder, 'pdfs', pdf)));
    const [document, seconds] = await timed(() => parseDocument(makeScan(bytes, { degrees: 0.3, dpi: 250 }), 'scan.pdf', OPTIONS));
    log(`${pdf}: ${seconds.toFixed(1)} s, confidence ${document.pages.map((page) => page.confidence).join(' ')}`);
    for (const fact of facts.filter((entry) => entry.pdf === pdf)) {
      const count = counts.get(fact.type) ?? { right: 0, all: 0 };
      const right = holds(fact, textOf(document, fact.page - 1));
      counts.set(fact.type, { right: count.right + Number(right), all: count.all + 1 });
      if (!right) failures.push(`${fact.id} (${fact.type}): ${JSON.stringify((fact.text ?? `${fact.before} ... ${fact.after}`).slice(0, 120))}`);
    }
  }
  return { score: [...counts].map(([type, { right, all }]) => `${type} ${right} of ${all}`).join(', '), reached: null, failures };
}

function textOf(document: Document, page: number): string {
  return fold(
    document.blocks
      .filter((block) => block.kind !== 'furniture' && block.at.some((place) => place.page === page))
      .map((block) => block.text)
      .join(' '),
  );
}

const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[“”]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/[‐‑–—]/g, '-')
    .replace(/\s+/g, ' ')
    .toLowerCase();

function holds(fact: Fact, text: string): boolean {
  // The bench allows a few wrong letters in most facts; a scan may always have two.
  const allowed = Math.max(2, fact.max_diffs ?? 0);
  if (fact.type === 'order') {
    const [before, after] = [find(fold(fact.before ?? ''), text, allowed), find(fold(fact.after ?? ''), text, allowed)];
    return before >= 0 && after >= 0 && before < after;
  }
  const part = fact.first_n !== undefined ? text.slice(0, fact.first_n) : fact.last_n !== undefined ? text.slice(-fact.last_n) : text;
  const found = find(fold(fact.text ?? ''), part, fact.type === 'absent' ? 0 : allowed) >= 0;
  return found === (fact.type === 'present');
}

/** Where `needle` ends in `text` with the fewest edits (Sellers 1980); -1 where it takes more than `allowed`. */
function find(needle: string, text: string, allowed: number): number {
  let row = Array.from({ length: needle.length + 1 }, (_, index) => index);
  let [best, at] = [allowed + 1, -1];
  for (let end = 0; end < text.length; end++) {
    const next = [0];
    for (let index = 1; index <= needle.length; index++) {
      const change = (row[index - 1] as number) + Number(needle[index - 1] !== text[end]);
      next.push(Math.min(change, (row[index] as number) + 1, (next[index - 1] as number) + 1));
    }
    row = next;
    if ((row[needle.length] as number) < best) [best, at] = [row[needle.length] as number, end];
  }
  return at;
}

async function imageOnlyRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const catalogue = path.join(corpora, 'pdf/pdf_catalogue.tsv');
  if (!existsSync(catalogue)) throw new MissingSet(catalogue);
  const files = readFileSync(catalogue, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((cells) => (cells[6] ?? '').split(',').includes('image-only') && existsSync(path.join(corpora, cells[0] ?? '')))
    .map((cells) => cells[0] as string);
  const failures: string[] = [];
  let [read, pages, silent, seconds] = [0, 0, 0, 0];
  const confidences: number[] = [];
  for (const file of files) {
    const name = path.basename(file);
    try {
      const [document, spent] = await timed(() => parseDocument(new Uint8Array(readFileSync(path.join(corpora, file))), name, OPTIONS));
      seconds += spent;
      pages += document.pages.length;
      const recognised = document.pages.filter((page) => page.source === 'ocr');
      confidences.push(...recognised.map((page) => page.confidence ?? 0));
      if (recognised.length > 0) read++;
      const mute = document.pages.findIndex((page, index) => page.source === 'empty' && !document.warnings.some((warning) => warning.page === index));
      if (mute >= 0) {
        silent++;
        failures.push(`${name}: page ${mute + 1} is empty and nothing says so`);
      }
      log(
        `${name}: ${document.pages.map((page) => `${page.source} ${page.confidence ?? ''}`).join('; ')} ${spent.toFixed(1)} s ${document.warnings.map((warning) => warning.code).join(' ')}`,
      );
    } catch (error) {
      failures.push(`${name}: ${toFailure(error).code}`);
    }
  }
  const mean = confidences.reduce((sum, value) => sum + value, 0) / Math.max(1, confidences.length);
  const score = `${read} of ${files.length} files have recognised text, mean confidence ${mean.toFixed(3)}, ${silent} silent, ${(seconds / Math.max(1, pages)).toFixed(1)} s a page`;
  return { score, reached: silent === 0, failures };
}

export const rows: readonly Row[] = [
  { id: 'ocr-twins', what: 'words of scanned pages against their digital twins', set: 'assets/samples, contracts/cuad', target: '>= 99 %', run: twinsRow },
  { id: 'ocr-facts', what: 'facts of olmOCR-bench, its pages as pictures', set: 'pdf/olmocr', target: 'reported', run: factsRow },
  {
    id: 'ocr-image-only',
    what: 'PDFs of the catalogue that are pictures only',
    set: 'pdf/pdf_catalogue.tsv',
    target: 'no page empty in silence',
    run: imageOnlyRow,
  },
];
