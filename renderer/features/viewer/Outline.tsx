// The clause tree of the open document: where one is, and a way to go elsewhere.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Clause, Document } from '../../../core/contract/document.ts';
import { useStore } from '../../store/store.ts';
import { goToClause } from '../../store/viewer.ts';
import css from './Outline.module.css';
import { OutlineRow } from './OutlineRow.tsx';

interface Node {
  readonly clause: Clause;
  readonly label: string;
  readonly folded: boolean;
}

/** What stands in the tree: the heading, or the beginning of the clause's own words. */
function labelOf(document: Document, texts: ReadonlyMap<string, string>, clause: Clause): string {
  if (clause.heading !== '') return clause.heading;
  const span = clause.spans[0];
  const text = span ? (texts.get(span.blockId)?.slice(span.start, Math.min(span.end, span.start + 120)) ?? '') : '';
  return (text.startsWith(clause.number) ? text.slice(clause.number.length).replace(/^[\s.):、．]+/, '') : text).trim() || document.name;
}

/** Rows that are visible: a clause is hidden below a parent that is folded. Deep levels start folded. */
function visible(document: Document, open: ReadonlySet<string>): readonly Node[] {
  const texts = new Map(document.blocks.map((block) => [block.id, block.text]));
  const shown = new Set<string>();
  return document.clauses.flatMap((clause): Node[] => {
    if (clause.parentId !== null && (!shown.has(clause.parentId) || !open.has(clause.parentId))) return [];
    shown.add(clause.id);
    return [{ clause, label: labelOf(document, texts, clause), folded: clause.children.length > 0 && !open.has(clause.id) }];
  });
}

function ancestors(document: Document, clauseId: string | null): readonly string[] {
  const parents = new Map(document.clauses.map((clause) => [clause.id, clause.parentId]));
  const found: string[] = [];
  for (let id = parents.get(clauseId ?? '') ?? null; id !== null; id = parents.get(id) ?? null) found.push(id);
  return found;
}

export function Outline() {
  const { openId, documents, clauseId } = useStore((state) => state.viewer);
  const job = openId === null ? undefined : documents[openId];
  const document = job?.status === 'done' ? job.value : null;
  return document && document.clauses.length > 0 ? <Tree key={document.id} document={document} clauseId={clauseId} /> : null;
}

function Tree({ document, clauseId }: { readonly document: Document; readonly clauseId: string | null }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(document.clauses.filter((clause) => clause.depth === 0 && document.clauses.length < 400).map((clause) => clause.id)),
  );
  const list = useRef<HTMLUListElement>(null);
  const rows = useMemo(() => visible(document, open), [document, open]);
  const path = useMemo(() => ancestors(document, clauseId), [document, clauseId]);
  const current = rows.some((row) => row.clause.id === clauseId) ? clauseId : (path.find((id) => rows.some((row) => row.clause.id === id)) ?? null);
  useEffect(() => {
    if (current !== null) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const fold = (id: string) => setOpen((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
  return (
    <nav className={css['outline']} aria-label="Clauses">
      <h2 className={css['head']}>
        Clauses <span>{document.clauses.length}</span>
      </h2>
      <ul ref={list} className={css['list']} role="tree">
        {rows.map(({ clause, label, folded }) => (
          <OutlineRow
            key={clause.id}
            depth={clause.depth}
            number={clause.number}
            label={label}
            strong={clause.heading !== '' && clause.depth === 0}
            current={clause.id === current}
            fold={clause.children.length === 0 ? 'none' : folded ? 'folded' : 'open'}
            onFold={() => fold(clause.id)}
            onGo={() => goToClause(clause.id)}
          />
        ))}
      </ul>
    </nav>
  );
}
