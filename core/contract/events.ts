// What the workspace tells a window without being asked. Past tense; an event never makes something happen.
import { z } from 'zod';
import { DocumentSummarySchema } from './document.ts';
import { StatsSchema } from './stats.ts';

export const EventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('document.added'), document: DocumentSummarySchema }),
  z.object({ type: z.literal('document.removed'), documentId: z.string() }),
  /** The Reader's prefill of a document: windows done of all, 0 of n at its start. */
  z.object({ type: z.literal('document.read'), documentId: z.string(), windowsDone: z.number(), windowsTotal: z.number() }),
  z.object({ type: z.literal('answer.progressed'), id: z.string(), phase: z.enum(['reading', 'asking', 'writing']), done: z.number(), total: z.number() }),
  /** More prose of the Writer; at most one event per 16 ms and answer. */
  z.object({ type: z.literal('answer.written'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('stats.changed'), stats: StatsSchema }),
]);
export type WorkspaceEvent = z.infer<typeof EventSchema>;
