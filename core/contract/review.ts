// Findings of the linter: deterministic, each with a rule id that has a page in the documentation.
import { z } from 'zod';
import { SpanSchema } from './document.ts';

export const RULE_IDS = [
  'undefined-term',
  'unused-definition',
  'duplicate-definition',
  'broken-reference',
  'missing-exhibit',
  'numbering-gap',
  'amount-mismatch',
  'placeholder',
] as const;
export const FindingSchema = z
  .object({
    id: z.string(),
    rule: z.enum(RULE_IDS),
    severity: z.enum(['error', 'warning', 'info']),
    message: z.string(),
    span: SpanSchema,
    /** Path of the clause it stands in. */
    path: z.string(),
    page: z.number().int(),
    quote: z.string(),
  })
  .readonly();
export type Finding = z.infer<typeof FindingSchema>;
