// Every PDF of the corpora is opened: none may hang, crash or fail without a reason that a person understands. Figures by tag of the catalogue.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { endReading, readInWorker, type ReadOutcome } from '../readWorker.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

/** Issue 4: no file may hold the reader longer than this. */
const LIMIT_MS = 30_000;
/** A refusal is an answer when it is one of these; anything else is a fault of the program. */
const ANSWERS = new Set(['read', 'encrypted', 'corrupt_file', 'empty_file', 'too_large', 'unsupported_format']);

function pdfsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.pdf$/i.test(file))
    .toSorted();
}

function tagsOf(corpora: string): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(path.join(corpora, 'pdf/pdf_catalogue.tsv'), 'utf8').split(/\r?\n/).slice(1);
  return new Map(
    lines.map((line) => {
      const cells = line.split('\t');
      return [cells[0] ?? '', (cells[6] ?? '').split(' ').filter((tag) => tag !== '')] as const;
    }),
  );
}

async function robustRow(corpora: string, log: (line: string) => void): Promise<RowResult> {
  if (!existsSync(path.join(corpora, 'pdf'))) throw new MissingSet(path.join(corpora, 'pdf'));
  const tags = tagsOf(corpora);
  const outcomes: { readonly file: string; readonly outcome: ReadOutcome }[] = [];
  for (const file of pdfsBelow(corpora)) {
    let outcome = await readInWorker(path.join(corpora, file), LIMIT_MS);
    // The limit is of the clock: a machine that other programs hold is given a second chance, a loop in the reader takes it in vain.
    if (outcome.state === 'hung') outcome = await readInWorker(path.join(corpora, file), LIMIT_MS);
    outcomes.push({ file, outcome });
    log(`${outcome.state}\t${Math.round(outcome.ms)}\t${outcome.pages}\t${outcome.characters}\t${outcome.warnings.join(' ')}\t${file}\t${outcome.message}`);
  }
  await endReading();
  const faults = outcomes.filter(({ outcome }) => !ANSWERS.has(outcome.state));
  const refused = outcomes.filter(({ outcome }) => outcome.state !== 'read');
  const byTag = new Map<string, { files: number; read: number }>();
  for (const { file, outcome } of outcomes)
    for (const tag of tags.get(file) ?? []) {
      const entry = byTag.get(tag) ?? { files: 0, read: 0 };
      byTag.set(tag, { files: entry.files + 1, read: entry.read + (outcome.state === 'read' ? 1 : 0) });
    }
  const figures = [...byTag].toSorted((a, b) => b[1].files - a[1].files).map(([tag, { files, read }]) => `${tag} ${read}/${files}`);
  const slowest = Math.max(0, ...outcomes.map(({ outcome }) => outcome.ms));
  return {
    score: `${outcomes.length - refused.length} of ${outcomes.length} read, ${refused.length - faults.length} refused with a reason, ${faults.length} faults; slowest ${(slowest / 1000).toFixed(1)} s; ${figures.join(', ')}`,
    reached: faults.length === 0,
    failures: faults.map(({ file, outcome }) => `${file}: ${outcome.state} ${outcome.message}`),
  };
}

export const rows: readonly Row[] = [
  { id: 'pdf-robust', what: 'all PDFs of the corpora: no hang, no crash, clear refusals', set: 'all PDFs', target: '0 faults, 30 s a file', run: robustRow },
];
