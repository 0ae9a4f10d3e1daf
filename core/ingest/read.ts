// The door of this folder: bytes of one file -> RawDocument (pages, blocks in reading order, evidence). `core/structure/document.ts` makes a Document of it.
import { CodicilError } from '../contract/errors.ts';
import type { Block, Page, Warning } from '../contract/document.ts';
import { readDocx } from './docx/readDocx.ts';
import { Watch, within, type ReadOptions } from './limits.ts';
import { detectKind } from './magic.ts';
import { readPdf } from './pdf/readPdf.ts';
import type { DocumentKind, OutlineEntry, Range, RawDocument } from './raw.ts';
import { readText } from './text/readText.ts';

interface Content {
  readonly kind: DocumentKind;
  readonly pages: readonly Page[];
  readonly blocks: readonly Block[];
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  readonly outline?: readonly OutlineEntry[];
  readonly listLevel?: ReadonlyMap<string, number>;
  readonly warnings: readonly Warning[];
}

/** Throws CodicilError: empty_file, unsupported_format, corrupt_file, encrypted, too_large, timeout, cancelled. */
export async function readFile(bytes: Uint8Array, name: string, options: ReadOptions): Promise<RawDocument> {
  const watch = new Watch(options);
  within(bytes.length, watch.limits.bytes, 'bytes');
  const kind = detectKind(bytes, name);
  const id = await sha256(bytes);
  let content: Content;
  if (kind === 'pdf') content = { kind: 'pdf', ...(await readPdf(bytes, name, options.password, watch)) };
  else if (kind === 'docx') content = { kind: 'docx', ...(await readDocx(bytes, name, watch)) };
  else content = { kind: 'text', ...readText(bytes, name, kind === 'markdown', watch) };
  if (content.pages.length === 0)
    throw new CodicilError('empty_file', `Expected a document with pages; "${name}" has none. Check that the right file was chosen.`);
  return {
    id,
    name,
    kind: content.kind,
    pages: content.pages,
    blocks: content.blocks,
    outline: content.outline ?? [],
    emphasis: content.emphasis,
    listLevel: content.listLevel ?? new Map<string, number>(),
    warnings: content.warnings,
    ms: watch.elapsed(),
  };
}

async function sha256(bytes: Uint8Array): Promise<string> {
  // A copy only where the bytes lie in shared memory, which the digest refuses.
  const plain = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', plain));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
