// Reading order and furniture of PDF pages against the facts of olmOCR-bench, and clause trees of PDFs against the Markdown of the same text.
//
// A fact is checked as the bench checks it: quotes and dashes folded, white space single, `max_diffs` edits allowed. Furniture and hidden blocks are no text.
// Facts about pages whose text another program recognised are counted apart: what such text says wrong no reading order mends. Tables and formulas are other rows.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readFile } from '../../../core/ingest/read.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

interface Fact {
  readonly pdf: string;
  readonly id: string;
  readonly type: string;
  readonly text?: string;
  readonly before?: string;
  readonly after?: string;
  readonly max_diffs?: number;
  readonly case_sensitive?: boolean;
  readonly first_n?: number;
  readonly last_n?: number;
}

interface PageText {
  readonly text: string;
  readonly scanned: boolean;
}

const BENCH = 'pdf/olmocr/olmocr/bench/sample_data';
/** Warnings that say that a page's text was not written by the program that made the page. */
const SCANNED: ReadonlySet<string> = new Set(['ocr_layer', 'no_text', 'mostly_image']);

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** First and last place of `query` in `text` with at most `edits` edits; null if it is nowhere. */
function find(text: string, query: string, edits: number): { readonly first: number; readonly last: number } | null {
  const at = text.indexOf(query);
  if (at >= 0) return { first: at, last: text.lastIndexOf(query) };
  if (edits === 0) return null;
  // Sellers' algorithm: a column of edit distances for each end in the text.
  let column = Array.from({ length: query.length + 1 }, (_value, index) => index);
  const ends: number[] = [];
  for (let end = 1; end <= text.length; end++) {
    const next = [0];
    for (let index = 1; index <= query.length; index++) {
      const same = (column[index - 1] as number) + (text[end - 1] === query[index - 1] ? 0 : 1);
      next.push(Math.min(same, (column[index] as number) + 1, (next[index - 1] as number) + 1));
    }
    if ((next[query.length] as number) <= edits) ends.push(end - query.length);
    column = next;
  }
  return ends.length === 0 ? null : { first: ends[0] as number, last: ends.at(-1) as number };
}

function holds(fact: Fact, page: PageText): boolean {
  const prepare = (text: string): string => (fact.case_sensitive === false ? fold(text).toLowerCase() : fold(text));
  let text = prepare(page.text);
  if (fact.first_n !== undefined) text = text.slice(0, fact.first_n);
  if (fact.last_n !== undefined) text = text.slice(-fact.last_n);
  const edits = fact.max_diffs ?? 0;
  if (fact.type !== 'order') return (find(text, prepare(fact.text ?? ''), edits) !== null) === (fact.type === 'present');
  const before = find(text, prepare(fact.before ?? ''), edits);
  const after = find(text, prepare(fact.after ?? ''), edits);
  return before !== null && after !== null && before.first < after.last;
}

async function readPageText(file: string): Promise<PageText> {
  const document = await readFile(readFileSync(file), path.basename(file), {});
  const blocks = document.blocks.filter((block) => block.kind !== 'furniture' && block.hidden === null);
  const scanned = document.pages.some((page) => page.source !== 'digital') || document.warnings.some((warning) => SCANNED.has(warning.code));
  return { text: blocks.map((block) => block.text).join('\n'), scanned };
}

interface Tally {
  right: number;
  all: number;
  readonly failures: string[];
}

/** Facts of these types, told apart by where the page's text comes from. */
async function tallyFacts(corpora: string, types: readonly string[]): Promise<{ readonly digital: Tally; readonly scanned: Tally }> {
  const folder = path.join(corpora, BENCH);
  if (!existsSync(path.join(folder, 'dataset.jsonl'))) throw new MissingSet(folder);
  const lines = readFileSync(path.join(folder, 'dataset.jsonl'), 'utf8').split('\n');
  const facts = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Fact);
  const pages = new Map<string, PageText>();
  const tallies = { digital: { right: 0, all: 0, failures: [] as string[] }, scanned: { right: 0, all: 0, failures: [] as string[] } };
  for (const fact of facts.filter((entry) => types.includes(entry.type))) {
    const file = path.join(folder, 'pdfs', fact.pdf);
    if (!existsSync(file)) continue; // Held back with two fifths of the set.
    const page = pages.get(fact.pdf) ?? (await readPageText(file));
    pages.set(fact.pdf, page);
    const tally = page.scanned ? tallies.scanned : tallies.digital;
    tally.all++;
    if (holds(fact, page)) tally.right++;
    else tally.failures.push(`${fact.id} ${fact.type}: ${JSON.stringify(fact.text ?? `${fact.before} ... ${fact.after}`).slice(0, 120)}`);
  }
  return tallies;
}

