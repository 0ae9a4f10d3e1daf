// Two versions side by side: running the comparison, filtering by kind, stepping through the changes.
import type { Change, Comparison } from '../../core/contract/comparison.ts';
import { toFailure } from '../../core/contract/errors.ts';
import { request } from '../ipc.ts';
import type { ChangeKind, Mark, Tone } from './state.ts';
import { read, update } from './store.ts';
import { loadDocument, revealOne } from './viewer.ts';

export function chooseSide(side: 'beforeId' | 'afterId', documentId: string): void {
  update('compare', { [side]: documentId, job: null, selected: null });
  update('layout', { middle: 'document' });
}

export function swapSides(): void {
  const { beforeId, afterId, job } = read().compare;
  update('compare', { beforeId: afterId, afterId: beforeId, job: null, selected: null });
  if (job?.status === 'done') void runComparison();
}

export async function runComparison(): Promise<void> {
  const { beforeId, afterId } = read().compare;
  if (beforeId === null || afterId === null) return;
  update('compare', { job: { status: 'running' }, selected: null, hidden: [] });
  const isCurrent = () => read().compare.beforeId === beforeId && read().compare.afterId === afterId;
  try {
    const value = await request('comparison.run', { beforeId, afterId });
    await Promise.all([loadDocument(beforeId), loadDocument(afterId)]);
    if (isCurrent()) update('compare', { job: { status: 'done', value } });
  } catch (error) {
    if (isCurrent()) update('compare', { job: { status: 'failed', failure: toFailure(error) } });
  }
}

export function toggleKind(kind: ChangeKind): void {
  const { hidden } = read().compare;
  update('compare', { hidden: hidden.includes(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind] });
}

export const visibleChanges = (comparison: Comparison, hidden: readonly ChangeKind[]): readonly Change[] =>
  comparison.changes.filter((change) => !hidden.includes(change.kind));

const TONES: Readonly<Record<ChangeKind, Tone>> = {
  inserted: 'inserted',
  deleted: 'deleted',
  changed: 'changed',
  moved: 'moved',
  movedChanged: 'moved',
  renumbered: 'changed',
  split: 'changed',
  merged: 'changed',
};

/** Selects a change; unless the side-by-side view is open, its place is shown in the viewer, on the newer side where it has one. */
export function selectChange(change: Change, side?: 'before' | 'after'): void {
  update('compare', { selected: change.id });
  if (side === undefined && read().layout.middle === 'sideBySide') return;
  const shown = side === 'before' ? change.before : side === 'after' ? change.after : (change.after ?? change.before);
  if (shown && shown.spans.length > 0) {
    const mark: Mark = { id: `change:${change.id}`, spans: shown.spans, tone: TONES[change.kind] };
    void revealOne(mark);
  }
}

/** n and p: the next or previous change that the filter lets through. */
export function stepChange(step: 1 | -1): void {
  const { job, hidden, selected } = read().compare;
  if (job?.status !== 'done') return;
  const changes = visibleChanges(job.value, hidden);
  if (changes.length === 0) return;
  const at = changes.findIndex((change) => change.id === selected);
  const next = changes[at < 0 ? (step > 0 ? 0 : changes.length - 1) : (at + step + changes.length) % changes.length]!;
  selectChange(next);
}
