// The Writer's answer, sentence by sentence, each with its citations; a sentence that failed its check says so.
import { TriangleAlert } from 'lucide-react';
import type { Answer } from '../../../core/contract/answer.ts';
import { showEvidence } from '../../store/ask.ts';
import css from './Prose.module.css';

const STATES = { supported: '', unsupported: 'not supported', contradicted: 'contradicted', uncited: 'no citation' } as const;

export function Prose({ answer }: { readonly answer: Answer }) {
  return (
    <p className={css['prose']} data-testid="prose">
      {answer.prose.map((sentence, at) => (
        <span key={at} className={css['sentence']} data-state={sentence.state} title={sentence.reason}>
          {sentence.text}
          {sentence.citations.map((n) => (
            <button
              key={n}
              type="button"
              className={css['citation']}
              data-testid="citation"
              aria-label={`Show citation ${n}`}
              onClick={() => showEvidence(answer, n)}
            >
              {n}
            </button>
          ))}
          {sentence.state !== 'supported' && (
            <span className={css['flag']} data-state={sentence.state}>
              <TriangleAlert aria-hidden="true" />
              {STATES[sentence.state]}
            </span>
          )}{' '}
        </span>
      ))}
    </p>
  );
}
