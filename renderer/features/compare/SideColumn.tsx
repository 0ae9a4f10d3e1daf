import { FileSearch } from 'lucide-react';
import { memo, type RefObject } from 'react';
import { selectChange } from '../../store/compare.ts';
import { goToClause, openDocument } from '../../store/viewer.ts';
import { useStore } from '../../store/store.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { KindGlyph } from './KindGlyph.tsx';
import { KINDS } from './kinds.ts';
import { Redline } from './Redline.tsx';
import css from './SideColumn.module.css';
import type { Side, SideRow } from './sides.ts';

function show(row: SideRow, side: Side): void {
  const { beforeId, afterId } = useStore.getState().compare;
  const documentId = side === 'before' ? beforeId : afterId;
  if (row.change) selectChange(row.change, side);
  else if (documentId !== null) {
    openDocument(documentId);
    goToClause(row.clauseId);
  }
}

const Row = memo(function Row({ row, side, selected }: { readonly row: SideRow; readonly side: Side; readonly selected: boolean }) {
  const { change } = row;
  const diff = change !== null && change.diff.length > 0;
  const tone = change ? KINDS[change.kind].tone : 'none';
  return (
    <div
      className={css['row']}
      data-clause={row.clauseId}
      data-change={change?.id}
      data-tone={tone}
      data-selected={selected}
      data-testid="side-row"
      style={{ paddingLeft: 14 + Math.min(row.depth, 4) * 12 }}
    >
      {change && !row.continued && (
        <button type="button" className={css['kind']} onClick={() => selectChange(change)}>
          <KindGlyph kind={change.kind} />
          {KINDS[change.kind].word}
          {change.before && change.after && change.before.path !== change.after.path && (
            <span className={css['paths']}>
              {change.before.path || '–'} → {change.after.path || '–'}
            </span>
          )}
        </button>
      )}
      {!(row.continued && diff) && <p className={css['text']}>{diff ? <Redline parts={change.diff} side={side} /> : row.text}</p>}
      <IconButton small label="Show on the page" className={css['show']} onClick={() => show(row, side)}>
        <FileSearch />
      </IconButton>
    </div>
  );
});

interface Props {
  readonly side: Side;
  readonly name: string;
  readonly rows: readonly SideRow[];
  readonly pane: RefObject<HTMLDivElement | null>;
  readonly selected: string | null;
  readonly onScroll: () => void;
}

export function SideColumn({ side, name, rows, pane, selected, onScroll }: Props) {
  return (
    <section className={css['column']} aria-label={`${side === 'before' ? 'Before' : 'After'}: ${name}`}>
      <h2 className={css['name']} title={name}>
        <span>{side === 'before' ? 'Before' : 'After'}</span> {name}
      </h2>
      <div ref={pane} className={css['rows']} tabIndex={0} data-testid={`column-${side}`} onScroll={onScroll}>
        {rows.map((row) => (
          <Row key={row.clauseId} row={row} side={side} selected={row.change !== null && row.change.id === selected} />
        ))}
      </div>
    </section>
  );
}
