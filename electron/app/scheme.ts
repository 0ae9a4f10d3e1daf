// The window's files over app://codicil, out of dist/renderer and nowhere else.
//
// Owns: the scheme. Leaves the content security policy and the types of files to core/contract/policy.ts, which every server of the window shares.
// Rule: a path is resolved first and then checked to lie inside the folder; what is not a file there is 404.
import { protocol, type Session } from 'electron';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileType, WINDOW_POLICY } from '../../core/contract/policy.ts';
import { rendererFolder } from './place.ts';

export const ORIGIN = 'app://codicil';
export const HOME = `${ORIGIN}/index.html`;

/** Before the app is ready: the scheme is a standard, secure origin that fetch and workers may use. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true } }]);
}

export function serveScheme(session: Session): void {
  session.protocol.handle('app', (request) => answer(request.url));
}

async function answer(address: string): Promise<Response> {
  const url = new URL(address);
  const file = path.join(rendererFolder, decodeURIComponent(url.pathname));
  const inside = url.host === 'codicil' && file.startsWith(rendererFolder + path.sep);
  try {
    if (!inside) return new Response('There is no such file.', { status: 404 });
    const bytes = await readFile(file);
    return new Response(bytes, {
      headers: {
        'content-type': fileType(path.extname(file)),
        'content-security-policy': WINDOW_POLICY,
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
      },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'EISDIR')
      return new Response('There is no such file.', { status: 404 });
    throw error;
  }
}
