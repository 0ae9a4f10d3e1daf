// Documents for tests: every field that a test does not speak about has its plainest value, said here once.
import type { Block, Clause, Document } from './document.ts';

export function plainBlock(part: Partial<Block> & Pick<Block, 'id' | 'text'>): Block {
  return {
    kind: 'paragraph',
    at: [{ page: 0, box: null }],
    lines: [],
    number: null,
    level: null,
    indent: 0,
    font: { size: 11, bold: false, italic: false },
    cell: null,
    hidden: null,
    ...part,
  };
}

export function plainClause(part: Partial<Clause> & Pick<Clause, 'id'>): Clause {
  return { parentId: null, path: '', number: '', heading: '', depth: 0, spans: [], children: [], type: null, ...part };
}

export function plainDocument(part: Partial<Document> & Pick<Document, 'blocks'>): Document {
  return {
    version: 1,
    id: 'd',
    name: 'd.txt',
    kind: 'text',
    language: 'en',
    view: 'accepted',
    pages: [{ width: 612, height: 792, label: '1', source: 'flow', confidence: null }],
    tables: [],
    notes: [],
    comments: [],
    revisions: [],
    attachments: [],
    clauses: [],
    definitions: [],
    references: [],
    exhibits: [],
    warnings: [],
    receipt: { pages: 1, pagesWithText: 1, ocrPages: 0, characters: part.blocks.reduce((sum, block) => sum + block.text.length, 0), ms: 0 },
    ...part,
  };
}
