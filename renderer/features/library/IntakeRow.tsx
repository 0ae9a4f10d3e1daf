// A file on its way in: pages done, a password asked for, or why it could not be read.
import { CircleAlert, Clock, KeyRound, LoaderCircle, RotateCcw, X } from 'lucide-react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import { cancelIntake, dismissIntake, retryIntake, showPreview, unlock } from '../../store/intake.ts';
import type { IntakeItem } from '../../store/state.ts';
import { bytes } from '../../ui/format.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { PasswordForm } from '../../ui/PasswordForm.tsx';
import { Progress } from '../../ui/Progress.tsx';
import css from './IntakeRow.module.css';

function progressText(item: IntakeItem): string {
  if (item.phase === 'waiting') return `Waiting · ${bytes(item.bytes)}`;
  if (item.phase === 'storing') return 'Storing';
  if (item.total === 0) return 'Opening';
  return item.recognising ? `Recognising page ${item.done + 1} of ${item.total}` : `Page ${item.done} of ${item.total}`;
}

export function IntakeRow({ item }: { readonly item: IntakeItem }) {
  const stopped = item.phase === 'failed' || item.phase === 'password';
  const Icon = item.phase === 'failed' ? CircleAlert : item.phase === 'password' ? KeyRound : item.phase === 'waiting' ? Clock : LoaderCircle;
  return (
    <li className={css['row']} data-testid="intake-row" data-phase={item.phase} data-code={item.failure?.code}>
      <Icon aria-hidden="true" className={css[item.phase] ?? css['icon']} />
      <div className={css['text']}>
        <button type="button" className={css['name']} title={item.name} disabled={item.phase !== 'parsing'} onClick={() => showPreview(item.id)}>
          {item.name}
        </button>
        {item.failure ? (
          <p className={css['failure']} role="alert" title={item.failure.message}>
            <strong>{ERROR_SENTENCES[item.failure.code]}</strong> {item.failure.message}
          </p>
        ) : (
          <span className={css['facts']}>{progressText(item)}</span>
        )}
        {item.phase === 'password' && <PasswordForm name={item.name} onPassword={(password) => unlock(item.id, password)} />}
        {!stopped && item.phase !== 'waiting' && <Progress done={item.done} total={item.phase === 'storing' ? 0 : item.total} label={`Reading ${item.name}`} />}
      </div>
      <div className={css['actions']}>
        {item.phase === 'failed' && (
          <IconButton small label={`Try ${item.name} again`} onClick={() => retryIntake(item.id)}>
            <RotateCcw />
          </IconButton>
        )}
        <IconButton
          small
          label={stopped ? `Dismiss ${item.name}` : `Stop reading ${item.name}`}
          data-testid="intake-cancel"
          onClick={() => (stopped ? dismissIntake(item.id) : cancelIntake(item.id))}
        >
          <X />
        </IconButton>
      </div>
    </li>
  );
}
