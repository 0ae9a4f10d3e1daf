// Real contracts that comparison benches are run on, and which of them rules may be tuned on.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Document } from '../../core/contract/document.ts';
import { parseDocument } from '../../core/structure/document.ts';
import { MissingSet } from './row.ts';

/** `check`: contracts that were not looked at while the rules of core/compare were made. */
export type Half = 'tune' | 'check';

/** Every seventh text of CUAD, every eighth form, the templates and the last published version of each set were used for tuning. */
const TUNED = { cuad: 7, forms: 8 } as const;
/** Of the rest, every third is enough for figures with two digits. */
const SAMPLE = 3;

const filesIn = (folder: string, extension: string): string[] => {
  if (!existsSync(folder)) throw new MissingSet(folder);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .map((name) => join(folder, name));
};

function sampled(files: readonly string[], half: Half, step: number): string[] {
  const rest = files.filter((_file, at) => at % step !== 0).filter((_file, at) => at % SAMPLE === 0);
  return half === 'tune' ? files.filter((_file, at) => at % step === 0) : rest;
}

/** Paths of the contracts of one half. */
export function contractFiles(corpora: string, half: Half): string[] {
  const published = filesIn(join(corpora, 'contracts/templates'), '.md').filter((file) => basename(file) !== 'README.md');
  return [
    ...(half === 'tune' ? published : []),
    ...sampled(filesIn(join(corpora, 'contracts/cuad/txt'), '.txt'), half, TUNED.cuad),
    ...sampled(filesIn(join(corpora, 'docx/open-agreements'), '.docx'), half, TUNED.forms),
  ];
}

export const readContract = (file: string): Promise<Document> => parseDocument(new Uint8Array(readFileSync(file)), basename(file));

/** The file of a published version: `set` is a folder of contracts/versions, `version` the beginning of the name. */
export function versionFile(corpora: string, set: string, version: string): string {
  const folder = join(corpora, 'contracts', set);
  const name = existsSync(folder) ? readdirSync(folder).find((file) => file.startsWith(version)) : undefined;
  if (name === undefined) throw new MissingSet(folder);
  return join(folder, name);
}
