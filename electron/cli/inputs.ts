// From what stands on the command line to documents of the library: files, folders, names and ids.
//
// Owns: what an argument may mean, and the batch: a file that fails is told and the others go on.
// A file that the library has (same sha256, same form) is not parsed again. Leaves parsing to workspace/parse.ts.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Document, DocumentSummary } from '../../core/contract/document.ts';
import { CodicilError, toFailure, type Failure } from '../../core/contract/errors.ts';
import type { RawAttachment } from '../../core/ingest/raw.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { EXIT, TOLD, type ExitCode } from './command.ts';
import type { Session } from './session.ts';
import { clean, plural } from './terminal.ts';

interface Read {
  readonly document: Document;
  readonly summary: DocumentSummary;
}
export interface Input extends Read {
  /** The file it was read from; the library's name for one that was not. */
  readonly place: string;
}
export interface InputFailure {
  readonly input: string;
  readonly failure: Failure;
}
export interface Inputs {
  readonly inputs: readonly Input[];
  readonly failures: readonly InputFailure[];
}

/** Looked for in folders; a file that is named outright is tried whatever it is called. */
const EXTENSIONS = new Set('.pdf .docx .txt .text .md .markdown .html .htm .xhtml .eml .png .jpg .jpeg .tif .tiff'.split(' '));
/** Documents of kinds that are not read: a folder's are tried, so that each is named with what to do about it. */
const REFUSED = new Set('.doc .rtf .odt .wpd .pages .msg .dot .xps .djvu .epub'.split(' '));
/** Over this a file is not even opened (the parsers have tighter limits of their own). */
const MAX_FILE_BYTES = 1 << 30;

/** Mail in mail in mail: deeper than a person reads. */
const DEEPEST_ATTACHMENT = 3;

type Target = { readonly file: string } | { readonly stored: DocumentSummary };

/** Every document that the arguments name, in their order. Failures are told on stderr as they come. */
export async function resolveInputs(session: Session, args: readonly string[]): Promise<Inputs> {
  const workspace = session.workspace();
  const failures: InputFailure[] = [];
  const fail = (input: string, error: unknown): null => {
    const failure = toFailure(error);
    failures.push({ input, failure });
    session.reportFailure(failure.message.includes(path.basename(input)) ? failure : { ...failure, message: `${path.basename(input)}: ${failure.message}` });
    return null;
  };
  const targets = args.flatMap((argument): readonly Target[] => {
    try {
      return expand(session, argument, workspace);
    } catch (error) {
      fail(argument, error);
      return [];
    }
  });
  const progress = batchProgress(session, targets.length);
  const found = await Promise.all(
    targets.map(async (target) => {
      const name = 'file' in target ? target.file : target.stored.name;
      try {
        return 'file' in target
          ? (await fromFile(session, workspace, target.file, progress, fail)).map((entry) => ({ ...entry, place: target.file }))
          : [{ summary: target.stored, document: await workspace.document(target.stored.id), place: target.stored.name }];
      } catch (error) {
        fail(name, error);
        return [];
      } finally {
        progress.done(name);
      }
    }),
  );
  session.terminal.clearProgress();
  const seen = new Set<string>();
  const inputs = found.flat().filter((entry) => !seen.has(entry.document.id) && seen.add(entry.document.id) !== undefined);
  for (const { document } of inputs) tellUnread(session, document);
  return { inputs, failures };
}

/** What follows is about the pages that were read; a page without text is said each time, because a finding of nothing could be due to it. */
function tellUnread(session: Session, document: Document): void {
  const unread = document.pages.flatMap((page, index) => (page.source === 'empty' ? [page.label || String(index + 1)] : []));
  const pictures = document.warnings.some((warning) => warning.code === 'no_text' || warning.code === 'ocr_failed' || warning.code === 'ocr_no_text');
  if (unread.length === 0 || !pictures) return;
  const shown = unread.slice(0, 8).join(', ') + (unread.length > 8 ? ` and ${unread.length - 8} more` : '');
  session.terminal.note(
    `${clean(document.name)}: no text was read on ${unread.length === 1 ? 'page' : 'pages'} ${shown}; what follows does not cover ${unread.length === 1 ? 'it' : 'them'}.`,
  );
}

