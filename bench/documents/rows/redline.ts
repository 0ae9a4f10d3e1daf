// Redlines of real DOCX: both answers to all changes give both files back; how many revisions are told, beside another program's count.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document } from '../../../core/contract/document.ts';
import { redlineDocx } from '../../../core/export/redline/redlineDocx.ts';
import { faultsOf } from '../../../core/export/redline/validity.test-support.ts';
import { bodyNodes, noteLinesOf, richLinesOf, type View } from '../../../core/export/redline/views.test-support.ts';
import { readXml, type XmlNode } from '../../../core/ingest/docx/xml.ts';
import { ZipReader } from '../../../core/ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../../core/ingest/limits.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

interface Pair {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly expected_revisions: number;
}

const SET = 'docx/open-xml-powertools';
const OPTIONS = { author: 'Bench', date: '2026-01-02T03:04:05Z' };
const named = (name: string): Document => ({ kind: 'docx', name, blocks: [] }) as unknown as Document;
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(file));

function pairsIn(corpora: string): { pair: Pair; before: Uint8Array; after: Uint8Array; out: Uint8Array }[] {
  const list = join(corpora, SET, 'wmlcomparer_expected.json');
  if (!existsSync(list)) throw new MissingSet(join(corpora, SET));
  return (JSON.parse(readFileSync(list, 'utf8')) as Pair[]).map((pair) => {
    const [before, after] = [pair.before, pair.after].map((name) => bytesOf(join(corpora, SET, 'TestFiles', name))) as [Uint8Array, Uint8Array];
    return { pair, before, after, out: redlineDocx(before, after, named(pair.before), named(pair.after), OPTIONS).bytes };
  });
}

/** What is wrong with a redline: text, pictures and links; notes; structure. */
function wrongs(before: Uint8Array, after: Uint8Array, out: Uint8Array): string[] {
  const differs = (lines: (bytes: Uint8Array, view: View) => string[]): boolean =>
    String(lines(out, 'accept')) !== String(lines(after, 'accept')) || String(lines(out, 'reject')) !== String(lines(before, 'accept'));
  const own = new Set([...faultsOf(before), ...faultsOf(after)]);
  return [
    ...(differs(richLinesOf) ? ['text, pictures or links are not exact'] : []),
    ...(differs(noteLinesOf) ? ['notes are not exact'] : []),
    ...faultsOf(out).filter((fault) => !own.has(fault)),
  ];
}

async function roundTrip(corpora: string): Promise<RowResult> {
  const pairs = pairsIn(corpora);
  const failures = pairs.flatMap(({ pair, before, after, out }) => wrongs(before, after, out).map((wrong) => `${pair.id}: ${wrong}`));
  const exact = pairs.length - new Set(failures.map((line) => line.split(':')[0])).size;
  return { score: `${exact} of ${pairs.length} exact, with pictures, links and notes, and valid`, reached: failures.length === 0, failures };
}

/** Runs of equal marks in reading order: what a person counts as one revision, and what WmlComparer counts. */
function revisionsIn(bytes: Uint8Array): number {
  let [count, last] = [0, ''];
  const meet = (kind: string): void => {
    if (kind !== '' && kind !== last) count++;
    last = kind;
  };
  const KINDS: Readonly<Record<string, string>> = { 'w:ins': 'ins', 'w:moveTo': 'ins', 'w:del': 'del', 'w:moveFrom': 'del' };
  const walk = (node: XmlNode, kind: string): void => {
    const own = node.name === 'w:txbxContent' ? '' : (KINDS[node.name] ?? kind);
    if (node.name === 'w:pPr') return;
    if (node.name === 'w:r') meet(own);
    for (const entry of node.children) walk(entry, own);
    const mark = node.children.find(({ name }) => name === 'w:pPr')?.children.find(({ name }) => name === 'w:rPr');
    if (node.name === 'w:p') meet(mark?.children.map(({ name }) => KINDS[name] ?? '').find((name) => name !== '') ?? '');
  };
  for (const node of bodyNodes(bytes)) walk(node, '');
  for (const part of ['word/footnotes.xml', 'word/endnotes.xml']) {
    const content = new ZipReader(bytes, part, DEFAULT_LIMITS).read(part);
    last = '';
    if (content) readXml(content, part, null, (node) => walk(node, ''));
  }
  return count;
}

