// Aligned pairs that differ in words or in place: changed, moved, moved and changed.
//
// Owns: telling a move once. A clause that moved takes its sub-clauses along: they are one move with it, and only what differs inside them is told
// apart. Units that moved alone (a paragraph within its clause, a sentence of nobody) are told as runs of neighbours.
// Rule: every aligned unit is in at most one draft.
import type { Alignment } from './alignment.ts';
import type { Order } from './order.ts';
import { kept, sameTokens, type Cuts, type Draft, type DraftPart } from './parts.ts';
import { parentOf, type Side } from './units.ts';

interface Pairing {
  readonly a: Side;
  readonly b: Side;
  readonly alignment: Alignment;
  readonly order: Order;
  readonly cuts: Cuts;
}

export function pairDrafts(a: Side, b: Side, alignment: Alignment, order: Order, cuts: Cuts): Draft[] {
  const pairing: Pairing = { a, b, alignment, order, cuts };
  const told = new Set<number>();
  const moves = movedRoots(pairing).flatMap((clause) => clauseMove(pairing, clause, told));
  return [...moves, ...unitDrafts(pairing, told)];
}

/** Clauses that moved while the clause above them did not move with them. */
function movedRoots(pairing: Pairing): number[] {
  const { a, b, alignment } = pairing;
  const moved = a.clauses.map((_clause, ca) => hasMoved(pairing, ca));
  return a.clauses.flatMap((_clause, ca) => {
    if (!moved[ca]) return [];
    const [pa, pb] = [parentOf(a, ca), parentOf(b, alignment.clauseToB[ca]!)];
    const carried = pa !== -1 && moved[pa] === true && alignment.clauseToB[pa] === pb;
    return carried ? [] : [ca];
  });
}

/** Most of the clause's own words stand out of order, or its parent is another clause now. */
function hasMoved({ a, b, alignment, order }: Pairing, ca: number): boolean {
  const cb = alignment.clauseToB[ca]!;
  if (cb === -1) return false;
  let [own, displaced] = [0, 0];
  for (const i of a.unitsOf[ca]!) {
    const j = alignment.toB[i]!;
    if (j === -1 || b.units[j]!.clause !== cb) continue;
    own += a.units[i]!.tokens.length;
    if (!order.kept[i]) displaced += a.units[i]!.tokens.length;
  }
  if (own === 0) return false;
  if (2 * displaced > own) return true;
  const [pa, pb] = [parentOf(a, ca), parentOf(b, cb)];
  const [partnerOfPa, partnerOfPb] = [pa === -1 ? -1 : alignment.clauseToB[pa]!, pb === -1 ? -1 : alignment.clauseToA[pb]!];
  // Both parents live on as other clauses; a level that was put in or taken out moves nothing. Under the same number nothing moved for a reader.
  return partnerOfPa !== -1 && partnerOfPb !== -1 && partnerOfPa !== pb && a.clauses[ca]!.path !== b.clauses[cb]!.path;
}

function subtree(side: Side, clause: number): Set<number> {
  const found = new Set([clause]);
  for (const at of found) for (const id of side.clauses[at]!.children) found.add(side.clauseIndex.get(id)!);
  return found;
}

function clauseMove(pairing: Pairing, ca: number, told: Set<number>): Draft[] {
  const { a, b, alignment, cuts } = pairing;
  const [treeA, treeB] = [subtree(a, ca), subtree(b, alignment.clauseToB[ca]!)];
  const units = [...treeA].flatMap((clause) => a.unitsOf[clause]!).toSorted((x, y) => x - y);
  const carried = increasing(
    units.filter((i) => !told.has(i) && alignment.toB[i] !== -1 && treeB.has(b.units[alignment.toB[i]!]!.clause)).map((i) => [i, alignment.toB[i]!]),
  );
  const [left, right]: [DraftPart[], DraftPart[]] = [[], []];
  const inside: Draft[] = [];
  for (const [i, j] of carried) {
    const [x, y] = [kept(a, i, cuts.a), kept(b, j, cuts.b)];
    told.add(i);
    if (a.units[i]!.clause === ca || sameTokens(x.tokens, y.tokens)) {
      left.push(x);
      right.push(y);
    } else inside.push({ kind: 'changed', a: [x], b: [y], clauseA: -1, clauseB: -1, term: null });
  }
  if (left.length === 0) return inside;
  const same = left.every((part, at) => sameTokens(part.tokens, right[at]!.tokens));
  return [{ kind: same ? 'moved' : 'movedChanged', a: left, b: right, clauseA: -1, clauseB: -1, term: null }, ...inside];
}

/** Longest run of pairs whose second numbers increase (patience, n log n). */
function increasing(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const tails: number[] = [];
  const previous = pairs.map(() => -1);
  pairs.forEach(([, j], at) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]![1] < j) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? tails[low - 1]! : -1;
    tails[low] = at;
  });
  const chain: (readonly [number, number])[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at]!) chain.push(pairs[at]!);
  return chain.toReversed();
}

function unitDrafts({ a, b, alignment, order, cuts }: Pairing, told: ReadonlySet<number>): Draft[] {
  const drafts: { kind: Draft['kind']; a: DraftPart[]; b: DraftPart[]; open: boolean }[] = [];
  for (const unit of a.units) {
    const j = alignment.toB[unit.index]!;
    if (j === -1 || told.has(unit.index)) continue;
    const [left, right] = [kept(a, unit.index, cuts.a), kept(b, j, cuts.b)];
    const same = sameTokens(left.tokens, right.tokens);
    const moved = !order.kept[unit.index] || changedHome(a, b, alignment, unit.index, j);
    if (same && (!moved || order.recurring[unit.index])) continue;
    const last = drafts.at(-1);
    // A moved run of neighbours is one move.
    const follows = last?.open === true && last.a.at(-1)!.unit.index === unit.index - 1 && last.b.at(-1)!.unit.index === j - 1;
    if (same && follows) {
      last.a.push(left);
      last.b.push(right);
    } else drafts.push({ kind: same ? 'moved' : moved ? 'movedChanged' : 'changed', a: [left], b: [right], open: same });
  }
  return drafts.map(({ kind, a: x, b: y }) => ({ kind, a: x, b: y, clauseA: -1, clauseB: -1, term: null }));
}

/** The unit kept its place in the order but stands in another clause now, while its old clause lives on elsewhere. */
function changedHome(a: Side, b: Side, alignment: Alignment, i: number, j: number): boolean {
  const [ca, cb] = [a.units[i]!.clause, b.units[j]!.clause];
  if (ca === -1 || cb === -1 || alignment.clauseToB[ca] === -1 || alignment.clauseToA[cb] === -1 || alignment.clauseToB[ca] === cb) return false;
  // Where a clause without a number ends is a reading of the parser, not a word of the contract.
  return a.clauses[ca]!.number !== '' && b.clauses[cb]!.number !== '';
}
