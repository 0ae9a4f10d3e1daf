// Small documents for tests of the workspace, and a temporary folder that is gone afterwards.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Document } from '../../core/contract/document.ts';
import { plainBlock, plainClause, plainDocument } from '../../core/contract/make.test-support.ts';
import { DOCUMENT_VERSION } from '../../core/contract/version.ts';

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'codicil-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A text document with one clause per paragraph; a paragraph "Heading: text" has a heading. */
export function makeDocument(name: string, paragraphs: readonly string[]): { document: Document; bytes: Uint8Array<ArrayBuffer> } {
  const bytes = new TextEncoder().encode(paragraphs.join('\n\n'));
  const id = createHash('sha256').update(bytes).digest('hex');
  const blocks = paragraphs.map((text, i) => plainBlock({ id: `b${i}`, text }));
  const clauses = blocks.map((block, i) =>
    plainClause({
      id: `c${i}`,
      path: `${i + 1}`,
      number: `${i + 1}`,
      heading: /^([\w ]+):/.exec(block.text)?.[1] ?? '',
      spans: [{ documentId: id, blockId: block.id, start: 0, end: block.text.length }],
    }),
  );
  const document = plainDocument({ version: DOCUMENT_VERSION, id, name, blocks, clauses });
  return { document, bytes };
}
