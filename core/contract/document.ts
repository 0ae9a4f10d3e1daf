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
    /** Mean confidence of the recognised words, 0 to 1; null where nothing was recognised. */
    confidence: z.number().min(0).max(1).nullable(),
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
/** How a text that the file holds is kept from a reader's eyes: drawn without ink, in the colour of its ground, below about 1 point, outside the page, under a fill, or by Word's `vanish`. */
export const HIDINGS = ['invisible', 'white', 'tiny', 'offPage', 'covered', 'vanish'] as const;
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
    /** For kind `tableCell`: its table, first row and column from 0, how many of each it covers, and whether it stands in a header row. */
    cell: z
      .object({
        table: z.string(),
        row: z.number().int(),
        column: z.number().int(),
        rowSpan: z.number().int().min(1),
        columnSpan: z.number().int().min(1),
        header: z.boolean(),
      })
      .readonly()
      .nullable(),
    /** Why a reader of the page does not see this text; null for text in plain sight. */
    hidden: z.enum(HIDINGS).nullable(),
  })
  .readonly();
export type Block = z.infer<typeof BlockSchema>;

/** Whether the block is content of the document: neither furniture nor hidden. Only content is cut into clauses, compared, and read by models. */
export const isContent = (block: Block): boolean => block.kind !== 'furniture' && block.hidden === null;

/** A table; its cells are the blocks that name it, row by row. One over a page break is one table with a place on each page. */
export const TableSchema = z
  .object({
    id: z.string(),
    rows: z.number().int(),
    columns: z.number().int(),
    places: z.array(PlaceSchema).readonly(),
    /** Block of kind `caption`. */
    captionId: z.string().nullable(),
  })
  .readonly();
export type Table = z.infer<typeof TableSchema>;

/** A footnote or endnote: its mark in the text and the blocks that hold it. */
export const NoteSchema = z.object({ kind: z.enum(['footnote', 'endnote']), mark: SpanSchema, blockIds: z.array(z.string()).readonly() }).readonly();
export type Note = z.infer<typeof NoteSchema>;

export const CommentSchema = z
  .object({
    id: z.string(),
    author: z.string(),
    /** ISO 8601 as the file has it; null where it has none. */
    date: z.string().nullable(),
    text: z.string(),
    /** What the comment is about; null when it hangs on no text. */
    span: SpanSchema.nullable(),
    /** The comment that this one answers. */
    parentId: z.string().nullable(),
    resolved: z.boolean(),
  })
  .readonly();
export type Comment = z.infer<typeof CommentSchema>;

/** `accepted` reads tracked changes as agreed, `original` as never made, `both` keeps inserted and deleted text side by side. */
export const VIEWS = ['accepted', 'original', 'both'] as const;
export type View = (typeof VIEWS)[number];

export const RevisionSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['insert', 'delete', 'moveFrom', 'moveTo', 'format']),
    author: z.string(),
    date: z.string().nullable(),
    text: z.string(),
    /** Where the text stands in this view; empty, at the place it stood, in a view that leaves it out; null when nothing near it is left. */
    span: SpanSchema.nullable(),
  })
  .readonly();
export type Revision = z.infer<typeof RevisionSchema>;

/** The 41 kinds of provision of CUAD v1 (Hendrycks et al. 2021) in its order, then general ones that every long agreement has. */
export const CLAUSE_TYPES = [
  'documentName',
  'parties',
  'agreementDate',
  'effectiveDate',
  'expirationDate',
  'renewalTerm',
  'renewalNotice',
  'governingLaw',
  'mostFavoredNation',
  'nonCompete',
  'exclusivity',
  'noSolicitCustomers',
  'competitiveRestrictionException',
  'noSolicitEmployees',
  'nonDisparagement',
  'terminationForConvenience',
  'rightOfFirstRefusal',
  'changeOfControl',
  'antiAssignment',
  'revenueSharing',
  'priceRestriction',
  'minimumCommitment',
  'volumeRestriction',
  'ipOwnershipAssignment',
  'jointIpOwnership',
  'licenseGrant',
  'nonTransferableLicense',
  'affiliateLicenseLicensor',
  'affiliateLicenseLicensee',
  'unlimitedLicense',
  'irrevocableLicense',
  'sourceCodeEscrow',
  'postTerminationServices',
  'auditRights',
  'uncappedLiability',
  'capOnLiability',
  'liquidatedDamages',
  'warrantyDuration',
  'insurance',
  'covenantNotToSue',
  'thirdPartyBeneficiary',
  'definitions',
  'confidentiality',
  'dataProtection',
  'payment',
  'taxes',
  'representations',
  'indemnification',
  'limitationOfLiability',
  'termAndTermination',
  'forceMajeure',
  'disputeResolution',
  'notices',
  'amendment',
  'waiver',
  'severability',
  'entireAgreement',
  'counterparts',
  'survival',
  'relationship',
  'compliance',
  'publicity',
  'signature',
] as const;
export type ClauseType = (typeof CLAUSE_TYPES)[number];

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
    /** What the clause is about, by rule; null when no rule is sure. */
    type: z.enum(CLAUSE_TYPES).nullable(),
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

/** A part bound behind the agreement: "Exhibit A", "Schedule 2", 附件一. */
export const ExhibitSchema = z
  .object({
    /** As cited: "Exhibit A". */
    label: z.string(),
    title: z.string(),
    clauseId: z.string().nullable(),
    span: SpanSchema,
  })
  .readonly();
export type Exhibit = z.infer<typeof ExhibitSchema>;

/** A file inside the file (an e-mail's attachment); it becomes a document of its own. */
export const AttachmentSchema = z.object({ name: z.string(), bytes: z.number().int() }).readonly();
export type Attachment = z.infer<typeof AttachmentSchema>;

export const WarningSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    page: z.number().int().nullable(),
    /** The text that it is about, where it is about one place. */
    span: SpanSchema.optional(),
  })
  .readonly();
export type Warning = z.infer<typeof WarningSchema>;

export const DOCUMENT_KINDS = ['pdf', 'docx', 'text', 'html', 'eml'] as const;
export const DocumentSchema = z
  .object({
    version: z.number().int(),
    /** sha256 of the file's bytes, hex. */
    id: z.string(),
    name: z.string(),
    kind: z.enum(DOCUMENT_KINDS),
    /** BCP 47 guess: "en", "zh", ... */
    language: z.string(),
    /** How tracked changes were read. */
    view: z.enum(VIEWS),
    pages: z.array(PageSchema).readonly(),
    blocks: z.array(BlockSchema).readonly(),
    tables: z.array(TableSchema).readonly(),
    notes: z.array(NoteSchema).readonly(),
    comments: z.array(CommentSchema).readonly(),
    revisions: z.array(RevisionSchema).readonly(),
    attachments: z.array(AttachmentSchema).readonly(),
    clauses: z.array(ClauseSchema).readonly(),
    definitions: z.array(DefinitionSchema).readonly(),
    references: z.array(ReferenceSchema).readonly(),
    exhibits: z.array(ExhibitSchema).readonly(),
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
