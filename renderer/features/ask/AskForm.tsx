import { ArrowUp } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { ask, setDraft, setScope } from '../../store/ask.ts';
import { useStore } from '../../store/store.ts';
import { plural } from '../../ui/format.ts';
import css from './AskForm.module.css';

export function AskForm() {
  const { draft, scope } = useStore((state) => state.ask);
  const documents = useStore((state) => state.library.documents);
  const open = useStore((state) => documents.find((document) => document.id === state.viewer.openId));
  const field = useRef<HTMLTextAreaElement>(null);
  const ready = draft.trim() !== '' && documents.length > 0;
  useEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(180, field.current.scrollHeight)}px`;
    if (draft !== '') field.current.focus();
  }, [draft]);
  const keys = (event: KeyboardEvent) => {
    // isComposing: Enter that accepts a word of an input method must not send the question.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void ask(draft);
  };
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    void ask(draft);
  };
  return (
    <form className={css['form']} onSubmit={submit}>
      <div className={css['box']}>
        <textarea
          ref={field}
          rows={1}
          className={css['field']}
          data-testid="ask-input"
          aria-label="Question"
          placeholder={documents.length === 0 ? 'Add a document to ask about it' : 'Ask about your documents'}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={keys}
        />
        <div className={css['foot']}>
          <div className={css['scope']} role="radiogroup" aria-label="Which documents are asked">
            {documents.length > 0 && (
              <button type="button" role="radio" aria-checked={scope === 'all' || !open} data-testid="scope-all" onClick={() => setScope('all')}>
                {documents.length === 1 ? 'The document' : `All ${plural(documents.length, 'document')}`}
              </button>
            )}
            {open && documents.length > 1 && (
              <button type="button" role="radio" aria-checked={scope === 'open'} data-testid="scope-open" title={open.name} onClick={() => setScope('open')}>
                Only the open one
              </button>
            )}
          </div>
          <button type="submit" className={css['send']} data-testid="ask-submit" aria-label="Ask" title="Ask (Enter)" disabled={!ready}>
            <ArrowUp />
          </button>
        </div>
      </div>
    </form>
  );
}
