// What is shown of the store on disk is what the workspace last said; a failure is shown and the next try begins anew.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CodicilError } from '../../core/contract/errors.ts';
import type { Store } from '../../core/contract/requests.ts';
import { INITIAL } from './state.ts';
import { read, useStore } from './store.ts';

const calls: string[] = [];
let disk: Store;
let broken = false;
vi.mock('../ipc.ts', () => ({
  request: async (route: string, body: { bytes?: number }): Promise<unknown> => {
    calls.push(route);
    if (broken) throw new CodicilError('engine_down', 'The engine was expected to answer and it ended. Try again.');
    if (route === 'store.clear') disk = { ...disk, files: 0, bytes: 0, documents: [] };
    if (route === 'store.limit') disk = { ...disk, budgetBytes: body.bytes! };
    return disk;
  },
}));
const { clearKept, limitKept, limitOf, loadKept } = await import('./kept.ts');

beforeEach(() => {
  useStore.setState(INITIAL);
  calls.length = 0;
  broken = false;
  disk = { folder: '/data/store', files: 3, bytes: 5e6, budgetBytes: 16e9, documents: [{ documentId: 'a', name: 'lease.pdf', files: 3, bytes: 5e6 }] };
});

describe('what is kept on disk', () => {
  it('is shown by document, and is empty after it was deleted', async () => {
    await loadKept();
    expect(read().kept.shown).toEqual({ status: 'done', value: disk });
    const clearing = clearKept();
    expect(read().kept.clearing).toBe(true);
    await clearing;
    expect(calls).toEqual(['store.show', 'store.clear', 'store.show']);
    expect(read().kept).toMatchObject({ clearing: false, shown: { status: 'done', value: { files: 0, bytes: 0, documents: [] } } });
  });

  it('has a limit that stays what it was set to', async () => {
    await limitKept(4e9);
    expect(read().kept.shown).toMatchObject({ status: 'done', value: { budgetBytes: 4e9 } });
  });

  it('says why it could not be deleted, and can be tried again', async () => {
    broken = true;
    await clearKept();
    expect(read().kept).toMatchObject({ clearing: false, shown: { status: 'failed', failure: { code: 'engine_down' } } });
    broken = false;
    await loadKept();
    expect(read().kept.shown).toMatchObject({ status: 'done' });
  });
});

describe('a limit as a person writes it', () => {
  it.each([
    ['16', 16e9],
    [' 0.5 ', 5e8],
    ['2,5', 2.5e9],
    ['17.2', 17.2e9],
  ])('takes %j', (text, bytes) => expect(limitOf(text)).toBe(bytes));
  it.each(['', '0', '-1', '0.05', '1e3', '8G', '12345678'])('refuses %j', (text) => expect(limitOf(text)).toBeNull());
});
