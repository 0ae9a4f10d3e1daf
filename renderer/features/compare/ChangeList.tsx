// The changes in reading order, with a filter by kind.
import { Equal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Comparison } from '../../../core/contract/comparison.ts';
import { CHANGE_KINDS } from '../../../core/contract/comparison.ts';
import { toggleKind, visibleChanges } from '../../store/compare.ts';
import { useStore } from '../../store/store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { duration, plural } from '../../ui/format.ts';
import css from './ChangeList.module.css';
import { ChangeRow } from './ChangeRow.tsx';
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
  const { hidden, selected } = useStore((state) => state.compare);
  const list = useRef<HTMLOListElement>(null);
  const changes = visibleChanges(comparison, hidden);
  useEffect(() => {
    if (selected !== null) list.current?.querySelector('[data-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  if (comparison.changes.length === 0) {
    return (
      <Empty icon={<Equal />} title="No change">
        All {plural(comparison.unchangedClauses, 'clause')} say the same. Page numbers, line breaks and hyphens are not counted as changes.
      </Empty>
    );
  }
  return (
    <>
      <Filter comparison={comparison} />
      <p className={css['facts']}>
        <span>
          {plural(changes.length, 'change')}, {plural(comparison.unchangedClauses, 'clause')} unchanged
        </span>
        <span className={css['keys']}>
          <kbd>n</kbd> <kbd>p</kbd> next, previous
        </span>
        <span>{duration(comparison.ms)}</span>
      </p>
      <ol ref={list} className={css['list']} data-testid="changes">
        {changes.map((change) => (
          <ChangeRow key={change.id} change={change} selected={change.id === selected} />
        ))}
      </ol>
    </>
  );
}
