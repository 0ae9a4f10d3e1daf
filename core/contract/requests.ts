// Every request that a window (or a command) makes of the workspace: `noun.verb`, schema and type in one entry per route.
// The handler map of electron/workspace is typed exhaustively from this table; the renderer's port too.
import { z } from 'zod';
import { AnswerSchema } from './answer.ts';
import { ComparisonSchema } from './comparison.ts';
import { DocumentSchema, DocumentSummarySchema } from './document.ts';
import { FailureSchema } from './errors.ts';
import { FindingSchema } from './review.ts';
import { StatsSchema } from './stats.ts';
import { SummarySchema } from './summary.ts';

const documentId = z.object({ documentId: z.string() });
/** Bytes travel beside the JSON of a message (port.ts), never inside it. */
export const BytesSchema = z.instanceof(Uint8Array);

export const ModelEntrySchema = z
  .object({
    path: z.string(),
    name: z.string(),
    architecture: z.string(),
    bytes: z.number(),
    contextTokens: z.number(),
    license: z.string(),
    role: z.enum(['reader', 'writer', 'none']),
    shipped: z.boolean(),
    failure: FailureSchema.nullable(),
  })
  .readonly();
export type ModelEntry = z.infer<typeof ModelEntrySchema>;

export const StoreSchema = z
  .object({
    folder: z.string(),
    files: z.number(),
    bytes: z.number(),
    budgetBytes: z.number(),
    documents: z.array(z.object({ documentId: z.string(), name: z.string().nullable(), files: z.number(), bytes: z.number() })).readonly(),
  })
  .readonly();
export type Store = z.infer<typeof StoreSchema>;

export const ROUTES = {
  'library.list': { request: z.object({}), response: z.object({ documents: z.array(DocumentSummarySchema).readonly() }) },
  /** Stores a document that was parsed elsewhere (a web worker, a worker thread) with the bytes it came from; indexing starts at once. */
  'document.add': { request: z.object({ document: DocumentSchema, bytes: BytesSchema }), response: DocumentSummarySchema },
  'document.get': { request: documentId, response: DocumentSchema },
  'document.bytes': { request: documentId, response: z.object({ bytes: BytesSchema }) },
  'document.remove': { request: documentId, response: z.object({}) },
  'document.lint': { request: documentId, response: z.object({ findings: z.array(FindingSchema).readonly() }) },
  'comparison.run': { request: z.object({ beforeId: z.string(), afterId: z.string() }), response: ComparisonSchema },
  'summary.run': { request: documentId, response: SummarySchema },
  /** Progress and prose arrive as events with this id before the response. */
  'answer.ask': { request: z.object({ id: z.string(), question: z.string(), documentIds: z.array(z.string()) }), response: AnswerSchema },
  'answer.cancel': { request: z.object({ id: z.string() }), response: z.object({}) },
  'model.list': { request: z.object({}), response: z.object({ models: z.array(ModelEntrySchema).readonly() }) },
  'model.choose': { request: z.object({ path: z.string().nullable() }), response: z.object({ models: z.array(ModelEntrySchema).readonly() }) },
  /** What is kept on disk of what was read, of all models; `name` is null for what is no document of the library. */
  'store.show': { request: z.object({}), response: StoreSchema },
  /** Deletes what is kept of these documents, or of all; they are read again when they are asked about. */
  'store.clear': { request: z.object({ documentIds: z.array(z.string()).optional() }), response: z.object({ files: z.number(), bytes: z.number() }) },
  /** The most bytes that may be kept; holds from the next start of the engine. */
  'store.limit': { request: z.object({ bytes: z.number().int().positive() }), response: StoreSchema },
  'engine.stats': { request: z.object({}), response: StatsSchema },
} as const;

export type Route = keyof typeof ROUTES;
export type RequestOf<R extends Route> = z.infer<(typeof ROUTES)[R]['request']>;
export type ResponseOf<R extends Route> = z.infer<(typeof ROUTES)[R]['response']>;
export type Handlers = { readonly [R in Route]: (request: RequestOf<R>) => Promise<ResponseOf<R>> };