/** The documents under names that tell them apart: of two called template.docx the folder is named too, of two in the library the id. */
export function distinctlyNamed(inputs: readonly Input[]): Document[] {
  const tail = (place: string, parts: number): string => path.resolve(place).split(path.sep).slice(-parts).join('/');
  const groups = Map.groupBy(inputs, ({ document }) => document.name);
  return inputs.map(({ document, place }) => {
    const others = groups.get(document.name)!.filter((other) => other.document !== document);
    if (others.length === 0) return document;
    const deepest = path.resolve(place).split(path.sep).length;
    for (let parts = 2; parts < deepest && place !== document.name; parts++)
      if (others.every((other) => tail(other.place, parts) !== tail(place, parts))) return { ...document, name: tail(place, parts) };
    return { ...document, name: document.name.replace(/(?=\.[^.]*$)|$/, ` (${document.id.slice(0, 8)})`) };
  });
}

/** 0 when all went well, 3 when some did, 1 when none did. */
export function batchExit({ inputs, failures }: Inputs): ExitCode {
  if (failures.length === 0) return EXIT.ok;
  return inputs.length > 0 ? EXIT.some : EXIT.failed;
}

/** Errors: the one failure there was, or no_documents when nothing readable is left to work on. */
export function expectSome({ inputs, failures }: Inputs): void {
  if (inputs.length > 0) return;
  const only = failures.length === 1 ? failures[0]!.failure : null;
  // It stands on stderr already; saying it twice helps nobody.
  if (only) throw new CodicilError(only.code, only.message, { cause: TOLD });
  const found = failures.length > 0 ? `none of ${failures.length} could be read` : 'none was found';
  throw new CodicilError(
    'no_documents',
    `At least one readable document was expected and ${found}. Name PDF, DOCX, HTML, mail, text or picture files, a folder with some, or an id of "codicil library".`,
  );
}

function expand(session: Session, argument: string, workspace: Workspace): readonly Target[] {
  const stat = statSync(argument, { throwIfNoEntry: false });
  if (stat?.isFile()) return [{ file: argument }];
  if (stat?.isDirectory()) {
    const { files, others } = filesBelow(argument);
    if (others.length > 0 && files.length > 0) session.terminal.note(passedOver(argument, others));
    if (files.length === 0)
      throw new CodicilError(
        'no_documents',
        `Documents were expected in the folder ${argument}; none of its files is one (${[...EXTENSIONS].join(' ')}). Name another folder.`,
      );
    return files.map((file) => ({ file }));
  }
  return [{ stored: findStored(argument, workspace) }];
}

