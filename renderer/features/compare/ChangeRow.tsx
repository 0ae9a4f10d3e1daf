import type { Change } from '../../../core/contract/comparison.ts';
import { selectChange } from '../../store/compare.ts';
import css from './ChangeRow.module.css';
import { KindGlyph } from './KindGlyph.tsx';
import { KINDS, TOPICS } from './kinds.ts';
import { Redline } from './Redline.tsx';

/** "8.2 Assignment", or "8.2 → 9.1 Assignment" where number or place changed. */
function heading({ before, after }: Change): string {
  const name = after?.heading || before?.heading || '';
  const paths = before && after && before.path !== after.path ? `${before.path || '–'} → ${after.path || '–'}` : (after?.path ?? before?.path ?? '');
  return [paths, name].filter(Boolean).join('  ') || 'Unnumbered text';
}

function text(change: Change): string {
  const side = change.after ?? change.before;
  const words = side?.text ?? '';
  return words.length > 240 ? `${words.slice(0, 240).replace(/\s\S*$/, '')} …` : words;
}

export function ChangeRow({ change, selected }: { readonly change: Change; readonly selected: boolean }) {
  const topics = change.topics.filter((topic) => topic !== 'wording');
  const label = heading(change);
  return (
    <li>
      <button
        type="button"
        className={css['row']}
        data-testid="change-row"
        data-kind={change.kind}
        data-selected={selected}
        aria-pressed={selected}
        onClick={() => selectChange(change)}
      >
        <KindGlyph kind={change.kind} />
        <span className={css['body']}>
          <span className={css['head']}>
            <span className={css['title']} title={label}>
              {label}
            </span>
            <span className={css['kind']}>{KINDS[change.kind].word}</span>
          </span>
          <span className={css['text']}>{change.diff.length > 0 ? <Redline parts={change.diff} context={70} /> : text(change)}</span>
          {(topics.length > 0 || change.severity === 'high') && (
            <span className={css['topics']} title={change.reason}>
              {change.severity === 'high' && <span className={css['high']}>Important</span>}
              {topics.map((topic) => (
                <span key={topic}>{TOPICS[topic]}</span>
              ))}
            </span>
          )}
        </span>
      </button>
    </li>
  );
}
