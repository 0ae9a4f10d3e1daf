// What the parsers know about the words of an edit: cross-references that still point at the same clause under its new number, and definitions.
import type { Document, Reference, Span } from '../contract/document.ts';
import { tokensOf, type DraftPart } from './draft.ts';
import type { Hunk } from './myers.ts';
import type { Token } from './tokens.ts';

export class ReferencePairs {
  private readonly first: ReadonlyMap<string, readonly Reference[]>;
  private readonly second: ReadonlyMap<string, readonly Reference[]>;
  private readonly partner: ReadonlyMap<string, string>;

  private readonly documents: readonly [Document, Document];
  private readonly definitions: ReadonlyMap<string, readonly Span[]>;

  constructor(first: Document, second: Document, clauseToB: Int32Array) {
    this.first = byBlock(first.references);
    this.second = byBlock(second.references);
    const spans = [...first.definitions, ...second.definitions].map(({ span }) => span);
    this.definitions = Map.groupBy(spans, (span) => `${span.documentId} ${span.blockId}`);
    this.documents = [first, second];
    this.partner = new Map(first.clauses.flatMap((clause, index) => (clauseToB[index] === -1 ? [] : [[clause.id, second.clauses[clauseToB[index]!]!.id]])));
  }

  /** True if there are edits and each lies in a reference on both sides, and the targets are a pair of clauses. */
  follow(a: readonly DraftPart[], b: readonly DraftPart[], hunks: readonly Hunk[]): boolean {
    if (hunks.length === 0) return false;
    const [tokensA, tokensB] = [tokensOf(a), tokensOf(b)];
    const [blocksA, blocksB] = [this.blocksOf(0, tokensA), this.blocksOf(1, tokensB)];
    return hunks.every((hunk) => {
      const left = find(this.first, tokensA, blocksA, hunk.a0, hunk.a1);
      const right = find(this.second, tokensB, blocksB, hunk.b0, hunk.b1);
      return left?.targetId != null && right?.targetId != null && this.partner.get(left.targetId) === right.targetId;
    });
  }

  /** True if the edit touches a place where a term is defined: the term, its quotes or a bracket beside them. */
  defines(a: readonly DraftPart[], b: readonly DraftPart[], hunk: Hunk): boolean {
    const touches = (parts: readonly DraftPart[], side: 0 | 1, from: number, to: number): boolean => {
      const tokens = tokensOf(parts).slice(from, to);
      const blocks = this.blocksOf(side, tokens);
      return tokens.some(
        (token, at) =>
          this.definitions.get(`${this.documents[side].id} ${blocks[at]!}`)?.some((span) => span.start - 2 < token.end && token.start < span.end + 2) === true,
      );
    };
    return touches(a, 0, hunk.a0, hunk.a1) || touches(b, 1, hunk.b0, hunk.b1);
  }

  private blocksOf(side: 0 | 1, tokens: readonly Token[]): string[] {
    return tokens.map((token) => this.documents[side].blocks[token.block]!.id);
  }
}

function byBlock(references: readonly Reference[]): Map<string, Reference[]> {
  return Map.groupBy(references, ({ span }) => span.blockId);
}

function find(
  references: ReadonlyMap<string, readonly Reference[]>,
  tokens: readonly Token[],
  blocks: readonly string[],
  from: number,
  to: number,
): Reference | undefined {
  const [first, last] = [tokens[from], tokens[to - 1]];
  if (first === undefined || last === undefined || to <= from) return undefined;
  return references.get(blocks[from]!)?.find(({ span }) => span.start <= first.start && last.end <= span.end);
}
