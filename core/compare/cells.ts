// What a cell of the clause table shows: the clause with its sub-clauses, and how it deviates from the baseline's.
//
// Owns: reading the words of a provision, the word diff where the words are the baseline's with edits, and the verdict where they are its own.
import type { ClauseCell } from '../contract/clauseTable.ts';
import type { Document, Span } from '../contract/document.ts';
import { judge } from './classify.ts';
import { factDifferences } from './facts.ts';
import type { Hunk } from './myers.ts';
import type { Provision } from './provisions.ts';
import { termsOf, type Edit, type Terms } from './topics.ts';
import { textOf, tokenize, Vocabulary, type Token } from './tokens.ts';
import { diffParts, wordHunks } from './wordDiff.ts';

/** From this share of words in common runs on, a clause is the baseline's with edits; below it a diff is confetti. */
const EDITED = 0.45;
/** Shorter runs of common words are chance ("the other party"). */
const LEAST_RUN = 4;

export interface CellSource {
  readonly words: (provision: Provision, vocabulary: Vocabulary) => Token[];
  readonly terms: Terms;
  baseline(provision: Provision, extra: boolean): ClauseCell;
  against(provision: Provision, base: CellSource, row: Provision, score: number): ClauseCell;
}

type Bare = Pick<ClauseCell, 'clauseId' | 'path' | 'heading' | 'text' | 'spans'>;

export function readCells(document: Document): CellSource {
  const blocks = new Map(document.blocks.map((block) => [block.id, block]));
  const clauses = new Map(document.clauses.map((clause) => [clause.id, clause]));
  const spansOf = ({ clauseIds }: Provision): Span[] =>
    clauseIds
      .flatMap((id) => clauses.get(id)!.spans)
      .filter(({ blockId }) => blocks.get(blockId)?.hidden === null && blocks.get(blockId)?.kind !== 'furniture');
  const terms = termsOf([document]);
  const bare = (provision: Provision): Bare => {
    const spans = spansOf(provision);
    const text = spans.map((span) => blocks.get(span.blockId)!.text.slice(span.start, span.end)).join('\n');
    return { clauseId: provision.clause.id, path: provision.clause.path, heading: provision.clause.heading, text, spans };
  };
  const words = (provision: Provision, vocabulary: Vocabulary): Token[] => wordsOf(provision, spansOf(provision), clauses, blocks, vocabulary);
  return {
    words,
    terms,
    baseline: (provision, extra) => ({
      ...bare(provision),
      deviation: extra ? 'extra' : 'baseline',
      score: 1,
      diff: [],
      topics: [],
      severity: extra ? 'medium' : 'low',
      reason: extra ? 'The baseline has no such clause.' : 'The baseline.',
    }),
    against: (provision, base, row, score) => {
      const vocabulary = new Vocabulary();
      const [left, right] = [base.words(row, vocabulary), words(provision, vocabulary)];
      const both: Terms = { defined: new Set([...base.terms.defined, ...terms.defined]), parties: new Set([...base.terms.parties, ...terms.parties]) };
      return { ...bare(provision), score: Math.min(1, score), ...deviation(left, right, provision, both) };
    },
  };
}

/** Words without the numbers of the clauses: a contract that numbers otherwise does not say otherwise. */
function wordsOf(
  provision: Provision,
  spans: readonly Span[],
  clauses: ReadonlyMap<string, Document['clauses'][number]>,
  blocks: ReadonlyMap<string, Document['blocks'][number]>,
  vocabulary: Vocabulary,
): Token[] {
  const numberAt = new Map(
    provision.clauseIds
      .map((id) => clauses.get(id)!)
      .flatMap(({ spans: [first], number }) => (first === undefined ? [] : [[`${first.blockId} ${first.start}`, number]])),
  );
  return spans.flatMap((span, order) => {
    const { text } = blocks.get(span.blockId)!;
    const number = numberAt.get(`${span.blockId} ${span.start}`) ?? '';
    const lead =
      number !== '' && text.startsWith(number, span.start)
        ? number.length + /^[\s.:)、．]*/.exec(text.slice(span.start + number.length, span.end))![0].length
        : 0;
    const tokens = tokenize(text, span.start + lead, span.end, vocabulary, { markup: true, hyphens: true });
    return tokens.map((token, at) => (at === 0 && order > 0 ? { ...token, spaced: true } : token));
  });
}

function deviation(
  left: readonly Token[],
  right: readonly Token[],
  provision: Provision,
  terms: Terms,
): Pick<ClauseCell, 'deviation' | 'diff' | 'topics' | 'severity' | 'reason'> {
  const hunks = wordHunks(left, right);
  if (hunks.length === 0) return { deviation: 'same', diff: [], topics: [], severity: 'low', reason: 'The same words as the baseline.' };
  const { path, heading } = provision.clause;
  const edits = hunks.map((hunk) => editOf(left, right, hunk));
  const words = [...left, ...right].map(({ text }) => text);
  const judged = judge({ kind: 'changed', beforePath: path, afterPath: path, heading, edits, words, referencesFollow: false, term: null }, terms);
  if (inRuns(left.length, hunks) >= EDITED * Math.max(left.length, right.length))
    return { deviation: 'edited', diff: diffParts(left, right, hunks), ...judged };
  return { deviation: 'own', diff: [], ...ownWords(textOf(left), textOf(right)) };
}

/** Where the words are its own, what it names is set against what the baseline names. */
function ownWords(base: string, own: string): Pick<ClauseCell, 'topics' | 'severity' | 'reason'> {
  const differences = factDifferences(base, own);
  const few = (facts: readonly string[]): string => (facts.length === 0 ? 'none' : facts.slice(0, 3).join(', ') + (facts.length > 3 ? ' …' : ''));
  const told = differences.map(
    ({ topic, before, after }) => `${topic === 'law' ? 'Law or court' : topic === 'amount' ? 'Amount' : 'Period'}: ${few(after)} (baseline: ${few(before)}).`,
  );
  return {
    topics: differences.length === 0 ? ['wording'] : differences.map(({ topic }) => topic),
    severity: differences.length === 0 ? 'medium' : 'high',
    reason: ['Its own words on the matter.', ...told].join(' '),
  };
}

/** Words that stand in common runs long enough to be no chance. */
function inRuns(length: number, hunks: readonly Hunk[]): number {
  let [at, sum] = [0, 0];
  for (const { a0, a1 } of [...hunks, { a0: length, a1: length }]) {
    if (a0 - at >= LEAST_RUN) sum += a0 - at;
    at = a1;
  }
  return sum;
}

function editOf(a: readonly Token[], b: readonly Token[], hunk: Hunk): Edit {
  const texts = (tokens: readonly Token[]): string[] => tokens.map(({ text }) => text);
  const [removed, added] = [a.slice(hunk.a0, hunk.a1), b.slice(hunk.b0, hunk.b1)];
  const [before, after] = [texts(b.slice(Math.max(0, hunk.b0 - 4), hunk.b0)), texts(b.slice(hunk.b1, hunk.b1 + 5))];
  return { removed: texts(removed), added: texts(added), removedText: textOf(removed), addedText: textOf(added), defines: false, before, after };
}
