// Parsing outside the window's own thread: a small pool of workers, each doing one file at a time.
//
// Owns: the workers' lives. Rule: a worker that failed, timed out or was cancelled is dropped, because its parser's memory can no longer be trusted.
import type { Document } from '../../core/contract/document.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import type { ParseMessage, ParseRequest } from './messages.ts';

export interface ParseOptions {
  readonly password?: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** No page for this long: the file holds the parser in a loop. A heavy scanned page takes about 10 s with recognition on an old laptop. */
const SILENCE_MS = 120_000;
const idle: Worker[] = [];

const newWorker = (): Worker => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'ingest' });

/** Rejects with a CodicilError; `cancelled` when the signal says so. */
export function parseInWorker(bytes: Uint8Array<ArrayBuffer>, name: string, options: ParseOptions): Promise<Document> {
  const worker = idle.pop() ?? newWorker();
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>;
    const settle = (keep: boolean, act: () => void) => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', stop);
      worker.onmessage = worker.onerror = null;
      if (keep) idle.push(worker);
      else worker.terminate();
      act();
    };
    const fail = (failure: CodicilError) => settle(false, () => reject(failure));
    const stop = () => fail(new CodicilError('cancelled', `Reading ${name} was stopped. Drop it again to read it.`));
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(new CodicilError('timeout', `A page of ${name} was expected within ${SILENCE_MS / 1000} s and none came. Print the file to a new PDF and add that.`)), SILENCE_MS);
    };
    worker.onmessage = (event: MessageEvent<ParseMessage>) => {
      const message = event.data;
      if (message.type === 'progress') {
        wait();
        options.onProgress(message.done, message.total);
      } else if (message.type === 'parsed') settle(true, () => resolve(message.document));
      else fail(new CodicilError(message.failure.code, message.failure.message));
    };
    worker.onerror = (event) => fail(new CodicilError('internal', `The parser was expected to read ${name} and ended (${event.message || 'no reason given'}). Report this file.`));
    options.signal.addEventListener('abort', stop);
    if (options.signal.aborted) return stop();
    wait();
    const request: ParseRequest = { bytes, name, ...(options.password === undefined ? {} : { password: options.password }) };
    worker.postMessage(request);
  });
}
