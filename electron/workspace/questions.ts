// Questions and summaries: the seam to core/ask. Joins documents, Reader, Writer and the index; makes progress into events.
//
// Owns: which questions are running, cancelling them, and at most one event of prose per 16 ms.
// Without a Reader an answer is made of retrieval alone and says so: nothing is then called found or absent.
import { answerQuestion } from '../../core/ask/answer.ts';
import { ClauseIndex } from '../../core/ask/clauseSearch.ts';
import { Candidates, SentenceIndex, toEvidence, type SearchHit } from '../../core/ask/evidence.ts';
import { fuse, hitsOf, narrowed } from '../../core/ask/fusion.ts';
import type { Reader } from '../../core/ask/reader.ts';
import { summarizeDocument } from '../../core/ask/summary.ts';
import type { Answer } from '../../core/contract/answer.ts';
import type { Document } from '../../core/contract/document.ts';
import type { EngineModel } from '../../core/contract/engine.ts';
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import type { WorkspaceEvent } from '../../core/contract/events.ts';
import type { Summary } from '../../core/contract/summary.ts';
import { readerWordings } from './models.ts';

export interface QuestionParts {
  readonly reader: () => Promise<Reader> | null;
  readonly writer: () => Promise<EngineModel | null>;
  readonly search: (text: string, documentIds: readonly string[], limit: number) => readonly SearchHit[];
  readonly emit: (event: WorkspaceEvent) => void;
}

/** One frame of a 60 Hz screen. */
const FRAME_MS = 16;
const PLACES_WITHOUT_READER = 5;

export class Questions {
  private readonly parts: QuestionParts;
  private readonly running = new Map<string, AbortController>();

  constructor(parts: QuestionParts) {
    this.parts = parts;
  }

  async ask(id: string, question: string, documents: readonly Document[]): Promise<Answer> {
    if (this.running.has(id)) throw new CodicilError('invalid_request', `A new id was expected; an answer with the id "${id}" is being made. Use another id.`);
    const abort = new AbortController();
    this.running.set(id, abort);
    try {
      return await this.answer(id, question, documents, abort.signal);
    } finally {
      this.running.delete(id);
    }
  }

  cancel(id: string): void {
    this.running.get(id)?.abort();
  }

  async summarize(document: Document, signal?: AbortSignal): Promise<Summary> {
    const reader = (await this.parts.reader()) ?? null;
    const onProgress = (done: number, total: number): void => this.parts.emit({ type: 'answer.progressed', id: document.id, phase: 'asking', done, total });
    return summarizeDocument({ document, reader, wordings: readerWordings(), onProgress, signal });
  }

  dispose(): void {
    for (const abort of this.running.values()) abort.abort();
  }

  /** A Writer that cannot be opened costs the prose, never the answer. */
  private async openWriter(): Promise<{ writer: EngineModel | null; note: string }> {
    try {
      return { writer: await this.parts.writer(), note: '' };
    } catch (error) {
      const { message } = toFailure(error);
      return { writer: null, note: `The Writer could not be opened, so nothing was phrased: ${message}` };
    }
  }

  private async answer(id: string, question: string, documents: readonly Document[], signal: AbortSignal): Promise<Answer> {
    const { emit } = this.parts;
    const index = new SentenceIndex(documents);
    const clauses = new ClauseIndex(documents);
    const search: QuestionParts['search'] = (text, documentIds, limit) => {
      const blocks = this.parts.search(text, documentIds, limit).map((hit) => ({ ...hit, span: narrowed([hit.span], index, text) ?? hit.span }));
      return fuse(blocks, hitsOf(clauses.search(text, limit), index, text)).slice(0, limit);
    };
    const opening = this.parts.reader();
    if (!opening) return withoutReader(id, question, documents, index, search);
    const [reader, { writer, note }] = await Promise.all([opening, this.openWriter()]);
    const written = proseFrames((text) => emit({ type: 'answer.written', id, text }));
    try {
      const answer = await answerQuestion({
        id,
        question,
        documents,
        reader,
        writer,
        search: async (query, documentIds, limit) => search(query.text, documentIds, limit),
        wordings: readerWordings(),
        onProgress: (phase, done, total) => emit({ type: 'answer.progressed', id, phase, done, total }),
        onText: written.add,
        signal,
      });
      return note === '' ? answer : { ...answer, reason: `${answer.reason} ${note}` };
    } finally {
      written.flush();
    }
  }
}

/** Joins text that comes faster than a screen shows it. */
function proseFrames(send: (text: string) => void): { add: (text: string) => void; flush: () => void } {
  let held = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (held !== '') send(held);
    held = '';
  };
  return {
    add: (text) => {
      held += text;
      timer ??= setTimeout(flush, FRAME_MS);
    },
    flush,
  };
}

function withoutReader(id: string, question: string, documents: readonly Document[], index: SentenceIndex, search: QuestionParts['search']): Answer {
  const started = performance.now();
  if (question.trim() === '') throw new CodicilError('invalid_request', 'A question was expected; an empty text was found. Type what you want to know.');
  if (documents.length === 0) throw new CodicilError('no_documents', 'At least one document was expected and none was given. Add a document, then ask again.');
  const candidates = new Candidates();
  const documentIds = documents.map((document) => document.id);
  const hits = search(question, documentIds, PLACES_WITHOUT_READER);
  const best = hits[0]?.score ?? 1;
  for (const hit of hits) for (const { document, sentence } of index.at(hit.span)) candidates.add(document, sentence, 0.5 * (hit.score / best), 'retrieval');
  const pages = documents.reduce((sum, document) => sum + document.receipt.pages, 0);
  return {
    id,
    question,
    documentIds,
    verdict: 'uncertain',
    reason: 'The Reader was left out, so these are only the places that share words with the question.',
    value: null,
    evidence: toEvidence(candidates.list(), PLACES_WITHOUT_READER),
    prose: [],
    coverage: { documents: documents.length, pages, pagesRead: 0, ocrPages: 0, windows: 0, windowsRead: 0, tokens: 0 },
    model: { reader: '', writer: null },
    ms: Math.round(performance.now() - started),
  };
}
