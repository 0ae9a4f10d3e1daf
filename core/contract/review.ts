// Findings of the linter: deterministic, each with a rule id that has a page in the documentation.
import { z } from 'zod';
import { SpanSchema } from './document.ts';

export const RULE_IDS = [
  'undefined-term',
  'unused-definition',
  'duplicate-definition',
  'term-capitalisation',
  'broken-reference',
  'reference-heading',
  'missing-exhibit',
  'unreferenced-exhibit',
  'numbering-gap',
  'numbering-duplicate',
  'amount-mismatch',
  'impossible-date',
  'date-conflict',
  'party-name',
  'conflicting-law',
  'conflicting-notice',
  'placeholder',
  'hidden-text',
  'injected-instruction',
  'hidden-character',
  'unbalanced-mark',
  'repeated-word',
  'comment-left',
  'tracked-change-left',
] as const;
export type RuleId = (typeof RULE_IDS)[number];

/** The text that takes the place of a span, where only one correction is possible. */
export const FixSchema = z.object({ span: SpanSchema, text: z.string() }).readonly();
export type Fix = z.infer<typeof FixSchema>;

export const FindingSchema = z
  .object({
    id: z.string(),
    rule: z.enum(RULE_IDS),
    severity: z.enum(['error', 'warning', 'info']),
    message: z.string(),
    span: SpanSchema,
    /** Other places that the message speaks of: the first definition, the other date. */
    related: z.array(SpanSchema).readonly(),
    /** Null where more than one correction is possible. */
    fix: FixSchema.nullable(),
    /** Path of the clause it stands in. */
    path: z.string(),
    page: z.number().int(),
    quote: z.string(),
  })
  .readonly();
export type Finding = z.infer<typeof FindingSchema>;
