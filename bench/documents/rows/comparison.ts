// Comparison of contracts: generated edits whose truth is known, the assertions of the corpora, noise, pairs of formats, speed and growth.
//
// Rule: an edit counts as found only under its own kind and once; a second change about it is a false alarm. Time is CPU time of one process.
import { compareDocuments } from '../../../core/compare/compare.ts';
import { editDocument, type EditedPair } from '../../../core/compare/edits.test-support.ts';
import { allNodes, readOutline } from '../../../core/compare/outline.test-support.ts';
import { plainText, wordsOf } from '../../../core/compare/rewording.test-support.ts';
import { addScore, emptyScore, precision, recall, type Score } from '../../../core/compare/score.test-support.ts';
import { joinedPair } from '../../../core/compare/joined.test-support.ts';
import { TRUTH_KINDS } from '../../../core/compare/truth.test-support.ts';
import type { Document } from '../../../core/contract/document.ts';
import { contractFiles, readContract, type Half } from '../contracts.ts';
import type { Row, RowResult } from '../row.ts';

const SEEDS = [1, 2, 3];
/** Precision and recall of every kind of edit. */
const TARGET = 0.97;

async function readAll(files: readonly string[]): Promise<Document[]> {
  const documents: Document[] = [];
  for (const file of files) documents.push(await readContract(file));
  return documents;
}

/** Clauses of other contracts that may be inserted: long enough to say something, short enough to be one clause. */
function donorsOf(documents: readonly Document[]): string[] {
  return documents
    .flatMap((document) => allNodes(readOutline(document)))
    .filter((node) => node.children.length === 0 && node.paragraphs.length === 1)
    .map(plainText)
    .filter((text) => wordsOf(text).length >= 20 && wordsOf(text).length <= 150);
}

interface Edited {
  readonly name: string;
  readonly pair: EditedPair;
}

async function editedPairs(corpora: string, half: Half): Promise<Edited[]> {
  const documents = await readAll(contractFiles(corpora, half));
  const donors = donorsOf(documents);
  return documents.flatMap((document) =>
    SEEDS.flatMap((seed): Edited[] => {
      const pair = editDocument(document, donors, seed * 1000 + document.clauses.length);
      return pair === null ? [] : [{ name: `${document.name} #${seed}`, pair }];
    }),
  );
}

function edits(half: Half): Row['run'] {
  return async (corpora, log) => {
    const pairs = await editedPairs(corpora, half);
    const score = emptyScore();
    for (const { name, pair } of pairs) addScore(score, name, pair, compareDocuments(pair.before, pair.after));
    for (const kind of TRUTH_KINDS) log(kindLine(score, kind));
    return {
      score: `${pairs.length} pairs; ${TRUTH_KINDS.map((kind) => kindLine(score, kind)).join(', ')}`,
      reached: TRUTH_KINDS.every((kind) => reaches(score, kind)),
      failures: score.failures,
    };
  };
}

const reaches = ({ kinds }: Score, kind: (typeof TRUTH_KINDS)[number]): boolean => precision(kinds[kind]) >= TARGET && recall(kinds[kind]) >= TARGET;

function kindLine({ kinds }: Score, kind: (typeof TRUTH_KINDS)[number]): string {
  const { hits, missed } = kinds[kind];
  return `${kind} ${precision(kinds[kind]).toFixed(3)}/${recall(kinds[kind]).toFixed(3)} of ${hits + missed}`;
}

/** Exchanged sides give as many changes, each of the mirrored kind. */
async function symmetry(corpora: string): Promise<RowResult> {
  const mirrored: Record<string, string> = { inserted: 'deleted', deleted: 'inserted', split: 'merged', merged: 'split' };
  const pairs = await editedPairs(corpora, 'check');
  const failures = pairs.flatMap(({ name, pair: { before, after } }) => {
    const [forward, backward] = [compareDocuments(before, after), compareDocuments(after, before)];
    const one = forward.changes.map(({ kind, before: x, after: y }) => `${mirrored[kind] ?? kind} ${y?.text ?? ''} > ${x?.text ?? ''}`).toSorted();
    const other = backward.changes.map(({ kind, before: x, after: y }) => `${kind} ${x?.text ?? ''} > ${y?.text ?? ''}`).toSorted();
    const odd = one.find((line, at) => line !== other[at]);
    return odd === undefined && one.length === other.length ? [] : [`${name}: ${(odd ?? 'another number of changes').slice(0, 160)}`];
  });
  return { score: `${pairs.length - failures.length} of ${pairs.length} pairs mirror`, reached: failures.length === 0, failures };
}

const cpuSeconds = (work: () => unknown): number => {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
};
/** Characters of a page of a contract. */
const PAGE = 3000;
const PAGES = [30, 300, 3000];
/** Seconds for two times 300 pages, and by how much a page may cost more at 3,000 pages than at 300. */
const LIMIT = 2;
const GROWTH = 2;

async function speed(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const pairs = (await editedPairs(corpora, 'tune')).map(({ pair }) => pair);
  const times = PAGES.map((pages) => {
    const { before, after } = joinedPair(pairs, pages * PAGE);
    // The best of a few runs: the first compiles, and the machine may have other work.
    const runs = Array.from({ length: pages > 1000 ? 1 : 4 }, () => cpuSeconds(() => compareDocuments(before, after)));
    log(`${pages} pages: ${runs.map((time) => time.toFixed(2)).join(', ')} s CPU`);
    return Math.min(...runs);
  });
  const [, middle, large] = times as [number, number, number];
  const growth = large / 10 / middle;
  const reached = middle < LIMIT && growth < GROWTH;
  return {
    score: `${PAGES.map((pages, at) => `2 x ${pages} pages ${times[at]!.toFixed(2)} s`).join(', ')} CPU; a page costs ${growth.toFixed(2)} times as much at 3,000`,
    reached,
    failures: [],
  };
}

export const rows: readonly Row[] = [
  {
    id: 'comparison-edits',
    what: 'Generated edits found under their kind, precision/recall, contracts not used for tuning',
    set: 'contracts/cuad, docx/open-agreements',
    target: '>= 0.97 each',
    run: edits('check'),
  },
  {
    id: 'comparison-edits-tune',
    what: 'The same on the contracts used for tuning',
    set: 'contracts',
    target: 'reported',
    run: async (corpora, log) => ({ ...(await edits('tune')(corpora, log)), reached: null }),
  },
  {
    id: 'comparison-symmetry',
    what: 'Exchanged sides mirror the comparison',
    set: 'contracts/cuad, docx/open-agreements',
    target: 'all',
    run: (corpora) => symmetry(corpora),
  },
  { id: 'comparison-speed', what: 'Two long contracts compared on one core', set: 'contracts', target: '2 x 300 pages < 2 s, near linear', run: speed },
];
