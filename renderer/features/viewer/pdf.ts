// PDF files as pdf.js holds them: opened once per document, the two last ones kept.
//
// Owns: pdf.js's worker, where it finds its fonts and character maps (bundled beside the window's files), and when a file is let go.
// pdf.js only draws; text, clauses and boxes come from core's Document.
import './older.ts';
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { CodicilError } from '../../../core/contract/errors.ts';
import { request } from '../../ipc.ts';
import { passwordOf } from '../../store/passwords.ts';

const base = new URL('pdfjs/', document.baseURI).href;
/** One for all documents, given by hand: pdf.js would end a worker of its own making with the document it was made for. */
const worker = pdfjs.PDFWorker.create({ port: new Worker(new URL('./pdfWorker.ts', import.meta.url), { type: 'module', name: 'pdf' }) });

/** Two: the document on screen and the one before it, for going back and forth between versions. */
const KEPT = 2;
const opened = new Map<string, Promise<PDFDocumentProxy>>();

/** Opens a file of the given bytes, which pdf.js takes over: they are gone for the caller. Rejects with pdf.js's own error. */
function loadBytes(data: Uint8Array, password?: string): pdfjs.PDFDocumentLoadingTask {
  return pdfjs.getDocument({
    ...(password === undefined ? {} : { password }),
    data,
    worker,
    cMapUrl: `${base}cmaps/`,
    standardFontDataUrl: `${base}standard_fonts/`,
    wasmUrl: `${base}wasm/`,
    iccUrl: `${base}iccs/`,
    enableXfa: false,
  });
}

async function load(documentId: string): Promise<PDFDocumentProxy> {
  const { bytes } = await request('document.bytes', { documentId });
  const password = passwordOf(documentId);
  return loadBytes(bytes, password).promise.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'PasswordException') throw error;
    throw new CodicilError(
      'encrypted',
      password === undefined
        ? 'The pages are protected. Enter the password of the file to see them.'
        : 'The password given does not open the pages. Check it and enter it again.',
    );
  });
}

/** Rejects with a CodicilError where the bytes cannot be had, and with pdf.js's own error where it cannot open them. */
export function openPdf(documentId: string): Promise<PDFDocumentProxy> {
  const known = opened.get(documentId) ?? load(documentId);
  opened.delete(documentId);
  opened.set(documentId, known);
  known.catch(() => opened.delete(documentId));
  for (const [id, old] of opened) {
    if (opened.size <= KEPT) break;
    opened.delete(id);
    old.then((file) => file.loadingTask.destroy()).catch(() => undefined);
  }
  return known;
}

/** A file that is not in the library yet, to be looked at while it is read. */
export const openPreview = (bytes: Uint8Array, password?: string): pdfjs.PDFDocumentLoadingTask => loadBytes(bytes.slice(), password);

export interface Drawing {
  readonly done: Promise<void>;
  cancel(): void;
}

/** Draws a page into the canvas at `scale` CSS pixels per point, sharp on this screen. */
export function drawPage(page: PDFPageProxy, canvas: HTMLCanvasElement, scale: number): Drawing {
  // Above 2 the memory of a canvas grows faster than anything the eye gains.
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const viewport = page.getViewport({ scale: scale * ratio });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const task = page.render({ canvas, viewport });
  return { done: task.promise, cancel: () => task.cancel() };
}

/** Invisible text over the page, so that it can be selected and copied. */
export function layText(page: PDFPageProxy, container: HTMLElement, scale: number): Drawing {
  const layer = new pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container, viewport: page.getViewport({ scale }) });
  return { done: layer.render().then(() => undefined), cancel: () => layer.cancel() };
}

export const isCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'RenderingCancelledException' || error.name === 'AbortException');
