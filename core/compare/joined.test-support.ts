// Long documents for measurements of time: edited contracts one after the other, as often as it takes.
import type { Document, Span } from '../contract/document.ts';
import type { EditedPair } from './edits.test-support.ts';

/** Documents of at least so many characters. A contract that recurs has other words each time, or the exact matches would be too easy. */
export function joinedPair(pairs: readonly EditedPair[], characters: number): { before: Document; after: Document } {
  const chosen: EditedPair[] = [];
  for (let sum = 0, at = 0; sum < characters; at++) {
    const pair = pairs[at % pairs.length]!;
    chosen.push(pair);
    sum += pair.before.blocks.reduce((total, { text }) => total + text.length, 0);
  }
  return {
    before: join(
      chosen.map(({ before }) => before),
      'joined-before',
      pairs.length,
    ),
    after: join(
      chosen.map(({ after }) => after),
      'joined-after',
      pairs.length,
    ),
  };
}

function join(documents: readonly Document[], id: string, round: number): Document {
  const moved = documents.map((document, at) => withIds(document, id, `${at} `, Math.floor(at / round)));
  return {
    ...documents[0]!,
    id,
    blocks: moved.flatMap(({ blocks }) => blocks),
    clauses: moved.flatMap(({ clauses }) => clauses),
    definitions: moved.flatMap(({ definitions }) => definitions),
    references: moved.flatMap(({ references }) => references),
  };
}

function withIds(document: Document, documentId: string, prefix: string, round: number): Pick<Document, 'blocks' | 'clauses' | 'definitions' | 'references'> {
  const span = (old: Span): Span => ({ ...old, documentId, blockId: prefix + old.blockId });
  const own = (id: string | null): string | null => (id === null ? null : prefix + id);
  // The same length, so that every span stays true.
  const letter = String.fromCharCode(97 + (round % 26));
  const reword = (text: string): string =>
    round === 0 ? text : text.replace(/[a-z]{6,}/g, (word, at: number) => (at % 3 === 0 ? word.slice(0, -1) + letter : word));
  return {
    blocks: document.blocks.map((block) => ({ ...block, id: prefix + block.id, text: reword(block.text) })),
    clauses: document.clauses.map((clause) => ({
      ...clause,
      id: prefix + clause.id,
      parentId: own(clause.parentId),
      children: clause.children.map((child) => prefix + child),
      spans: clause.spans.map(span),
    })),
    definitions: document.definitions.map((definition) => ({ ...definition, span: span(definition.span), clauseId: own(definition.clauseId) })),
    references: document.references.map((reference) => ({ ...reference, span: span(reference.span), targetId: own(reference.targetId) })),
  };
}
