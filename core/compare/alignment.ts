// Which unit, and which clause, of one document stands for which of the other: the data that align.ts makes and all later steps read.
import type { Side } from './units.ts';

export interface Alignment {
  /** Unit of the second side for each unit of the first; -1 without one. And the reverse. */
  readonly toB: Int32Array;
  readonly toA: Int32Array;
  /** The same for clauses. */
  readonly clauseToB: Int32Array;
  readonly clauseToA: Int32Array;
}

export function emptyAlignment(a: Side, b: Side): Alignment {
  return {
    toB: new Int32Array(a.units.length).fill(-1),
    toA: new Int32Array(b.units.length).fill(-1),
    clauseToB: new Int32Array(a.clauses.length).fill(-1),
    clauseToA: new Int32Array(b.clauses.length).fill(-1),
  };
}

export function link(alignment: Alignment, i: number, j: number): void {
  alignment.toB[i] = j;
  alignment.toA[j] = i;
}
