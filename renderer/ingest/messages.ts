// What the window and its parsing worker say to each other.
import type { Document } from '../../core/contract/document.ts';
import type { Failure } from '../../core/contract/errors.ts';

export interface ParseRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly password?: string;
}

export type ParseMessage =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'parsed'; readonly document: Document }
  | { readonly type: 'failed'; readonly failure: Failure };
