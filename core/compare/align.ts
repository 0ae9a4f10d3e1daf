// Which unit of one document stands for which unit of the other.
//
// Owns: exact matches (unique text first, then outwards from it to repeated text), the order in which similar ones follow (similar.ts), and the
// clause pairs that follow from both, from headings and from numbers.
// Near-linear: a unit is only compared with units that share its rarest words or stand at the same place.
import { emptyAlignment, link, type Alignment } from './alignment.ts';
import { preferHeads } from './concatenated.ts';
import { matchDefinitions } from './definitions.ts';
import { matchSimilar, type Candidate } from './similar.ts';
import { bagOf, dice, headingKey } from './similarity.ts';
import { parentOf, type Side } from './units.ts';

/** Share of words from which a text in the same gap is the same text rewritten. */
const IN_GAP = 0.3;

export function alignUnits(a: Side, b: Side): Alignment {
  const alignment = emptyAlignment(a, b);
  matchUnique(a, b, alignment);
  pairClauses(a, b, alignment);
  matchInClauses(a, b, alignment);
  pairClauses(a, b, alignment);
  matchSimilar(a, b, alignment);
  preferHeads(a, b, alignment);
  pairClauses(a, b, alignment);
  matchRepeated(a, b, alignment);
  matchInPlace(a, b, alignment);
  matchDefinitions(a, b, alignment);
  matchInGaps(a, b, alignment);
  pairClauses(a, b, alignment);
  return alignment;
}

/** Pairs of units with the same words: text that stands once on either side, and from there outwards to equal neighbours. */
export function matchUnique(a: Side, b: Side, alignment: Alignment): void {
  for (const { as, bs } of equalUnits(a, b, alignment)) if (as.length === 1 && bs.length === 1) link(alignment, as[0]!, bs[0]!);
  growMatches(a, b, alignment);
}

/** Repeated text inside paired clauses, in order. */
function matchInClauses(a: Side, b: Side, alignment: Alignment): void {
  for (const { as, bs } of equalUnits(a, b, alignment)) {
    if (as.length === 0 || bs.length === 0) continue;
    const right = Map.groupBy(bs, (j) => b.units[j]!.clause);
    for (const [clause, is] of Map.groupBy(as, (i) => alignment.clauseToB[a.units[i]!.clause] ?? -1)) {
      const js = clause === -1 ? [] : (right.get(clause) ?? []);
      for (let at = 0; at < Math.min(is.length, js.length); at++) link(alignment, is[at]!, js[at]!);
    }
  }
}

/** Repeated text: first inside paired clauses, then in order, so that n copies against n copies stay at their places. */
export function matchRepeated(a: Side, b: Side, alignment: Alignment): void {
  matchInClauses(a, b, alignment);
  for (const { as, bs } of equalUnits(a, b, alignment)) for (let at = 0; at < Math.min(as.length, bs.length); at++) link(alignment, as[at]!, bs[at]!);
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

/** One short text on either side between the same matched neighbours, with words in common: a title that was rewritten. */
function matchInGaps(a: Side, b: Side, alignment: Alignment): void {
  for (let i = 0; i < a.units.length; i++) {
    if (alignment.toB[i] !== -1) continue;
    const j = i === 0 ? 0 : alignment.toB[i - 1]! + 1;
    if ((i > 0 && j === 0) || j >= b.units.length || alignment.toA[j] !== -1) continue;
    const closes = i + 1 === a.units.length ? j + 1 === b.units.length : alignment.toB[i + 1] === j + 1;
    const [x, y] = [a.units[i]!, b.units[j]!];
    if (!closes || x.heading !== y.heading || x.tokens.length > 12 || y.tokens.length > 12) continue;
    const bags = [x, y].map(({ tokens }) => bagOf(tokens.map(({ id }) => id)));
    if (dice(bags[0]!, bags[1]!, () => 1) >= IN_GAP) link(alignment, i, j);
  }
}

/** Pairs of clauses: by the text they share, by unique heading, by the parts they have in common, by number under paired parents. */
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
  pairByParts(a, b, clauseToB, clauseToA, pair);
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

/** Unpaired clauses most of whose parts are parts of one clause of the other side: a heading that was rewritten. */
function pairByParts(a: Side, b: Side, clauseToB: Int32Array, clauseToA: Int32Array, pair: (ca: number, cb: number) => void): void {
  // Deepest first, so that a pair of parts can vouch for what is above them.
  for (let ca = a.clauses.length - 1; ca >= 0; ca--) {
    const { children } = a.clauses[ca]!;
    if (clauseToB[ca] !== -1 || children.length === 0) continue;
    const parents = new Map<number, number>();
    for (const id of children) {
      const parent = parentOf(b, clauseToB[a.clauseIndex.get(id)!]!);
      if (parent !== -1 && clauseToA[parent] === -1) parents.set(parent, (parents.get(parent) ?? 0) + 1);
    }
    const [best] = [...parents].toSorted((x, y) => y[1] - x[1] || x[0] - y[0]);
    if (best !== undefined && 2 * best[1] > Math.max(children.length, b.clauses[best[0]]!.children.length)) pair(ca, best[0]);
  }
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