/** The documents below a folder by their names, and the files that are none. Hidden files and Word's own lock files are neither. */
function filesBelow(folder: string): { readonly files: readonly string[]; readonly others: readonly string[] } {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.startsWith('~$'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const isDocument = (file: string): boolean => EXTENSIONS.has(path.extname(file).toLowerCase()) || REFUSED.has(path.extname(file).toLowerCase());
  return { files: all.filter(isDocument), others: all.filter((file) => !isDocument(file)) };
}

/** Names that a note spells out. */
const NAMED = 5;

function passedOver(folder: string, others: readonly string[]): string {
  const names = others.slice(0, NAMED).map((file) => clean(path.relative(folder, file)));
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : '';
  return `Passed over in ${clean(folder)}: ${names.join(', ')}${more} (${plural(others.length, 'file')} of other kinds).`;
}

/** By the first 6 or more digits of its id, or by its name. */
function findStored(argument: string, workspace: Workspace): DocumentSummary {
  const all = workspace.library.list();
  const hits = /^[0-9a-f]{6,64}$/.test(argument) ? all.filter((entry) => entry.id.startsWith(argument)) : all.filter((entry) => entry.name === argument);
  if (hits.length === 1) return hits[0]!;
  if (hits.length > 1)
    throw new CodicilError(
      'invalid_request',
      `"${argument}" was expected to mean one document; ${hits.length} have that name or id. Give more digits of its id.`,
    );
  throw new CodicilError(
    'not_found',
    `A file, a folder, or a document of the library was expected; "${argument}" is none of them. Check the spelling, or see "codicil library".`,
  );
}

type Fail = (input: string, error: unknown) => null;

/** The document of a file, and those of the files attached to it. */
async function fromFile(session: Session, workspace: Workspace, file: string, progress: BatchProgress, fail: Fail): Promise<readonly Read[]> {
  const { size } = statSync(file);
  if (size > MAX_FILE_BYTES)
    throw new CodicilError(
      'too_large',
      `A file of at most ${MAX_FILE_BYTES / 2 ** 20} MiB was expected; "${file}" has ${Math.round(size / 2 ** 20)} MiB. Split it.`,
    );
  if (size === 0) throw new CodicilError('empty_file', `A document was expected in "${file}"; the file is empty. Check where it came from.`);
  const bytes = new Uint8Array(await readFile(file));
  const onProgress = (done: number, total: number): void => progress.pages(file, done, total);
  return fromBytes(session, workspace, { name: path.basename(file), bytes }, { onProgress, fail, depth: 0 });
}

interface Reading {
  readonly onProgress: (done: number, total: number) => void;
  readonly fail: Fail;
  readonly depth: number;
}

async function fromBytes(
  session: Session,
  workspace: Workspace,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> },
  reading: Reading,
): Promise<readonly Read[]> {
  const stored = workspace.library.find(createHash('sha256').update(bytes).digest('hex'));
  // What is attached to a message is known only when it is read.
  // A scan that was stored without being recognised is read again when it can be.
  const unread = stored?.warnings.some((warning) => warning.code === 'no_text') === true && session.recognises;
  if (stored && stored.kind !== 'eml' && !unread) return [{ summary: stored, document: await workspace.document(stored.id) }];
  const parsed = await workspace.parser.parseFile({ name, bytes, password: session.password }, { onProgress: reading.onProgress });
  const summary = await workspace.handlers['document.add']({ document: parsed.document, bytes: parsed.made ?? bytes });
  const attached = await Promise.all(parsed.attachments.map((file) => fromAttachment(session, workspace, file, reading)));
  return [{ document: parsed.document, summary }, ...attached.flat()];
}

/** An attachment that can not be read is told like a file that can not be read; the message and its other attachments go on. */
async function fromAttachment(session: Session, workspace: Workspace, file: RawAttachment, reading: Reading): Promise<readonly Read[]> {
  try {
    if (reading.depth >= DEEPEST_ATTACHMENT)
      throw new CodicilError(
        'too_large',
        `Attachments at most ${DEEPEST_ATTACHMENT} messages deep were expected; "${file.name}" lies deeper. Save it and add it itself.`,
      );
    return await fromBytes(session, workspace, { name: file.name, bytes: new Uint8Array(file.bytes) }, { ...reading, depth: reading.depth + 1 });
  } catch (error) {
    reading.fail(file.name, error);
    return [];
  }
}

interface BatchProgress {
  pages(file: string, done: number, total: number): void;
  done(file: string): void;
}

function batchProgress(session: Session, total: number): BatchProgress {
  let finished = 0;
  return {
    pages: (file, done, pages) => {
      if (total === 1) session.terminal.progress(`Reading ${path.basename(file)}`, done, pages, 'pages');
    },
    done: () => {
      finished += 1;
      if (total > 1) session.terminal.progress('Reading', finished, total, 'documents');
    },
  };
}
