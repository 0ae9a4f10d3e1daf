// Small documents for tests of the workspace, and a temporary folder that is gone afterwards.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Block, Document } from '../../core/contract/document.ts';
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
  const blocks = paragraphs.map((text, i): Block => ({
    id: `b${i}`,
    kind: 'paragraph',
    text,
    at: [{ page: 0, box: null }],
    lines: [],
    number: null,
    level: null,
    indent: 0,
    font: { size: 11, bold: false, italic: false },
    cell: null,
  }));
  const document: Document = {
    version: DOCUMENT_VERSION,
    id,
    name,
    kind: 'text',
    language: 'en',
    pages: [{ width: 612, height: 792, label: '1', source: 'flow' }],
    blocks,
    clauses: blocks.map((block, i) => ({
      id: `c${i}`,
      parentId: null,
      path: `${i + 1}`,
      number: `${i + 1}`,
      heading: /^([\w ]+):/.exec(block.text)?.[1] ?? '',
      depth: 0,
      spans: [{ documentId: id, blockId: block.id, start: 0, end: block.text.length }],
      children: [],
    })),
    definitions: [],
    references: [],
    warnings: [],
    receipt: { pages: 1, pagesWithText: 1, ocrPages: 0, characters: bytes.length, ms: 1 },
  };
  return { document, bytes };
}
