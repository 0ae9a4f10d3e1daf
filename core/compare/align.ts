// Which unit of one document stands for which unit of the other.
//
// Owns: exact matches (unique text first, then outwards from it to repeated text), similar matches (weighted words over an inverted index,
// greedy from the best), and the clause pairs that follow from both, from headings and from numbers.
// Near-linear: a unit is only compared with units that share its rarest words or stand at the same place.
import { emptyAlignment, link, type Alignment } from './alignment.ts';
import { preferHeads } from './concatenated.ts';
import { bagOf, dice, headingKey } from './similarity.ts';
import { parentOf, type Side, type Unit } from './units.ts';

/** Below this weighted Dice two texts are two texts. Half of the weight in common is what a reader still calls an edited paragraph. */
const SIMILAR = 0.5;
/** The same place (paired clause, paired neighbours) is evidence; then a third is enough. */
const SIMILAR_IN_PLACE = 0.3;
/** Rarest words of a unit that are looked up, and the longest list of units behind a word that is walked. */
const LOOKUPS = 16;
const LONGEST_LIST = 60;

export function alignUnits(a: Side, b: Side): Alignment {
  const alignment = emptyAlignment(a, b);
  matchUnique(a, b, alignment);
  pairClauses(a, b, alignment);
  matchRepeated(a, b, alignment);
  pairClauses(a, b, alignment);
  matchSimilar(a, b, alignment);
  preferHeads(a, b, alignment);
  pairClauses(a, b, alignment);
  matchInPlace(a, b, alignment);
  pairClauses(a, b, alignment);
  return alignment;
}

/** Pairs of units with the same words: text that stands once on either side, and from there outwards to equal neighbours. */
export function matchUnique(a: Side, b: Side, alignment: Alignment): void {
  for (const { as, bs } of equalUnits(a, b, alignment)) if (as.length === 1 && bs.length === 1) link(alignment, as[0]!, bs[0]!);
  growMatches(a, b, alignment);
}

/** Repeated text: first inside paired clauses, then in order, so that n copies against n copies stay at their places. */
export function matchRepeated(a: Side, b: Side, alignment: Alignment): void {
  const homes = (side: Side, list: readonly number[], name: (clause: number) => number): Map<number, number[]> =>
    Map.groupBy(list, (index) => name(side.units[index]!.clause));
  for (const { as, bs } of equalUnits(a, b, alignment)) {
    const left = homes(a, as, (clause) => alignment.clauseToB[clause] ?? -1);
    const right = homes(b, bs, (clause) => clause);
    for (const [clause, is] of left) {
      const js = clause === -1 ? [] : (right.get(clause) ?? []);
      for (let at = 0; at < Math.min(is.length, js.length); at++) link(alignment, is[at]!, js[at]!);
    }
    const [restA, restB] = [as.filter((i) => alignment.toB[i] === -1), bs.filter((j) => alignment.toA[j] === -1)];
    for (let at = 0; at < Math.min(restA.length, restB.length); at++) link(alignment, restA[at]!, restB[at]!);
  }
}

/** Units without a partner yet, by their words. */
function equalUnits(a: Side, b: Side, alignment: Alignment): { as: number[]; bs: number[] }[] {
  const groups = new Map<string, { as: number[]; bs: number[] }>();
  const groupOf = (key: string): { as: number[]; bs: number[] } => {
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { as: [], bs: [] }));
    return group;
  };
  for (const unit of a.units) if (alignment.toB[unit.index] === -1) groupOf(unit.key).as.push(unit.index);
  for (const unit of b.units) if (alignment.toA[unit.index] === -1) groupOf(unit.key).bs.push(unit.index);
  return [...groups.values()];
}

/** Extends matches to equal neighbours, down and up. */
function growMatches(a: Side, b: Side, alignment: Alignment): void {
  const tryLink = (i: number, j: number): void => {
    if (i < 0 || j < 0 || i >= a.units.length || j >= b.units.length) return;
    if (alignment.toB[i] === -1 && alignment.toA[j] === -1 && a.units[i]!.key === b.units[j]!.key) link(alignment, i, j);
  };
  for (let i = 0; i < a.units.length; i++) if (alignment.toB[i] !== -1) tryLink(i + 1, alignment.toB[i]! + 1);
  for (let i = a.units.length - 1; i >= 0; i--) if (alignment.toB[i] !== -1) tryLink(i - 1, alignment.toB[i]! - 1);
  tryLink(0, 0);
  tryLink(a.units.length - 1, b.units.length - 1);
}

interface Bags {
  readonly weightOf: (id: number) => number;
  readonly a: Map<number, Map<number, number>>;
  readonly b: Map<number, Map<number, number>>;
}

