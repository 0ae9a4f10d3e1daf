// The complete way from bytes to a Document: read (core/ingest), then structure.
//
// Runs in a web worker and in a Node worker thread alike. The caller drops its worker after an error of kind corrupt_file or internal:
// mupdf's memory may be in a broken state then.
import type { Document } from '../contract/document.ts';
import type { ReadOptions } from '../ingest/limits.ts';
import type { RawAttachment } from '../ingest/raw.ts';
import { readFile } from '../ingest/read.ts';
import { structureDocument } from './structure.ts';

export interface ParsedFile {
  readonly document: Document;
  /** The PDF that was made of a picture, to be stored in its place; null where the file itself is the document. */
  readonly made: Uint8Array<ArrayBuffer> | null;
  /** Files inside the file (of a mail): each is a file to be parsed on its own. */
  readonly attachments: readonly RawAttachment[];
}

/** Throws CodicilError with a message for a person; see `readFile` for its codes. */
export async function parseFile(bytes: Uint8Array, name: string, options: ReadOptions = {}): Promise<ParsedFile> {
  const raw = await readFile(bytes, name, options);
  const start = performance.now();
  const document = structureDocument(raw);
  const ms = Math.round(raw.ms + performance.now() - start);
  return { document: { ...document, receipt: { ...document.receipt, ms } }, made: raw.made, attachments: raw.attachments };
}

/** The document alone, where nobody asks for what is inside the file. */
export async function parseDocument(bytes: Uint8Array, name: string, options: ReadOptions = {}): Promise<Document> {
  return (await parseFile(bytes, name, options)).document;
}
