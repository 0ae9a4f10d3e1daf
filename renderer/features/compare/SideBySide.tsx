// Both versions in two columns that scroll together: what lies at a third of one column's height corresponds to the same height of the other.
import { useEffect, useMemo, useRef } from 'react';
import type { Comparison } from '../../../core/contract/comparison.ts';
import type { Document } from '../../../core/contract/document.ts';
import { setMiddle } from '../../store/layout.ts';
import { useStore } from '../../store/store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Columns2, X } from 'lucide-react';
import css from './SideBySide.module.css';
import { SideColumn } from './SideColumn.tsx';
import { anchors, correspond, type Side, sideRows } from './sides.ts';

/** Where the columns agree, as a part of their height: where the eye reads. */
const EYE = 1 / 3;

function tops(column: HTMLElement, ids: readonly string[]): readonly number[] {
  const base = column.getBoundingClientRect().top - column.scrollTop;
  return ids.map((id) => (column.querySelector(`[data-clause="${CSS.escape(id)}"]`)?.getBoundingClientRect().top ?? 0) - base);
}

interface Props {
  readonly comparison: Comparison;
  readonly before: Document;
  readonly after: Document;
}

function Columns({ comparison, before, after }: Props) {
  const selected = useStore((state) => state.compare.selected);
  const rows = useMemo(() => ({ before: sideRows(before, comparison, 'before'), after: sideRows(after, comparison, 'after') }), [before, after, comparison]);
  const ids = useMemo(() => {
    const chain = anchors(comparison, rows.before, rows.after);
    return { before: chain.map((pair) => rows.before[pair.before]!.clauseId), after: chain.map((pair) => rows.after[pair.after]!.clauseId) };
  }, [comparison, rows]);
  const columns = { before: useRef<HTMLDivElement>(null), after: useRef<HTMLDivElement>(null) };
  /** The column that the program has just scrolled: its own scroll event must not answer. */
  const answered = useRef<Side | null>(null);

  const follow = (side: Side) => {
    const other: Side = side === 'before' ? 'after' : 'before';
    if (answered.current === side) {
      answered.current = null;
      return;
    }
    const from = columns[side].current;
    const to = columns[other].current;
    if (!from || !to) return;
    const eye = from.clientHeight * EYE;
    const y = correspond(from.scrollTop + eye, tops(from, ids[side]), tops(to, ids[other])) - eye;
    const target = Math.round(Math.max(0, Math.min(to.scrollHeight - to.clientHeight, y)));
    if (Math.abs(to.scrollTop - target) < 1) return;
    answered.current = other;
    to.scrollTop = target;
  };

  useEffect(() => {
    if (selected === null) return;
    for (const side of ['after', 'before'] as const) {
      const row = columns[side].current?.querySelector(`[data-change="${CSS.escape(selected)}"]`);
      if (!row) continue;
      row.scrollIntoView({ block: 'center' });
      return;
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the refs never change
  }, [selected]);

  return (
    <div className={css['columns']} data-testid="side-by-side-view">
      {(['before', 'after'] as const).map((side) => (
        <SideColumn
          key={side}
          side={side}
          name={side === 'before' ? before.name : after.name}
          rows={rows[side]}
          pane={columns[side]}
          selected={selected}
          onScroll={() => follow(side)}
        />
      ))}
    </div>
  );
}

export function SideBySide() {
  const job = useStore((state) => state.compare.job);
  const documents = useStore((state) => state.viewer.documents);
  const comparison = job?.status === 'done' ? job.value : null;
  const before = comparison ? documents[comparison.beforeId] : undefined;
  const after = comparison ? documents[comparison.afterId] : undefined;
  if (!comparison || before?.status !== 'done' || after?.status !== 'done') {
    return (
      <Empty icon={<Columns2 />} title="Nothing to show side by side">
        Choose two versions under Compare and run the comparison.
      </Empty>
    );
  }
  return (
    <>
      <header className={css['bar']}>
        <h1>Side by side</h1>
        <IconButton label="Back to the pages" onClick={() => setMiddle('document')}>
          <X />
        </IconButton>
      </header>
      <Columns comparison={comparison} before={before.value} after={after.value} />
    </>
  );
}
