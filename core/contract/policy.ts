// How the window's files are served, whoever serves them: the app's own protocol or `codicil serve`.
// Owns: the one content security policy and the types of files. Leaves resolving and refusing paths to each server.
// Rule: no inline code, no other origin, no plug-ins; WebAssembly may run (MuPDF), workers may come from blobs (pdf.js).

export const WINDOW_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

const FILE_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.gz': 'application/gzip',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain; charset=utf-8',
};

/** Type of a file by its extension with the point; bytes without a meaning for the browser where it is not known. */
export const fileType = (extension: string): string => FILE_TYPES[extension.toLowerCase()] ?? 'application/octet-stream';
