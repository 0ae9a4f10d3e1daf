// What a reader hands to `structure`: pages and blocks in reading order, and evidence about them that the stored Document does not keep.
import type { Block, Page, Warning } from '../contract/document.ts';

export type DocumentKind = 'pdf' | 'docx' | 'text';

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

export interface RawDocument {
  readonly id: string;
  readonly name: string;
  readonly kind: DocumentKind;
  readonly pages: readonly Page[];
  readonly blocks: readonly Block[];
  readonly outline: readonly OutlineEntry[];
  /** Bold, underlined or italic stretches by block id: evidence for run-in headings and defined terms. */
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  /** Depth from 0 of a number by the document's own list definition (Word, Markdown), by block id. */
  readonly listLevel: ReadonlyMap<string, number>;
  readonly warnings: readonly Warning[];
  /** Milliseconds spent so far. */
  readonly ms: number;
}
