// One piece of evidence: the quote, where it stands, who pointed at it, and whether code found it there letter by letter.
import { BadgeCheck, CircleAlert, Wrench } from 'lucide-react';
import type { Answer, Evidence } from '../../../core/contract/answer.ts';
import { showEvidence } from '../../store/ask.ts';
import { useStore } from '../../store/store.ts';
import css from './EvidenceCard.module.css';

const STATES = {
  verified: { Icon: BadgeCheck, word: 'Verified', hint: 'The quote stands on this page letter by letter; code has checked it.' },
  repaired: { Icon: Wrench, word: 'Repaired', hint: 'The quote differed slightly; what is shown is what the page says.' },
  unverified: { Icon: CircleAlert, word: 'Not verified', hint: 'The quote was not found in the document, so nothing is highlighted.' },
} as const;
const SOURCES = { reader: 'Reader', retrieval: 'Search', extractor: 'Extractor' } as const;

export function EvidenceCard({ answer, evidence }: { readonly answer: Answer; readonly evidence: Evidence }) {
  const active = useStore((state) => state.viewer.activeMark === `${answer.id}:${evidence.n}`);
  const { Icon, word, hint } = STATES[evidence.state];
  const clause = [evidence.path, evidence.heading !== '' && !evidence.path.includes(evidence.heading) ? evidence.heading : ''].filter(Boolean).join(' ');
  return (
    <li>
      <button
        type="button"
        className={css['card']}
        data-testid="evidence"
        data-state={evidence.state}
        data-n={evidence.n}
        aria-pressed={active}
        disabled={evidence.state === 'unverified'}
        onClick={() => showEvidence(answer, evidence.n)}
      >
        <span className={css['top']}>
          <span className={css['n']} data-testid="evidence-chip">
            {evidence.n}
          </span>
          <span className={css['clause']} title={clause}>
            {clause || 'Unnumbered text'}
          </span>
          <span className={css['page']}>p. {evidence.pageLabel}</span>
        </span>
        <span className={css['quote']} data-testid="evidence-quote">
          {evidence.quote}
        </span>
        <span className={css['foot']}>
          <span className={css['state']} data-state={evidence.state} title={hint}>
            <Icon aria-hidden="true" />
            {word}
          </span>
          <span className={css['document']} title={evidence.documentName}>
            {evidence.documentName}
          </span>
          <span className={css['sources']}>
            {evidence.sources.map((source) => (
              <span key={source}>{SOURCES[source]}</span>
            ))}
          </span>
        </span>
      </button>
    </li>
  );
}
