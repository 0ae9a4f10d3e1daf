// What every rule of the linter looks at: the text blocks of a document with their clauses, and how a finding is made from a place.
import type { Block, Clause, Document } from '../contract/document.ts';
import type { Finding } from '../contract/review.ts';

export interface Draft {
  readonly rule: Finding['rule'];
  readonly severity: Finding['severity'];
  readonly message: string;
  readonly blockId: string;
  readonly start: number;
  readonly end: number;
}

export type Rule = (context: Context) => readonly Draft[];

export interface Context {
  readonly document: Document;
  /** Blocks with text of the document itself, in order. */
  readonly blocks: readonly Block[];
  readonly blockOf: ReadonlyMap<string, Block>;
  readonly clauses: ReadonlyMap<string, Clause>;
  /** The clause a block stands in. */
  readonly clauseOf: ReadonlyMap<string, Clause>;
}

const SKIPPED: ReadonlySet<Block['kind']> = new Set(['furniture', 'annotation', 'table']);

export function makeContext(document: Document): Context {
  const blocks = document.blocks.filter((block) => !SKIPPED.has(block.kind) && block.text !== '');
  const clauseOf = new Map<string, Clause>();
  for (const clause of document.clauses) for (const span of clause.spans) if (!clauseOf.has(span.blockId)) clauseOf.set(span.blockId, clause);
  return {
    document,
    blocks,
    clauseOf,
    blockOf: new Map(document.blocks.map((block) => [block.id, block])),
    clauses: new Map(document.clauses.map((clause) => [clause.id, clause])),
  };
}

/** The top clause above a clause: an exhibit is a document of its own for numbers and terms. */
export function rootOf(context: Context, clause: Clause | undefined): string {
  let root = clause;
  while (root !== undefined && root.parentId !== null) root = context.clauses.get(root.parentId);
  return root !== undefined && /^(?:exhibit|schedule|annex|appendix|attachment|附)/i.test(root.path) ? root.path : '';
}

/** Up to `around` characters on either side of a place, cut at words. */
export function quoteAround(text: string, start: number, end: number, around = 60): string {
  let from = Math.max(0, start - around);
  let to = Math.min(text.length, end + around);
  while (from > 0 && from < start && /\S/.test(text[from - 1]!)) from++;
  while (to < text.length && to > end && /\S/.test(text[to]!)) to--;
  return `${from > 0 ? '…' : ''}${text.slice(from, to).trim()}${to < text.length ? '…' : ''}`;
}
