// What is kept on disk of what was read: shown, limited, deleted. One document's share goes when it is removed from the library (library.ts).
import { toFailure } from '../../core/contract/errors.ts';
import type { Store } from '../../core/contract/requests.ts';
import { request } from '../ipc.ts';
import type { Job } from './state.ts';
import { read, update } from './store.ts';

export async function loadKept(): Promise<void> {
  if (read().kept.shown?.status !== 'done') update('kept', { shown: { status: 'running' } });
  await show(() => request('store.show', {}));
}

/** Deletes all of it; the documents stay and are read again when they are asked about. */
export async function clearKept(): Promise<void> {
  update('kept', { clearing: true });
  await show(async () => {
    await request('store.clear', {});
    return request('store.show', {});
  });
  update('kept', { clearing: false });
}

export async function limitKept(bytes: number): Promise<void> {
  await show(() => request('store.limit', { bytes }));
}

async function show(ask: () => Promise<Store>): Promise<void> {
  let shown: Job<Store>;
  try {
    shown = { status: 'done', value: await ask() };
  } catch (error) {
    shown = { status: 'failed', failure: toFailure(error) };
  }
  update('kept', { shown });
}

/** A limit as a person writes it, in GB, as bytes; null: no size of at least a tenth of one. */
export function limitOf(text: string): number | null {
  const value = /^\s*\d{1,6}(?:[.,]\d+)?\s*$/.test(text) ? Number(text.trim().replace(',', '.')) : 0;
  return value >= 0.1 ? Math.round(value * 1e9) : null;
}
