// What one file may cost before it is refused, and the watch that enforces it while a file is read.
//
// Owns: the default limits, the deadline, cancellation, progress. Readers of PDF and DOCX call `Watch.tick` once per unit of work
// (page, part, 1,000 paragraphs); those of HTML, mail and text run without a pause and call `Watch.check` as often.
// Rule: a limit that is passed is an error that names the limit and the figure found; nothing is cut off silently.
import type { View } from '../contract/document.ts';
import { CodicilError } from '../contract/errors.ts';
import type { OcrOptions } from './ocr/recognisePage.ts';

export interface Limits {
  /** Bytes of the file itself. */
  readonly bytes: number;
  readonly pages: number;
  readonly ms: number;
  /** Bytes that a zip container may expand to, all read parts together. */
  readonly expandedBytes: number;
  /** Expanded bytes per packed byte, for parts over 1 MiB. */
  readonly expansionRatio: number;
  /** Entries of a zip container. */
  readonly entries: number;
  /** Paragraphs of a document: 20 million words would not be a contract. */
  readonly blocks: number;
  /** Recognising one page of a scan; such time is not counted against `ms`. */
  readonly ocrPageMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  bytes: 512 * 1024 * 1024, // the largest scanned data room binders seen are near 300 MB
  pages: 10_000,
  ms: 10 * 60 * 1000, // 10,000 pages at 30 ms and as much again
  expandedBytes: 1024 * 1024 * 1024,
  expansionRatio: 250, // text/XML packs 5..30 times; deflate's own maximum is 1,032
  entries: 20_000,
  blocks: 1_000_000,
  ocrPageMs: 120_000, // a dense page takes 5 s of processor time, one in two scripts 20 s; a busy machine gives it a fraction of its time
};

export interface ReadOptions {
  readonly password?: string;
  /** `recognising`: the page after `done` is a scan that is being read; such a page may take seconds. */
  readonly onProgress?: (done: number, total: number, recognising: boolean) => void;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<Limits>;
  /** How tracked changes of a DOCX are read; `accepted` unless said otherwise. */
  readonly view?: View;
  /** Reads pages that are pictures; without it they stay empty, with a warning. */
  readonly ocr?: OcrOptions | undefined;
}

/** A pause lets an abort message reach a worker; 40 ms keeps the loss under 3 % with a 1 ms timer. */
const YIELD_MS = 40;

export class Watch {
  readonly limits: Limits;
  readonly started: number;
  private readonly options: ReadOptions;
  private lastPause: number;
  private granted = 0;

  constructor(options: ReadOptions) {
    this.options = options;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.started = performance.now();
    this.lastPause = this.started;
  }

  elapsed(): number {
    return performance.now() - this.started;
  }

  /** Throws `cancelled` or `timeout`; cheap enough for every thousand items of inner loops. */
  check(): void {
    if (this.options.signal?.aborted) throw new CodicilError('cancelled', 'Expected to read the file to its end; it was stopped on request.');
    const ms = this.elapsed() - this.granted;
    if (ms > this.limits.ms)
      throw new CodicilError(
        'timeout',
        `Expected to read the file within ${this.limits.ms} ms; ${Math.round(ms)} ms have passed. Split the file or raise the time limit.`,
      );
  }

  /** Recognition has its own limit per page: what it took is added to what the file may take. */
  grant(ms: number): void {
    this.granted += ms;
  }

  /** A sign of life inside a page that is being recognised. */
  beat(done: number, total: number): void {
    this.options.onProgress?.(done, total, true);
  }

  /** Checks, reports progress and now and then gives other tasks of the thread a turn. */
  async tick(done: number, total: number): Promise<void> {
    this.check();
    this.options.onProgress?.(done, total, false);
    const now = performance.now();
    if (now - this.lastPause < YIELD_MS) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.lastPause = performance.now();
    this.check();
  }
}

/** Throws `too_large` when `found` is over `limit`. */
export function within(found: number, limit: number, what: string): void {
  if (found > limit) throw new CodicilError('too_large', `Expected at most ${limit} ${what}; the file has ${found}. Split the file or raise this limit.`);
}
