import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './FailureNote.module.css';

/** A failure as its code's sentence and, below it, what was expected, found and to do. */
export function FailureNote({ sentence, message, code, children }: { sentence: string; message: string; code: string; children?: ReactNode }) {
  return (
    <div className={css['note']} role="alert" data-testid="failure" data-code={code}>
      <CircleAlert aria-hidden="true" />
      <div>
        <p className={css['sentence']}>{sentence}</p>
        <p className={css['message']}>{message}</p>
        {children}
      </div>
    </div>
  );
}
