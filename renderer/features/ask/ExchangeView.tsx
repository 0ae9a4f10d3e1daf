// One question with all that came of it: progress while it runs, then the answer or why there is none.
import { Square, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import { cancelAnswer, removeExchange } from '../../store/ask.ts';
import type { Exchange } from '../../store/state.ts';
import { useStore } from '../../store/store.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { count } from '../../ui/format.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Progress } from '../../ui/Progress.tsx';
import { AnswerView } from './AnswerView.tsx';
import css from './ExchangeView.module.css';

const PHASES = { reading: 'Reading', asking: 'Looking in', writing: 'Writing the answer' } as const;

function progressText({ phase, done, total }: Exchange): string {
  if (phase === 'writing' || total === 0) return PHASES[phase];
  return `${PHASES[phase]} ${phase === 'asking' ? 'window ' : ''}${count(done)} of ${count(total)}`;
}

function Running({ exchange }: { readonly exchange: Exchange }) {
  return (
    <div className={css['running']} data-testid="answer-progress">
      <div className={css['line']}>
        <span className={css['phase']}>{exchange.cancelling ? 'Stopping' : progressText(exchange)}</span>
        <Button look="quiet" icon={<Square />} data-testid="answer-cancel" disabled={exchange.cancelling} onClick={() => void cancelAnswer(exchange.id)}>
          Stop
        </Button>
      </div>
      <Progress done={exchange.done} total={exchange.phase === 'writing' || exchange.done === 0 ? 0 : exchange.total} label="Progress of the answer" />
    </div>
  );
}

/** What had been written when the engine ended stays on screen, marked as cut. */
function Failed({ exchange }: { readonly exchange: Exchange }) {
  if (!exchange.failure) return null;
  return (
    <div data-testid="answer" data-verdict="failed">
      {exchange.written !== '' && (
        <p className={css['written']} data-cut="true">
          {exchange.written}
          <span className={css['cut']}>Cut here</span>
        </p>
      )}
      <FailureNote sentence={ERROR_SENTENCES[exchange.failure.code]} message={exchange.failure.message} code={exchange.failure.code} />
    </div>
  );
}

export function ExchangeView({ exchange }: { readonly exchange: Exchange }) {
  const root = useRef<HTMLElement>(null);
  const documents = useStore((state) => state.library.documents);
  const only = exchange.documentIds.length === 1 ? documents.find((document) => document.id === exchange.documentIds[0])?.name : undefined;
  useEffect(() => {
    if (exchange.status !== 'running') root.current?.scrollIntoView({ block: 'nearest' });
  }, [exchange.status]);
  return (
    <article ref={root} className={css['exchange']} data-testid="exchange" data-status={exchange.status}>
      <header className={css['question']}>
        <div>
          <h2>{exchange.question}</h2>
          {only !== undefined && <p className={css['scope']}>in {only}</p>}
        </div>
        {exchange.status !== 'running' && (
          <IconButton small label="Take this question away" className={css['remove']} onClick={() => removeExchange(exchange.id)}>
            <X />
          </IconButton>
        )}
      </header>
      {exchange.status === 'running' && <Running exchange={exchange} />}
      {exchange.status === 'running' && exchange.written !== '' && <p className={css['written']}>{exchange.written}</p>}
      {exchange.status === 'failed' && <Failed exchange={exchange} />}
      {exchange.answer && <AnswerView answer={exchange.answer} written={exchange.written} />}
    </article>
  );
}
