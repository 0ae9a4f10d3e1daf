// What the window and its parsing worker say to each other.
import type { Failure } from '../../core/contract/errors.ts';
import type { ParsedFile } from '../../core/structure/document.ts';

export interface ParseRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly password?: string;
}

export type ParseMessage =
  | { readonly type: 'progress'; readonly done: number; readonly total: number; readonly recognising: boolean }
  | ({ readonly type: 'parsed' } & ParsedFile)
  | { readonly type: 'failed'; readonly failure: Failure };
