// A document as an extractor reads it: blocks in order with their clause, sentences, and values with span, page and path.
//
// Rule: a value always stands literally in one block at its span; its quote is the sentence around it.
import { isContent, type Block, type Clause, type Document } from '../contract/document.ts';
import type { FieldValue } from '../contract/summary.ts';
import { endsInAbbreviation } from '../structure/abbreviations.ts';
import { Owners } from '../structure/context.ts';

export interface Passage {
  readonly block: Block;
  readonly clause: Clause | null;
  /** Headings of the clause and of those above it, joined: what the passage stands under. */
  readonly heading: string;
  readonly index: number;
}

const SKIPPED: ReadonlySet<Block['kind']> = new Set(['annotation', 'table']);

export class Source {
  readonly document: Document;
  readonly passages: readonly Passage[];
  private readonly owners: Owners;
  private readonly clauses: ReadonlyMap<string, Clause>;
  /** Sentences of a block, split once however many values it holds. */
  private readonly split = new Map<string, readonly Sentence[]>();

  constructor(document: Document) {
    this.document = document;
    const clauses = new Map(document.clauses.map((clause) => [clause.id, clause]));
    this.clauses = clauses;
    this.owners = new Owners(document.clauses);
    const headings = new Map<string, string>();
    const headingOf = (clause: Clause): string => {
      const known = headings.get(clause.id);
      if (known !== undefined) return known;
      const parent = clause.parentId === null ? undefined : clauses.get(clause.parentId);
      const heading = [parent === undefined ? '' : headingOf(parent), clause.heading].filter((part) => part !== '').join(' / ');
      headings.set(clause.id, heading);
      return heading;
    };
    this.passages = document.blocks
      .filter((block) => isContent(block) && !SKIPPED.has(block.kind) && block.text.trim() !== '')
      .map((block, index) => {
        const clause = this.clauseAt(block.id, 0);
        return { block, clause, heading: clause === null ? '' : headingOf(clause), index };
      });
  }

  /** A block that carries two numbers belongs to two clauses. */
  private clauseAt(blockId: string, offset: number): Clause | null {
    return this.clauses.get(this.owners.at(blockId, offset) ?? '') ?? null;
  }

  /** A value at [start, end) of a passage. `confidence` says how often the rule that found it is right. */
  value(passage: Passage, start: number, end: number, normalized: string | null, confidence: number): FieldValue {
    const { block } = passage;
    const [from, to] = around(this.sentencesOf(block), start, end);
    return {
      value: block.text.slice(start, end),
      normalized,
      quote: block.text.slice(from, to),
      span: { documentId: this.document.id, blockId: block.id, start, end },
      page: pageAt(block, start),
      path: this.clauseAt(block.id, start)?.path ?? '',
      sources: ['extractor'],
      confidence,
    };
  }

  sentencesOf(block: Block): readonly Sentence[] {
    const known = this.split.get(block.id);
    if (known !== undefined) return known;
    const found = sentences(block.text);
    this.split.set(block.id, found);
    return found;
  }
}

/** Beginning and end in the text of a block. */
type Sentence = readonly [number, number];

function pageAt(block: Block, at: number): number {
  return block.lines.find((line) => line.start <= at && at < line.end)?.page ?? block.at[0]?.page ?? 0;
}

const END = /(?:[.;?!]["”’)\]]*(?=\s+["“(]?\p{Lu})|[。；])/gu;

/** Beginnings and ends of the sentences of a text. */
export function sentences(text: string): Sentence[] {
  const found: Sentence[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    // Twelve characters hold the longest abbreviation and what stands before it.
    if (match[0].startsWith('.') && endsInAbbreviation(text.slice(Math.max(0, match.index - 12), match.index))) continue;
    found.push([start, end]);
    start = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
  }
  if (start < text.length) found.push([start, text.length]);
  return found;
}

/** Of the sentences of a text those that hold [start, end), as one. Over 600 characters the quote is cut to what stands near. */
export function around(all: readonly Sentence[], start: number, end: number): Sentence {
  // Sentences are in order: the first that ends behind the start is found by halving.
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]![1] > start) high = middle;
    else low = middle + 1;
  }
  let last = low;
  while (last + 1 < all.length && all[last + 1]![0] < end) last++;
  const inside = low < all.length && all[low]![0] < end;
  const [from, to] = inside ? [all[low]![0], all[last]![1]] : [start, end];
  return to - from <= 600 ? [from, to] : [Math.max(from, start - 250), Math.min(to, Math.max(end, start + 350))];
}