async function counts(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const rows = pairsIn(corpora).map(({ pair, out }) => ({ id: pair.id, own: revisionsIn(out), other: pair.expected_revisions }));
  for (const { id, own, other } of rows) if (own !== other) log(`${id}: ${own} revisions, WmlComparer tells ${other}`);
  const equal = rows.filter(({ own, other }) => own === other).length;
  const near = rows.filter(({ own, other }) => Math.abs(own - other) <= 1).length;
  return { score: `${equal} of ${rows.length} as WmlComparer counts, ${near} within one`, reached: null, failures: [] };
}

/** Every DOCX of the corpora against its neighbour: nothing about the two is alike, and both have to come back. */
async function neighbours(corpora: string): Promise<RowResult> {
  const root = join(corpora, 'docx');
  if (!existsSync(root)) throw new MissingSet(root);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.docx'))
    .sort();
  const failures: string[] = [];
  let [tried, refused] = [0, 0];
  for (let index = 1; index < files.length; index += 4) {
    const [before, after] = [files[index - 1]!, files[index]!].map((name) => bytesOf(join(root, name))) as [Uint8Array, Uint8Array];
    let out: Uint8Array;
    try {
      out = redlineDocx(before, after, named(files[index - 1]!), named(files[index]!), OPTIONS).bytes;
    } catch {
      refused++;
      continue;
    }
    tried++;
    failures.push(...wrongs(before, after, out).map((wrong) => `${files[index - 1]} > ${files[index]}: ${wrong}`));
  }
  const wrong = new Set(failures.map((line) => line.slice(0, line.lastIndexOf(': ')))).size;
  return { score: `${tried - wrong} of ${tried} exact (${refused} pairs hold a damaged file)`, reached: null, failures };
}

/** pandoc knows neither marks of rows nor equations inside marks: pairs with those are left out. */
async function pandoc(corpora: string): Promise<RowResult> {
  if (spawnSync('pandoc', ['--version']).status !== 0) throw new MissingSet('the program pandoc');
  const folder = mkdtempSync(join(tmpdir(), 'codicil-pandoc-'));
  const text = (bytes: Uint8Array, view: View): string => {
    writeFileSync(join(folder, 'a.docx'), bytes);
    const ran = spawnSync('pandoc', [`--track-changes=${view}`, '-t', 'plain', '--wrap=none', join(folder, 'a.docx')], { encoding: 'utf8' });
    // pandoc numbers its notes by their place; white space is its layout.
    return ran.stdout.replace(/\s|\[\d+\]/g, '');
  };
  const marked = /^w:(?:trPr|tblPrEx)$/;
  const has = (nodes: readonly XmlNode[], test: (node: XmlNode) => boolean): boolean => nodes.some((node) => test(node) || has(node.children, test));
  const readable = pairsIn(corpora).filter(
    ({ out }) =>
      !has(
        bodyNodes(out),
        (node) => node.name.startsWith('m:oMath') || (marked.test(node.name) && node.children.some(({ name }) => /^w:(?:ins|del)$/.test(name))),
      ),
  );
  const failures = readable
    .filter(({ before, after, out }) => text(out, 'accept') !== text(after, 'accept') || text(out, 'reject') !== text(before, 'accept'))
    .map(({ pair }) => `${pair.id}: pandoc reads another text`);
  rmSync(folder, { recursive: true });
  return { score: `${readable.length - failures.length} of ${readable.length} read alike by pandoc`, reached: failures.length === 0, failures };
}

export const rows: readonly Row[] = [
  { id: 'redline', what: 'DOCX with tracked changes: accept all gives the newer, reject all the older', set: SET, target: '100 % of pairs', run: roundTrip },
  { id: 'redline-revisions', what: 'Revisions told, beside those of WmlComparer', set: SET, target: 'reported', run: counts },
  { id: 'redline-neighbours', what: 'Round trip of files that have nothing in common', set: 'docx', target: 'reported', run: neighbours },
  { id: 'redline-pandoc', what: 'Round trip as pandoc reads it', set: SET, target: '100 % of pairs', run: pandoc },
];
