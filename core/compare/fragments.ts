// Text below the level of a paragraph that went somewhere else: a sentence that became part of another clause, a clause that was split or merged.
//
// Owns: finding, among the deleted and the inserted words, runs that are the same sentence, and saying what each such pair means:
// re-flow (a paragraph broken elsewhere, which is noise), a move, a merge (a whole clause became part of another) or a split.
// Rule: a run is used once, and only whole sentences or whole runs of edited words are followed, never a lucky phrase.
import type { Alignment } from './alignment.ts';
import type { Hunk } from './myers.ts';
import type { Order } from './order.ts';
import { bagOf, dice } from './similarity.ts';
import { sentenceEnds, type Vocabulary } from './tokens.ts';
import type { Side, Unit } from './units.ts';

/** Tokens [from, to) of a unit. */
export interface Run {
  readonly unit: number;
  readonly from: number;
  readonly to: number;
  /** The edit of an aligned pair in which it lies: what an edit replaces by something like it was changed where it stands, not moved. */
  readonly edit?: string;
}

export interface FragmentPair {
  readonly a: Run;
  readonly b: Run;
  readonly meaning: 'reflow' | 'moved' | 'merged' | 'split';
}

export interface LooseRuns {
  readonly a: readonly Run[];
  readonly b: readonly Run[];
}

/** Fewer words than this recur by chance in contracts ("subject to the terms of this Agreement" has seven tokens). */
const LEAST_EXACT = 8;
const LEAST_SIMILAR = 12;
/** Share of common words from which an edited sentence is still the same sentence. */
const SAME_SENTENCE = 0.75;

/** Sentences of a run; a run inside a sentence is one piece. */
export function sentencesOf(unit: Unit, from: number, to: number, vocabulary: Vocabulary): Run[] {
  return cutAt(sentenceEnds(unit.tokens, vocabulary), unit, from, to);
}

function cutAt(ends: readonly number[], unit: Unit, from: number, to: number): Run[] {
  const runs: Run[] = [];
  let at = from;
  for (let next = firstOver(ends, from); next < ends.length; next++) {
    const end = ends[next]!;
    runs.push({ unit: unit.index, from: at, to: Math.min(end, to) });
    at = Math.min(end, to);
    if (at >= to) break;
  }
  return runs;
}

