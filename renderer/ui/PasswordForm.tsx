import { useState } from 'react';
import { Button } from './Button.tsx';
import css from './PasswordForm.module.css';

/** Asks for the password of one file; it is handed on once and not kept here. */
export function PasswordForm({ name, onPassword }: { readonly name: string; readonly onPassword: (password: string) => void }) {
  const [password, setPassword] = useState('');
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (password !== '') onPassword(password);
  };
  return (
    <form className={css['form']} onSubmit={submit}>
      <input
        type="password"
        autoComplete="off"
        placeholder="Password"
        aria-label={`Password of ${name}`}
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
