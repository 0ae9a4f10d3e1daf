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
import type { Workspace } from '../workspace/workspace.ts';
import { EXIT, TOLD, type ExitCode } from './command.ts';
import type { Session } from './session.ts';

export interface Input {
  readonly document: Document;
  readonly summary: DocumentSummary;
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
const EXTENSIONS = new Set(['.pdf', '.docx', '.txt', '.md', '.markdown', '.html', '.htm', '.eml']);
/** Over this a file is not even opened (the parsers have tighter limits of their own). */
const MAX_FILE_BYTES = 1 << 30;

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
      return expand(argument, workspace);
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
          ? await fromFile(session, workspace, target.file, progress)
          : { summary: target.stored, document: await workspace.document(target.stored.id) };
      } catch (error) {
        return fail(name, error);
      } finally {
        progress.done(name);
      }
    }),
  );
  session.terminal.clearProgress();
  const seen = new Set<string>();
  const inputs = found.filter((entry): entry is Input => entry !== null && !seen.has(entry.document.id) && seen.add(entry.document.id) !== undefined);
  return { inputs, failures };
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
    `At least one readable document was expected and ${found}. Name PDF, DOCX or text files, a folder with some, or an id of "codicil library".`,
  );
}

function expand(argument: string, workspace: Workspace): readonly Target[] {
  const stat = statSync(argument, { throwIfNoEntry: false });
  if (stat?.isFile()) return [{ file: argument }];
  if (stat?.isDirectory()) {
    const files = filesBelow(argument);
    if (files.length === 0)
      throw new CodicilError(
        'no_documents',
        `Documents were expected in the folder ${argument}; none of its files is one (${[...EXTENSIONS].join(' ')}). Name another folder.`,
      );
    return files.map((file) => ({ file }));
  }
  return [{ stored: findStored(argument, workspace) }];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.startsWith('~$') && EXTENSIONS.has(path.extname(entry.name).toLowerCase()))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
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

async function fromFile(session: Session, workspace: Workspace, file: string, progress: BatchProgress): Promise<Input> {
  const { size } = statSync(file);
  if (size > MAX_FILE_BYTES)
    throw new CodicilError(
      'too_large',
      `A file of at most ${MAX_FILE_BYTES / 2 ** 20} MiB was expected; "${file}" has ${Math.round(size / 2 ** 20)} MiB. Split it.`,
    );
  if (size === 0) throw new CodicilError('empty_file', `A document was expected in "${file}"; the file is empty. Check where it came from.`);
  const bytes = new Uint8Array(await readFile(file));
  const stored = workspace.library.find(createHash('sha256').update(bytes).digest('hex'));
  if (stored) return { summary: stored, document: await workspace.document(stored.id) };
  const document = await workspace.parser.parse(
    { name: path.basename(file), bytes, password: session.password },
    { onProgress: (done, total) => progress.pages(file, done, total) },
  );
  return { document, summary: await workspace.handlers['document.add']({ document, bytes }) };
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
