// Which matched units kept their order and which were moved.
//
// Method: the heaviest increasing subsequence of the pairs (weight: words of the unit) is what stayed; every other pair was moved. This is the
// longest increasing subsequence with weights, by a Fenwick tree of prefix maxima in O(n log n), so a small piece is said to have moved past a
// large one and not the reverse.
import type { Alignment } from './alignment.ts';
import type { Side } from './units.ts';

export interface Order {
  /** True for each unit of the first side whose pair kept its order. */
  readonly kept: readonly boolean[];
  /** For each unit of the first side: the second side's unit of the last kept pair before it, and of the first one after it. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/** Of two explanations with about as many words a reader takes the one with fewer moved paragraphs: each counts as a dozen words more. */
const UNIT_WEIGHT = 12;

export function findOrder(a: Side, b: Side, alignment: Alignment): Order {
  const first = heaviestIncreasing(a, b, alignment);
  if (rematchRepeated(a, b, alignment, first)) return describe(a, b, alignment, heaviestIncreasing(a, b, alignment));
  return describe(a, b, alignment, first);
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

/** Repeated short texts ("Yes", "[Reserved]") that were paired across the order are paired anew between the same kept neighbours. */
function rematchRepeated(a: Side, b: Side, alignment: Alignment, kept: readonly boolean[]): boolean {
  const copies = new Map<string, number>();
  for (const unit of [...a.units, ...b.units]) copies.set(unit.key, (copies.get(unit.key) ?? 0) + 1);
  let changed = false;
  for (let i = 0; i < a.units.length; i++) {
    const j = alignment.toB[i]!;
    // Two copies are the pair itself; a repeated text of 12 words or more is worth following wherever it went.
    if (j === -1 || kept[i] || a.units[i]!.tokens.length >= 12 || copies.get(a.units[i]!.key)! <= 2 || a.units[i]!.key !== b.units[j]!.key) continue;
    // Text that its clause took along stays with it.
    const [ca, cb] = [a.units[i]!.clause, b.units[j]!.clause];
    if (ca !== -1 && alignment.clauseToB[ca] === cb) continue;
    alignment.toB[i] = -1;
    alignment.toA[j] = -1;
    changed = true;
  }
  if (!changed) return false;
  const order = describe(a, b, alignment, kept);
  for (let i = 0; i < a.units.length; i++) {
    if (alignment.toB[i] !== -1) continue;
    for (let j = Math.max(0, order.previous[i]! + 1); j < order.next[i]!; j++) {
      if (alignment.toA[j] !== -1 || a.units[i]!.key !== b.units[j]!.key) continue;
      alignment.toB[i] = j;
      alignment.toA[j] = i;
      break;
    }
  }
  return true;
}

function describe(a: Side, b: Side, alignment: Alignment, kept: readonly boolean[]): Order {
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
  return { kept, previous, next };
}
