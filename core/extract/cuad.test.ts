// Measures the extractors against CUAD v1 (CC BY 4.0): parties, agreement date, effective date, governing law, renewal notice. Needs the corpora.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FieldValue, SummaryField } from '../contract/summary.ts';
import { parseDocument } from '../structure/document.ts';
import { extractFields } from './fields.ts';
import { fold } from './parties.ts';

const corpora = process.env['CODICIL_CORPORA'] ?? '';
const folder = join(corpora, 'contracts/cuad');
const files = corpora !== '' && existsSync(join(folder, 'txt')) ? readdirSync(join(folder, 'txt')).filter((name) => name.endsWith('.txt')) : [];
if (files.length === 0) console.warn('SKIPPED: 289 contracts of CUAD are not here; set CODICIL_CORPORA to the folder that holds contracts/cuad.');

/** Rows of a CSV file with quoted cells. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character === '"' && text[at + 1] === '"') cell += text[++at];
      else if (character === '"') quoted = false;
      else cell += character;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\n') {
      rows.at(-1)!.push(cell.replace(/\r$/, ''));
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  return rows;
}

function isoOf(american: string): string[] {
  return [...american.matchAll(/(\d{1,2})\/(\d{1,2})\/(\d{2,4})/g)].map(
    ([, month, day, year]) => `${year!.length === 2 ? (Number(year) < 50 ? '20' : '19') + year! : year!}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`,
  );
}

/** Company names of "X Inc. (“X”); Y Ltd." without aliases. */
function partyNames(answer: string): string[] {
  const plain = answer.replace(/[(（][^()]*[)）]?/g, ';');
  return plain
    .split(/;|\n/)
    .map((name) => fold(name.replace(/^\s*(?:and|,|:)\s*/i, '').replace(/[,\s]+$/, '')))
    .filter(
      (name) =>
        name.length > 3 &&
        !/^(?:and|collectively|parties|each|individually|together)\b|\bpart(?:y|ies)\b|shall|_|\*|xxx/.test(name) &&
        !(/ and /.test(name) && !/\b(?:inc|llc|ltd|corp|corporation|company|limited|lp|co|plc|university|gmbh|bank)\b/.test(name)),
    );
}

/** The labels have slips of the pen ("Phamaceuticals"): names that share most of their letter pairs are the same. */
function similar(x: string, y: string): boolean {
  if (x === y || (Math.min(x.length, y.length) >= 5 && (x.includes(y) || y.includes(x)))) return true;
  const pairs = (name: string): string[] => Array.from({ length: Math.max(0, name.length - 1) }, (_, at) => name.slice(at, at + 2));
  const [left, right] = [pairs(x), pairs(y)];
  const free = [...right];
  const common = left.filter((pair) => free.includes(pair) && free.splice(free.indexOf(pair), 1)).length;
  return (2 * common) / (left.length + right.length) >= 0.85;
}
const places = (answer: string): string[] =>
  answer
    .split(/[;,/]| and /)
    .map((place) =>
      fold(place)
        .replace(/^(?:state|commonwealth|province|republic) of /, '')
        .replace(/^the /, ''),
    )
    .filter((place) => place !== '');

interface Tally {
  right: number;
  given: number;
  wanted: number;
  readonly misses: string[];
}

const figures = ({ right, given, wanted }: Tally): { precision: number; recall: number; f1: number } => {
  const [precision, recall] = [right / Math.max(1, given), right / Math.max(1, wanted)];
  return { precision, recall, f1: (2 * precision * recall) / Math.max(1e-9, precision + recall) };
};

async function measure(): Promise<Record<string, Tally>> {
  const [head, ...rows] = parseCsv(readFileSync(join(folder, 'master_clauses.csv'), 'utf8'));
  const column = (name: string): number => head!.findIndex((cell) => cell.trim() === name);
  const rowOf = new Map(rows.map((row) => [(row[0] ?? '').replace(/\.pdf$/i, ''), row]));
  const tallies: Record<string, Tally> = {};
  const count = (name: string, file: string, wanted: readonly string[], given: readonly string[], same: (x: string, y: string) => boolean): void => {
    const tally = (tallies[name] ??= { right: 0, given: 0, wanted: 0, misses: [] });
    const found = wanted.filter((x) => given.some((y) => same(x, y))).length;
    const right = given.filter((y) => wanted.some((x) => same(x, y))).length;
    tally.wanted += wanted.length;
    tally.given += given.length;
    tally.right += Math.min(found, right);
    if (found < wanted.length || right < given.length) tally.misses.push(`${file.slice(0, 50)}: wanted [${wanted.join(' | ')}] got [${given.join(' | ')}]`);
  };
  for (const file of files) {
    const row = rowOf.get(file.replace(/\.txt$/, ''));
    if (row === undefined) continue;
    const document = await parseDocument(readFileSync(join(folder, 'txt', file)), file);
    const fields = extractFields(document);
    const normal = (field: SummaryField): string[] => (fields[field] ?? []).map((value: FieldValue) => value.normalized ?? '').filter((value) => value !== '');
    const cell = (name: string): string => row[column(name)] ?? '';
    count('parties', file, partyNames(cell('Parties-Answer')), normal('parties'), similar);
    const equal = (x: string, y: string): boolean => x === y;
    for (const [field, name] of [
      ['agreementDate', 'Agreement Date-Answer'],
      ['effectiveDate', 'Effective Date-Answer'],
    ] as const)
      count(field, file, isoOf(cell(name)), normal(field), equal);
    const law = places(cell('Governing Law-Answer'));
    // "Ontario, Canada" is one answer at two depths: any of its parts counts, once.
    const laws = normal('governingLaw').map(fold);
    count('governingLaw', file, law.length === 0 ? [] : [law.join(' ')], laws.slice(0, 1), (x, y) => places(y).some((place) => x.includes(place)));
    const days = /(\d+)\s*(day|month|year)/i.exec(cell('Notice Period To Terminate Renewal- Answer'));
    count('renewalNotice', file, days === null ? [] : [`P${days[1]}${days[2]![0]!.toUpperCase()}`], normal('renewalNotice').slice(0, 1), equal);
  }
  return tallies;
}

describe.skipIf(files.length === 0)(`extraction on ${files.length} contracts of CUAD`, () => {
  it('finds parties, dates and governing law as measured', { timeout: 600_000 }, async () => {
    const tallies = await measure();
    for (const [field, tally] of Object.entries(tallies)) {
      const { precision, recall, f1 } = figures(tally);
      console.info(
        `CUAD ${field}: precision ${precision.toFixed(3)} recall ${recall.toFixed(3)} F1 ${f1.toFixed(3)} (${tally.right} right, ${tally.given} given, ${tally.wanted} wanted)`,
      );
      if (process.env['CODICIL_SHOW_MISSES']?.split(',').includes(field) === true) for (const miss of tally.misses) console.info(`  ${field} ${miss}`);
    }
    // What was reached, less two points for changes of the parser: a fall below is a regression.
    const least = { parties: 0.76, agreementDate: 0.8, effectiveDate: 0.79, governingLaw: 0.94, renewalNotice: 0.7 };
    for (const [field, f1] of Object.entries(least)) expect(figures(tallies[field]!).f1, field).toBeGreaterThan(f1);
  });
});
