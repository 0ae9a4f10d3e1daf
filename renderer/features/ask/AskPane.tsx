// Questions over the library: the newest at the end, the field to ask below.
import { MessageSquareQuote } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { setDraft } from '../../store/ask.ts';
import { useStore } from '../../store/store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { AskForm } from './AskForm.tsx';
import css from './AskPane.module.css';
import { ExchangeView } from './ExchangeView.tsx';

const EXAMPLES = [
  'What is the notice period for termination?',
  'Which law governs this agreement?',
  'Is there a cap on liability?',
  'May either party assign the agreement?',
];

export function AskPane() {
  const exchanges = useStore((state) => state.ask.exchanges);
  const end = useRef<HTMLDivElement>(null);
  const count = exchanges.length;
  useEffect(() => {
    if (count > 0) end.current?.lastElementChild?.scrollIntoView({ block: 'start' });
  }, [count]);
  return (
    <>
      <div className={css['exchanges']} ref={end} aria-live="polite">
        {count === 0 ? (
          <Empty icon={<MessageSquareQuote />} title="Ask about your documents">
            Every page is read for each question. What comes back is quoted, checked against the page it stands on, and one click away from it.
            <ul className={css['examples']}>
              {EXAMPLES.map((text) => (
                <li key={text}>
                  <button type="button" onClick={() => setDraft(text)}>
                    {text}
                  </button>
                </li>
              ))}
            </ul>
          </Empty>
        ) : (
          exchanges.map((exchange) => <ExchangeView key={exchange.id} exchange={exchange} />)
        )}
      </div>
      <AskForm />
    </>
  );
}
