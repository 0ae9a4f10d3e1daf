// What every rule of the linter looks at: the text of a document with its clauses and words, and how a finding is made from a place.
//
// Owns: which blocks are text, the index of words (built once, asked by all rules on terms). Rule: nothing here is quadratic in the document.
import { isContent, type Block, type Clause, type Document, type Span } from '../contract/document.ts';
import type { Finding, RuleId } from '../contract/review.ts';
import { Owners } from '../structure/context.ts';
import { WordIndex } from './words.ts';

export interface Place {
  readonly blockId: string;
  readonly start: number;
  readonly end: number;
}

export interface Draft extends Place {
  readonly rule: RuleId;
  readonly severity: Finding['severity'];
  readonly message: string;
  readonly related?: readonly Place[];
  /** What should stand at the place instead. */
  readonly fix?: string;
}

export type Rule = (context: Context) => readonly Draft[];

export interface Context {
  readonly document: Document;
  /** Blocks with text of the document itself, in order. */
  readonly blocks: readonly Block[];
  /** Place of a block in `blocks`. */
  readonly order: ReadonlyMap<string, number>;
  readonly blockOf: ReadonlyMap<string, Block>;
  readonly clauses: ReadonlyMap<string, Clause>;
  readonly owners: Owners;
  readonly words: WordIndex;
}

const SKIPPED: ReadonlySet<Block['kind']> = new Set(['annotation', 'table']);

export function makeContext(document: Document): Context {
  const blocks = document.blocks.filter((block) => isContent(block) && !SKIPPED.has(block.kind) && block.text !== '');
  return {
    document,
    blocks,
    owners: new Owners(document.clauses),
    order: new Map(blocks.map((block, index) => [block.id, index])),
    blockOf: new Map(document.blocks.map((block) => [block.id, block])),
    clauses: new Map(document.clauses.map((clause) => [clause.id, clause])),
    words: new WordIndex(blocks),
  };
}

export const isExhibit = (path: string): boolean => /^(?:exhibit|schedule|annex|appendix|attachment|addendum|附)/i.test(path);

/** The clause in which a place stands; undefined before the first. */
export const clauseOf = ({ owners, clauses }: Context, place: Place): Clause | undefined => clauses.get(owners.of(place) ?? '');

/** The top clause above a place: an exhibit is a document of its own for numbers and terms. */
export function rootOf(context: Context, place: Place): string {
  let root = clauseOf(context, place);
  while (root !== undefined && root.parentId !== null) root = context.clauses.get(root.parentId);
  return root !== undefined && isExhibit(root.path) ? root.path : '';
}

export const placeOf = ({ blockId, start, end }: Span): Place => ({ blockId, start, end });

/** "in 4.2" or "before the first numbered clause". */
export function clauseName(context: Context, place: Place): string {
  const path = clauseOf(context, place)?.path ?? '';
  return path === '' ? 'before the first numbered clause' : `in ${path}`;
}

/** Up to `around` characters on either side of a place, cut at words. */
export function quoteAround(text: string, start: number, end: number, around = 60): string {
  let from = Math.max(0, start - around);
  let to = Math.min(text.length, end + around);
  while (from > 0 && from < start && /\S/.test(text[from - 1]!)) from++;
  while (to < text.length && to > end && /\S/.test(text[to]!)) to--;
  return `${from > 0 ? '…' : ''}${text.slice(from, to).trim()}${to < text.length ? '…' : ''}`;
}
