// What a comparison of two documents says. `before` is the older side, `after` the newer.
// Rule: exchanging the sides mirrors the result (inserted <-> deleted, before <-> after); identical documents give no changes.
import { z } from 'zod';
import { SpanSchema } from './document.ts';

/** A run of a word diff. `equal` and `delete` text stands in before, `equal` and `insert` text in after. */
export const DiffPartSchema = z.object({ op: z.enum(['equal', 'insert', 'delete']), text: z.string() }).readonly();
export type DiffPart = z.infer<typeof DiffPartSchema>;

export const CHANGE_KINDS = ['inserted', 'deleted', 'changed', 'moved', 'movedChanged', 'renumbered', 'split', 'merged'] as const;
export const CHANGE_TOPICS = ['amount', 'date', 'period', 'party', 'definedTerm', 'modal', 'negation', 'crossReference', 'law', 'wording'] as const;

export const SEVERITIES = ['high', 'medium', 'low'] as const;

export const ChangeSideSchema = z
  .object({
    clauseIds: z.array(z.string()).readonly(),
    /** As cited: "12.3(b)". */
    path: z.string(),
    heading: z.string(),
    text: z.string(),
    spans: z.array(SpanSchema).readonly(),
  })
  .readonly();

export const ChangeSchema = z
  .object({
    id: z.string(),
    kind: z.enum(CHANGE_KINDS),
    /** Null for insertions. */
    before: ChangeSideSchema.nullable(),
    /** Null for deletions. */
    after: ChangeSideSchema.nullable(),
    /** Word diff of the pair; for inserted and deleted one part; empty for a pure move or renumbering. */
    diff: z.array(DiffPartSchema).readonly(),
    /** What the differing words concern; explains `severity`. */
    topics: z.array(z.enum(CHANGE_TOPICS)).readonly(),
    severity: z.enum(SEVERITIES),
    reason: z.string(),
    /** Group that tells this change together with others; null for a change that is told alone. */
    groupId: z.string().nullable(),
  })
  .readonly();
export type Change = z.infer<typeof ChangeSchema>;

/**
 * One edit that shows at many places and is told once. `rename`: a term or a name that reads otherwise throughout; `references`: cross-references
 * that only follow new numbers; `renumbering`: neighbouring clauses that all moved on by the same count.
 */
export const GROUP_KINDS = ['rename', 'references', 'renumbering'] as const;
export const ChangeGroupSchema = z
  .object({
    id: z.string(),
    kind: z.enum(GROUP_KINDS),
    /** The name before and after, or the first and last number of the run ("6 to 12"); "" for references. */
    before: z.string(),
    after: z.string(),
    /** Changes that say nothing but this. */
    changeIds: z.array(z.string()).readonly(),
    /** How often it shows in all, places inside other changes included. */
    places: z.number().int(),
    severity: z.enum(SEVERITIES),
    reason: z.string(),
  })
  .readonly();
export type ChangeGroup = z.infer<typeof ChangeGroupSchema>;

export const ComparisonSchema = z
  .object({
    beforeId: z.string(),
    afterId: z.string(),
    /** In the order of the newer document; deletions at the place they had. */
    changes: z.array(ChangeSchema).readonly(),
    groups: z.array(ChangeGroupSchema).readonly(),
    /** What a reader has to know of the reading itself: "Four words differ only as a scan is misread". */
    notes: z.array(z.string()).readonly(),
    /** Every clause pair that was aligned, changed or not: drives synchronised scrolling. */
    pairs: z.array(z.object({ beforeId: z.string(), afterId: z.string() }).readonly()).readonly(),
    counts: z.record(z.enum(CHANGE_KINDS), z.number().int()),
    unchangedClauses: z.number().int(),
    ms: z.number(),
  })
  .readonly();
export type Comparison = z.infer<typeof ComparisonSchema>;

/** What a reader is told: changes in their order; those of a group stand once, at the first of them. */
export type Entry = { readonly change: Change } | { readonly group: ChangeGroup; readonly changes: readonly Change[] };

export function entriesOf({ changes, groups }: Pick<Comparison, 'changes' | 'groups'>): Entry[] {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const members = Map.groupBy(changes, ({ groupId }) => groupId);
  return changes.flatMap((change): Entry[] => {
    const group = change.groupId === null ? undefined : byId.get(change.groupId);
    if (group === undefined) return [{ change }];
    const own = members.get(group.id)!;
    return own[0] === change ? [{ group, changes: own }] : [];
  });
}
