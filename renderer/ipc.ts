// The window's one line to the workspace, whatever carries it: Electron's MessagePort or a WebSocket of `codicil serve`.
//
// Owns: finding the carrier, the hello, requests that wait for a connection, events, re-connecting with back-off, and the shell's file grants.
// Leaves what a request means to core/contract and what is shown to the store.
// Rule: every request settles exactly once; one that was on its way when the line broke rejects, because nobody knows whether it was done.
import { CodicilError } from '../core/contract/errors.ts';
import type { WorkspaceEvent } from '../core/contract/events.ts';
import { type Message, type Port, packMessage, unpackMessage } from '../core/contract/port.ts';
import type { RequestOf, ResponseOf, Route } from '../core/contract/requests.ts';
import { CONTRACT_VERSION } from '../core/contract/version.ts';

export type Connection = { readonly state: 'connecting' } | { readonly state: 'open' } | { readonly state: 'closed'; readonly reason: string };
export interface GrantedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
/** What electron/preload.ts puts on the window; absent in a browser. */
interface WindowApi {
  connect(): void;
  openFiles(): Promise<readonly GrantedFile[]>;
  onFiles(listener: (files: readonly GrantedFile[]) => void): void;
  onCommand(listener: (command: string) => void): void;
}

interface Pending {
  readonly message: Message;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: CodicilError) => void;
}

const FIRST_RETRY_MS = 250;
/** Long enough not to busy a machine whose server is gone, short enough that a person does not reload by hand. */
const LAST_RETRY_MS = 4000;

const api = (window as unknown as { readonly api?: WindowApi }).api;
const pending = new Map<number, Pending>();
const queued: number[] = [];
const eventListeners = new Set<(event: WorkspaceEvent) => void>();
const connectionListeners = new Set<(connection: Connection) => void>();
let connection: Connection = { state: 'connecting' };
let port: Port | null = null;
let nextId = 1;
let retryMs = FIRST_RETRY_MS;

export const currentConnection = (): Connection => connection;
export const onEvent = (listener: (event: WorkspaceEvent) => void): void => void eventListeners.add(listener);
export const onConnection = (listener: (connection: Connection) => void): void => void connectionListeners.add(listener);

/** The desktop shell's own open dialog, its granted files and its menu; null in a browser, where an <input> does it. */
export const shell: Pick<WindowApi, 'openFiles' | 'onFiles' | 'onCommand'> | null = api ?? null;

/** Rejects with a CodicilError. A request made before the line is open waits for it. */
export function request<R extends Route>(route: R, body: RequestOf<R>): Promise<ResponseOf<R>> {
  return new Promise((resolve, reject) => {
    const id = nextId++;
    const message = { type: 'request', id, route, body } as const;
    pending.set(id, { message, resolve: resolve as (value: unknown) => void, reject });
    if (connection.state === 'open' && port) port.send(message);
    else queued.push(id);
  });
}

function change(next: Connection): void {
  connection = next;
  for (const listener of connectionListeners) listener(next);
}

function receive(from: Port, message: unknown): void {
  if (from !== port) return;
  const known = message as Message | null;
  if (known?.type === 'hello') greet(known.contract);
  else if (known?.type === 'event') for (const listener of eventListeners) listener(known.event);
  else if (known?.type === 'response') {
    const waiting = pending.get(known.id);
    pending.delete(known.id);
    if (known.result.ok) waiting?.resolve(known.result.value);
    else waiting?.reject(new CodicilError(known.result.failure.code, known.result.failure.message));
  }
}

function greet(contract: number): void {
  if (contract !== CONTRACT_VERSION) {
    const reason = `The window speaks version ${CONTRACT_VERSION} of the contract and the workspace ${contract}. Restart the program so that both are the same.`;
    drop(reason, new CodicilError('version_mismatch', reason));
    return;
  }
  retryMs = FIRST_RETRY_MS;
  change({ state: 'open' });
  for (const id of queued.splice(0)) {
    const waiting = pending.get(id);
    if (waiting) port?.send(waiting.message);
  }
}

function drop(reason: string, failure: CodicilError): void {
  const old = port;
  port = null;
  old?.close();
  for (const [id, waiting] of pending) {
    if (queued.includes(id)) continue;
    pending.delete(id);
    waiting.reject(failure);
  }
  change({ state: 'closed', reason });
}

function adopt(next: Port): void {
  if (port) drop('A new line took its place.', lost('the workspace was started again'));
  port = next;
  change({ state: 'connecting' });
  next.onMessage((message) => receive(next, message));
  next.onClose((reason) => {
    if (next !== port) return;
    drop(reason, lost(reason));
    setTimeout(connect, retryMs);
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
  });
  next.send({ type: 'hello', contract: CONTRACT_VERSION, build: import.meta.env.MODE });
}

const lost = (reason: string): CodicilError =>
  new CodicilError(
    'io_failed',
    `A reply of the workspace was expected, but the line to it closed (${reason}). It is being opened again; repeat what you asked.`,
  );

function messagePort(carrier: MessagePort): Port {
  return {
    send: (message) => carrier.postMessage(message, []),
    onMessage: (listener) => {
      carrier.addEventListener('message', (event) => listener(event.data));
      carrier.start();
    },
    onClose: (listener) => carrier.addEventListener('close', () => listener('the workspace process ended')),
    close: () => carrier.close(),
  };
}

function socketPort(socket: WebSocket): Port {
  socket.binaryType = 'arraybuffer';
  const unsent: Message[] = [];
  socket.addEventListener('open', () => {
    for (const message of unsent.splice(0)) socket.send(packMessage(message));
  });
  return {
    send: (message) => (socket.readyState === WebSocket.OPEN ? socket.send(packMessage(message)) : void unsent.push(message)),
    onMessage: (listener) =>
      socket.addEventListener('message', (event) => {
        try {
          listener(unpackMessage(new Uint8Array(event.data as ArrayBuffer)));
        } catch (error) {
          // A frame that cannot be read means the two ends disagree on the form: nothing after it can be trusted.
          socket.close(4000, error instanceof RangeError || error instanceof SyntaxError ? 'unreadable frame' : 'listener failed');
          throw error;
        }
      }),
    onClose: (listener) => socket.addEventListener('close', (event) => listener(event.reason || 'the server does not answer')),
    close: () => socket.close(),
  };
}

/** Opens the line; called once at the start, and again by itself whenever the line breaks. */
export function connect(): void {
  if (api) return api.connect();
  const url = new URL('port', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  adopt(socketPort(new WebSocket(url)));
}

// Electron's ports cannot cross the context bridge as values; preload passes each one on as a window message of its own window.
if (api) {
  window.addEventListener('message', (event) => {
    if (event.source === window && event.data === 'codicil:port' && event.ports[0]) adopt(messagePort(event.ports[0]));
  });
}