/** Index of the first of the ascending values above the limit. */
function firstOver(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The deleted and inserted runs: units without a partner whole, and the edits inside pairs. */
export function looseRuns(a: Side, b: Side, alignment: Alignment, hunksOf: ReadonlyMap<number, readonly Hunk[]>, vocabulary: Vocabulary): LooseRuns {
  const left = a.units.filter((unit) => alignment.toB[unit.index] === -1).flatMap((unit) => sentencesOf(unit, 0, unit.tokens.length, vocabulary));
  const right = b.units.filter((unit) => alignment.toA[unit.index] === -1).flatMap((unit) => sentencesOf(unit, 0, unit.tokens.length, vocabulary));
  for (const [i, hunks] of hunksOf) {
    const [unitA, unitB] = [a.units[i]!, b.units[alignment.toB[i]!]!];
    // Once per pair: a paragraph of 30,000 words may have a thousand edits.
    const [endsA, endsB] = [sentenceEnds(unitA.tokens, vocabulary), sentenceEnds(unitB.tokens, vocabulary)];
    for (const [at, hunk] of hunks.entries()) {
      const inEdit = (run: Run): Run => ({ ...run, edit: `${i} ${at}` });
      if (hunk.a1 > hunk.a0) left.push(...cutAt(endsA, unitA, hunk.a0, hunk.a1).map(inEdit));
      if (hunk.b1 > hunk.b0) right.push(...cutAt(endsB, unitB, hunk.b0, hunk.b1).map(inEdit));
    }
  }
  const byPlace = (x: Run, y: Run): number => x.unit - y.unit || x.from - y.from;
  return { a: left.toSorted(byPlace), b: right.toSorted(byPlace) };
}

function idsOf(side: Side, run: Run): number[] {
  return side.units[run.unit]!.tokens.slice(run.from, run.to).map((token) => token.id);
}

/** Pairs of runs that are the same text, neighbours joined, each with its meaning. */
export function matchFragments(a: Side, b: Side, alignment: Alignment, order: Order, loose: LooseRuns, vocabulary: Vocabulary): FragmentPair[] {
  const idsA = loose.a.map((run) => idsOf(a, run));
  const idsB = loose.b.map((run) => idsOf(b, run));
  const toB = new Int32Array(loose.a.length).fill(-1);
  const toA = new Int32Array(loose.b.length).fill(-1);
  const link = (x: number, y: number): void => {
    toB[x] = y;
    toA[y] = x;
  };
  const [keysA, keysB] = [idsA.map((ids) => ids.join(' ')), idsB.map((ids) => ids.join(' '))];
  linkExact(idsB, keysA, keysB, link);
  followNeighbours(keysA, keysB, toB, toA, link);
  const inPlace = (x: number, y: number): boolean => loose.a[x]!.edit !== undefined && loose.a[x]!.edit === loose.b[y]!.edit;
  const beside = (x: number, y: number): boolean => {
    const [i, j] = [loose.a[x]!.unit, loose.b[y]!.unit];
    const [partnerOfJ, partnerOfI] = [alignment.toA[j]!, alignment.toB[i]!];
    return (partnerOfJ !== -1 && Math.abs(partnerOfJ - i) <= 2) || (partnerOfI !== -1 && Math.abs(partnerOfI - j) <= 2);
  };
  linkSimilar(idsA, idsB, { toB, toA, link, inPlace, beside }, vocabulary);
  followNeighbours(keysA, keysB, toB, toA, link);
  return joinNeighbours(a, b, loose, toB).map((joined) => {
    const [x, y] = [withStop(a, joined.a), withStop(b, joined.b)];
    return { a: x, b: y, meaning: meaningOf(a, b, alignment, order, x, y) };
  });
}

function linkExact(idsB: readonly number[][], keysA: readonly string[], keysB: readonly string[], link: (x: number, y: number) => void): void {
  const places = new Map<string, number[]>();
  keysB.forEach((key, y) => {
    if (idsB[y]!.length < LEAST_EXACT) return;
    const list = places.get(key);
    if (list === undefined) places.set(key, [y]);
    else list.push(y);
  });
  // From the end, so that taking one is cheap however often a sentence recurs.
  for (const list of places.values()) list.reverse();
  keysA.forEach((key, x) => {
    const y = places.get(key)?.pop();
    if (y !== undefined) link(x, y);
  });
}

/** Short sentences follow a longer neighbour that matched. */
function followNeighbours(keysA: readonly string[], keysB: readonly string[], toB: Int32Array, toA: Int32Array, link: (x: number, y: number) => void): void {
  const tryLink = (x: number, y: number): void => {
    if (x >= 0 && y >= 0 && toB[x] === -1 && toA[y] === -1 && keysA[x] !== undefined && keysA[x] === keysB[y]) link(x, y);
  };
  for (let x = 0; x < toB.length; x++) if (toB[x] !== -1) tryLink(x + 1, toB[x]! + 1);
  for (let x = toB.length - 1; x >= 0; x--) if (toB[x] !== -1) tryLink(x - 1, toB[x]! - 1);
}

/** What linking similar runs has to know of them. */
interface Links {
  readonly toB: Int32Array;
  readonly toA: Int32Array;
  readonly link: (x: number, y: number) => void;
  /** Both lie in one edit: changed where they stand. */
  readonly inPlace: (x: number, y: number) => boolean;
  /** They stand beside units that are a pair. */
  readonly beside: (x: number, y: number) => boolean;
}

/** Of sentences that are equally alike the one beside the same neighbours is meant. */
const BESIDE = 0.03;

function linkSimilar(idsA: readonly number[][], idsB: readonly number[][], { toB, toA, link, inPlace, beside }: Links, vocabulary: Vocabulary): void {
  const isWord = (id: number): boolean => /[\p{L}\p{N}]/u.test(vocabulary.words[id]!);
  const wordy = (ids: readonly number[]): boolean => ids.filter(isWord).length >= LEAST_SIMILAR;
  // Numbers are the first to change (references that follow, amounts): they say nothing about whose sentence it is.
  const bagWithout = (ids: readonly number[]): Map<number, number> => bagOf(ids.filter((id) => !/\p{N}/u.test(vocabulary.words[id]!)));
  const lists = new Map<number, number[]>();
  const bags = new Map<number, Map<number, number>>();
  idsB.forEach((ids, y) => {
    if (toA[y] !== -1 || !wordy(ids)) return;
    const bag = bagWithout(ids);
    bags.set(y, bag);
    for (const id of bag.keys()) {
      const list = lists.get(id);
      if (list === undefined) lists.set(id, [y]);
      else list.push(y);
    }
  });
  const candidates: { x: number; y: number; score: number }[] = [];
  idsA.forEach((ids, x) => {
    if (toB[x] !== -1 || !wordy(ids)) return;
    const bag = bagWithout(ids);
    const rare = [...bag.keys()].toSorted((p, q) => (lists.get(p)?.length ?? 1e9) - (lists.get(q)?.length ?? 1e9)).slice(0, 6);
    for (const y of new Set(rare.flatMap((id) => (lists.get(id) ?? []).slice(0, 40)))) {
      const score = dice(bag, bags.get(y)!, () => 1);
      if (score >= SAME_SENTENCE && !inPlace(x, y)) candidates.push({ x, y, score: score + (beside(x, y) ? BESIDE : 0) });
    }
  });
  candidates.sort((p, q) => q.score - p.score || p.x - q.x || p.y - q.y);
  for (const { x, y } of candidates) if (toB[x] === -1 && toA[y] === -1) link(x, y);
}

function joinNeighbours(a: Side, b: Side, loose: LooseRuns, toB: Int32Array): { a: Run; b: Run }[] {
  const joined: { a: Run; b: Run }[] = [];
  for (let x = 0; x < loose.a.length; x++) {
    const y = toB[x]!;
    if (y === -1) continue;
    const [left, right] = [loose.a[x]!, loose.b[y]!];
    const last = joined.at(-1);
    if (last !== undefined && last.a.unit === left.unit && last.b.unit === right.unit && last.a.to === left.from && last.b.to === right.from) {
      joined[joined.length - 1] = { a: { ...last.a, to: left.to }, b: { ...last.b, to: right.to } };
    } else joined.push({ a: left, b: right });
  }
  return joined.filter(({ a: x, b: y }) => a.units[x.unit] !== undefined && b.units[y.unit] !== undefined);
}

/** A diff takes the last of two equal stops for the one that stayed; a sentence that goes takes its own along. */
function withStop(side: Side, run: Run): Run {
  const { tokens } = side.units[run.unit]!;
  const [before, behind] = [tokens[run.from - 1], tokens[run.to]];
  return before !== undefined && behind !== undefined && before.id === behind.id && /^[.;?!。；]$/.test(behind.text) ? { ...run, to: run.to + 1 } : run;
}

function meaningOf(a: Side, b: Side, alignment: Alignment, order: Order, x: Run, y: Run): FragmentPair['meaning'] {
  if (alignment.toB[x.unit] === y.unit) return 'moved';
  const [ca, cb] = [a.units[x.unit]!.clause, b.units[y.unit]!.clause];
  const inOrder = order.previous[x.unit]! <= y.unit && y.unit <= order.next[x.unit]!;
  const sameClause = ca === -1 || cb === -1 ? ca === cb : alignment.clauseToB[ca] === cb;
  if (sameClause && inOrder) return 'reflow';
  // Without a partner of its own, a clause whose words stand in another clause that has one was merged into it; the reverse was split off.
  const aloneA = ca !== -1 && alignment.clauseToB[ca] === -1 && alignment.toB[x.unit] === -1;
  const aloneB = cb !== -1 && alignment.clauseToA[cb] === -1 && alignment.toA[y.unit] === -1;
  if (aloneA && !aloneB && coversMost(a, x)) return 'merged';
  if (aloneB && !aloneA && coversMost(b, y)) return 'split';
  return 'moved';
}

/** The run is most of the words of its unit. */
export function coversMost(side: Side, run: Run): boolean {
  return run.to - run.from >= 0.6 * side.units[run.unit]!.tokens.length;
}
