// Parsing in worker threads: untrusted bytes never run on the thread that serves windows or commands.
//
// Owns: the workers, their number, the time and memory each file may take. Leaves parsing to parseWorker.ts.
// Rules: a worker that failed, in whatever way, is dropped (its WASM heap may be damaged) and the next file gets a fresh one;
// one bad file is one error and the rest of the batch goes on; a worker starts with "ready", so that loading parsers is not counted as parsing.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Document, View } from '../../core/contract/document.ts';
import { CodicilError, type Failure } from '../../core/contract/errors.ts';
import type { Script } from '../../core/ingest/ocr/recogniser.ts';
import type { ParsedFile } from '../../core/structure/document.ts';

export interface ParseTask {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly password?: string | undefined;
  /** Script of scanned pages; null leaves them unread. Absent: what the parser was made with. */
  readonly script?: Script | 'auto' | null | undefined;
  /** How tracked changes are read. Absent: as if accepted. */
  readonly view?: View | undefined;
}
export type ParseReply =
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly done: number; readonly total: number; readonly recognising: boolean }
  | ({ readonly type: 'parsed' } & ParsedFile)
  | { readonly type: 'failed'; readonly failure: Failure };

export interface ParseOptions {
  readonly onProgress?: (done: number, total: number, recognising: boolean) => void;
  readonly signal?: AbortSignal | undefined;
}
export interface ParserOptions {
  readonly workers?: number;
  /** For one file, from the moment a ready worker has it, and again from each sign of life of a page that is being recognised. */
  readonly timeoutMs?: number;
  readonly memoryMiB?: number;
  /** Script of scanned pages; null leaves them unread; `auto` unless said otherwise. */
  readonly script?: Script | 'auto' | null | undefined;
  /** Module of the worker; tests name their own. */
  readonly module?: URL;
}

/** Four files at once: more only share the memory bandwidth, and each worker holds parsers of about 60 MB. */
const MAX_WORKERS = 4;
const TIMEOUT_MS = 30_000;
/** Heap of one worker; a 1,000-page PDF takes about 500 MB. */
const MEMORY_MIB = 2048;
/** A worker that has not loaded its parsers by then never will. */
const READY_MS = 60_000;

interface Job {
  readonly task: ParseTask;
  readonly options: ParseOptions;
  readonly resolve: (parsed: ParsedFile) => void;
  readonly reject: (error: CodicilError) => void;
}

export class Parser {
  private readonly idle: Worker[] = [];
  private readonly all = new Set<Worker>();
  /** Workers that have said that a file failed. */
  private readonly answered = new WeakSet<Worker>();
  private readonly queue: Job[] = [];
  private readonly workers: number;
  private readonly timeoutMs: number;
  private readonly memoryMiB: number;
  private readonly module: URL;
  private readonly script: Script | 'auto' | null;
  private running = 0;
  private disposed = false;

  constructor(options: ParserOptions = {}) {
    this.workers = options.workers ?? Math.max(1, Math.min(MAX_WORKERS, availableParallelism()));
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.memoryMiB = options.memoryMiB ?? MEMORY_MIB;
    this.script = options.script === undefined ? 'auto' : options.script;
    this.module = options.module ?? new URL(import.meta.url.endsWith('.ts') ? './parseWorker.ts' : './parse-worker.js', import.meta.url);
  }

  async parse(task: ParseTask, options: ParseOptions = {}): Promise<Document> {
    return (await this.parseFile(task, options)).document;
  }

  /** Errors: those of core's parseFile, timeout, out_of_memory, cancelled, internal (the worker died). */
  parseFile(task: ParseTask, options: ParseOptions = {}): Promise<ParsedFile> {
    return new Promise((resolve, reject) => {
      this.queue.push({ task, options, resolve, reject });
      this.next();
    });
  }

  dispose(): void {
    this.disposed = true;
    for (const job of this.queue.splice(0)) job.reject(cancelled(job.task.name));
    // Those that wait end by themselves: a thread that is torn down while its WebAssembly is still being compiled can take the process with it.
    for (const worker of this.all) {
      if (this.idle.includes(worker)) worker.postMessage(null, []);
      else void worker.terminate();
    }
    this.idle.length = 0;
    this.all.clear();
  }

