// A file on its way in: pages done, a password asked for, or why it could not be read.
import { CircleAlert, Clock, KeyRound, LoaderCircle, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import { cancelIntake, dismissIntake, retryIntake, unlock } from '../../store/intake.ts';
import type { IntakeItem } from '../../store/state.ts';
import { Button } from '../../ui/Button.tsx';
import { bytes } from '../../ui/format.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Progress } from '../../ui/Progress.tsx';
import css from './IntakeRow.module.css';

function progressText(item: IntakeItem): string {
  if (item.phase === 'waiting') return `Waiting · ${bytes(item.bytes)}`;
  if (item.phase === 'storing') return 'Storing';
  return item.total > 0 ? `Page ${item.done} of ${item.total}` : 'Opening';
}

function PasswordForm({ item }: { readonly item: IntakeItem }) {
  const [password, setPassword] = useState('');
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (password !== '') unlock(item.id, password);
  };
  return (
    <form className={css['password']} onSubmit={submit}>
      <input
        type="password"
        autoComplete="off"
        placeholder="Password"
        aria-label={`Password of ${item.name}`}
        data-testid="password-input"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" look="primary" data-testid="password-submit" disabled={password === ''}>
        Open
      </Button>
    </form>
  );
}

export function IntakeRow({ item }: { readonly item: IntakeItem }) {
  const stopped = item.phase === 'failed' || item.phase === 'password';
  const Icon = item.phase === 'failed' ? CircleAlert : item.phase === 'password' ? KeyRound : item.phase === 'waiting' ? Clock : LoaderCircle;
  return (
    <li className={css['row']} data-testid="intake-row" data-phase={item.phase} data-code={item.failure?.code}>
      <Icon aria-hidden="true" className={css[item.phase] ?? css['icon']} />
      <div className={css['text']}>
        <span className={css['name']} title={item.name}>
          {item.name}
        </span>
        {item.failure ? (
          <p className={css['failure']} role="alert">
            <strong>{ERROR_SENTENCES[item.failure.code]}</strong> {item.failure.message}
          </p>
        ) : (
          <span className={css['facts']}>{progressText(item)}</span>
        )}
        {item.phase === 'password' && <PasswordForm item={item} />}
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
