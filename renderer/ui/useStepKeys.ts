// n and p: the next and the previous of a list, wherever the focus is, except in a field.
import { useEffect } from 'react';

const EDITABLE = /^(INPUT|TEXTAREA|SELECT)$/;

/** `step` must be stable (a function of a module, or memoised). */
export function useStepKeys(step: (by: 1 | -1) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || EDITABLE.test((event.target as HTMLElement).tagName)) return;
      if (event.key === 'n') step(1);
      else if (event.key === 'p') step(-1);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [step]);
}
