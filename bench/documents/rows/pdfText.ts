// Text of PDFs against the strings that pdf.js and pdfbox publish for their own test files.
//
// Compared without what is no text: white space, bullets, hyphens (Codicil joins words
// that a line end cuts; whether a hyphen is real is measured elsewhere), compatibility forms (ligatures, superscript digits).
// The order of pdfbox's two goldens differs where reading order is open; either is right, and a page whose heads and feet stand elsewhere may match by lines.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import type { Block } from '../../../core/contract/document.ts';
import { readFile } from '../../../core/ingest/read.ts';
import type { RawDocument } from '../../../core/ingest/raw.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

interface Expectation {
  readonly pdf: string;
  readonly page: number;
  readonly kind: 'equals' | 'includes' | 'not_matches';
  readonly text: string;
  readonly stored: boolean;
}

function readPdfFile(file: string): Promise<RawDocument> {
  return readFile(readFileSync(file), path.basename(file), {});
}

/** Blocks in reading order; hidden ones are no text of the page, unless the page has no other. */
function textOf(blocks: readonly Block[], page: number | null): string {
  const all = blocks.filter((block) => page === null || block.at.some((place) => place.page === page));
  const seen = all.filter((block) => block.hidden === null);
  return (seen.length > 0 ? seen : all).map((block) => block.text).join('\n');
}

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[-\u00AD\u2010\u2011•·]/g, '')
    .replace(/[\s\u00AD\u200B-\u200F\u202A-\u202E\uFEFF]+/g, '');
}

async function stringsRow(corpora: string): Promise<RowResult> {
  const folder = path.join(corpora, 'pdf/pdfjs');
  if (!existsSync(folder)) throw new MissingSet(folder);
  const all = JSON.parse(readFileSync(path.join(folder, 'text_expectations.json'), 'utf8')) as readonly Expectation[];
  const failures: string[] = [];
  let count = 0;
  for (const expected of all.filter((entry) => entry.stored)) {
    const file = path.join(folder, 'test/pdfs', expected.pdf);
    if (!existsSync(file)) continue; // Held back with two fifths of the set.
    count++;
    const document = await readPdfFile(file);
    const found = fold(textOf(document.blocks, expected.page - 1));
    const wanted = fold(expected.text);
    const right = expected.kind === 'equals' ? found === wanted : found.includes(wanted) === (expected.kind === 'includes');
    if (!right) failures.push(`${expected.pdf}: expected ${expected.kind} ${JSON.stringify(wanted.slice(0, 90))}, found ${JSON.stringify(found.slice(0, 90))}`);
  }
  return { score: `${count - failures.length} of ${count} whose file is here`, reached: failures.length === 0, failures };
}

/** Lines of both in any order: where heads, feet or columns come first is open. */
function bag(text: string): string {
  return [...fold(text)].toSorted().join('');
}

async function pairsRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const folder = path.join(corpora, 'pdf/pdfbox/pdfbox/src/test/resources/input');
  if (!existsSync(folder)) throw new MissingSet(folder);
  const files = readdirSync(folder).filter((file) => file.endsWith('.pdf') && existsSync(path.join(folder, `${file}.txt`)));
  const failures: string[] = [];
  let ordered = 0;
  for (const file of files) {
    const goldens = ['.txt', '-sorted.txt'].map((ending) => path.join(folder, file + ending)).filter((golden) => existsSync(golden));
    const document = await readPdfFile(path.join(folder, file));
    const text = textOf(document.blocks, null);
    const texts = goldens.map((golden) => readFileSync(golden, 'utf8').replace(/^\uFEFF/, ''));
    if (texts.some((golden) => fold(golden) === fold(text))) ordered++;
    else if (texts.some((golden) => bag(golden) === bag(text))) log(`${file}: same characters, other order`);
    else failures.push(`${file}: ${difference(fold(texts[0] ?? ''), fold(text))}`);
  }
  const exact = files.length - failures.length;
  return { score: `${exact} of ${files.length} exact, ${ordered} of them in the same order`, reached: exact >= files.length - 3, failures };
}

function difference(wanted: string, found: string): string {
  let at = 0;
  while (at < wanted.length && wanted[at] === found[at]) at++;
  const cut = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 12), at + 40));
  return `at ${at}: expected ${cut(wanted)}, found ${cut(found)} (${wanted.length} / ${found.length} characters)`;
}

export const rows: readonly Row[] = [
  { id: 'pdf-strings', what: 'strings that pdf.js expects of its own test files', set: 'pdf/pdfjs', target: 'all', run: stringsRow },
  { id: 'pdf-pairs', what: 'text files that pdfbox keeps beside its test PDFs', set: 'pdf/pdfbox', target: '>= 33 of 36 (mupdf: 28)', run: pairsRow },
];
