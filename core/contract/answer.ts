// What a question returns: quoted evidence with places, an optional short value, an optional written answer with checked citations.
// Rule: `verified` is only ever set by code that found the quote literally (after normalisation) in the document at that place.
import { z } from 'zod';
import { SpanSchema, PlaceSchema } from './document.ts';

export const EvidenceSchema = z
  .object({
    /** Number of the citation, from 1. */
    n: z.number().int(),
    documentId: z.string(),
    documentName: z.string(),
    quote: z.string(),
    spans: z.array(SpanSchema).readonly(),
    places: z.array(PlaceSchema).readonly(),
    pageLabel: z.string(),
    /** Clause path and heading: "8.2 Limitation of Liability". */
    path: z.string(),
    heading: z.string(),
    /** 0..1: 1 - P(none) of the Reader's window, or the rank score of retrieval. */
    score: z.number(),
    /** Who pointed at it. Agreement of several raises its place in the list. */
    sources: z.array(z.enum(['reader', 'retrieval', 'extractor'])).readonly(),
    state: z.enum(['verified', 'repaired', 'unverified']),
  })
  .readonly();
export type Evidence = z.infer<typeof EvidenceSchema>;

export const CoverageSchema = z
  .object({
    documents: z.number().int(),
    pages: z.number().int(),
    pagesRead: z.number().int(),
    ocrPages: z.number().int(),
    windows: z.number().int(),
    windowsRead: z.number().int(),
    tokens: z.number().int(),
  })
  .readonly();
export type Coverage = z.infer<typeof CoverageSchema>;

export const SentenceSchema = z
  .object({
    text: z.string(),
    citations: z.array(z.number().int()).readonly(),
    /** supported: literal checks and the Reader agree; contradicted: the Reader says so; unsupported: a check failed. */
    state: z.enum(['supported', 'unsupported', 'contradicted', 'uncited']),
    reason: z.string(),
  })
  .readonly();

export const AnswerSchema = z
  .object({
    id: z.string(),
    question: z.string(),
    documentIds: z.array(z.string()).readonly(),
    /** found: evidence stands below; absent: the absence rule held; uncertain: neither, nearest places are given; cut: it was stopped. */
    verdict: z.enum(['found', 'absent', 'uncertain', 'cut']),
    /** One sentence for a person that says what the verdict rests on. */
    reason: z.string(),
    /** Short value that stands literally in the evidence ("California", "30 days"); null if there is none. */
    value: z.string().nullable(),
    evidence: z.array(EvidenceSchema).readonly(),
    /** The Writer's answer, sentence by sentence; empty without a Writer. */
    prose: z.array(SentenceSchema).readonly(),
    coverage: CoverageSchema,
    model: z.object({ reader: z.string(), writer: z.string().nullable() }).readonly(),
    ms: z.number(),
  })
  .readonly();
export type Answer = z.infer<typeof AnswerSchema>;
