// The complete way from bytes to a Document: read (core/ingest), then structure.
//
// Runs in a web worker and in a Node worker thread alike. The caller drops its worker after an error of kind corrupt_file or internal:
// mupdf's memory may be in a broken state then.
import type { Document } from '../contract/document.ts';
import type { ReadOptions } from '../ingest/limits.ts';
import { readFile } from '../ingest/read.ts';
import { structureDocument } from './structure.ts';

/** Throws CodicilError with a message for a person; see `readFile` for its codes. */
export async function parseDocument(bytes: Uint8Array, name: string, options: ReadOptions = {}): Promise<Document> {
  const raw = await readFile(bytes, name, options);
  const start = performance.now();
  const document = structureDocument(raw);
  return { ...document, receipt: { ...document.receipt, ms: Math.round(raw.ms + performance.now() - start) } };
}
