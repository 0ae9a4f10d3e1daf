// Where terms are defined in either document, for edits that touch such a place.
import type { Document, Span } from '../contract/document.ts';
import type { Hunk } from './myers.ts';
import { tokensOf, type DraftPart } from './parts.ts';
import type { Token } from './tokens.ts';

export class DefinedPlaces {
  private readonly documents: readonly [Document, Document];
  private readonly definitions: ReadonlyMap<string, readonly Span[]>;
  /** Of the pair that is being told: it is asked about once per edit. */
  private readonly tokens = new WeakMap<readonly DraftPart[], readonly Token[]>();

  constructor(first: Document, second: Document) {
    const spans = [...first.definitions, ...second.definitions].map(({ span }) => span);
    this.definitions = Map.groupBy(spans, (span) => `${span.documentId} ${span.blockId}`);
    this.documents = [first, second];
  }

  /** True if the edit touches a place where a term is defined: the term, its quotes or a bracket beside them. */
  defines(a: readonly DraftPart[], b: readonly DraftPart[], hunk: Hunk): boolean {
    return this.touches(a, 0, hunk.a0, hunk.a1) || this.touches(b, 1, hunk.b0, hunk.b1);
  }

  private touches(parts: readonly DraftPart[], side: 0 | 1, from: number, to: number): boolean {
    const { id, blocks } = this.documents[side];
    const tokens = this.tokens.get(parts) ?? tokensOf(parts);
    this.tokens.set(parts, tokens);
    return tokens.slice(from, to).some((token) => {
      const spans = this.definitions.get(`${id} ${blocks[token.block]!.id}`);
      return spans?.some((span) => span.start - 2 < token.end && token.start < span.end + 2) === true;
    });
  }
}
