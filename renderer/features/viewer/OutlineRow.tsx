import { ChevronRight } from 'lucide-react';
import css from './OutlineRow.module.css';

interface Props {
  readonly depth: number;
  readonly number: string;
  readonly label: string;
  readonly strong: boolean;
  readonly current: boolean;
  readonly fold: 'none' | 'folded' | 'open';
  readonly onFold: () => void;
  readonly onGo: () => void;
}

export function OutlineRow({ depth, number, label, strong, current, fold, onFold, onGo }: Props) {
  const keys = (event: React.KeyboardEvent) => {
    if ((event.key === 'ArrowRight' && fold === 'folded') || (event.key === 'ArrowLeft' && fold === 'open')) onFold();
    const step = event.key === 'ArrowDown' ? 'nextElementSibling' : event.key === 'ArrowUp' ? 'previousElementSibling' : null;
    if (!step) return;
    event.preventDefault();
    event.currentTarget[step]?.querySelector<HTMLElement>('[data-go]')?.focus();
  };
  return (
    <li
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={current}
      aria-expanded={fold === 'none' ? undefined : fold === 'open'}
      className={css['row']}
      data-testid="clause-row"
      aria-current={current ? 'location' : undefined}
      onKeyDown={keys}
      style={{ paddingLeft: 4 + Math.min(depth, 6) * 13 }}
    >
      {fold === 'none' ? (
        <span className={css['room']} />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className={css['fold']}
          data-open={fold === 'open'}
          aria-label={fold === 'open' ? 'Fold' : 'Unfold'}
          onClick={onFold}
        >
          <ChevronRight />
        </button>
      )}
      <button type="button" data-go className={css['go']} data-strong={strong} title={label} onClick={onGo}>
        {number !== '' && <span className={css['number']}>{number}</span>}
        <span className={css['label']}>{label}</span>
      </button>
    </li>
  );
}
