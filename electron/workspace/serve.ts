// The window in a browser: built renderer files and the workspace's port on 127.0.0.1, behind a token.
//
// Owns: one HTTP server and its WebSockets. Leaves requests to portServer.ts and TLS to the SSH tunnel that reaches a remote workstation.
// Threats it is built against: other pages in the same browser (Origin and Host checks, SameSite cookie, CSP), other users of the machine
// (a random token of 256 bits, compared in constant time), paths outside the folder (resolved, then checked).
// Rule: without the token nothing but a sentence saying so is served; the server listens on the loopback address and nowhere else.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { packMessage, unpackMessage, type Port } from '../../core/contract/port.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import { fileType, WINDOW_POLICY } from '../../core/contract/policy.ts';
import { servePort } from './portServer.ts';
import type { Workspace } from './workspace.ts';

export interface ServeOptions {
  readonly workspace: Pick<Workspace, 'handlers' | 'subscribe'>;
  /** Folder with the built renderer. */
  readonly folder: string;
  /** 0: any free one. */
  readonly port: number;
  /** Absent: a new random one. */
  readonly token?: string | undefined;
}
export interface Served {
  /** With the token; opens the window in a browser. */
  readonly url: string;
  readonly port: number;
  dispose(): Promise<void>;
}

const HEADERS = {
  'Content-Security-Policy': WINDOW_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;
/** The largest message: a document's bytes with its parsed form. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;
/** Cookies do not know ports: two servers on one machine need two names. */
const cookieName = (request: IncomingMessage): string => `codicil-${request.socket.localPort}`;

/** Errors: not_found when the renderer is not built, io_failed when the port is taken. */
export async function serveBrowser(options: ServeOptions): Promise<Served> {
  const folder = path.resolve(options.folder);
  if (!existsSync(path.join(folder, 'index.html'))) {
    throw new CodicilError('not_found', `The built window was expected in ${folder} and is not there. Build it with "npm run build".`);
  }
  const token = options.token ?? randomBytes(32).toString('hex');
  const server = createServer((request, response) => answer(request, response, folder, token));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    // A caller that hangs up while it is being refused must not end the program.
    socket.on('error', () => socket.destroy());
    const refused = refusal(request, token, true);
    if (refused !== null || pathOf(request) !== '/port') return refuse(socket, refused ?? 'Not found.');
    sockets.handleUpgrade(request, socket, head, (client) => servePort(socketPort(client), options.workspace));
  });
  const { port } = await listen(server, options.port);
  return {
    url: `http://127.0.0.1:${port}/?token=${token}`,
    port,
    dispose: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new CodicilError('io_failed', `Port ${port} of 127.0.0.1 was expected to be free; the system says: ${error.message}. Choose another one with --port.`),
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

/** The reason why a request is not served, or null. A tunnel may change the port that a browser names, never the loopback name. */
function refusal(request: IncomingMessage, token: string, socket: boolean): string | null {
  const host = request.headers.host ?? '';
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/.test(host)) return 'Codicil answers only to the name of this machine, 127.0.0.1 or localhost.';
  const { origin } = request.headers;
  if (origin !== undefined ? origin !== `http://${host}` : socket) return 'Codicil answers only to its own pages.';
  if (!sameToken(tokenOf(request), token)) return 'A token was expected and is missing or wrong. Open the address that "codicil serve" printed.';
  return null;
}

function tokenOf(request: IncomingMessage): string {
  const named = urlOf(request).searchParams.get('token');
  if (named !== null) return named;
  const cookies = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
  const begin = `${cookieName(request)}=`;
  return cookies.find((part) => part.startsWith(begin))?.slice(begin.length) ?? '';
}

/** Digests have one length, so that the comparison takes the same time whatever was sent. */
function sameToken(sent: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(token));
}

/** Of what was sent, only the path and the query count; what is no path at all is one that nothing has. */
function urlOf(request: IncomingMessage): URL {
  const url = `http://127.0.0.1${request.url?.startsWith('/') ? request.url : '/%00'}`;
  return new URL(URL.canParse(url) ? url : 'http://127.0.0.1/%00');
}
const pathOf = (request: IncomingMessage): string => urlOf(request).pathname;

function answer(request: IncomingMessage, response: ServerResponse, folder: string, token: string): void {
  const say = (status: number, text: string): void =>
    void response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  const refused = refusal(request, token, false);
  if (refused !== null) return say(403, refused);
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'Files are only read.');
  const url = urlOf(request);
  if (url.searchParams.has('token')) {
    // Into a cookie and out of the address: histories, bookmarks and screenshots keep addresses.
    const cookie = `${cookieName(request)}=${token}; HttpOnly; SameSite=Strict; Path=/`;
    return void response.writeHead(303, { ...HEADERS, 'Set-Cookie': cookie, Location: url.pathname }).end();
  }
  sendFile(request, response, folder, url.pathname, say);
}

function sendFile(request: IncomingMessage, response: ServerResponse, folder: string, pathname: string, say: (status: number, text: string) => void): void {
  const decoded = decodePath(pathname);
  const file = decoded === null ? '' : path.join(folder, decoded.endsWith('/') ? `${decoded}index.html` : decoded);
  const inside = file.startsWith(folder + path.sep);
  const stat = inside ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (!stat?.isFile()) return say(404, 'There is no such file.');
  const type = fileType(path.extname(file));
  response.writeHead(200, { ...HEADERS, 'Content-Type': type, 'Content-Length': stat.size });
  if (request.method === 'HEAD') return void response.end();
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

function decodePath(pathname: string): string | null {
  try {
    const decoded = decodeURIComponent(pathname);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    // Not a path that any file of the window has.
    return null;
  }
}

function refuse(socket: Duplex, reason: string): void {
  socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${reason}\n`);
}

function socketPort(client: WebSocket): Port {
  const messages: ((message: unknown) => void)[] = [];
  client.on('message', (data, binary) => {
    try {
      if (!binary) throw new SyntaxError('a binary frame was expected');
      const { buffer, byteOffset, byteLength } = data as Buffer;
      // A plain Uint8Array: a Buffer has a JSON form of its own and would be cut without a copy.
      const message = unpackMessage(new Uint8Array(buffer, byteOffset, byteLength));
      for (const listener of messages) listener(message);
    } catch (error) {
      client.close(4000, error instanceof RangeError || error instanceof SyntaxError ? 'unreadable frame' : 'internal');
    }
  });
  // An error is always followed by `close`, which is what the listeners hear.
  client.on('error', () => {});
  return {
    send: (message) => {
      if (client.readyState === client.OPEN) client.send(packMessage(message));
    },
    onMessage: (listener) => void messages.push(listener),
    onClose: (listener) => void client.on('close', () => listener('the browser closed the line')),
    close: () => client.close(),
  };
}
