// The document model: what every parser produces and everything else reads.
//
// Owns: pages, blocks, the clause tree, definitions, references, and the map from characters back to places on a page.
// Coordinates: PDF points (1/72 inch), origin at the top left of the page as displayed (after /Rotate), y downwards; said only here.
// Flow documents (DOCX, text) have no layout: their places have `box: null` and a page counted from rendered page breaks.
// Rule: flat arrays linked by id, plain readonly data; every span in the program is {documentId, blockId, start, end} in UTF-16 units of `block.text`.
import { z } from 'zod';

export const BoxSchema = z.object({ x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() }).readonly();
export type Box = z.infer<typeof BoxSchema>;

/** `page` is an index from 0 into `Document.pages`. */
export const PlaceSchema = z.object({ page: z.number().int().min(0), box: BoxSchema.nullable() }).readonly();
export type Place = z.infer<typeof PlaceSchema>;

export const SpanSchema = z.object({ documentId: z.string(), blockId: z.string(), start: z.number().int().min(0), end: z.number().int().min(0) }).readonly();
export type Span = z.infer<typeof SpanSchema>;

export const PageSchema = z
  .object({
    /** Width and height in points as displayed. */
    width: z.number(),
    height: z.number(),
    /** The label printed or declared for the page ("iv", "12"); its number from 1 where none is declared. */
    label: z.string(),
    source: z.enum(['digital', 'ocr', 'empty', 'flow']),
  })
  .readonly();
export type Page = z.infer<typeof PageSchema>;

/** One drawn line of a block: characters [start, end) of `block.text` stand in `box` on `page`. */
export const LineSchema = z
  .object({
    start: z.number().int(),
    end: z.number().int(),
    page: z.number().int(),
    box: BoxSchema,
    /** end - start + 1 edges in points along the writing direction: character i lies between edges[i] and edges[i + 1]. */
    edges: z.array(z.number()).readonly(),
    /** `x`: edges are x values left to right or right to left; `y`: the line is drawn vertically and edges are y values. */
    axis: z.enum(['x', 'y']),
  })
  .readonly();
export type Line = z.infer<typeof LineSchema>;

export const BLOCK_KINDS = [
  'heading',
  'paragraph',
  'listItem',
  'table',
  'tableCell',
  'footnote',
  'furniture',
  'signature',
  'caption',
  'formField',
  'annotation',
] as const;
export const BlockSchema = z
  .object({
    id: z.string(),
    kind: z.enum(BLOCK_KINDS),
    /** NFC, ligatures opened, soft and line-end hyphens resolved, one space between words. A printed or computed number is its beginning. */
    text: z.string(),
    at: z.array(PlaceSchema).readonly(),
    /** Empty for flow documents. */
    lines: z.array(LineSchema).readonly(),
    /** Number as printed or computed ("12.3", "(a)", "Article IV"), without the text; [0, number.length) of text holds it unless null. */
    number: z.string().nullable(),
    /** Heading depth from 1 where the source declares one (Word style, outline, tag); null otherwise. */
    level: z.number().int().nullable(),
    /** Left indent in points, evidence for nesting. */
    indent: z.number(),
    /** Font size in points, boldness and capitals as evidence for headings. */
    font: z.object({ size: z.number(), bold: z.boolean(), italic: z.boolean() }).readonly(),
    /** For kind `tableCell`: its table, row and column, from 0. */
    cell: z.object({ table: z.string(), row: z.number().int(), column: z.number().int() }).readonly().nullable(),
  })
  .readonly();
export type Block = z.infer<typeof BlockSchema>;

export const ClauseSchema = z
  .object({
    id: z.string(),
    /** Null for top clauses. */
    parentId: z.string().nullable(),
    /** Full path as a lawyer cites it: "12.3(b)(ii)", "Article IV", "Exhibit A 2"; "" for unnumbered text before the first number. */
    path: z.string(),
    /** The clause's own number as printed; "" if it has none. */
    number: z.string(),
    /** Heading without the number; "" if the clause has none. */
    heading: z.string(),
    /** Depth from 0. */
    depth: z.number().int(),
    /** The clause's own text, without its children: spans in reading order. */
    spans: z.array(SpanSchema).readonly(),
    children: z.array(z.string()).readonly(),
  })
  .readonly();
export type Clause = z.infer<typeof ClauseSchema>;

export const DefinitionSchema = z.object({ term: z.string(), span: SpanSchema, clauseId: z.string().nullable() }).readonly();
export type Definition = z.infer<typeof DefinitionSchema>;

export const ReferenceSchema = z
  .object({
    /** As written: "Section 12.3(b)", "Exhibit A". */
    text: z.string(),
    span: SpanSchema,
    /** Clause it points at; null when nothing in this document has that number. */
    targetId: z.string().nullable(),
  })
  .readonly();
export type Reference = z.infer<typeof ReferenceSchema>;

export const WarningSchema = z.object({ code: z.string(), message: z.string(), page: z.number().int().nullable() }).readonly();
export type Warning = z.infer<typeof WarningSchema>;

export const DOCUMENT_KINDS = ['pdf', 'docx', 'text'] as const;
export const DocumentSchema = z
  .object({
    version: z.number().int(),
    /** sha256 of the file's bytes, hex. */
    id: z.string(),
    name: z.string(),
    kind: z.enum(DOCUMENT_KINDS),
    /** BCP 47 guess: "en", "zh", ... */
    language: z.string(),
    pages: z.array(PageSchema).readonly(),
    blocks: z.array(BlockSchema).readonly(),
    clauses: z.array(ClauseSchema).readonly(),
    definitions: z.array(DefinitionSchema).readonly(),
    references: z.array(ReferenceSchema).readonly(),
    warnings: z.array(WarningSchema).readonly(),
    /** What was read: the base of every coverage receipt. */
    receipt: z
      .object({ pages: z.number().int(), pagesWithText: z.number().int(), ocrPages: z.number().int(), characters: z.number().int(), ms: z.number() })
      .readonly(),
  })
  .readonly();
export type Document = z.infer<typeof DocumentSchema>;

/** Row of the library: everything about a document but its content. */
export const DocumentSummarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(DOCUMENT_KINDS),
    bytes: z.number().int(),
    pages: z.number().int(),
    clauses: z.number().int(),
    addedAt: z.string(),
    warnings: z.array(WarningSchema).readonly(),
  })
  .readonly();
export type DocumentSummary = z.infer<typeof DocumentSummarySchema>;
