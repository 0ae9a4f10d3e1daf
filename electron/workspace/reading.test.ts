// Reading in the background: one after the other, held back by questions, taken up again, dropped when removed.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Reader } from '../../core/ask/reader.ts';
import type { Document } from '../../core/contract/document.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import { Reading } from './reading.ts';

/** A Reader that reads until it is told to go on; `log` says what happened. */
function open(): { reading: Reading; log: string[]; finish: () => void; fail: (error: Error) => void } {
  const log: string[] = [];
  let settle: { resolve: () => void; reject: (error: Error) => void } | null = null;
  const reader = {
    read: (document: Document, { signal }: { signal: AbortSignal }) => {
      log.push(`read ${document.id}`);
      return new Promise<void>((resolve, reject) => {
        settle = { resolve, reject };
        signal.addEventListener('abort', () => reject(new CodicilError('cancelled', 'stopped')));
      });
    },
  } as unknown as Reader;
  const reading = new Reading({
    reader: async () => reader,
    document: (id) => ({ id }) as Document,
    interrupt: () => log.push('interrupt'),
    onProgress: () => {},
  });
  onTestFinished(() => reading.dispose());
  return { reading, log, finish: () => settle?.resolve(), fail: (error) => settle?.reject(error) };
}
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('reading in the background', () => {
  it('reads one document after the other', async () => {
    const { reading, log, finish } = open();
    reading.add('a');
    reading.add('b');
    reading.add('a');
    await soon();
    expect(log).toEqual(['read a']);
    finish();
    await soon();
    expect(log).toEqual(['read a', 'read b']);
  });

  it('is interrupted by a question and taken up again after it', async () => {
    const { reading, log } = open();
    reading.add('a');
    await soon();
    const answer = await reading.behind(async () => {
      await soon();
      log.push('asked');
      return 42;
    });
    await soon();
    expect(answer).toBe(42);
    expect(log).toEqual(['read a', 'interrupt', 'asked', 'read a']);
  });

  it('waits for the last of several questions', async () => {
    const { reading, log } = open();
    let end: () => void = () => {};
    const first = reading.behind(() => new Promise<void>((resolve) => (end = resolve)));
    reading.add('a');
    await reading.behind(soon);
    await soon();
    expect(log).toEqual([]);
    end();
    await first;
    await soon();
    expect(log).toEqual(['read a']);
  });

  it('drops a document that is removed, and gives up one that always fails', async () => {
    const { reading, log, fail } = open();
    reading.add('a');
    reading.add('b');
    await soon();
    reading.remove('a');
    await soon();
    expect(log).toEqual(['read a', 'read b']);
    for (let i = 0; i < 5; i += 1) {
      fail(new CodicilError('engine_down', 'gone'));
      await soon();
    }
    expect(log).toEqual(['read a', 'read b', 'read b', 'read b']);
  });
});