  private next(): void {
    if (this.disposed || this.running >= this.workers) return;
    const job = this.queue.shift();
    if (!job) return;
    this.running += 1;
    this.run(job)
      .then(job.resolve, job.reject)
      .finally(() => {
        this.running -= 1;
        this.next();
      });
  }

  private async run(job: Job): Promise<ParsedFile> {
    if (job.options.signal?.aborted) throw cancelled(job.task.name);
    const worker = this.idle.pop() ?? (await this.start(job.task.name));
    try {
      const parsed = await this.parseWith(worker, job);
      this.idle.push(worker);
      return parsed;
    } catch (error) {
      this.all.delete(worker);
      // One that has said what failed listens again and ends by itself, as in `dispose`; one that did not answer is torn down.
      if (this.answered.has(worker)) worker.postMessage(null, []);
      else void worker.terminate();
      throw error;
    }
  }

  private async start(name: string): Promise<Worker> {
    const worker = new Worker(this.module, { resourceLimits: { maxOldGenerationSizeMb: this.memoryMiB }, execArgv: [], stdout: true, stderr: true });
    // What parsers print (mupdf's notes on repairs) is no message to anyone; what matters stands in the document's warnings.
    worker.stdout.resume();
    worker.stderr.resume();
    this.all.add(worker);
    // Nothing keeps the process alive for an idle worker.
    worker.unref();
    try {
      await this.listen<null>(worker, name, READY_MS, (reply, done) => reply.type === 'ready' && done(null), undefined);
      return worker;
    } catch (error) {
      this.all.delete(worker);
      void worker.terminate();
      throw error;
    }
  }

  private parseWith(worker: Worker, { task, options }: Job): Promise<ParsedFile> {
    const parsed = this.listen<ParsedFile>(
      worker,
      task.name,
      this.timeoutMs,
      (reply, done, fail) => {
        if (reply.type === 'progress') options.onProgress?.(reply.done, reply.total, reply.recognising);
        else if (reply.type === 'parsed') done({ document: reply.document, made: reply.made, attachments: reply.attachments });
        else if (reply.type === 'failed') {
          this.answered.add(worker);
          fail(new CodicilError(reply.failure.code, reply.failure.message));
        }
      },
      options.signal,
    );
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    worker.postMessage({ script: this.script, ...task });
    return parsed;
  }

  /** Replies of a worker until one settles; also on its death, the time limit and the signal. */
  private listen<T>(
    worker: Worker,
    name: string,
    limitMs: number,
    onReply: (reply: ParseReply, done: (value: T) => void, fail: (error: CodicilError) => void) => unknown,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const ended = new AbortController();
      const settle = (act: () => void): void => {
        ended.abort();
        clearTimeout(timer);
        worker.off('message', message).off('error', failed).off('exit', exited);
        act();
      };
      const fail = (error: CodicilError): void => settle(() => reject(error));
      const message = (reply: ParseReply): unknown => {
        // Recognising a page has its own limit in core; as long as it beats, the file is not stuck.
        if (reply.type === 'progress' && reply.recognising) timer.refresh();
        return onReply(reply, (value) => settle(() => resolve(value)), fail);
      };
      const failed = (error: unknown): void => fail(workerFailure(error, name, this.memoryMiB));
      const exited = (): void =>
        fail(
          this.disposed
            ? cancelled(name)
            : new CodicilError('internal', `The parser was expected to answer for "${name}"; its thread ended. Report the file if it happens again.`),
        );
      const timer = setTimeout(
        () =>
          fail(
            new CodicilError(
              'timeout',
              `"${name}" was expected to be read within ${limitMs / 1000} s and was not. Split the file, or give it more time with --timeout.`,
            ),
          ),
        limitMs,
      );
      worker.on('message', message).on('error', failed).on('exit', exited);
      signal?.addEventListener('abort', () => fail(cancelled(name)), { signal: ended.signal });
    });
  }
}

function workerFailure(error: unknown, name: string, memoryMiB: number): CodicilError {
  if ((error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new CodicilError('out_of_memory', `"${name}" was expected to be read within ${memoryMiB} MiB of memory and needed more. Split the file.`);
  }
  return new CodicilError(
    'internal',
    `The parser was expected to read "${name}" and failed: ${error instanceof Error ? error.message : String(error)}. Report the file.`,
  );
}

const cancelled = (name: string): CodicilError => new CodicilError('cancelled', `Reading "${name}" was stopped.`);
