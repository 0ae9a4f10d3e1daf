// The linter on real contracts: faults put in one at a time and looked for, what it says about contracts as they are, how long it takes.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../../core/contract/document.ts';
import type { Finding } from '../../../core/contract/review.ts';
import { FAULT_RULES, faulty, linesOf } from '../../../core/review/faults.test-support.ts';
import { lintDocument } from '../../../core/review/lint.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

const SET = 'contracts/cuad, contracts/versions, contracts/templates';
/** A page of a contract holds about this many characters. */
const PAGE = 3_000;
/** Longer ones would take most of the time and have the same sentences. */
const LONGEST = 150_000;

/** Every nth text of the three sets, so that each is there. */
function contractsIn(corpora: string, every: number): string[] {
  const files = ['cuad', 'versions', 'templates'].flatMap((set) => {
    const root = join(corpora, 'contracts', set);
    if (!existsSync(root)) throw new MissingSet(root);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:txt|md)$/.test(name) && !/readme|license/i.test(name));
    return names.toSorted((a, b) => a.localeCompare(b)).map((name) => join(root, name));
  });
  return files.filter((file, index) => index % every === 0 && statSync(file).size > 4_000 && statSync(file).size < LONGEST);
}

const parseLines = (lines: readonly string[]): Promise<Document> => parseDocument(new TextEncoder().encode(lines.join('\n\n')), 'contract.txt');
/** A finding with its place in words: ids of blocks change when a line comes. */
const keyOf = (document: Document, { rule, quote, span }: Finding): string =>
  `${rule}|${quote}|${document.blocks.find(({ id }) => id === span.blockId)!.text.slice(0, 80)}`;

async function recall(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const made = new Map<string, number>();
  const found = new Map<string, number>();
  const failures: string[] = [];
  let others = 0;
  for (const [index, file] of contractsIn(corpora, 6).entries()) {
    const source = await parseDocument(new Uint8Array(readFileSync(file)), file);
    const document = await parseLines(linesOf(source));
    const before = new Set(lintDocument(document).map((finding) => keyOf(document, finding)));
    for (const rule of FAULT_RULES) {
      const fault = faulty(rule, document, linesOf(document), index + 1);
      if (!fault) continue;
      const broken = await parseLines(fault.lines);
      const fresh = lintDocument(broken).filter((finding) => !before.has(keyOf(broken, finding)));
      made.set(rule, (made.get(rule) ?? 0) + 1);
      if (fresh.some((finding) => finding.rule === rule)) found.set(rule, (found.get(rule) ?? 0) + 1);
      else failures.push(`${rule}: ${file.slice(corpora.length + 1)}: ${fault.mark.slice(0, 90)}`);
      others += fresh.filter((finding) => finding.rule !== rule).length;
    }
  }
  const shares = [...made].map(([rule, count]) => ({ rule, count, share: (found.get(rule) ?? 0) / count }));
  for (const { rule, count, share } of shares) log(`${rule.padEnd(22)} ${Math.round(share * count)} of ${count}`);
  const total = [...made.values()].reduce((sum, count) => sum + count, 0);
  const hit = [...found.values()].reduce((sum, count) => sum + count, 0);
  const low = shares.filter(({ share }) => share < 0.95).map(({ rule, share }) => `${rule} ${share.toFixed(2)}`);
  return {
    score: `${hit} of ${total} faults of ${made.size} rules found; below 0.95: ${low.join(', ') || 'none'}; ${others} findings of other rules came with them`,
    reached: low.length === 0,
    failures,
  };
}

async function asTheyAre(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const counts = new Map<string, number>();
  let [characters, documents] = [0, 0];
  for (const file of contractsIn(corpora, 5)) {
    const document = await parseDocument(new Uint8Array(readFileSync(file)), file);
    documents++;
    characters += document.receipt.characters;
    for (const { rule } of lintDocument(document)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  const per = (count: number): string => ((count * 100 * PAGE) / characters).toFixed(1);
  for (const [rule, count] of [...counts].toSorted(([, a], [, b]) => b - a)) log(`${rule.padEnd(22)} ${count} (${per(count)} in 100 pages)`);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    score: `${all} findings in ${documents} contracts, ${per(all)} in 100 pages (blanks of templates and exhibits kept elsewhere are most)`,
    reached: null,
    failures: [],
  };
}

/** Processor time of one run in milliseconds, the least of five: other programs share the machine. */
function millisecondsOf(document: Document): number {
  const runs = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    lintDocument(document);
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1_000;
  });
  return Math.min(...runs);
}

async function speed(corpora: string): Promise<RowResult> {
  const lines: string[] = [];
  let characters = 0;
  for (const file of contractsIn(corpora, 3)) {
    if (characters > 900 * PAGE) break;
    const own = linesOf(await parseDocument(new Uint8Array(readFileSync(file)), file));
    lines.push(...own);
    characters += own.reduce((sum, line) => sum + line.length, 0);
  }
  const sizes: string[] = [];
  let at300 = 0;
  for (const pages of [30, 300, 900]) {
    let sum = 0;
    const document = await parseLines(lines.filter((line) => (sum += line.length) < pages * PAGE));
    const ms = millisecondsOf(document);
    if (pages === 300) at300 = ms;
    sizes.push(`${pages} pages ${Math.round(ms)} ms`);
  }
  return { score: sizes.join(', '), reached: at300 < 300, failures: [] };
}

export const rows: readonly Row[] = [
  { id: 'lint-recall', what: 'Faults put into real contracts, found by rule', set: SET, target: '>= 0.95 of each rule', run: recall },
  { id: 'lint-findings', what: 'Findings in real contracts as they are', set: SET, target: 'reported', run: asTheyAre },
  { id: 'lint-speed', what: 'Processor time of the linter', set: SET, target: '300 pages < 300 ms', run: speed },
];
