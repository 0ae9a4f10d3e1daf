// What a rule on the wording of a provision is, and the two pieces of expressions that all rules are written with.
//
// Rule: `says` must be enough wherever it stands; `weak` only counts below a heading of the type; `not` takes a sentence out of both.
import type { ClauseType } from '../contract/document.ts';

export interface TypeRule {
  readonly type: ClauseType;
  readonly heading?: RegExp;
  /** One of these stands in every text that `says` can match: looked for first, because it is twenty times as fast. */
  readonly cues?: readonly string[];
  readonly says?: RegExp;
  readonly weak?: RegExp;
  readonly not?: RegExp;
}

/** Words inside one sentence, up to `count` characters of it. */
export const gap = (count: number): string => String.raw`[^.;。；]{0,${count}}`;
export const rx = (source: string): RegExp => new RegExp(source, 'i');