function makeBags(a: Side, b: Side, freeA: readonly number[], freeB: readonly number[]): Bags {
  const frequency = new Map<number, number>();
  const count = (units: readonly Unit[]): void => {
    for (const unit of units) for (const id of new Set(unit.tokens.map((token) => token.id))) frequency.set(id, (frequency.get(id) ?? 0) + 1);
  };
  count(a.units);
  count(b.units);
  const total = a.units.length + b.units.length;
  const read = (side: Side, free: readonly number[]): Map<number, Map<number, number>> =>
    new Map(free.map((index) => [index, bagOf(side.units[index]!.tokens.map((token) => token.id))]));
  // Numbers are rare words, and the first to change (amounts, dates, references that follow): they weigh as common words do.
  const weightOf = (id: number): number => (/^\p{N}/u.test(a.vocabulary.words[id]!) ? 1 : Math.log(1 + total / (frequency.get(id) ?? 1)));
  return { weightOf, a: read(a, freeA), b: read(b, freeB) };
}

interface Candidate {
  readonly i: number;
  readonly j: number;
  readonly score: number;
}

function matchSimilar(a: Side, b: Side, alignment: Alignment): void {
  const freeA = a.units.filter((unit) => alignment.toB[unit.index] === -1).map((unit) => unit.index);
  const freeB = b.units.filter((unit) => alignment.toA[unit.index] === -1).map((unit) => unit.index);
  if (freeA.length === 0 || freeB.length === 0) return;
  const bags = makeBags(a, b, freeA, freeB);
  const lists = new Map<number, number[]>();
  for (const [j, bag] of bags.b) {
    for (const id of bag.keys()) {
      const list = lists.get(id);
      if (list === undefined) lists.set(id, [j]);
      else list.push(j);
    }
  }
  const candidates: Candidate[] = [];
  for (const i of freeA) {
    for (const j of candidatesOf(i, a, b, alignment, bags, lists)) {
      const place = placeEvidence(a, b, alignment, i, j);
      const similarity = dice(bags.a.get(i)!, bags.b.get(j)!, bags.weightOf);
      if (similarity >= (place > 0 ? SIMILAR_IN_PLACE : SIMILAR)) candidates.push({ i, j, score: similarity + place });
    }
  }
  candidates.sort((x, y) => y.score - x.score || x.i - y.i || x.j - y.j);
  for (const { i, j } of candidates) if (alignment.toB[i] === -1 && alignment.toA[j] === -1) link(alignment, i, j);
}

function candidatesOf(i: number, a: Side, b: Side, alignment: Alignment, bags: Bags, lists: ReadonlyMap<number, readonly number[]>): Set<number> {
  const rare = [...bags.a.get(i)!.keys()]
    .filter((id) => lists.has(id))
    .toSorted((x, y) => lists.get(x)!.length - lists.get(y)!.length || x - y)
    .slice(0, LOOKUPS);
  const shared = new Map<number, number>();
  for (const id of rare) {
    const list = lists.get(id)!;
    if (list.length > LONGEST_LIST) break;
    for (const j of list) shared.set(j, (shared.get(j) ?? 0) + bags.weightOf(id));
  }
  const found = new Set(
    [...shared]
      .toSorted((x, y) => y[1] - x[1] || x[0] - y[0])
      .slice(0, 8)
      .map(([j]) => j),
  );
  // Units at the same place are candidates whatever their words: next to a matched neighbour, or in the paired clause.
  const near = [i > 0 ? alignment.toB[i - 1]! + 1 : 0, i + 1 < a.units.length ? alignment.toB[i + 1]! - 1 : b.units.length - 1];
  for (const j of near) if (j >= 0 && j < b.units.length && alignment.toA[j] === -1) found.add(j);
  const pairedClause = alignment.clauseToB[a.units[i]!.clause] ?? -1;
  for (const j of (b.unitsOf[pairedClause] ?? []).slice(0, LONGEST_LIST)) if (alignment.toA[j] === -1) found.add(j);
  return found;
}

/** Evidence of place for a pair: the clauses are paired, the neighbours are. */
function placeEvidence(a: Side, b: Side, alignment: Alignment, i: number, j: number): number {
  const [ca, cb] = [a.units[i]!.clause, b.units[j]!.clause];
  const sameClause = ca === -1 ? cb === -1 : alignment.clauseToB[ca] === cb;
  const previous = i > 0 && j > 0 ? alignment.toB[i - 1] === j - 1 : i === j;
  const next = i + 1 < a.units.length && j + 1 < b.units.length ? alignment.toB[i + 1] === j + 1 : a.units.length - i === b.units.length - j;
  return (sameClause && ca !== -1 ? 0.15 : 0) + (previous ? 0.05 : 0) + (next ? 0.05 : 0);
}

