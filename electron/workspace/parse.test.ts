// Parsing in worker threads: a file that hangs, dies or fails costs only itself.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDocument, temporaryFolder } from './documents.test-support.ts';
import { Parser, type ParserOptions } from './parse.ts';

/** A worker whose behaviour is the file's text; `threads` in the answer tells the workers apart. */
const SCRIPT = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', (task) => {
    if (task === null) return parentPort.close();
    const { name, bytes } = task;
    const what = new TextDecoder().decode(bytes);
    if (what === 'hang') for (;;);
    if (what === 'exit') process.exit(1);
    if (what === 'throw') throw new Error('broken heap');
    if (what === 'memory') { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }
    if (what === 'corrupt') return parentPort.postMessage({ type: 'failed', failure: { code: 'corrupt_file', message: 'bad' } });
    if (what === 'beats') {
      let beats = 0;
      const timer = setInterval(() => {
        parentPort.postMessage({ type: 'progress', done: 0, total: 1, recognising: true });
        if (++beats === 5) { clearInterval(timer); parentPort.postMessage({ type: 'parsed', document: { name, threadId } }); }
      }, 150);
      return;
    }
    parentPort.postMessage({ type: 'progress', done: 1, total: 2, recognising: false });
    parentPort.postMessage({ type: 'parsed', document: { name, threadId } });
  });
  parentPort.postMessage({ type: 'ready' });
`;

function open(options: ParserOptions = {}): Parser {
  const file = path.join(temporaryFolder(), 'worker.mjs');
  writeFileSync(file, SCRIPT);
  const parser = new Parser({ workers: 1, module: pathToFileURL(file), ...options });
  onTestFinished(() => parser.dispose());
  return parser;
}
const task = (text: string, name = `${text}.txt`) => ({ name, bytes: new TextEncoder().encode(text) });

describe('the parser', () => {
  it('uses a worker again after a success and never after an error', async () => {
    const parser = open();
    const thread = async (): Promise<unknown> => ((await parser.parse(task('fine'))) as unknown as { threadId: number }).threadId;
    const first = await thread();
    expect(await thread()).toBe(first);
    await expect(parser.parse(task('corrupt'))).rejects.toMatchObject({ code: 'corrupt_file' });
    expect(await thread()).not.toBe(first);
  });

  it('stops what hangs at the time limit and goes on with the batch', async () => {
    const parser = open({ timeoutMs: 300 });
    const results = await Promise.allSettled(['fine', 'hang', 'exit', 'throw', 'fine'].map((text) => parser.parse(task(text))));
    expect(results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.code))).toEqual(['ok', 'timeout', 'internal', 'internal', 'ok']);
  });

  it('does not stop a scan whose pages are still being recognised', async () => {
    const parser = open({ timeoutMs: 400 });
    expect(await parser.parse(task('beats'))).toMatchObject({ name: 'beats.txt' });
  });

  it('survives a file that takes all the memory it may have', async () => {
    const parser = open({ memoryMiB: 64 });
    await expect(parser.parse(task('memory'))).rejects.toMatchObject({ code: 'out_of_memory' });
    expect(await parser.parse(task('fine'))).toMatchObject({ name: 'fine.txt' });
  });

  it('passes progress on and can be stopped', async () => {
    const parser = open();
    const seen: number[][] = [];
    await parser.parse(task('fine'), { onProgress: (done, total) => seen.push([done, total]) });
    expect(seen).toEqual([[1, 2]]);
    const abort = new AbortController();
    const stopped = parser.parse(task('hang'), { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('settles what waits when it is disposed', async () => {
    const parser = open();
    const waiting = Promise.allSettled([parser.parse(task('hang')), parser.parse(task('fine'))]);
    setTimeout(() => parser.dispose(), 100);
    expect((await waiting).map((result) => (result.status === 'rejected' ? result.reason.code : 'ok'))).toEqual(['cancelled', 'cancelled']);
  });

  it('reads a real file with the real parsers', async () => {
    const parser = new Parser({ workers: 1 });
    onTestFinished(() => parser.dispose());
    const document = await parser.parse(task('1. Term\n\nThis agreement lasts two years.\n\n2. Law\n\nThe laws of Delaware apply.', 'terms.txt'));
    expect(document.name).toBe('terms.txt');
    expect(document.clauses.length).toBeGreaterThanOrEqual(2);
    expect(makeDocument('x', ['y']).document.version).toBe(document.version);
  });
});
