// The pieces that a change is made of, before it is told: runs of tokens of units on either side, and what was cut out of a unit because it is told elsewhere.
import type { Change } from '../contract/comparison.ts';
import type { Run } from './fragments.ts';
import type { Token } from './tokens.ts';
import type { Side, Unit } from './units.ts';

export interface DraftPart {
  readonly unit: Unit;
  readonly tokens: readonly Token[];
}

export interface Draft {
  readonly kind: Change['kind'];
  readonly a: readonly DraftPart[];
  readonly b: readonly DraftPart[];
  /** Clauses beyond those of the parts: for changes of numbers, where no text differs. */
  readonly clauseA: number;
  readonly clauseB: number;
  /** The term whose definition moved; null for every other change. */
  readonly term: string | null;
}

export interface Cuts {
  readonly a: Map<number, Run[]>;
  readonly b: Map<number, Run[]>;
}

export function partOf(side: Side, run: Run): DraftPart {
  const unit = side.units[run.unit]!;
  return { unit, tokens: unit.tokens.slice(run.from, run.to) };
}

export function kept(side: Side, index: number, cuts: ReadonlyMap<number, readonly Run[]>): DraftPart {
  const unit = side.units[index]!;
  const runs = cuts.get(index);
  if (runs === undefined) return { unit, tokens: unit.tokens };
  return { unit, tokens: unit.tokens.filter((_token, at) => !runs.some((run) => at >= run.from && at < run.to)) };
}

export function sameTokens(x: readonly Token[], y: readonly Token[]): boolean {
  return x.length === y.length && x.every((token, index) => token.id === y[index]!.id);
}

export function tokensOf(parts: readonly DraftPart[]): Token[] {
  // A part that begins inside its paragraph begins without a space; parts are set apart by one.
  return parts.flatMap((part, index) => part.tokens.map((token, at) => (at === 0 ? { ...token, spaced: index > 0 } : token)));
}

export function cut(cuts: Map<number, Run[]>, run: Run): void {
  const list = cuts.get(run.unit);
  if (list === undefined) cuts.set(run.unit, [run]);
  else list.push(run);
}
