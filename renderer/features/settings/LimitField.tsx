import { useId, useState } from 'react';
import { limitKept, limitOf } from '../../store/kept.ts';
import { Button } from '../../ui/Button.tsx';
import css from './LimitField.module.css';

/** The most that may be kept, in GB. */
export function LimitField({ budgetBytes }: { readonly budgetBytes: number }) {
  const before = String(Math.round(budgetBytes / 1e8) / 10);
  const [text, setText] = useState(before);
  const id = useId();
  const limit = limitOf(text);
  return (
    <form
      className={css['limit']}
      onSubmit={(event) => {
        event.preventDefault();
        if (limit !== null && text !== before) void limitKept(limit);
      }}
    >
      <label htmlFor={id}>Keep at most</label>
      <input
        id={id}
        className={css['input']}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        data-testid="kept-limit"
        aria-invalid={limit === null}
        onChange={(event) => setText(event.target.value)}
      />
      GB
      {text !== before && (
        <Button type="submit" disabled={limit === null} data-testid="kept-limit-save">
          Save
        </Button>
      )}
      <p className={css['hint']}>
        {limit === null ? 'A number of GB from 0.1 was expected.' : 'Holds from the next start. What was unused longest goes first.'}
      </p>
    </form>
  );
}
