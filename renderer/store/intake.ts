// Files on their way into the library: waiting, parsed in a worker, stored; each with its own progress, cancel and failure.
//
// Owns: the queue and its rows. Leaves the worker to renderer/ingest and parsing to core. Several files are parsed at once, as many as there are workers.
// Rule: a failure belongs to its file alone; the rest of the batch goes on.
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import { parseInWorker } from '../ingest/parser.ts';
import { request } from '../ipc.ts';
import { rememberPassword } from './passwords.ts';
import type { IntakeItem } from './state.ts';
import { read, update, useStore } from './store.ts';
import { openDocument } from './viewer.ts';

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Two: mupdf holds about 100 MB per worker on a long file, and the engine wants the other cores. */
const AT_ONCE = 2;
/** Mail in mail in mail: deeper than a person reads. */
const DEEPEST_ATTACHMENT = 3;
let nextId = 1;
let running = 0;
const contents = new Map<number, Uint8Array<ArrayBuffer>>();
const passwords = new Map<number, string>();
/** How many mails a file lay inside of. */
const depths = new Map<number, number>();
const stops = new Map<number, AbortController>();

function change(id: number, part: Partial<IntakeItem>): void {
  useStore.setState((state) => ({ intake: state.intake.map((item) => (item.id === id ? { ...item, ...part } : item)) }));
}

export function addFiles(files: readonly NamedBytes[]): void {
  enqueue(files, 0);
}

/** Files inside a mail are files of the batch; one that lies too deep fails like any other file, with its reason. */
function addAttachments(id: number, files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): void {
  if (files.length > 0)
    enqueue(
      files.map(({ name, bytes }) => ({ name, bytes: new Uint8Array(bytes) })),
      (depths.get(id) ?? 0) + 1,
    );
}

function enqueue(files: readonly NamedBytes[], depth: number): void {
  const items = files.map((file): IntakeItem => {
    const id = nextId++;
    contents.set(id, file.bytes);
    depths.set(id, depth);
    return { id, name: file.name, bytes: file.bytes.length, phase: 'waiting', done: 0, total: 0, recognising: false, failure: null };
  });
  useStore.setState((state) => ({ intake: [...state.intake, ...items] }));
  pump();
}

function pump(): void {
  while (running < AT_ONCE) {
    const next = read().intake.find((item) => item.phase === 'waiting');
    if (!next) return;
    running++;
    change(next.id, { phase: 'parsing', done: 0, total: 0, failure: null });
    if (read().viewer.openId === null && read().viewer.preview === null) showPreview(next.id);
    void take(next).finally(() => {
      running--;
      pump();
    });
  }
}

async function take(item: IntakeItem): Promise<void> {
  const bytes = contents.get(item.id);
  if (!bytes) return;
  const stop = new AbortController();
  stops.set(item.id, stop);
  try {
    if ((depths.get(item.id) ?? 0) > DEEPEST_ATTACHMENT)
      throw new CodicilError(
        'too_large',
        `Attachments at most ${DEEPEST_ATTACHMENT} messages deep were expected; ${item.name} lies deeper. Save it and add it itself.`,
      );
    const password = passwords.get(item.id);
    const onProgress = (done: number, total: number, recognising: boolean) => change(item.id, { done, total, recognising });
    const parsed = await parseInWorker(bytes, item.name, { ...(password === undefined ? {} : { password }), signal: stop.signal, onProgress });
    change(item.id, { phase: 'storing' });
    const stored = await request('document.add', { document: parsed.document, bytes: parsed.made ?? bytes });
    addAttachments(item.id, parsed.attachments);
    if (password !== undefined) rememberPassword(stored.id, password);
    const watched = read().viewer.openId === null || read().viewer.preview === item.id;
    if (watched) openDocument(stored.id);
    dismissIntake(item.id);
  } catch (error) {
    fail(item.id, error);
  } finally {
    stops.delete(item.id);
  }
}

function fail(id: number, error: unknown): void {
  const failure = toFailure(error);
  hidePreview(id);
  if (failure.code === 'cancelled') dismissIntake(id);
  else change(id, { phase: failure.code === 'encrypted' ? 'password' : 'failed', failure });
}

/** Shows the pages of a file while it is still being read; formats without pages of their own have nothing to show yet. */
export function showPreview(id: number): void {
  const bytes = contents.get(id);
  if (bytes && isPdf(bytes)) update('viewer', { preview: id });
}

function hidePreview(id: number): void {
  if (read().viewer.preview === id) update('viewer', { preview: null });
}

/** The bytes of a file on its way in, and its password if it has been given; null when it has arrived or was dismissed. */
export function intakeFile(id: number): { readonly bytes: Uint8Array; readonly password?: string } | null {
  const bytes = contents.get(id);
  const password = passwords.get(id);
  return bytes ? { bytes, ...(password === undefined ? {} : { password }) } : null;
}

const isPdf = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).includes('%PDF-');

/** Tries a protected file again with its password. */
export function unlock(id: number, password: string): void {
  passwords.set(id, password);
  change(id, { phase: 'waiting', failure: null });
  pump();
}

export function retryIntake(id: number): void {
  change(id, { phase: 'waiting', failure: null });
  pump();
}

export function cancelIntake(id: number): void {
  const stop = stops.get(id);
  if (stop) stop.abort(new CodicilError('cancelled', 'Reading this file was stopped. Drop it again to read it.'));
  else dismissIntake(id);
}

/** Takes a row away, with the bytes it held. */
export function dismissIntake(id: number): void {
  hidePreview(id);
  contents.delete(id);
  depths.delete(id);
  passwords.delete(id);
  useStore.setState((state) => ({ intake: state.intake.filter((item) => item.id !== id) }));
}
