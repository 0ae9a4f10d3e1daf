// pdf.js as a second reader of a PDF's text, in the thread that asks: no worker, no DOM, no drawing.
//
// Owns: loading the library and its types as far as they are used. Its own types need a DOM, which `core` has not.
// Without character maps and fonts of its own it reads what the file itself explains, which is where it differs from mupdf.

export interface TextItem {
  readonly str: string;
  /** Text space to user space: x axis in [0], [1], origin of the first glyph in [4], [5]. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly dir: 'ltr' | 'rtl' | 'ttb';
  readonly fontName: string;
}

export interface TextStyle {
  readonly ascent: number;
  readonly descent: number;
  readonly vertical: boolean;
}

export interface PdfJsPage {
  getTextContent(options: { readonly disableNormalization: boolean }): Promise<{
    readonly items: readonly (TextItem | { readonly type: string })[];
    readonly styles: Readonly<Record<string, TextStyle>>;
  }>;
  getViewport(options: { readonly scale: number }): { readonly width: number; readonly height: number; readonly transform: readonly number[] };
  cleanup(): void;
}

export interface PdfJsDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfJsPage>;
}

interface LoadingTask {
  readonly promise: Promise<PdfJsDocument>;
  destroy(): Promise<void>;
}

interface PdfJs {
  getDocument(options: Readonly<Record<string, unknown>>): LoadingTask;
}

/** Rejects with pdf.js's own error. The caller destroys the task. `bytes` are copied, because pdf.js takes over what it is given. */
export async function openWithPdfJs(bytes: Uint8Array, password: string | undefined): Promise<LoadingTask> {
  const host = globalThis as { pdfjsWorker?: unknown };
  // pdf.js looks for its worker's code here before it tries to start a worker.
  host.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  const library = (await import('pdfjs-dist/legacy/build/pdf.min.mjs')) as unknown as PdfJs;
  return library.getDocument({
    data: new Uint8Array(bytes),
    ...(password === undefined ? {} : { password }),
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  });
}
