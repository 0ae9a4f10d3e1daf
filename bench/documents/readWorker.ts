// Reads files in a thread that may hang or die without the bench: the same way in which the program reads an unknown file.
//
// A worker is dropped after an error or when it takes too long, as the program does it; `readInWorker` never rejects.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { toFailure } from '../../core/contract/errors.ts';
import { parseDocument } from '../../core/structure/document.ts';

export interface ReadOutcome {
  /** 'read', a code of core/contract/errors.ts, or 'hung' / 'crashed'. */
  readonly state: string;
  readonly message: string;
  readonly pages: number;
  readonly characters: number;
  readonly warnings: readonly string[];
  readonly ms: number;
}

async function outcomeOf(file: string): Promise<ReadOutcome> {
  const start = performance.now();
  const none = { pages: 0, characters: 0, warnings: [] };
  try {
    const document = await parseDocument(readFileSync(file), path.basename(file));
    const warnings = [...new Set(document.warnings.map((warning) => warning.code))];
    return { state: 'read', message: '', pages: document.pages.length, characters: document.receipt.characters, warnings, ms: performance.now() - start };
  } catch (thrown) {
    const failure = toFailure(thrown);
    const place = failure.code === 'internal' && thrown instanceof Error ? ` ${thrown.stack?.split('\n')[1] ?? ''}` : '';
    return { ...none, state: failure.code, message: failure.message + place, ms: performance.now() - start };
  }
}

let idle: Worker | null = null;

export function readInWorker(file: string, limitMs: number): Promise<ReadOutcome> {
  const worker = idle ?? new Worker(new URL(import.meta.url));
  idle = null;
  return new Promise((resolve) => {
    const settle = (outcome: ReadOutcome, keep: boolean): void => {
      clearTimeout(timer);
      worker.off('message', hear).off('error', fail).off('exit', leave);
      if (keep) idle = worker;
      else void worker.terminate();
      resolve(outcome);
    };
    const ended = (state: string, message: string): void => settle({ state, message, pages: 0, characters: 0, warnings: [], ms: limitMs }, false);
    const hear = (outcome: ReadOutcome): void => settle(outcome, outcome.state === 'read');
    const fail = (error: unknown): void => ended('crashed', error instanceof Error ? error.message : String(error));
    const leave = (code: number): void => ended('crashed', `the worker ended with ${code}`);
    const timer = setTimeout(() => ended('hung', `took longer than ${limitMs / 1000} s`), limitMs);
    worker.on('message', hear).on('error', fail).on('exit', leave);
    worker.postMessage(file, []);
  });
}

export async function endReading(): Promise<void> {
  await idle?.terminate();
  idle = null;
}

if (!isMainThread) parentPort?.on('message', (file: string) => void outcomeOf(file).then((outcome) => parentPort?.postMessage(outcome, [])));
