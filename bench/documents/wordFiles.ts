// What the rows about Word files share: finding and reading the files, and counting answers.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { View } from '../../core/contract/document.ts';
import { readDocx, type DocxContent } from '../../core/ingest/docx/readDocx.ts';
import { Watch } from '../../core/ingest/limits.ts';
import { MissingSet, type RowResult } from './row.ts';

/** Undefined for right, a sentence for wrong. */
export type Answer = string | undefined;

export function filesIn(corpora: string, folder: string, pattern = '**/*.{docx,docm,dotx,dotm}'): string[] {
  const root = path.join(corpora, folder);
  const files = existsSync(root) ? globSync(pattern, { cwd: root }).map((file) => path.join(root, file)) : [];
  if (files.length === 0) throw new MissingSet(root);
  return files.toSorted();
}

export function readWord(file: string, view: View = 'accepted'): Promise<DocxContent> {
  return readDocx(new Uint8Array(readFileSync(file)), path.basename(file), new Watch({}), view);
}

/** Answers of `check` about every file that can be read. */
export async function askAll(files: readonly string[], check: (content: DocxContent, file: string) => readonly Answer[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const file of files) {
    const content = await readWord(file).catch(() => null);
    if (content) answers.push(...check(content, file).map((answer) => answer && `${path.basename(file)}: ${answer}`));
  }
  return answers;
}

/** `least` is the share of right answers that reaches the target. */
export function outcome(answers: readonly Answer[], least: number): RowResult {
  const failures = answers.filter((answer) => answer !== undefined);
  const good = answers.length - failures.length;
  const share = answers.length === 0 ? '-' : `${((100 * good) / answers.length).toFixed(1)} %`;
  return { score: `${good} of ${answers.length} (${share})`, reached: answers.length > 0 && good >= least * answers.length, failures };
}

export function firstDifference(own: string, other: string): string {
  const [a, b] = [own.split('\n'), other.split('\n')];
  const at = Math.max(
    0,
    a.findIndex((line, index) => line !== b[index]),
  );
  return `expected ${JSON.stringify((b[at] ?? '').slice(0, 80))}, found ${JSON.stringify((a[at] ?? '').slice(0, 80))}`;
}
