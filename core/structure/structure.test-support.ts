// A Document from Markdown lines: the shortest way to a clause tree in tests.
import type { Document } from '../contract/document.ts';
import { parseDocument } from './document.ts';

export function parse(lines: readonly string[]): Promise<Document> {
  return parseDocument(new TextEncoder().encode(lines.join('\n\n')), 'test.md');
}

export function outlineOf(document: Document): [string, string][] {
  return document.clauses.map((clause) => [clause.path, clause.heading]);
}
