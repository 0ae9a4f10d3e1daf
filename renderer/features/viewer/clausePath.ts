import type { Document } from '../../../core/contract/document.ts';

/** "8.2 Limitation of Liability"; for a clause without a name, "8.2(a), under Limitation of Liability". */
export function clausePath(document: Document, clauseId: string | null): string {
  let clause = document.clauses.find((other) => other.id === clauseId);
  const path = clause?.path ?? '';
  if (clause && clause.heading !== '') return [path, clause.heading].filter(Boolean).join(' ');
  while (clause && clause.heading === '' && clause.parentId !== null) {
    const parentId = clause.parentId;
    clause = document.clauses.find((other) => other.id === parentId);
  }
  return clause && clause.heading !== '' ? [path, `under ${clause.heading}`].filter(Boolean).join(', ') : path;
}
