import { expect, it } from 'vitest';
import * as fc from 'fast-check';
import { diffNumbers } from './myers.ts';

function apply(a: readonly number[], b: readonly number[]): number[] {
  const out: number[] = [];
  let at = 0;
  for (const hunk of diffNumbers(a, b)) {
    out.push(...a.slice(at, hunk.a0), ...b.slice(hunk.b0, hunk.b1));
    at = hunk.a1;
  }
  return [...out, ...a.slice(at)];
}

/** Length of the longest common subsequence by the quadratic table, the definition. */
function common(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)));
    row = next;
  }
  return row.at(-1)!;
}

const numbers = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 });

it('turns the first array into the second with a shortest script', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      expect(apply(a, b)).toEqual(b);
      const edits = diffNumbers(a, b).reduce((sum, hunk) => sum + hunk.a1 - hunk.a0 + hunk.b1 - hunk.b0, 0);
      expect(edits).toBe(a.length + b.length - 2 * common(a, b));
    }),
    { numRuns: 500 },
  );
});

it('gives no hunks for equal arrays and one for arrays without anything in common', () => {
  expect(diffNumbers([1, 2, 3], [1, 2, 3])).toEqual([]);
  expect(diffNumbers([1, 2], [3, 4, 5])).toEqual([{ a0: 0, a1: 2, b0: 0, b1: 3 }]);
  expect(diffNumbers([], [])).toEqual([]);
});
