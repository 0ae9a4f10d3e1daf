// The worker in which untrusted bytes become a Document. Runs core's parsers and nothing else.
//
// After a failure this worker is not used again (see parser.ts), so it cleans nothing up.
import { toFailure } from '../../core/contract/errors.ts';
import { parseDocument } from '../../core/structure/document.ts';
import type { ParseMessage, ParseRequest } from './messages.ts';

const post = (message: ParseMessage): void => self.postMessage(message, { transfer: [] });

async function parse({ bytes, name, password }: ParseRequest): Promise<void> {
  const onProgress = (done: number, total: number) => post({ type: 'progress', done, total });
  try {
    post({ type: 'parsed', document: await parseDocument(bytes, name, { onProgress, ...(password === undefined ? {} : { password }) }) });
  } catch (error) {
    post({ type: 'failed', failure: toFailure(error) });
  }
}

self.addEventListener('message', (event: MessageEvent<ParseRequest>) => void parse(event.data));
