// The changes in reading order, with a filter by kind.
import { Equal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Comparison } from '../../../core/contract/comparison.ts';
import { CHANGE_KINDS } from '../../../core/contract/comparison.ts';
import { toggleKind, visibleEntries } from '../../store/compare.ts';
import { useStore } from '../../store/store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { duration, plural } from '../../ui/format.ts';
import css from './ChangeList.module.css';
import { ChangeRow } from './ChangeRow.tsx';
import { GroupRow } from './GroupRow.tsx';
import { KindGlyph } from './KindGlyph.tsx';
import { KINDS } from './kinds.ts';

function Filter({ comparison }: { readonly comparison: Comparison }) {
  const hidden = useStore((state) => state.compare.hidden);
  return (
    <div className={css['filter']} role="group" aria-label="Kinds of change">
      {CHANGE_KINDS.filter((kind) => (comparison.counts[kind] ?? 0) > 0).map((kind) => (
        <button key={kind} type="button" aria-pressed={!hidden.includes(kind)} data-testid={`filter-${kind}`} onClick={() => toggleKind(kind)}>
          <KindGlyph kind={kind} />
          {KINDS[kind].word}
          <span className={css['count']}>{comparison.counts[kind]}</span>
        </button>
      ))}
    </div>
  );
}

export function ChangeList({ comparison }: { readonly comparison: Comparison }) {
  const { hidden, open, selected } = useStore((state) => state.compare);
  const list = useRef<HTMLOListElement>(null);
  const entries = visibleEntries(comparison, hidden);
  useEffect(() => {
    if (selected !== null) list.current?.querySelector('[data-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const notes = comparison.notes.map((note) => (
    <p key={note} className={css['note']}>
      {note}
    </p>
  ));
  if (comparison.changes.length === 0) {
    return (
      <>
        <Empty icon={<Equal />} title="No change">
          All {plural(comparison.unchangedClauses, 'clause')} say the same. Page numbers, line breaks and hyphens are not counted as changes.
        </Empty>
        {notes}
      </>
    );
  }
  return (
    <>
      <Filter comparison={comparison} />
      <p className={css['facts']}>
        <span>
          {plural(entries.length, 'change')}, {plural(comparison.unchangedClauses, 'clause')} unchanged
        </span>
        <span className={css['keys']}>
          <kbd>n</kbd> <kbd>p</kbd> next, previous
        </span>
        <span>{duration(comparison.ms)}</span>
      </p>
      {notes}
      <ol ref={list} className={css['list']} data-testid="changes">
        {entries.map((entry) =>
          'change' in entry ? (
            <ChangeRow key={entry.change.id} change={entry.change} selected={entry.change.id === selected} />
          ) : (
            <GroupRow key={entry.group.id} group={entry.group} changes={entry.changes} open={open.includes(entry.group.id)} selected={selected} />
          ),
        )}
      </ol>
    </>
  );
}
