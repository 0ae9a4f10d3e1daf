// An answer: the verdict and what it rests on, the value, the prose, the evidence, and the receipt of what was read.
import { CircleCheck, CircleDashed, CircleHelp, Scissors } from 'lucide-react';
import type { Answer } from '../../../core/contract/answer.ts';
import { duration } from '../../ui/format.ts';
import css from './AnswerView.module.css';
import { CoverageReceipt } from './CoverageReceipt.tsx';
import { EvidenceCard } from './EvidenceCard.tsx';
import { Prose } from './Prose.tsx';

const VERDICTS = {
  found: { word: 'Found', Icon: CircleCheck },
  absent: { word: 'Not in these documents', Icon: CircleDashed },
  uncertain: { word: 'Not certain', Icon: CircleHelp },
  cut: { word: 'Stopped before the end', Icon: Scissors },
} as const;

export function AnswerView({ answer, written }: { readonly answer: Answer; readonly written: string }) {
  const { word, Icon } = VERDICTS[answer.verdict];
  const prose = answer.prose.length > 0;
  return (
    <div data-testid="answer" data-verdict={answer.verdict}>
      <div className={css['verdict']} data-verdict={answer.verdict}>
        <Icon aria-hidden="true" />
        <div>
          <strong data-testid="verdict">{word}</strong>
          <p>{answer.reason}</p>
        </div>
      </div>
      {answer.value !== null && (
        <p className={css['value']} data-testid="answer-value">
          {answer.value}
        </p>
      )}
      {prose && <Prose answer={answer} />}
      {!prose && answer.verdict === 'cut' && written !== '' && <p className={css['written']}>{written}</p>}
      {answer.evidence.length > 0 && (
        <ol className={css['evidence']} aria-label="Evidence">
          {answer.evidence.map((evidence) => (
            <EvidenceCard key={evidence.n} answer={answer} evidence={evidence} />
          ))}
        </ol>
      )}
      <CoverageReceipt coverage={answer.coverage} />
      <p className={css['models']}>
        {answer.model.writer === null ? `Read by ${answer.model.reader}` : `Read by ${answer.model.reader}, written by ${answer.model.writer}`} in{' '}
        {duration(answer.ms)}
      </p>
    </div>
  );
}
