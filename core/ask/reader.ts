// The Reader: a small model that has read every window of every document and points at sentences.
//
// Owns: the windows of each document, one engine session per window (its prefix prefilled once), and asking all of them as one batch.
// Leaves to the engine: batching, caching, memory; to answer.ts: what the replies mean.
// Rules that must stay true: a question goes to every window of a document, never to a selection; text of documents and of people is tokenized
// without special tokens; a session is dropped rather than a question refused when memory for prefixes runs out.
import { CodicilError } from '../contract/errors.ts';
import type { EngineModel, EngineSession, SyncOptions } from '../contract/engine.ts';
import type { Document } from '../contract/document.ts';
import { answerMask, answerTokens, parseReply, type AnswerForm, type AnswerTokens, type ReaderReply } from './masks.ts';
import type { Sentence } from './sentences.ts';
import { documentWindows, joinTokens, makeWindow, questionTokens, type Window } from './windows.ts';

/** Measured threshold of `WindowReply.presence` (READER.md). */
export const PRESENT = 0.5;

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
  readonly keeping: SyncOptions;
  session: EngineSession | null;
  /** Counts up at each use: the seat that was used longest ago gives its memory up first. */
  usedAt: number;
  /** Uses that wait or run. */
  users: number;
  running: boolean;
  /** Its document is forgotten: what still waits for it ends. */
  forgotten: boolean;
  /** Settles when the last use so far is over: uses of one session never mix, or a question would be answered with another's prompt. */
  tail: Promise<unknown>;
}

/** Windows in flight at once: enough to fill the engine's batch, few enough that a cancel is quick. */
const CONCURRENCY = 32;
/** Between two looks for memory; a window takes tens of milliseconds to ask. */
const PAUSE_MS = 20;
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

  /** Cuts the document into windows and prefills each, behind whatever someone waits for; what the engine has already costs nothing. */
  async read(document: Document, options: AskOptions = {}): Promise<readonly Window[]> {
    const seats = await this.seats(document);
    await inFlight(seats, options, async (seat) => {
      // What is on disk stays there until a question needs it.
      if (seat.session === null && (await this.model.known(seat.window.prefix)) === seat.window.prefix.length) return;
      await this.withSession(seat, (session) => session.sync(seat.window.prefix, undefined, { ...seat.keeping, priority: 'batch' }));
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
    const seat = makeSeat(window, { keep: [] });
    try {
      return await this.askSeat(seat, question, form, options.signal);
    } finally {
      seat.session?.close();
    }
  }

  /** Ends what still runs for a document and closes its sessions. When it returns nothing of the document is written to disk any more. */
  async forget(documentId: string): Promise<void> {
    const found = this.documents.get(documentId);
    this.documents.delete(documentId);
    const seats = (await found?.catch(() => [])) ?? [];
    for (const seat of seats) {
      seat.forgotten = true;
      seat.session?.close();
    }
    await Promise.all(seats.map((seat) => seat.tail));
  }

  /** Gives up what belonged to an engine process that ended; the next question opens sessions anew. */
  async dispose(): Promise<void> {
    await Promise.all([...this.documents.keys()].map((id) => this.forget(id)));
  }

  private seats(document: Document): Promise<readonly Seat[]> {
    const known = this.documents.get(document.id);
    if (known) return known;
    const made = documentWindows(document, this.model).then((windows) => windows.map(makeKeptSeat));
    this.documents.set(document.id, made);
    made.catch(() => this.documents.delete(document.id));
    return made;
  }

  private async askSeat(seat: Seat, question: Int32Array, form: AnswerForm, signal: AbortSignal | undefined): Promise<WindowReply> {
    const n = seat.window.sentences.length;
    const none = this.tokens.none[0]!;
    const generated = await this.withSession(seat, async (session) => {
      const cancel = (): void => session.cancel();
      stopIfAborted(signal);
      signal?.addEventListener('abort', cancel);
      try {
        await session.sync(joinTokens([seat.window.prefix, question]), undefined, seat.keeping);
        stopIfAborted(signal);
        return await session.generate({ maxTokens: MAX_ANSWER_TOKENS, temperature: 0, mask: answerMask(form, n, this.tokens), probes: [none] });
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    });
    const logprobNone = generated.probeLogprobs[0];
    // A generation that was stopped resolves too; taken for an answer it would say that nothing was found.
    if (generated.end === 'cancelled') throw new CodicilError('cancelled', 'The question was stopped before every window was asked.');
    if (logprobNone === undefined) throw new CodicilError('internal', 'The engine was expected to report the probability of "none" and reported nothing.');
    const presence = 1 - Math.exp(logprobNone);
    return { ...parseReply(generated.text, n), window: seat.window, presence: Math.min(1, Math.max(0, presence)) };
  }

  /** Runs `work` with the seat's session, after every earlier use of it. */
  private withSession<T>(seat: Seat, work: (session: EngineSession) => Promise<T>): Promise<T> {
    seat.users += 1;
    const result = seat.tail.then(() => this.runAlone(seat, work));
    seat.tail = result.catch(() => null).then(() => (seat.users -= 1));
    return result;
  }

  /** When prefixes fill the memory, idle sessions are closed, the longest unused first; then this one, until a running window is done. */
  private async runAlone<T>(seat: Seat, work: (session: EngineSession) => Promise<T>): Promise<T> {
    seat.running = true;
    seat.usedAt = this.clock += 1;
    try {
      for (;;) {
        if (seat.forgotten) throw new CodicilError('cancelled', 'The document was removed while it was asked.');
        try {
          seat.session ??= await this.model.openSession();
          return await work(seat.session);
        } catch (error) {
          const code = error instanceof CodicilError ? error.code : 'internal';
          if (code === 'engine_down') seat.session = null;
          if (code !== 'does_not_fit' && code !== 'out_of_memory') throw error;
          if (!(await this.makeRoom(seat))) throw error;
        }
      }
    } finally {
      seat.running = false;
    }
  }

  /** False when nothing else holds memory: then the window does not fit at all. */
  private async makeRoom(self: Seat): Promise<boolean> {
    const all = (await Promise.all(this.documents.values())).flat();
    const idle = all.filter((seat) => seat.session !== null && seat.users === 0).sort((a, b) => a.usedAt - b.usedAt)[0];
    const gives = idle ?? self;
    gives.session?.close();
    gives.session = null;
    if (idle) return true;
    if (!all.some((seat) => seat !== self && seat.running && seat.session !== null)) return false;
    await new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS));
    return true;
  }
}

const makeSeat = (window: Window, keeping: SyncOptions): Seat => ({
  window,
  keeping,
  session: null,
  usedAt: 0,
  users: 0,
  running: false,
  forgotten: false,
  tail: Promise.resolve(),
});
/** The window's prefix is kept on disk, as its document's; the questions behind it are not. */
const makeKeptSeat = (window: Window): Seat => makeSeat(window, { keep: [window.prefix.length], owner: window.documentId });

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CodicilError('cancelled', 'The question was stopped before every window was asked.');
}

async function inFlight<T, R>(items: readonly T[], options: AskOptions, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let done = 0;
  let failed = false;
  options.onProgress?.(0, items.length);
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      stopIfAborted(options.signal);
      if (failed) return;
      const index = next;
      next += 1;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        failed = true;
        throw error;
      }
      done += 1;
      options.onProgress?.(done, items.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, lane));
  return results;
}
