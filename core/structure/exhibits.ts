// The parts bound behind an agreement: exhibits, schedules, annexes, 附件. A part that is only named is a reference, not an exhibit.
//
// Rule: the span is where the part begins (its label and title); a part that comes twice, in a list and bound in, is given where it is bound in.
import type { Clause, Exhibit } from '../contract/document.ts';
import { readLabel } from '../ingest/labels.ts';
import type { StructureContext } from './context.ts';

export function findExhibits(context: StructureContext): Exhibit[] {
  const children = new Map(context.clauses.map((clause) => [clause.id, clause]));
  return context.clauses.filter(isExhibit).flatMap((clause): Exhibit[] => {
    const span = clause.spans[0];
    if (!span) return [];
    return [{ label: clause.path, title: clause.heading || titleBelow(clause, children), clauseId: clause.id, span }];
  });
}

export function isExhibit(clause: Clause): boolean {
  return clause.number !== '' && readLabel(`${clause.number}:`)?.readings[0]?.form === 'schedule';
}

/** "SCHEDULE 2" / "Fees" set as a heading of its own. */
function titleBelow(clause: Clause, clauses: ReadonlyMap<string, Clause>): string {
  const first = clauses.get(clause.children[0] ?? '');
  return first?.number === '' ? first.heading : '';
}
