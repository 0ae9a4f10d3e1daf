// CUAD v1 (CC BY 4.0) as benches read it: documents with the lawyers' spans laid over them, and the table of normalised answers.
//
// Owns: the way from a label's characters in the text file to characters of our blocks. Both sides are folded to their letters and figures, which
// reading never changes, so an offset of one is an offset of the other.
// Rule: rules are tuned on the half `tune` only; what is reported is the half `check`, which was not looked at.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document, Span } from '../../core/contract/document.ts';
import { parseDocument } from '../../core/structure/document.ts';
import { MissingSet } from './row.ts';

export type Half = 'tune' | 'check';

export interface CuadCase {
  readonly name: string;
  readonly half: Half;
  readonly document: Document;
  /** Spans of each of the 41 labels, in characters of the folded document. */
  readonly gold: ReadonlyMap<string, readonly Range[]>;
  /** Cells of master_clauses.csv by column name. */
  readonly answers: ReadonlyMap<string, string>;
  /** Where a span of the document lies in the folded document. */
  readonly fold: (span: Span) => Range;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

interface Spans {
  readonly labels: Readonly<Record<string, { readonly spans: readonly { readonly start: number; readonly end: number }[] }>>;
}

export const overlap = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end;

/** Every contract of the set, one at a time. */
export async function* cuadCases(corpora: string, every = 1): AsyncGenerator<CuadCase> {
  const folder = join(corpora, 'contracts/cuad');
  if (!existsSync(join(folder, 'derived_spans.json'))) throw new MissingSet(folder);
  const labelled = JSON.parse(readFileSync(join(folder, 'derived_spans.json'), 'utf8')) as Record<string, Spans>;
  const [head = [], ...rows] = parseCsv(readFileSync(join(folder, 'master_clauses.csv'), 'utf8'));
  const answers = new Map(rows.map((row) => [(row[0] ?? '').replace(/\.pdf$/i, ''), new Map(head.map((cell, at) => [cell.trim(), row[at] ?? '']))]));
  const files = readdirSync(join(folder, 'txt')).filter((file) => file.endsWith('.txt'));
  for (const file of files.filter((_file, index) => index % every === 0)) {
    const name = file.replace(/\.txt$/, '');
    const bytes = readFileSync(join(folder, 'txt', file));
    const document = await parseDocument(bytes, file);
    const raw = foldText(bytes.toString('utf8'));
    const gold = new Map(
      Object.entries(labelled[name]?.labels ?? {}).map(([label, { spans }]) => [
        label,
        spans.map(({ start, end }) => ({ start: raw.offset(start), end: raw.offset(end) })).filter((range) => range.end > range.start),
      ]),
    );
    yield { name, half: halfOf(name), document, gold, answers: answers.get(name) ?? new Map(), fold: foldDocument(document) };
  }
}

/** By the name, so that a contract is always in the same half. */
function halfOf(name: string): Half {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 1009;
  return sum % 2 === 0 ? 'tune' : 'check';
}

const KEPT = /[\p{L}\p{N}]/u;

export function foldText(text: string): { readonly length: number; offset(at: number): number } {
  const counts = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) counts[at + 1] = (counts[at] ?? 0) + (KEPT.test(text[at] as string) ? 1 : 0);
  return { length: counts[text.length] ?? 0, offset: (at) => counts[Math.min(at, text.length)] ?? 0 };
}

export function foldDocument(document: Document): (span: Span) => Range {
  const blocks = new Map<string, { readonly from: number; readonly folded: ReturnType<typeof foldText> }>();
  let from = 0;
  for (const block of document.blocks) {
    const folded = foldText(block.text);
    blocks.set(block.id, { from, folded });
    from += folded.length;
  }
  return (span) => {
    const block = blocks.get(span.blockId);
    return block === undefined
      ? { start: 0, end: 0 }
      : { start: block.from + block.folded.offset(span.start), end: block.from + block.folded.offset(span.end) };
  };
}

/** Rows of a CSV file with quoted cells. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quoted) {
      if (character === '"' && text[at + 1] === '"') cell += text[++at];
      else if (character === '"') quoted = false;
      else cell += character;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\n') {
      rows.at(-1)?.push(cell.replace(/\r$/, ''));
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  return rows;
}

export interface Tally {
  right: number;
  given: number;
  found: number;
  wanted: number;
  readonly misses: string[];
}

export const emptyTally = (): Tally => ({ right: 0, given: 0, found: 0, wanted: 0, misses: [] });

export function figures({ right, given, found, wanted }: Tally): { precision: number; recall: number; f1: number } {
  const [precision, recall] = [right / Math.max(1, given), found / Math.max(1, wanted)];
  return { precision, recall, f1: (2 * precision * recall) / Math.max(1e-9, precision + recall) };
}
