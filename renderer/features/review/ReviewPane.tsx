// Findings of the linter for the open document: run at once, because no model is needed.
import { CircleCheck, FileSearch } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import type { Finding } from '../../../core/contract/review.ts';
import { runReview, stepFinding } from '../../store/reports.ts';
import { useStore } from '../../store/store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { plural } from '../../ui/format.ts';
import { useStepKeys } from '../../ui/useStepKeys.ts';
import { Progress } from '../../ui/Progress.tsx';
import { FindingRow } from './FindingRow.tsx';
import css from './ReviewPane.module.css';
import { RULES } from './rules.ts';

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const [rule, setRule] = useState<Finding['rule'] | null>(null);
  const rules = [...new Set(findings.map((finding) => finding.rule))];
  const shown = useMemo(() => (rule === null ? findings : findings.filter((finding) => finding.rule === rule)), [findings, rule]);
  useStepKeys(useCallback((by: 1 | -1) => stepFinding(shown, by), [shown]));
  return (
    <>
      <div className={css['filter']} role="group" aria-label="Rules">
        <button type="button" aria-pressed={rule === null} onClick={() => setRule(null)}>
          All <span>{findings.length}</span>
        </button>
        {rules.map((name) => (
          <button key={name} type="button" aria-pressed={rule === name} onClick={() => setRule(name)}>
            {RULES[name]} <span>{findings.filter((finding) => finding.rule === name).length}</span>
          </button>
        ))}
      </div>
      <ul className={css['list']} data-testid="findings" aria-label={plural(shown.length, 'finding')}>
        {shown.map((finding) => (
          <FindingRow key={finding.id} finding={finding} all={shown} />
        ))}
      </ul>
    </>
  );
}

export function ReviewPane() {
  const openId = useStore((state) => state.viewer.openId);
  const job = useStore((state) => (openId === null ? undefined : state.findings[openId]));
  useEffect(() => {
    if (openId !== null && job === undefined) void runReview(openId);
  }, [openId, job]);
  if (openId === null) {
    return (
      <Empty icon={<FileSearch />} title="Review">
        Open a document to see terms nobody defined, references that point nowhere, dates that cannot be, blanks left open and text that is hidden.
      </Empty>
    );
  }
  if (job?.status === 'failed') {
    return (
      <div className={css['failed']}>
        <FailureNote sentence={ERROR_SENTENCES[job.failure.code]} message={job.failure.message} code={job.failure.code} />
      </div>
    );
  }
  if (job?.status !== 'done') {
    return (
      <div className={css['running']}>
        <Progress done={0} total={0} label="Review" />
      </div>
    );
  }
  if (job.value.length === 0) {
    return (
      <Empty icon={<CircleCheck />} title="Nothing to correct">
        Terms, references, numbers, exhibits, amounts, dates, names, blanks and hidden text were checked; none of the rules found a fault.
      </Empty>
    );
  }
  return <Findings key={openId} findings={job.value} />;
}
