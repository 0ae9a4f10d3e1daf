// The two columns of the side-by-side view as plain rows, and how a place in one corresponds to a place in the other.
//
// Owns: which change a clause carries on which side, and the anchors of synchronised scrolling.
// Rule: only pairs that stand in the same order on both sides are anchors; a clause that moved would throw the other column to and fro.
import type { Change, Comparison } from '../../../core/contract/comparison.ts';
import type { Document } from '../../../core/contract/document.ts';
import { clauseText } from '../../store/places.ts';

export type Side = 'before' | 'after';

export interface SideRow {
  readonly clauseId: string;
  readonly depth: number;
  readonly text: string;
  readonly change: Change | null;
  /** Clauses after the first of a change that covers several (split, merged): the first shows the text of all. */
  readonly continued: boolean;
}

export function sideRows(document: Document, comparison: Comparison, side: Side): readonly SideRow[] {
  const changes = new Map<string, { change: Change; first: boolean }>();
  for (const change of comparison.changes) change[side]?.clauseIds.forEach((id, at) => changes.set(id, { change, first: at === 0 }));
  return document.clauses
    .filter((clause) => clause.spans.length > 0)
    .map((clause) => {
      const found = changes.get(clause.id);
      return {
        clauseId: clause.id,
        depth: clause.depth,
        text: clauseText(document, clause),
        change: found?.change ?? null,
        continued: found !== undefined && !found.first,
      };
    });
}

/** Pairs in the same order on both sides: a longest increasing run of the newer side's positions (patience, n log n). */
export function anchors(
  comparison: Comparison,
  before: readonly SideRow[],
  after: readonly SideRow[],
): readonly { readonly before: number; readonly after: number }[] {
  const beforeAt = new Map(before.map((row, at) => [row.clauseId, at]));
  const afterAt = new Map(after.map((row, at) => [row.clauseId, at]));
  const pairs = comparison.pairs
    .map((pair) => ({ before: beforeAt.get(pair.beforeId), after: afterAt.get(pair.afterId) }))
    .filter((pair): pair is { before: number; after: number } => pair.before !== undefined && pair.after !== undefined)
    .sort((a, b) => a.before - b.before || b.after - a.after);
  const tails: number[] = [];
  const previous = pairs.map(() => -1);
  pairs.forEach((pair, at) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]!.after < pair.after) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? tails[low - 1]! : -1;
    tails[low] = at;
  });
  const chain = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at]!) chain.push(pairs[at]!);
  return chain.reverse();
}

/** The height in the other column that corresponds to `y`: between two anchors in proportion. Both lists ascend and have one length. */
export function correspond(y: number, from: readonly number[], to: readonly number[]): number {
  let low = 0;
  let high = from.length - 1;
  if (high < 0) return y;
  if (y <= from[0]!) return Math.max(0, to[0]! - (from[0]! - y));
  if (y >= from[high]!) return to[high]! + (y - from[high]!);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle]! <= y) low = middle;
    else high = middle;
  }
  const part = (y - from[low]!) / Math.max(1, from[high]! - from[low]!);
  return to[low]! + part * (to[high]! - to[low]!);
}