/** What is left inside paired clauses, in order: headings with headings, text with text. */
function matchInPlace(a: Side, b: Side, alignment: Alignment): void {
  for (let ca = 0; ca < a.clauses.length; ca++) {
    const cb = alignment.clauseToB[ca]!;
    if (cb === -1) continue;
    const left = a.unitsOf[ca]!.filter((i) => alignment.toB[i] === -1);
    const right = b.unitsOf[cb]!.filter((j) => alignment.toA[j] === -1);
    for (const heading of [true, false]) {
      const is = left.filter((i) => a.units[i]!.heading === heading);
      const js = right.filter((j) => b.units[j]!.heading === heading);
      // Only one each: with more, position alone would pair texts that have nothing to do with each other.
      const short = is.length === 1 && js.length === 1 && (heading || (a.units[is[0]!]!.tokens.length <= 12 && b.units[js[0]!]!.tokens.length <= 12));
      if (short) link(alignment, is[0]!, js[0]!);
    }
  }
}

/** Pairs of clauses: by the text they share, then by heading under paired parents, by unique heading, by number under paired parents. */
function pairClauses(a: Side, b: Side, alignment: Alignment): void {
  const { clauseToB, clauseToA } = alignment;
  clauseToB.fill(-1);
  clauseToA.fill(-1);
  const pair = (ca: number, cb: number): void => {
    if (clauseToB[ca] !== -1 || clauseToA[cb] !== -1) return;
    clauseToB[ca] = cb;
    clauseToA[cb] = ca;
  };
  for (const { i, j } of votes(a, b, alignment)) pair(i, j);
  pairByHeading(a, b, pair);
  const byPlace = new Map<string, number>();
  b.clauses.forEach((clause, cb) => {
    if (clauseToA[cb] === -1 && clause.number !== '') byPlace.set(`${parentOf(b, cb)}|${clause.number}`, cb);
  });
  a.clauses.forEach((clause, ca) => {
    if (clauseToB[ca] !== -1 || clause.number === '') return;
    const parent = parentOf(a, ca);
    const cb = byPlace.get(`${parent === -1 ? -1 : clauseToB[parent]!}|${clause.number}`);
    // A clause that has text and shares none of it is another clause under the same number.
    const bare = a.unitsOf[ca]!.length === 0 || (cb !== undefined && b.unitsOf[cb]!.length === 0);
    const sameHeading = cb !== undefined && headingKey(clause.heading) !== '' && headingKey(clause.heading) === headingKey(b.clauses[cb]!.heading);
    if (cb !== undefined && (bare || sameHeading)) pair(ca, cb);
  });
}

/** Clause pairs with the tokens their matched units have, best first. */
function votes(a: Side, b: Side, alignment: Alignment): Candidate[] {
  const weights = new Map<string, Candidate>();
  for (const unit of a.units) {
    const j = alignment.toB[unit.index]!;
    if (j === -1 || unit.clause === -1 || b.units[j]!.clause === -1) continue;
    const [ca, cb] = [unit.clause, b.units[j]!.clause];
    const key = `${ca} ${cb}`;
    // Exact text weighs full, similar text half; a heading in common weighs as much as twenty words of text.
    const weight = (unit.key === b.units[j]!.key ? 1 : 0.5) * Math.min(unit.tokens.length, b.units[j]!.tokens.length);
    const heading = headingKey(a.clauses[ca]!.heading);
    const bonus = !weights.has(key) && heading !== '' && heading === headingKey(b.clauses[cb]!.heading) ? 20 : 0;
    weights.set(key, { i: ca, j: cb, score: (weights.get(key)?.score ?? 0) + weight + bonus });
  }
  return [...weights.values()].toSorted((x, y) => y.score - x.score || x.i - y.i || x.j - y.j);
}

/** Unpaired clauses whose heading stands once on either side. */
function pairByHeading(a: Side, b: Side, pair: (ca: number, cb: number) => void): void {
  const once = (side: Side): Map<string, number> => {
    const found = new Map<string, number>();
    side.clauses.forEach((clause, index) => {
      const key = headingKey(clause.heading);
      if (key !== '') found.set(key, found.has(key) ? -1 : index);
    });
    return found;
  };
  const [left, right] = [once(a), once(b)];
  for (const [key, ca] of left) {
    const cb = right.get(key);
    if (ca !== -1 && cb !== undefined && cb !== -1) pair(ca, cb);
  }
}
