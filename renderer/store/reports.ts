// Summary and findings of one document: each is run once and kept until the document goes.
import type { Finding } from '../../core/contract/review.ts';
import type { FieldValue, Summary } from '../../core/contract/summary.ts';
import { toFailure } from '../../core/contract/errors.ts';
import { request } from '../ipc.ts';
import type { Job } from './state.ts';
import { read, useStore } from './store.ts';
import { reveal, revealOne } from './viewer.ts';

function setSummary(documentId: string, job: Job<Summary>): void {
  useStore.setState((state) => ({ summaries: { ...state.summaries, [documentId]: job } }));
}

function setFindings(documentId: string, job: Job<readonly Finding[]>): void {
  useStore.setState((state) => ({ findings: { ...state.findings, [documentId]: job } }));
}

export async function runSummary(documentId: string): Promise<void> {
  if (read().summaries[documentId]?.status === 'running') return;
  setSummary(documentId, { status: 'running' });
  try {
    setSummary(documentId, { status: 'done', value: await request('summary.run', { documentId }) });
  } catch (error) {
    setSummary(documentId, { status: 'failed', failure: toFailure(error) });
  }
}

export async function runReview(documentId: string): Promise<void> {
  if (read().findings[documentId]?.status === 'running') return;
  setFindings(documentId, { status: 'running' });
  try {
    const { findings } = await request('document.lint', { documentId });
    setFindings(documentId, { status: 'done', value: findings });
  } catch (error) {
    setFindings(documentId, { status: 'failed', failure: toFailure(error) });
  }
}

export function showFinding(findings: readonly Finding[], finding: Finding): void {
  const marks = findings.map((other) => ({ id: `finding:${other.id}`, spans: [other.span], tone: 'finding' as const }));
  const active = marks.find((mark) => mark.id === `finding:${finding.id}`);
  if (active) void reveal(marks, active);
}

/** n and p: the next or previous of the findings that are listed. */
export function stepFinding(findings: readonly Finding[], by: 1 | -1): void {
  const active = read().viewer.activeMark;
  const at = findings.findIndex((finding) => `finding:${finding.id}` === active);
  const next = findings[at < 0 ? (by > 0 ? 0 : findings.length - 1) : (at + by + findings.length) % findings.length];
  if (next) showFinding(findings, next);
}

export function showValue(field: string, value: FieldValue): void {
  void revealOne({ id: `value:${field}:${value.span.blockId}:${value.span.start}`, spans: [value.span], tone: 'value' });
}
