// The structured summary of one document; `assets/schemas/summary.schema.json` is its published JSON Schema (generated, a test compares).
// Rule: every value stands in the document at its span; `not_found` (read, not there) is never confused with `not_read`.
import { z } from 'zod';
import { SpanSchema } from './document.ts';

export const FIELD_STATUSES = ['found', 'not_found', 'conflicting', 'not_read'] as const;

export const FieldValueSchema = z
  .object({
    /** As written in the document. */
    value: z.string(),
    /** ISO date (2024-05-01), ISO duration (P30D), currency and minor units (USD 1000000 = 10,000.00), or the value folded; null if none is certain. */
    normalized: z.string().nullable(),
    quote: z.string(),
    span: SpanSchema,
    page: z.number().int(),
    path: z.string(),
    /** Who gave it; two sources that agree raise the confidence, two that differ make the field conflicting. */
    sources: z.array(z.enum(['extractor', 'reader', 'writer'])).readonly(),
    /** 0..1 */
    confidence: z.number(),
  })
  .readonly();
export type FieldValue = z.infer<typeof FieldValueSchema>;

export const FieldSchema = z.object({ status: z.enum(FIELD_STATUSES), values: z.array(FieldValueSchema).readonly() }).readonly();
export type Field = z.infer<typeof FieldSchema>;

export const SUMMARY_FIELDS = [
  'title',
  'parties',
  'agreementDate',
  'effectiveDate',
  'expirationDate',
  'term',
  'renewal',
  'renewalNotice',
  'governingLaw',
  'jurisdiction',
  'amounts',
  'liabilityCap',
  'termination',
  'assignment',
  'confidentiality',
  'insurance',
  'audit',
  'nonCompete',
  'exclusivity',
  'license',
] as const;
export type SummaryField = (typeof SUMMARY_FIELDS)[number];

export const SummarySchema = z
  .object({
    schema: z.literal('codicil.summary/1'),
    documentId: z.string(),
    documentName: z.string(),
    language: z.string(),
    fields: z.record(z.enum(SUMMARY_FIELDS), FieldSchema),
    coverage: z.object({ pages: z.number().int(), pagesRead: z.number().int(), windows: z.number().int(), windowsRead: z.number().int() }).readonly(),
    model: z.string().nullable(),
    createdAt: z.string(),
  })
  .readonly();
export type Summary = z.infer<typeof SummarySchema>;
