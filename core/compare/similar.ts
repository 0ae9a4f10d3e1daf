// Units that read alike without being equal.
//
// Owns: finding candidates (an inverted index over the rarest words, and the units at the same place) and pairing them greedily from the best.
// Near-linear: a unit is only compared with a bounded number of others, however many there are.
import { link, type Alignment } from './alignment.ts';
import { bagOf, dice } from './similarity.ts';
import type { Side, Unit } from './units.ts';

/** Below this weighted Dice two texts are two texts. Half of the weight in common is what a reader still calls an edited paragraph. */
const SIMILAR = 0.5;
/** The same place (paired clause, paired neighbours) is evidence; then a third is enough. */
const SIMILAR_IN_PLACE = 0.3;
/** Rarest words of a unit that are looked up, and the longest list of units behind a word that is walked. */
const LOOKUPS = 16;
const LONGEST_LIST = 60;

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
  const weights = Float64Array.from(a.vocabulary.words, (word, id) => (/^\p{N}/u.test(word) ? 1 : Math.log(1 + total / (frequency.get(id) ?? 1))));
  return { weightOf: (id) => weights[id]!, a: read(a, freeA), b: read(b, freeB) };
}

export interface Candidate {
  readonly i: number;
  readonly j: number;
  readonly score: number;
}

/** Pairs of free units that read alike, best first. */
export function matchSimilar(a: Side, b: Side, alignment: Alignment): void {
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
  const near = placesOf(a, b, alignment);
  const candidates: Candidate[] = [];
  for (const i of freeA) {
    for (const j of candidatesOf(i, a, b, alignment, bags, lists, near)) {
      const place = placeEvidence(a, b, alignment, i, j);
      const similarity = dice(bags.a.get(i)!, bags.b.get(j)!, bags.weightOf);
      if (similarity >= (place > 0 ? SIMILAR_IN_PLACE : SIMILAR)) candidates.push({ i, j, score: similarity + place });
    }
  }
  candidates.sort((x, y) => y.score - x.score || x.i - y.i || x.j - y.j);
  for (const { i, j } of candidates) if (alignment.toB[i] === -1 && alignment.toA[j] === -1) link(alignment, i, j);
}

function candidatesOf(
  i: number,
  a: Side,
  b: Side,
  alignment: Alignment,
  bags: Bags,
  lists: ReadonlyMap<number, readonly number[]>,
  near: (i: number) => readonly number[],
): Set<number> {
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
  for (const j of near(i)) if (j >= 0 && j < b.units.length && alignment.toA[j] === -1) found.add(j);
  const clause = a.units[i]!.clause;
  for (const other of [alignment.clauseToB[clause] ?? -1, clause === -1 ? -1 : (b.clauseAt.get(a.clauses[clause]!.path) ?? -1)])
    for (const j of (b.unitsOf[other] ?? []).slice(0, LONGEST_LIST)) if (alignment.toA[j] === -1) found.add(j);
  return found;
}

/** Units at the same place are candidates whatever their words: as far behind the last matched unit, or before the next, as the unit itself. */
function placesOf(a: Side, b: Side, alignment: Alignment): (i: number) => readonly [number, number] {
  const [behind, before] = [new Int32Array(a.units.length), new Int32Array(a.units.length)];
  let [last, partner] = [-1, -1];
  for (let i = 0; i < a.units.length; i++) {
    if (alignment.toB[i] !== -1) [last, partner] = [i, alignment.toB[i]!];
    behind[i] = partner + i - last;
  }
  [last, partner] = [a.units.length, b.units.length];
  for (let i = a.units.length - 1; i >= 0; i--) {
    if (alignment.toB[i] !== -1) [last, partner] = [i, alignment.toB[i]!];
    before[i] = partner + i - last;
  }
  return (i) => [behind[i]!, before[i]!];
}

/** Evidence of place for a pair: the clauses are paired, the neighbours are. */
function placeEvidence(a: Side, b: Side, alignment: Alignment, i: number, j: number): number {
  const [ca, cb] = [a.units[i]!.clause, b.units[j]!.clause];
  const sameClause = ca === -1 ? cb === -1 : alignment.clauseToB[ca] === cb;
  const previous = i > 0 && j > 0 ? alignment.toB[i - 1] === j - 1 : i === j;
  const next = i + 1 < a.units.length && j + 1 < b.units.length ? alignment.toB[i + 1] === j + 1 : a.units.length - i === b.units.length - j;
  const samePath = ca !== -1 && cb !== -1 && a.clauses[ca]!.path !== '' && a.clauses[ca]!.path === b.clauses[cb]!.path;
  return (sameClause && ca !== -1 ? 0.15 : 0) + (previous ? 0.05 : 0) + (next ? 0.05 : 0) + (samePath ? 0.03 : 0);
}
