import { CircleX, Info, TriangleAlert } from 'lucide-react';
import type { Finding } from '../../../core/contract/review.ts';
import { showFinding } from '../../store/reports.ts';
import { useStore } from '../../store/store.ts';
import css from './FindingRow.module.css';
import { RULES } from './rules.ts';

const ICONS = { error: CircleX, warning: TriangleAlert, info: Info } as const;
const WORDS = { error: 'Error', warning: 'Warning', info: 'Note' } as const;

export function FindingRow({ finding, all }: { readonly finding: Finding; readonly all: readonly Finding[] }) {
  const active = useStore((state) => state.viewer.activeMark === `finding:${finding.id}`);
  const Icon = ICONS[finding.severity];
  return (
    <li>
      <button
        type="button"
        className={css['row']}
        data-testid="finding-row"
        data-rule={finding.rule}
        aria-pressed={active}
        onClick={() => showFinding(all, finding)}
      >
        <Icon role="img" aria-label={WORDS[finding.severity]} data-severity={finding.severity} />
        <span className={css['body']}>
          <span className={css['head']}>
            <span className={css['rule']}>{RULES[finding.rule]}</span>
            <span className={css['place']}>{[finding.path, `p. ${finding.page + 1}`].filter(Boolean).join(' · ')}</span>
          </span>
          <span className={css['message']}>{finding.message}</span>
          <span className={css['quote']}>{finding.quote}</span>
          {finding.fix !== null && <span className={css['fix']}>{finding.fix.text === '' ? 'Delete it' : `Write “${finding.fix.text}”`}</span>}
        </span>
      </button>
    </li>
  );
}
