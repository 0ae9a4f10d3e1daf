// A worker thread that turns bytes into a Document: the seam to core/structure. Says "ready" once its parsers are loaded.
import { parentPort } from 'node:worker_threads';
import { toFailure } from '../../core/contract/errors.ts';
import { Recogniser } from '../../core/ingest/ocr/recogniser.ts';
import { parseFile } from '../../core/structure/document.ts';
import { loadOcrFile } from './ocrFiles.ts';
import type { ParseReply, ParseTask } from './parse.ts';

const port = parentPort!;
const post = (reply: ParseReply): void => port.postMessage(reply);
/** Loads nothing until a page needs it; lives as long as the worker, which is dropped after any failure. */
const recogniser = new Recogniser(loadOcrFile);

/** Null is the end: without its port nothing keeps this thread. */
port.on('message', (task: ParseTask | null) => {
  if (task === null) return port.close();
  const { bytes, name, password, script, view } = task;
  const onProgress = (done: number, total: number, recognising: boolean): void => post({ type: 'progress', done, total, recognising });
  const ocr = script === null ? undefined : { recogniser, script: script ?? ('auto' as const) };
  Promise.resolve()
    .then(() => parseFile(bytes, name, { ...(password === undefined ? {} : { password }), ...(view === undefined ? {} : { view }), onProgress, ocr }))
    .then((parsed) => post({ type: 'parsed', ...parsed }))
    .catch((error: unknown) => post({ type: 'failed', failure: toFailure(error) }));
  return undefined;
});
post({ type: 'ready' });
