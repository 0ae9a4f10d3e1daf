// What a reader would call each of a set of generated edits, read off both written documents: which number differs, which text differs.
// Rule: a comparison is never asked; the truth has to be known without it.
import type { Written } from './outline.test-support.ts';

export const TRUTH_KINDS = ['inserted', 'deleted', 'changed', 'moved', 'movedChanged', 'renumbered', 'split', 'merged', 'references', 'rename'] as const;
export type TruthKind = (typeof TRUTH_KINDS)[number];

export interface Truth {
  readonly kind: TruthKind;
  /** Clauses that the edit touched, one by one or as a whole. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const lastNumber = (number: string): string =>
  number
    .replace(/^(?:Section|Article|Clause|Exhibit|Schedule|Annex)\s*/i, '')
    .split('.')
    .at(-1)!;

/** A moved clause whose words differ after all (a reference in it follows, a term in it was renamed) was moved and changed. */
export function settle(truths: readonly Truth[], before: Written, after: Written): Truth[] {
  return truths.map((truth) => {
    if (truth.kind !== 'moved') return truth;
    const [id] = truth.before as [string];
    return before.texts.get(id) === after.texts.get(id) ? truth : { ...truth, kind: 'movedChanged' };
  });
}

/** What follows from the edits in clauses that nobody edited: new numbers, references that follow them. */
export function followers(before: Written, after: Written, edits: readonly Truth[], renamed: ReadonlySet<string> | null): Truth[] {
  const told = new Set(edits.filter(({ kind }) => kind !== 'rename').flatMap((truth) => [...truth.before, ...truth.after]));
  // A clause from which another was split off, or that took another in, lives on and may have a new number besides.
  const heads = new Set(edits.flatMap((truth) => (truth.kind === 'split' ? truth.before : truth.kind === 'merged' ? truth.after : [])));
  return [...before.numbers].flatMap(([id, number]): Truth[] => {
    const other = after.numbers.get(id);
    if (other === undefined || (told.has(id) && !heads.has(id)) || renamed?.has(id) === true) return [];
    const one = { before: [id], after: [id] };
    if (!heads.has(id) && before.texts.get(id) !== after.texts.get(id)) return [{ kind: 'references', ...one }];
    // Without a word there is nothing to know the clause by but its number.
    if (!/\p{L}/u.test(before.texts.get(id) ?? '')) return [];
    return lastNumber(number) === lastNumber(other) ? [] : [{ kind: 'renumbered', ...one }];
  });
}
