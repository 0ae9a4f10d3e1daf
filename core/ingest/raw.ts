// What a reader hands to `structure`: pages and blocks in reading order, and evidence about them that the stored Document does not keep.
import type { Block, Comment, DOCUMENT_KINDS, Note, Page, Revision, Span, Table, View, Warning } from '../contract/document.ts';

export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Characters [start, end) of a block's text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface OutlineEntry {
  readonly title: string;
  /** Index of the page it points at; null if it points nowhere. */
  readonly page: number | null;
  /** From 1. */
  readonly depth: number;
}

/** Spans in here lack the id of the document, which is known when all of it has been read; `readFile` writes it in. */
export interface RawContent {
  readonly pages: readonly Page[];
  readonly blocks: readonly Block[];
  /** Bold, underlined or italic stretches by block id: evidence for run-in headings and defined terms. */
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  readonly outline?: readonly OutlineEntry[];
  /** Depth from 0 of a number by the document's own list definition (Word, Markdown), by block id. */
  readonly listLevel?: ReadonlyMap<string, number>;
  readonly tables?: readonly Table[];
  readonly notes?: readonly Note[];
  readonly comments?: readonly Comment[];
  readonly revisions?: readonly Revision[];
  readonly crossReferences?: readonly CrossReference[];
  readonly attachments?: readonly RawAttachment[];
  readonly warnings: readonly Warning[];
}

/** A field or link that points into the document (Word's REF, PAGEREF, NOTEREF, HYPERLINK \l): its target is certain where text is a guess. */
export interface CrossReference {
  readonly span: Span;
  /** As the file has it: "REF _Ref137575642 \r \h". */
  readonly instruction: string;
  /** Block that the bookmark begins in; null where the bookmark is gone. */
  readonly targetBlockId: string | null;
}

export interface RawAttachment {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface RawDocument extends Required<RawContent> {
  /** sha256 of the file's bytes, hex. */
  readonly id: string;
  readonly name: string;
  readonly kind: DocumentKind;
  readonly view: View;
  /** The PDF that was made of a picture, to be stored in its place; null where the file itself is the document. */
  readonly made: Uint8Array<ArrayBuffer> | null;
  /** Milliseconds spent so far. */
  readonly ms: number;
}
