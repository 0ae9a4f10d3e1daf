// Choosing two versions, running the comparison, and the list of what changed.
import { ArrowDownUp, Columns2, FileText, GitCompareArrows } from 'lucide-react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import { chooseSide, runComparison, stepChange, swapSides } from '../../store/compare.ts';
import { setMiddle } from '../../store/layout.ts';
import { useStore } from '../../store/store.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Progress } from '../../ui/Progress.tsx';
import { Select } from '../../ui/Select.tsx';
import { useStepKeys } from '../../ui/useStepKeys.ts';
import { ChangeList } from './ChangeList.tsx';
import css from './ComparePane.module.css';

function ViewSwitch() {
  const middle = useStore((state) => state.layout.middle);
  return (
    <Button
      icon={middle === 'sideBySide' ? <FileText /> : <Columns2 />}
      data-testid="side-by-side"
      onClick={() => setMiddle(middle === 'sideBySide' ? 'document' : 'sideBySide')}
    >
      {middle === 'sideBySide' ? 'Show the pages' : 'Side by side'}
    </Button>
  );
}

export function ComparePane() {
  const documents = useStore((state) => state.library.documents);
  const { beforeId, afterId, job } = useStore((state) => state.compare);
  useStepKeys(stepChange);
  const options = documents.map((document) => ({ value: document.id, label: document.name }));
  const ready = beforeId !== null && afterId !== null && beforeId !== afterId;
  return (
    <>
      <div className={css['setup']}>
        <div className={css['sides']}>
          <Select
            label="Before"
            testId="compare-before"
            value={beforeId}
            options={options}
            placeholder="Older version"
            onChange={(id) => chooseSide('beforeId', id)}
          />
          <Select
            label="After"
            testId="compare-after"
            value={afterId}
            options={options}
            placeholder="Newer version"
            onChange={(id) => chooseSide('afterId', id)}
          />
        </div>
        <IconButton label="Exchange the two sides" disabled={!ready} onClick={swapSides}>
          <ArrowDownUp />
        </IconButton>
      </div>
      <div className={css['actions']}>
        <Button
          look="primary"
          icon={<GitCompareArrows />}
          data-testid="compare-run"
          disabled={!ready || job?.status === 'running'}
          onClick={() => void runComparison()}
        >
          Compare
        </Button>
        {job?.status === 'done' && <ViewSwitch />}
      </div>
      {job === null && (
        <Empty icon={<GitCompareArrows />} title="Compare two versions">
          {documents.length < 2
            ? 'Add two versions of a document. Clauses are matched by what they say, so one that moved or got a new number is still compared with itself.'
            : 'Choose the older and the newer version. Clauses are matched by what they say, so one that moved or got a new number is still compared with itself.'}
        </Empty>
      )}
      {job?.status === 'running' && (
        <div className={css['running']}>
          <Progress done={0} total={0} label="Comparing" />
          Matching clauses
        </div>
      )}
      {job?.status === 'failed' && (
        <div className={css['failed']}>
          <FailureNote sentence={ERROR_SENTENCES[job.failure.code]} message={job.failure.message} code={job.failure.code} />
        </div>
      )}
      {job?.status === 'done' && <ChangeList comparison={job.value} />}
    </>
  );
}
