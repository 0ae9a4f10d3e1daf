// Two versions side by side: running the comparison, filtering by kind, stepping through the changes.
import { entriesOf, type Change, type Comparison, type Entry } from '../../core/contract/comparison.ts';
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
  update('compare', { job: { status: 'running' }, selected: null, hidden: [], open: [] });
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

/** Shows or hides the places of a group one by one. */
export function toggleGroup(groupId: string): void {
  const { open } = read().compare;
  update('compare', { open: open.includes(groupId) ? open.filter((other) => other !== groupId) : [...open, groupId] });
}

/** What the list shows: changes that the filter lets through; those of a group as one. */
export function visibleEntries({ changes, groups }: Comparison, hidden: readonly ChangeKind[]): readonly Entry[] {
  return entriesOf({ changes: changes.filter((change) => !hidden.includes(change.kind)), groups });
}

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
  const { job, hidden, open, selected } = read().compare;
  if (job?.status !== 'done') return;
  // A group that is closed is one step: its first place.
  const changes = visibleEntries(job.value, hidden).flatMap((entry) =>
    'change' in entry ? [entry.change] : open.includes(entry.group.id) ? entry.changes : entry.changes.slice(0, 1),
  );
  if (changes.length === 0) return;
  const at = changes.findIndex((change) => change.id === selected);
  const next = changes[at < 0 ? (step > 0 ? 0 : changes.length - 1) : (at + step + changes.length) % changes.length]!;
  selectChange(next);
}
