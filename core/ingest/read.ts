// The door of this folder: bytes of one file -> RawDocument (pages, blocks in reading order, evidence). `core/structure/document.ts` makes a Document of it.
import { CodicilError } from '../contract/errors.ts';
import type { Span } from '../contract/document.ts';
import { readDocx } from './docx/readDocx.ts';
import { Watch, within, type ReadOptions } from './limits.ts';
import { detectKind, type FileKind, type ImageType } from './magic.ts';
import { imageToPdf } from './ocr/imagePdf.ts';
import { loadMupdf } from './pdf/mupdf.ts';
import { readPdf } from './pdf/readPdf.ts';
import type { DocumentKind, RawContent, RawDocument } from './raw.ts';
import { readHtml } from './text/readHtml.ts';
import { readMail } from './text/readMail.ts';
import { readText } from './text/readText.ts';

/** Throws CodicilError: empty_file, unsupported_format, corrupt_file, encrypted, too_large, timeout, cancelled. */
export async function readFile(file: Uint8Array, name: string, options: ReadOptions): Promise<RawDocument> {
  const watch = new Watch(options);
  within(file.length, watch.limits.bytes, 'bytes');
  const found = detectKind(file, name);
  const made = isImage(found) ? imageToPdf(await loadMupdf(), file, name, found, watch) : null;
  const bytes = made ?? file;
  const kind = isImage(found) ? 'pdf' : found;
  const id = await sha256(bytes);
  const [as, content] = await readContent(kind, bytes, name, options, watch);
  if (content.pages.length === 0)
    throw new CodicilError('empty_file', `Expected a document with pages; "${name}" has none. Check that the right file was chosen.`);
  const own = <S extends Span | null>(span: S): S => (span === null ? span : { ...span, documentId: id });
  return {
    id,
    name,
    kind: as,
    view: options.view ?? 'accepted',
    made,
    pages: content.pages,
    blocks: content.blocks,
    outline: content.outline ?? [],
    emphasis: content.emphasis,
    listLevel: content.listLevel ?? new Map<string, number>(),
    tables: content.tables ?? [],
    notes: (content.notes ?? []).map((note) => ({ ...note, mark: own(note.mark) })),
    comments: (content.comments ?? []).map((comment) => ({ ...comment, span: own(comment.span) })),
    revisions: (content.revisions ?? []).map((revision) => ({ ...revision, span: own(revision.span) })),
    crossReferences: (content.crossReferences ?? []).map((reference) => ({ ...reference, span: own(reference.span) })),
    attachments: content.attachments ?? [],
    warnings: content.warnings.map((warning) => (warning.span ? { ...warning, span: own(warning.span) } : warning)),
    ms: watch.elapsed(),
  };
}

function isImage(kind: FileKind): kind is ImageType {
  return kind.startsWith('image/');
}

async function readContent(
  kind: Exclude<FileKind, ImageType>,
  bytes: Uint8Array,
  name: string,
  options: ReadOptions,
  watch: Watch,
): Promise<readonly [DocumentKind, RawContent]> {
  if (kind === 'pdf') return ['pdf', await readPdf(bytes, name, options, watch)];
  if (kind === 'docx') return ['docx', await readDocx(bytes, name, watch, options.view)];
  const view = options.view ?? 'accepted';
  if (kind === 'html') return ['html', readHtml(bytes, name, view, watch)];
  if (kind === 'mail') return ['eml', await readMail(bytes, name, view, watch)];
  return ['text', readText(bytes, name, kind === 'markdown', watch)];
}

async function sha256(bytes: Uint8Array): Promise<string> {
  // A copy only where the bytes lie in shared memory, which the digest refuses.
  const plain = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', plain));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
