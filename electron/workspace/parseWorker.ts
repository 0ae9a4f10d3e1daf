// A worker thread that turns bytes into a Document: the seam to core/structure. Says "ready" once its parsers are loaded.
import { parentPort } from 'node:worker_threads';
import { toFailure } from '../../core/contract/errors.ts';
import { parseDocument } from '../../core/structure/document.ts';
import type { ParseReply, ParseTask } from './parse.ts';

const port = parentPort!;
const post = (reply: ParseReply): void => port.postMessage(reply);

port.on('message', (task: ParseTask) => {
  const onProgress = (done: number, total: number): void => post({ type: 'progress', done, total });
  Promise.resolve()
    .then(() => parseDocument(task.bytes, task.name, { ...(task.password === undefined ? {} : { password: task.password }), onProgress }))
    .then((document) => post({ type: 'parsed', document }))
    .catch((error: unknown) => post({ type: 'failed', failure: toFailure(error) }));
});
post({ type: 'ready' });
