// What the passes after the clause tree look at.
import type { Block, Clause } from '../contract/document.ts';
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
  private readonly byBlock = new Map<string, { readonly start: number; readonly id: string }[]>();

  constructor(clauses: readonly Clause[]) {
    for (const clause of clauses)
      for (const span of clause.spans) {
        const known = this.byBlock.get(span.blockId);
        if (known) known.push({ start: span.start, id: clause.id });
        else this.byBlock.set(span.blockId, [{ start: span.start, id: clause.id }]);
      }
  }

  /** Id of the clause that holds the character; null for furniture and hidden text. */
  at(blockId: string, offset: number): string | null {
    const pieces = this.byBlock.get(blockId);
    return (pieces?.findLast((piece) => piece.start <= offset) ?? pieces?.[0])?.id ?? null;
  }
}
