// The Reader: a small model that has read every window of every document and points at sentences.
//
// Owns: the windows of each document, one engine session per window (its prefix prefilled once), and asking all of them as one batch.
// Leaves to the engine: batching, caching, memory; to answer.ts: what the replies mean.
// Rules that must stay true: a question goes to every window of a document, never to a selection; text of documents and of people is tokenized
// without special tokens; a session is dropped rather than a question refused when memory for prefixes runs out.
import { CodicilError } from '../contract/errors.ts';
import type { EngineModel, EngineSession } from '../contract/engine.ts';
import type { Document } from '../contract/document.ts';
import { answerMask, answerTokens, parseReply, type AnswerForm, type AnswerTokens, type ReaderReply } from './masks.ts';
import type { Sentence } from './sentences.ts';
import { documentWindows, joinTokens, makeWindow, questionTokens, type Window } from './windows.ts';

export interface WindowReply extends ReaderReply {
  readonly window: Window;
  /** 1 - P(none) at the first answer token, 0..1; 0.5 is the measured threshold. */
  readonly presence: number;
}

export interface AskOptions {
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
  /** Only these windows: for a second look at a place that is known already. */
  readonly only?: (window: Window) => boolean;
}

interface Seat {
  readonly window: Window;
  session: EngineSession | null;
  /** Counts up at each use: the seat that was used longest ago gives its memory up first. */
  usedAt: number;
  busy: boolean;
}

/** Windows in flight at once: enough to fill the engine's batch, few enough that a cancel is quick. */
const CONCURRENCY = 32;
/** Longest answer: four sentence numbers of three digits with their separators, or a short extracted value. */
const MAX_ANSWER_TOKENS = 24;

export class Reader {
  readonly name: string;
  private readonly model: EngineModel;
  private readonly tokens: AnswerTokens;
  private readonly documents = new Map<string, Promise<readonly Seat[]>>();
  private clock = 0;

  private constructor(model: EngineModel, tokens: AnswerTokens) {
    this.model = model;
    this.tokens = tokens;
    this.name = model.info.name;
  }

  static async open(model: EngineModel): Promise<Reader> {
    return new Reader(model, await answerTokens(model));
  }

  /** Cuts the document into windows and prefills each; what the engine has already costs nothing. */
  async read(document: Document, options: AskOptions = {}): Promise<readonly Window[]> {
    const seats = await this.seats(document);
    await inFlight(seats, options, async (seat) => {
      await this.withSession(seat, (session) => session.sync(seat.window.prefix));
    });
    return seats.map((seat) => seat.window);
  }

  /** Puts one turn to every window of the documents (or to `only` some); replies in document and window order. */
  async ask(documents: readonly Document[], turn: string, form: AnswerForm, options: AskOptions = {}): Promise<readonly WindowReply[]> {
    const question = await questionTokens(this.model, turn);
    const all = (await Promise.all(documents.map((document) => this.seats(document)))).flat();
    const seats = options.only ? all.filter((seat) => options.only!(seat.window)) : all;
    return inFlight(seats, options, (seat) => this.askSeat(seat, question, form, options.signal));
  }

  /** Asks about a short passage on its own, as a window that is not kept: a second, closer look. */
  async askPassage(documentId: string, sentences: readonly Sentence[], turn: string, form: AnswerForm, options: AskOptions = {}): Promise<WindowReply> {
    const [window, question] = await Promise.all([makeWindow(documentId, 0, sentences, this.model), questionTokens(this.model, turn)]);
    const seat: Seat = { window, session: null, usedAt: 0, busy: false };
    try {
      return await this.askSeat(seat, question, form, options.signal);
    } finally {
      seat.session?.close();
    }
  }

  /** Closes the sessions of a document; its text is not kept. */
  async forget(documentId: string): Promise<void> {
    const seats = this.documents.get(documentId);
    this.documents.delete(documentId);
    for (const seat of (await seats?.catch(() => [])) ?? []) seat.session?.close();
  }

  /** Gives up what belonged to an engine process that ended; the next question opens sessions anew. */
  async dispose(): Promise<void> {
    await Promise.all([...this.documents.keys()].map((id) => this.forget(id)));
  }

  private seats(document: Document): Promise<readonly Seat[]> {
    const known = this.documents.get(document.id);
    if (known) return known;
    const made = documentWindows(document, this.model).then((windows) => windows.map((window): Seat => ({ window, session: null, usedAt: 0, busy: false })));
    this.documents.set(document.id, made);
    made.catch(() => this.documents.delete(document.id));
    return made;
  }

  private async askSeat(seat: Seat, question: Int32Array, form: AnswerForm, signal: AbortSignal | undefined): Promise<WindowReply> {
    const n = seat.window.sentences.length;
    const none = this.tokens.none[0]!;
    const generated = await this.withSession(seat, async (session) => {
      const cancel = (): void => session.cancel();
      signal?.addEventListener('abort', cancel);
      try {
        await session.sync(joinTokens([seat.window.prefix, question]));
        return await session.generate({ maxTokens: MAX_ANSWER_TOKENS, temperature: 0, mask: answerMask(form, n, this.tokens), probes: [none] });
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    });
    const presence = 1 - Math.exp(generated.probeLogprobs[0] ?? 0);
    return { ...parseReply(generated.text, n), window: seat.window, presence: Math.min(1, Math.max(0, presence)) };
  }

  /** Runs `work` with the seat's session; when prefixes fill the memory, idle sessions are closed, the longest unused first. */
  private async withSession<T>(seat: Seat, work: (session: EngineSession) => Promise<T>): Promise<T> {
    seat.busy = true;
    seat.usedAt = this.clock += 1;
    try {
      for (;;) {
        try {
          seat.session ??= await this.model.openSession();
          return await work(seat.session);
        } catch (error) {
          const code = error instanceof CodicilError ? error.code : 'internal';
          if (code === 'engine_down') seat.session = null;
          if (code !== 'does_not_fit' && code !== 'out_of_memory') throw error;
          if (!(await this.releaseOldest())) throw error;
        }
      }
    } finally {
      seat.busy = false;
    }
  }

  private async releaseOldest(): Promise<boolean> {
    const all = (await Promise.all(this.documents.values())).flat();
    const idle = all.filter((seat) => seat.session !== null && !seat.busy).sort((a, b) => a.usedAt - b.usedAt)[0];
    if (!idle) return all.some((seat) => seat.busy) && (await pause());
    idle.session?.close();
    idle.session = null;
    return true;
  }
}

/** Memory is held by windows that are being asked right now: wait for one of them to become idle. */
async function pause(): Promise<boolean> {
  await new Promise<void>((resolve) => setTimeout(resolve, 20));
  return true;
}

async function inFlight<T, R>(items: readonly T[], options: AskOptions, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let done = 0;
  options.onProgress?.(0, items.length);
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      if (options.signal?.aborted) throw new CodicilError('cancelled', 'The question was stopped before every window was asked.');
      const index = next;
      next += 1;
      results[index] = await work(items[index]!);
      done += 1;
      options.onProgress?.(done, items.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, lane));
  return results;
}
