// The Reader's prefill of documents in the background: one document at a time, and never while a question is being answered.
//
// Owns: the order, pausing and progress. Leaves reading to core/ask/reader.ts, where windows that were read already cost nothing.
// Rule: a document that is removed is forgotten; a question does not wait for the windows that are in work: they are ended and read on later.
import type { Reader } from '../../core/ask/reader.ts';
import type { Document } from '../../core/contract/document.ts';
import { CodicilError } from '../../core/contract/errors.ts';

export interface ReadingOptions {
  readonly reader: () => Promise<Reader>;
  readonly document: (id: string) => Document;
  /** Ends the windows that are being read right now. */
  readonly interrupt: () => void;
  readonly onProgress: (documentId: string, windowsDone: number, windowsTotal: number) => void;
}

/** A document whose reading failed this often stays unread until a question needs it. */
const MAX_TRIES = 3;
/** Why a reading was aborted, when it was not to let a question pass. */
const REMOVED = 'removed';

export class Reading {
  private readonly options: ReadingOptions;
  private readonly queue: { readonly id: string; tries: number }[] = [];
  private current: { readonly id: string; readonly abort: AbortController } | null = null;
  private holds = 0;
  private disposed = false;

  constructor(options: ReadingOptions) {
    this.options = options;
  }

  add(documentId: string): void {
    const inWork = this.current?.id === documentId && this.current.abort.signal.reason !== REMOVED;
    if (inWork || this.queue.some((entry) => entry.id === documentId)) return;
    this.queue.push({ id: documentId, tries: 0 });
    this.next();
  }

  remove(documentId: string): void {
    const at = this.queue.findIndex((entry) => entry.id === documentId);
    if (at >= 0) this.queue.splice(at, 1);
    if (this.current?.id === documentId) this.current.abort.abort(REMOVED);
  }

  /** Holds reading back while `work` runs: questions come first. */
  async behind<T>(work: () => Promise<T>): Promise<T> {
    this.holds += 1;
    if (this.current && !this.current.abort.signal.aborted) {
      this.current.abort.abort();
      // Only now: later the running prefills may be those of a question.
      this.options.interrupt();
    }
    try {
      return await work();
    } finally {
      this.holds -= 1;
      this.next();
    }
  }

  dispose(): void {
    this.disposed = true;
    this.queue.length = 0;
    this.current?.abort.abort();
  }

  private next(): void {
    if (this.disposed || this.holds > 0 || this.current) return;
    const entry = this.queue.shift();
    if (!entry) return;
    this.current = { id: entry.id, abort: new AbortController() };
    const { signal } = this.current.abort;
    this.read(entry.id, signal)
      .catch((error: unknown) => {
        if (this.disposed) return;
        const cancelled = error instanceof CodicilError && error.code === 'cancelled';
        // Only a removed document is given up; one that was held back for a question is read afterwards.
        if (signal.reason === REMOVED) return;
        if (!cancelled) entry.tries += 1;
        if (entry.tries < MAX_TRIES) this.queue.unshift(entry);
      })
      .finally(() => {
        this.current = null;
        this.next();
      });
  }

  private async read(id: string, signal: AbortSignal): Promise<void> {
    const reader = await this.options.reader();
    await reader.read(this.options.document(id), { signal, onProgress: (done, total) => this.options.onProgress(id, done, total) });
  }
}
