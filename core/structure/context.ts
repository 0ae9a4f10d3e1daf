// What the passes after the clause tree look at.
import type { Block, Clause, Span } from '../contract/document.ts';
import type { CrossReference } from '../ingest/raw.ts';

export interface StructureContext {
  readonly documentId: string;
  readonly blocks: readonly Block[];
  readonly clauses: readonly Clause[];
  readonly owners: Owners;
  /** Fields of the file that point into it. */
  readonly crossReferences: readonly CrossReference[];
}

/** The way back from a place in a block to its clause: a block that carries two numbers belongs to two clauses. */
export class Owners {
  private readonly byBlock = new Map<string, { readonly start: number; readonly end: number; readonly id: string }[]>();

  constructor(clauses: readonly Clause[]) {
    for (const clause of clauses)
      for (const span of clause.spans) {
        const known = this.byBlock.get(span.blockId);
        const piece = { start: span.start, end: span.end, id: clause.id };
        if (known) known.push(piece);
        else this.byBlock.set(span.blockId, [piece]);
      }
  }

  /** Ids of all clauses that a block belongs to. */
  in(blockId: string): readonly string[] {
    return (this.byBlock.get(blockId) ?? []).map((piece) => piece.id);
  }

  /** Id of the clause that holds the character; null for furniture and hidden text. */
  at(blockId: string, offset: number): string | null {
    const pieces = this.byBlock.get(blockId);
    return (pieces?.findLast((piece) => piece.start <= offset) ?? pieces?.[0])?.id ?? null;
  }

  /** Id of the clause that holds most of the span: "2. (a) The term ..." as one sentence stands in 2(a), not in the number before it. */
  of({ blockId, start, end }: Pick<Span, 'blockId' | 'start' | 'end'>): string | null {
    let found = this.at(blockId, start);
    let most = 0;
    for (const piece of this.byBlock.get(blockId) ?? []) {
      const shared = Math.min(end, piece.end) - Math.max(start, piece.start);
      if (shared > most) [found, most] = [piece.id, shared];
    }
    return found;
  }
}