const percent = (right: number, all: number): string => (all === 0 ? 'none' : `${((100 * right) / all).toFixed(1)} %`);

function factsRow(id: string, types: readonly string[], target: number | null): Row {
  const name = types.join(' and ');
  return {
    id,
    what: `olmOCR-bench facts of type ${name}`,
    set: BENCH,
    target: target === null ? 'reported' : `>= ${100 * target} %`,
    run: async (corpora): Promise<RowResult> => {
      const { digital, scanned } = await tallyFacts(corpora, types);
      const [right, all] = [digital.right + scanned.right, digital.all + scanned.all];
      return {
        score: `${right} of ${all} (${percent(right, all)}); digital ${digital.right} of ${digital.all}, scans ${scanned.right} of ${scanned.all}`,
        reached: target === null ? null : right >= target * all,
        failures: [...digital.failures, ...scanned.failures.map((failure) => `scan: ${failure}`)],
      };
    },
  };
}

/** A PDF and the Markdown of the same text. */
const TWINS = [
  ['Bonterms+Cloud-Terms/Bonterms-Cloud-Terms-Version-1.0.pdf', 'Bonterms+Cloud-Terms/Cloud-Terms.md'],
  ['Bonterms+Mutual-NDA/Bonterms-Mutual-NDA-Version-1.pdf', 'Bonterms+Mutual-NDA/Mutual-NDA.md'],
  [
    'Bonterms+Professional-Services-Agreement/Bonterms-Professional-Services-Agreement-PSA-Version-1.2.pdf',
    'Bonterms+Professional-Services-Agreement/Professional-Services-Agreement V1.2.md',
  ],
] as const;

async function treeRow(corpora: string): Promise<RowResult> {
  const folder = path.join(corpora, 'contracts/templates');
  if (!existsSync(folder)) throw new MissingSet(folder);
  const clausesOf = async (file: string): Promise<Set<string>> => {
    const document = await parseDocument(readFileSync(path.join(folder, file)), path.basename(file));
    return new Set(document.clauses.filter((clause) => clause.number !== '').map((clause) => `${clause.path} ${clause.heading.toLowerCase()}`));
  };
  const failures: string[] = [];
  let [shared, found, wanted] = [0, 0, 0];
  for (const [pdf, markdown] of TWINS) {
    if (!existsSync(path.join(folder, pdf)) || !existsSync(path.join(folder, markdown))) continue;
    const [left, right] = await Promise.all([clausesOf(pdf), clausesOf(markdown)]);
    const only = (these: ReadonlySet<string>, those: ReadonlySet<string>): string[] => [...these].filter((clause) => !those.has(clause));
    shared += left.size - only(left, right).length;
    found += left.size;
    wanted += right.size;
    failures.push(...only(left, right).map((clause) => `${pdf}: only in the PDF: ${clause}`));
    failures.push(...only(right, left).map((clause) => `${markdown}: only in the Markdown: ${clause}`));
  }
  return { score: `precision ${shared} of ${found}, recall ${shared} of ${wanted}`, reached: shared >= 0.99 * Math.max(found, wanted), failures };
}

export const rows: readonly Row[] = [
  factsRow('pdf-order', ['order', 'absent'], 0.9),
  factsRow('pdf-present', ['present'], null),
  {
    id: 'pdf-clauses',
    what: 'paths and headings of clauses in a PDF against the Markdown of the same text',
    set: 'contracts/templates',
    target: 'precision and recall >= 99 %',
    run: treeRow,
  },
];
