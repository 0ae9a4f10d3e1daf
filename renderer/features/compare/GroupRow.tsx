// Changes that are one edit at many places: told in one row, listed one by one when it is opened.
import { ChevronRight } from 'lucide-react';
import type { Change, ChangeGroup } from '../../../core/contract/comparison.ts';
import { toggleGroup } from '../../store/compare.ts';
import { plural } from '../../ui/format.ts';
import { ChangeRow } from './ChangeRow.tsx';
import css from './GroupRow.module.css';
import { GROUPS } from './kinds.ts';
import { Redline } from './Redline.tsx';

interface Props {
  readonly group: ChangeGroup;
  readonly changes: readonly Change[];
  readonly open: boolean;
  readonly selected: string | null;
}

export function GroupRow({ group, changes, open, selected }: Props) {
  const { word, Icon } = GROUPS[group.kind];
  const holds = changes.some(({ id }) => id === selected);
  return (
    <li>
      <button
        type="button"
        className={css['row']}
        data-testid="group-row"
        data-kind={group.kind}
        data-selected={!open && holds}
        aria-expanded={open}
        onClick={() => toggleGroup(group.id)}
      >
        <span className={css['icon']} role="img" aria-label={word} title={word}>
          <Icon />
        </span>
        <span className={css['body']}>
          <span className={css['head']}>
            <span className={css['title']}>
              {group.kind === 'references' ? (
                plural(group.places, 'reference')
              ) : (
                <Redline
                  parts={[
                    { op: 'delete', text: group.before },
                    { op: 'equal', text: ' ' },
                    { op: 'insert', text: group.after },
                  ]}
                />
              )}
            </span>
            <span className={css['kind']}>{word}</span>
          </span>
          <span className={css['reason']}>{group.reason}</span>
        </span>
        <ChevronRight className={css['chevron']} aria-hidden="true" />
      </button>
      {open && (
        <ol className={css['places']}>
          {changes.map((change) => (
            <ChangeRow key={change.id} change={change} selected={change.id === selected} />
          ))}
        </ol>
      )}
    </li>
  );
}
