// What one row of `npm run bench:documents` is: a question put to real documents, and how near the answers are to the right ones.

export interface RowResult {
  /** What is recorded in SPEED.md: counts and shares, "36 of 36 exact". */
  readonly score: string;
  /** Whether the row's target is met; null for a figure that is only reported. */
  readonly reached: boolean | null;
  /** One line per case that failed, with what was expected and found. */
  readonly failures: readonly string[];
}

export interface Row {
  /** Short name by which the row is run alone: "pdfbox". */
  readonly id: string;
  /** What is measured, as a person says it. */
  readonly what: string;
  /** Folder of the set below CODICIL_CORPORA, or what the row makes itself. */
  readonly set: string;
  readonly target: string;
  /** `log` takes detail lines that are shown only with --verbose. Throws MissingSet when the set is not there. */
  run(corpora: string, log: (line: string) => void): Promise<RowResult>;
}

/** Thrown by a row whose set is not on this machine: the row is skipped, loudly. */
export class MissingSet extends Error {
  constructor(folder: string) {
    super(`Expected documents in ${folder}; nothing is there. Unpack the corpora and set CODICIL_CORPORA.`);
  }
}
