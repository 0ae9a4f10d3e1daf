// The same clause in every contract, side by side, against a baseline.
// Rule: a row has one cell for each document, in the order of `documents`; null says that the document has no such clause.
import { z } from 'zod';
import { CHANGE_TOPICS, DiffPartSchema, SEVERITIES } from './comparison.ts';
import { CLAUSE_TYPES, SpanSchema } from './document.ts';

/** `same`: the baseline's words; `edited`: its words with differences; `own`: other words on the same matter; `extra`: the baseline has no such clause. */
export const DEVIATIONS = ['baseline', 'same', 'edited', 'own', 'extra'] as const;

export const ClauseCellSchema = z
  .object({
    clauseId: z.string(),
    /** As cited: "12.3(b)". */
    path: z.string(),
    heading: z.string(),
    /** The clause with its sub-clauses, a paragraph a line. */
    text: z.string(),
    spans: z.array(SpanSchema).readonly(),
    deviation: z.enum(DEVIATIONS),
    /** How sure the pairing with the baseline is, 0 to 1; 1 for the baseline itself. */
    score: z.number(),
    /** Word diff from the baseline; empty unless `edited`. */
    diff: z.array(DiffPartSchema).readonly(),
    /** What differs from the baseline concerns; empty for `baseline`, `same` and `extra`. */
    topics: z.array(z.enum(CHANGE_TOPICS)).readonly(),
    severity: z.enum(SEVERITIES),
    reason: z.string(),
  })
  .readonly();
export type ClauseCell = z.infer<typeof ClauseCellSchema>;

export const ClauseRowSchema = z
  .object({
    /** Heading of the clause, in the baseline's words where it has one. */
    label: z.string(),
    type: z.enum(CLAUSE_TYPES).nullable(),
    /** Depth of the clause in the document that the label comes from. */
    depth: z.number().int(),
    cells: z.array(ClauseCellSchema.nullable()).readonly(),
  })
  .readonly();
export type ClauseRow = z.infer<typeof ClauseRowSchema>;

export const ClauseTableSchema = z
  .object({
    baselineId: z.string(),
    documents: z.array(z.object({ id: z.string(), name: z.string() }).readonly()).readonly(),
    /** In the order of the baseline; then clauses that it lacks, in the order of the documents that have them. */
    rows: z.array(ClauseRowSchema).readonly(),
    ms: z.number(),
  })
  .readonly();
export type ClauseTable = z.infer<typeof ClauseTableSchema>;
