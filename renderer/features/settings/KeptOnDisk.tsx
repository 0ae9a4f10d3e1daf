// What the Reader has read is kept on disk: how much of which document, the most that may be, and deleting all of it.
import { useEffect, useState } from 'react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import type { Store } from '../../../core/contract/requests.ts';
import { clearKept, loadKept } from '../../store/kept.ts';
import { useStore } from '../../store/store.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { bytes, plural } from '../../ui/format.ts';
import { Progress } from '../../ui/Progress.tsx';
import css from './KeptOnDisk.module.css';
import { LimitField } from './LimitField.tsx';

function Documents({ kept }: { readonly kept: Store }) {
  return (
    <ul className={css['documents']} aria-label="By document">
      {kept.documents.map((entry) => (
        <li key={entry.documentId} className={css['document']} data-testid="kept-document">
          <span className={css['name']} data-unknown={entry.name === null} title={entry.name ?? entry.documentId}>
            {entry.name ?? 'Not in the library'}
          </span>
          <span className={css['size']}>{bytes(entry.bytes)}</span>
        </li>
      ))}
    </ul>
  );
}

function DeleteAll({ kept }: { readonly kept: Store }) {
  const [asking, setAsking] = useState(false);
  const clearing = useStore((state) => state.kept.clearing);
  if (clearing) return <Progress done={0} total={0} label="Deleting" />;
  if (!asking)
    return (
      <Button look="danger" className={css['delete']} disabled={kept.files === 0} data-testid="kept-delete" onClick={() => setAsking(true)}>
        Delete all
      </Button>
    );
  return (
    <div className={css['sure']} role="alertdialog" aria-label="Delete all">
      <p data-testid="kept-sure">
        {plural(kept.files, 'file')} of {plural(kept.documents.length, 'document')}, {bytes(kept.bytes)}, will be gone. The documents stay; the next question
        about one reads it again, which takes as long as the first time.
      </p>
      <span className={css['buttons']}>
        <Button
          look="danger"
          data-testid="kept-delete-sure"
          onClick={() => {
            setAsking(false);
            void clearKept();
          }}
        >
          Delete {bytes(kept.bytes)}
        </Button>
        <Button look="quiet" autoFocus onClick={() => setAsking(false)}>
          Keep
        </Button>
      </span>
    </div>
  );
}

export function KeptOnDisk() {
  const shown = useStore((state) => state.kept.shown);
  useEffect(() => void loadKept(), []);
  const kept = shown?.status === 'done' ? shown.value : null;
  return (
    <section className={css['kept']} aria-label="Kept on disk">
      <h3 className={css['head']}>Kept on disk</h3>
      <p className={css['about']}>What was read of a document, so that it is read once: a later question costs only itself. It goes with the document.</p>
      {shown?.status === 'failed' && <FailureNote sentence={ERROR_SENTENCES[shown.failure.code]} message={shown.failure.message} code={shown.failure.code} />}
      {shown?.status === 'running' && <Progress done={0} total={0} label="Adding up" />}
      {kept && (
        <>
          <p className={css['total']} data-testid="kept-total">
            {bytes(kept.bytes)} of {bytes(kept.budgetBytes)} <span className={css['files']}>{plural(kept.files, 'file')}</span>
          </p>
          <Progress done={kept.bytes} total={kept.budgetBytes} label="Of the limit" />
          {kept.documents.length > 0 && <Documents kept={kept} />}
          <LimitField key={kept.budgetBytes} budgetBytes={kept.budgetBytes} />
          <DeleteAll kept={kept} />
        </>
      )}
    </section>
  );
}
