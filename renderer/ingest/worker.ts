// The worker in which untrusted bytes become a Document. Runs core's parsers and nothing else.
//
// After a failure this worker is not used again (see parser.ts), so it cleans nothing up.
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import { Recogniser, type OcrFile } from '../../core/ingest/ocr/recogniser.ts';
import { parseFile } from '../../core/structure/document.ts';
import type { ParseMessage, ParseRequest } from './messages.ts';

const post = (message: ParseMessage): void => self.postMessage(message, { transfer: [] });

/** From the window's own origin: this script is assets/<name>.js, the recogniser's parts lie in ocr/ (vite.config.ts). */
async function loadOcrFile(file: OcrFile): Promise<Uint8Array> {
  const response = await fetch(new URL(`../ocr/${file}`, self.location.href));
  if (!response.ok)
    throw new CodicilError(
      'internal',
      `The recogniser's part ${file} was expected beside the window's files and is not there (${response.status}). Install Codicil again.`,
    );
  return new Uint8Array(await response.arrayBuffer());
}

/** Loads nothing until a page needs it. */
const recogniser = new Recogniser(loadOcrFile);

async function parse({ bytes, name, password }: ParseRequest): Promise<void> {
  const onProgress = (done: number, total: number, recognising: boolean) => post({ type: 'progress', done, total, recognising });
  const ocr = { recogniser, script: 'auto' } as const;
  try {
    post({ type: 'parsed', ...(await parseFile(bytes, name, { onProgress, ocr, ...(password === undefined ? {} : { password }) })) });
  } catch (error) {
    post({ type: 'failed', failure: toFailure(error) });
  }
}

self.addEventListener('message', (event: MessageEvent<ParseRequest>) => void parse(event.data));
