// Everything that hangs on places of the text: tracked changes, comments, bookmarks and the fields that point at them.
//
// Owns: turning offsets of paragraphs into spans of blocks. A paragraph that becomes no block hands its marks to the next block's beginning,
// or to the end of the last one when none follows.
// Rule: spans lack the document's id here; `readFile` writes it in.
import type { Revision, Span } from '../../contract/document.ts';
import type { CrossReference } from '../raw.ts';
import type { Change, ParagraphContent } from './content.ts';
import { parseInstruction } from './fields.ts';

export interface Position {
  readonly blockId: string;
  readonly at: number;
}

interface PlacedField {
  readonly span: Span;
  readonly instruction: string;
}

/** Fields whose first word, or \l, names a bookmark. */
const POINTING: ReadonlySet<string> = new Set(['REF', 'PAGEREF', 'NOTEREF', 'FTNREF', 'HYPERLINK']);

export function spanOf(blockId: string, start: number, end: number): Span {
  return { documentId: '', blockId, start, end };
}

export class Evidence {
  readonly revisions: Revision[] = [];
  private readonly bookmarks = new Map<string, Position>();
  private readonly fields: PlacedField[] = [];
  private readonly comments = new Map<string, Partial<Record<'commentStart' | 'commentEnd' | 'comment', Position>>>();
  private waiting: ParagraphContent[] = [];
  private waitingChanges: Change[] = [];

  /** `offset` turns a place in the paragraph into one of the block's text. */
  place(content: ParagraphContent, blockId: string, offset: (at: number) => number): void {
    this.settle(blockId, 0);
    this.put(content, blockId, offset);
  }

  /** For a paragraph that becomes no block. */
  wait(content: ParagraphContent): void {
    if (content.changes.length + content.anchors.length + content.fields.length > 0) this.waiting.push(content);
  }

  /** A change of something that does not stand: a deleted row. */
  waitChange(change: Change): void {
    this.waitingChanges.push(change);
  }

  addChange(change: Change, span: Span | null): void {
    const { kind, author, date, text } = change;
    this.revisions.push({ id: `r${this.revisions.length}`, kind, author, date, text, span });
  }

  /** After the last block, which has `length` characters; null when the document has no block. */
  finish(last: { readonly id: string; readonly text: string } | undefined): void {
    if (last) this.settle(last.id, last.text.length);
    else for (const change of this.waitingChanges) this.addChange(change, null);
  }

  crossReferences(): CrossReference[] {
    return this.fields.flatMap(({ span, instruction }) => {
      const { name, words, switches } = parseInstruction(instruction);
      const bookmark = name === 'HYPERLINK' ? switches.get('l') : words[0];
      if (!POINTING.has(name) || bookmark === undefined) return [];
      return [{ span, instruction, targetBlockId: this.bookmarks.get(bookmark.toLowerCase())?.blockId ?? null }];
    });
  }

  /** Text of the block at hand bounds a range that ends in a later one. */
  commentSpan(id: string, lengthOf: (blockId: string) => number): Span | null {
    const { commentStart: start, commentEnd: end, comment: mark } = this.comments.get(id) ?? {};
    if (start) {
      const stop = end?.blockId === start.blockId ? end.at : end ? lengthOf(start.blockId) : start.at;
      return spanOf(start.blockId, start.at, Math.max(start.at, stop));
    }
    const at = mark ?? end;
    return at ? spanOf(at.blockId, at.at, at.at) : null;
  }

  private settle(blockId: string, at: number): void {
    const { waiting, waitingChanges } = this;
    [this.waiting, this.waitingChanges] = [[], []];
    for (const content of waiting) this.put(content, blockId, () => at);
    for (const change of waitingChanges) this.addChange(change, spanOf(blockId, at, at));
  }

  private put(content: ParagraphContent, blockId: string, offset: (at: number) => number): void {
    for (const change of content.changes) this.addChange(change, spanOf(blockId, offset(change.start), offset(change.end)));
    for (const field of content.fields) this.fields.push({ span: spanOf(blockId, offset(field.start), offset(field.end)), instruction: field.instruction });
    for (const { kind, id, at } of content.anchors) {
      const position = { blockId, at: offset(at) };
      // Word's bookmark names do not distinguish capitals; of two with one name the first counts.
      const name = id.toLowerCase();
      if (kind === 'bookmark') this.bookmarks.set(name, this.bookmarks.get(name) ?? position);
      else this.comments.set(id, { ...this.comments.get(id), [kind]: position });
    }
  }
}
