// What a reader found -> Document: clause tree and clause types, definitions, references, exhibits, language.
import { isContent, type Document } from '../contract/document.ts';
import { DOCUMENT_VERSION } from '../contract/version.ts';
import type { RawDocument } from '../ingest/raw.ts';
import { findDefinitions } from './definitions.ts';
import { findExhibits } from './exhibits.ts';
import { guessLanguage } from './language.ts';
import { findReferences } from './references.ts';
import { splitRunOn } from './runOn.ts';
import { buildTree } from './tree.ts';
import { typeClauses } from './types.ts';

export function structureDocument(read: RawDocument): Document {
  const raw = splitRunOn(read);
  const tree = buildTree(raw);
  const clauses = typeClauses(tree.clauses, raw.blocks);
  const context = { documentId: raw.id, blocks: raw.blocks, clauses, owners: tree.owners, crossReferences: raw.crossReferences };
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
    clauses,
    definitions: findDefinitions(context, raw.emphasis),
    references: findReferences(context),
    exhibits: findExhibits(context),
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
