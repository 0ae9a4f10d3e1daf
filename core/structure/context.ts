// What the passes after the clause tree look at.
import type { Block, Clause } from '../contract/document.ts';

export interface StructureContext {
  readonly documentId: string;
  readonly blocks: readonly Block[];
  readonly clauses: readonly Clause[];
  /** Clause id by block id; furniture has none. */
  readonly ownerOf: ReadonlyMap<string, string>;
}
