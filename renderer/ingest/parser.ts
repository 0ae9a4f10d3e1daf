// Parsing outside the window's own thread: a small pool of workers, each doing one file at a time.
//
// Owns: the workers' lives. Rule: a worker that failed, timed out or was cancelled is dropped, because its parser's memory can no longer be trusted.
import { CodicilError, type Failure } from '../../core/contract/errors.ts';
import type { ParsedFile } from '../../core/structure/document.ts';
import type { ParseMessage, ParseRequest } from './messages.ts';

export interface ParseOptions {
  readonly password?: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number, recognising: boolean) => void;
}

/** No page and no sign of recognition for this long: the file holds the parser in a loop. */
const SILENCE_MS = 120_000;
const idle: Worker[] = [];

const newWorker = (): Worker => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'ingest' });

/** Rejects with a CodicilError; `cancelled` when the signal says so. */
export function parseInWorker(bytes: Uint8Array<ArrayBuffer>, name: string, options: ParseOptions): Promise<ParsedFile> {
  const worker = idle.pop() ?? newWorker();
  return new Promise((resolve, reject) => {
    const listening = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const settle = (keep: boolean) => {
      clearTimeout(timer);
      listening.abort();
      if (keep) idle.push(worker);
      else worker.terminate();
    };
    const fail = (code: Failure['code'], message: string) => {
      settle(false);
      reject(new CodicilError(code, message));
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => fail('timeout', `A page of ${name} was expected within ${SILENCE_MS / 1000} s and none came. Print the file to a new PDF and add that.`),
        SILENCE_MS,
      );
    };
    const stop = () => fail('cancelled', `Reading ${name} was stopped. Drop it again to read it.`);
    const hear = ({ data }: MessageEvent<ParseMessage>) => {
      if (data.type === 'failed') fail(data.failure.code, data.failure.message);
      else if (data.type === 'parsed') {
        settle(true);
        resolve({ document: data.document, made: data.made, attachments: data.attachments });
      } else {
        wait();
        options.onProgress(data.done, data.total, data.recognising);
      }
    };
    worker.addEventListener('message', hear, listening);
    worker.addEventListener(
      'error',
      (event) => fail('internal', `The parser was expected to read ${name} and ended (${event.message || 'no reason given'}). Report this file.`),
      listening,
    );
    options.signal.addEventListener('abort', stop, listening);
    if (options.signal.aborted) return stop();
    wait();
    const request: ParseRequest = { bytes, name, ...(options.password === undefined ? {} : { password: options.password }) };
    worker.postMessage(request, []);
  });
}
