// Which matched units kept their order and which were moved.
//
// Method: the heaviest increasing subsequence of the pairs (weight: words of the unit) is what stayed; every other pair was moved. This is the
// longest increasing subsequence with weights, by a Fenwick tree of prefix maxima in O(n log n), so a small piece is said to have moved past a
// large one and not the reverse.
import { link, type Alignment } from './alignment.ts';
import type { Side } from './units.ts';

export interface Order {
  /** True for each unit of the first side whose pair kept its order. */
  readonly kept: readonly boolean[];
  /** True for each unit of the first side whose words recur: nobody can say which of the copies moved. */
  readonly recurring: readonly boolean[];
  /** For each unit of the first side: the second side's unit of the last kept pair before it, and of the first one after it. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/** Of two explanations with about as many words a reader takes the one with fewer moved paragraphs: each counts as a dozen words more. */
const UNIT_WEIGHT = 12;

export function findOrder(a: Side, b: Side, alignment: Alignment): Order {
  const recurring = findRecurring(a, b);
  const first = heaviestIncreasing(a, b, alignment);
  const changed = rematchRecurring(a, b, alignment, first, recurring);
  const kept = changed ? heaviestIncreasing(a, b, alignment) : first;
  return { kept, recurring, ...neighbours(a, b, alignment, kept) };
}

function heaviestIncreasing(a: Side, b: Side, alignment: Alignment): boolean[] {
  const size = b.units.length;
  const bestAt = new Float64Array(size + 1);
  const unitAt = new Int32Array(size + 1).fill(-1);
  const total = new Float64Array(a.units.length);
  const from = new Int32Array(a.units.length).fill(-1);
  let [last, most] = [-1, 0];
  for (let i = 0; i < a.units.length; i++) {
    const j = alignment.toB[i]!;
    if (j === -1) continue;
    let [best, unit] = [0, -1];
    for (let k = j; k > 0; k -= k & -k) if (bestAt[k]! > best) [best, unit] = [bestAt[k]!, unitAt[k]!];
    total[i] = best + UNIT_WEIGHT + a.units[i]!.tokens.length;
    from[i] = unit;
    for (let k = j + 1; k <= size; k += k & -k) {
      if (total[i]! > bestAt[k]!) {
        bestAt[k] = total[i]!;
        unitAt[k] = i;
      }
    }
    if (total[i]! > most) [last, most] = [i, total[i]!];
  }
  const kept = a.units.map(() => false);
  for (let i = last; i !== -1; i = from[i]!) kept[i] = true;
  return kept;
}

/** From three copies in both documents on, text recurs (a running foot, a legend); so does short text from three copies in all. */
const COPIES = 3;
/** A repeated text of 12 words or more is worth following wherever it went, unless it recurs. */
const SHORT = 12;

function findRecurring(a: Side, b: Side): boolean[] {
  const count = (side: Side): Map<string, number> => {
    const copies = new Map<string, number>();
    for (const { key } of side.units) copies.set(key, (copies.get(key) ?? 0) + 1);
    return copies;
  };
  const [left, right] = [count(a), count(b)];
  return a.units.map(({ key, tokens }) => {
    const [x, y] = [left.get(key) ?? 0, right.get(key) ?? 0];
    return Math.min(x, y) >= COPIES || (tokens.length < SHORT && x + y >= COPIES && Math.min(x, y) > 0);
  });
}

/** Recurring texts ("Yes", "[Reserved]") that were paired across the order are paired anew between the same kept neighbours, where there is one. */
function rematchRecurring(a: Side, b: Side, alignment: Alignment, kept: readonly boolean[], recurring: readonly boolean[]): boolean {
  const freed = new Map<number, number>();
  for (let i = 0; i < a.units.length; i++) {
    const j = alignment.toB[i]!;
    if (j === -1 || kept[i] || !recurring[i] || a.units[i]!.key !== b.units[j]!.key) continue;
    // Text that its clause took along stays with it.
    const [ca, cb] = [a.units[i]!.clause, b.units[j]!.clause];
    if (ca !== -1 && alignment.clauseToB[ca] === cb) continue;
    alignment.toB[i] = -1;
    alignment.toA[j] = -1;
    freed.set(i, j);
  }
  if (freed.size === 0) return false;
  const around = neighbours(a, b, alignment, kept);
  for (const i of freed.keys()) {
    for (let j = Math.max(0, around.previous[i]! + 1); j < around.next[i]!; j++) {
      if (alignment.toA[j] !== -1 || a.units[i]!.key !== b.units[j]!.key) continue;
      link(alignment, i, j);
      break;
    }
  }
  // The others are the same text somewhere else, which is told by nobody.
  const free = Map.groupBy(
    [...freed.values()].filter((j) => alignment.toA[j] === -1),
    (j) => b.units[j]!.key,
  );
  for (const i of freed.keys()) {
    const j = alignment.toB[i] === -1 ? free.get(a.units[i]!.key)?.shift() : undefined;
    if (j !== undefined) link(alignment, i, j);
  }
  return true;
}

function neighbours(a: Side, b: Side, alignment: Alignment, kept: readonly boolean[]): Pick<Order, 'previous' | 'next'> {
  const previous = new Int32Array(a.units.length);
  const next = new Int32Array(a.units.length);
  let at = -1;
  for (let i = 0; i < a.units.length; i++) {
    previous[i] = at;
    if (kept[i]) at = alignment.toB[i]!;
  }
  at = b.units.length;
  for (let i = a.units.length - 1; i >= 0; i--) {
    next[i] = at;
    if (kept[i]) at = alignment.toB[i]!;
  }
  return { previous, next };
}
