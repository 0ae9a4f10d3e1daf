// The complete way from bytes to a Document: read (core/ingest), clause tree, definitions, references, language.
//
// Runs in a web worker and in a Node worker thread alike. The caller drops its worker after an error of kind corrupt_file or internal:
// mupdf's memory may be in a broken state then.
import { isContent, type Document } from '../contract/document.ts';
import { DOCUMENT_VERSION } from '../contract/version.ts';
import type { ReadOptions } from '../ingest/limits.ts';
import type { RawDocument } from '../ingest/raw.ts';
import { readFile } from '../ingest/read.ts';
import { findDefinitions } from './definitions.ts';
import { guessLanguage } from './language.ts';
import { findReferences } from './references.ts';
import { buildTree } from './tree.ts';

/** Throws CodicilError with a message for a person; see `readFile` for its codes. */
export async function parseDocument(bytes: Uint8Array, name: string, options: ReadOptions = {}): Promise<Document> {
  const raw = await readFile(bytes, name, options);
  const start = performance.now();
  const document = structureDocument(raw);
  return { ...document, receipt: { ...document.receipt, ms: Math.round(raw.ms + performance.now() - start) } };
}

export function structureDocument(raw: RawDocument): Document {
  const tree = buildTree(raw);
  const context = { documentId: raw.id, blocks: raw.blocks, clauses: tree.clauses, ownerOf: tree.ownerOf };
  return {
    version: DOCUMENT_VERSION,
    id: raw.id,
    name: raw.name,
    kind: raw.kind,
    language: guessLanguage(raw.blocks),
    view: raw.view,
    pages: raw.pages,
    blocks: raw.blocks,
    tables: raw.tables,
    notes: raw.notes,
    comments: raw.comments,
    revisions: raw.revisions,
    attachments: raw.attachments.map(({ name, bytes }) => ({ name, bytes: bytes.length })),
    clauses: tree.clauses,
    definitions: findDefinitions(context, raw.emphasis),
    references: findReferences(context),
    exhibits: [],
    warnings: raw.warnings,
    receipt: {
      pages: raw.pages.length,
      pagesWithText: raw.pages.filter((page) => page.source !== 'empty').length,
      ocrPages: raw.pages.filter((page) => page.source === 'ocr').length,
      characters: raw.blocks.reduce((sum, block) => sum + (isContent(block) ? block.text.length : 0), 0),
      ms: Math.round(raw.ms),
    },
  };
}
