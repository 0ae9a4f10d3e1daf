import type { Document } from '../../../core/contract/document.ts';

/** "8.2 Limitation of Liability" for the clause, or for the nearest clause above it that has a name. */
export function clausePath(document: Document, clauseId: string | null): string {
  let clause = document.clauses.find((other) => other.id === clauseId);
  const path = clause?.path ?? '';
  while (clause && clause.heading === '' && clause.parentId !== null) {
    const parentId = clause.parentId;
    clause = document.clauses.find((other) => other.id === parentId);
  }
  return [path, clause?.heading ?? ''].filter(Boolean).join(' ');
}
