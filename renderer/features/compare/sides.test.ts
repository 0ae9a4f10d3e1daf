import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../../core/contract/comparison.ts';
import { anchors, correspond, type SideRow } from './sides.ts';

const rows = (ids: string): readonly SideRow[] => [...ids].map((clauseId) => ({ clauseId, depth: 0, text: '', change: null, continued: false }));
const comparison = (pairs: readonly string[]): Comparison => ({
  beforeId: 'x',
  afterId: 'y',
  changes: [],
  groups: [],
  notes: [],
  unchangedClauses: 0,
  ms: 0,
  pairs: pairs.map((pair) => ({ beforeId: pair[0]!, afterId: pair[1]! })),
  counts: { inserted: 0, deleted: 0, changed: 0, moved: 0, movedChanged: 0, renumbered: 0, split: 0, merged: 0 },
});

describe('synchronised scrolling', () => {
  it('leaves a clause that moved out of the anchors', () => {
    const found = anchors(comparison(['aA', 'bB', 'cC', 'dD']), rows('abcd'), rows('BCDA'));
    expect(found).toEqual([
      { before: 1, after: 0 },
      { before: 2, after: 1 },
      { before: 3, after: 2 },
    ]);
  });

  it('takes one anchor for a clause that was split', () => {
    const found = anchors(comparison(['aA', 'aB', 'bC']), rows('ab'), rows('ABC'));
    expect(found.map((pair) => pair.before)).toEqual([...new Set(found.map((pair) => pair.before))]);
    expect(found.at(-1)).toEqual({ before: 1, after: 2 });
  });

  it('goes from one column to the other and back to the same height', () => {
    const left = [0, 100, 300, 350];
    const right = [0, 240, 260, 600];
    for (const y of [0, 1, 99, 100, 250, 349, 350, 420]) expect(correspond(correspond(y, left, right), right, left)).toBeCloseTo(y, 6);
  });

  it('stays where it is when nothing corresponds', () => {
    expect(correspond(123, [], [])).toBe(123);
  });
});
