// The structured summary of the open document: every value links to the words it comes from.
import { FileJson, ListChecks, RotateCw } from 'lucide-react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import type { Summary } from '../../../core/contract/summary.ts';
import { runSummary } from '../../store/reports.ts';
import { useStore } from '../../store/store.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { count, plural } from '../../ui/format.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Progress } from '../../ui/Progress.tsx';
import { FieldView } from './FieldView.tsx';
import { download, GROUPS } from './fields.ts';
import css from './SummaryPane.module.css';

function Report({ summary }: { readonly summary: Summary }) {
  const { coverage } = summary;
  const found = Object.values(summary.fields).filter((field) => field?.status === 'found').length;
  return (
    <>
      <header className={css['head']}>
        <p className={css['facts']}>
          {plural(found, 'field')} found · read{' '}
          {coverage.pagesRead >= coverage.pages ? `all ${plural(coverage.pages, 'page')}` : `${count(coverage.pagesRead)} of ${plural(coverage.pages, 'page')}`}
        </p>
        <IconButton label="Make it again" onClick={() => void runSummary(summary.documentId)}>
          <RotateCw />
        </IconButton>
        <Button icon={<FileJson />} data-testid="summary-export" onClick={() => download(summary)}>
          Export JSON
        </Button>
      </header>
      <div className={css['groups']} data-testid="summary">
        {GROUPS.map((group) => (
          <section key={group.title}>
            <h2 className={css['group']}>{group.title}</h2>
            <dl>
              {group.fields.map((name) => {
                const field = summary.fields[name];
                return field && <FieldView key={name} name={name} field={field} />;
              })}
            </dl>
          </section>
        ))}
      </div>
    </>
  );
}

export function SummaryPane() {
  const openId = useStore((state) => state.viewer.openId);
  const document = useStore((state) => state.library.documents.find((other) => other.id === openId));
  const job = useStore((state) => (openId === null ? undefined : state.summaries[openId]));
  if (!document) {
    return (
      <Empty icon={<ListChecks />} title="Summary">
        Open a document to get its parties, dates, money and terms as structured fields, each linked to the words it comes from.
      </Empty>
    );
  }
  if (job?.status === 'done') return <Report summary={job.value} />;
  if (job?.status === 'running') {
    return (
      <div className={css['running']} data-testid="summary-running">
        <Progress done={0} total={0} label="Summary" />
        Reading {document.name}
      </div>
    );
  }
  return (
    <>
      {job?.status === 'failed' && (
        <div className={css['failed']}>
          <FailureNote sentence={ERROR_SENTENCES[job.failure.code]} message={job.failure.message} code={job.failure.code} />
        </div>
      )}
      <Empty
        icon={<ListChecks />}
        title={document.name}
        action={
          <Button look="primary" data-testid="summary-run" onClick={() => void runSummary(document.id)}>
            Make the summary
          </Button>
        }
      >
        Parties, dates, term, money, law and rights as fields. “Not found” means it was read and is not there; what was not read says so.
      </Empty>
    </>
  );
}
