// Scans for tests: pages of a PDF drawn to grey pictures, turned and blurred as a scanner would, in a PDF without any text.
//
// Owns: the recogniser with its parts from node_modules, shared by all tests of one file (loading takes half a second).
import { readFileSync } from 'node:fs';
import * as mupdf from 'mupdf';
import type { OcrOptions } from './recognisePage.ts';
import { Recogniser, type OcrFile } from './recogniser.ts';
import { drawUpright } from './render.ts';

const PACKAGES: Readonly<Record<OcrFile, string>> = {
  'tesseract-core-simd-lstm.wasm': 'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  'eng.traineddata.gz': '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  'chi_sim.traineddata.gz': '@tesseract.js-data/chi_sim/4.0.0_best_int/chi_sim.traineddata.gz',
};

export const ocr: OcrOptions = {
  recogniser: new Recogniser(async (file) => new Uint8Array(readFileSync(new URL(`../../../node_modules/${PACKAGES[file]}`, import.meta.url)))),
  script: 'auto',
};

export interface ScanOptions {
  /** Indices of the pages; all of them where absent. */
  readonly pages?: readonly number[];
  /** Of a page of letter size; smaller pages are scanned finer, as a person would. */
  readonly dpi?: number;
  /** Clockwise, any angle. */
  readonly degrees?: number;
}

export function makeScan(pdf: Uint8Array, { pages, dpi = 200, degrees = 0 }: ScanOptions = {}): Uint8Array<ArrayBuffer> {
  const source = mupdf.Document.openDocument(pdf, 'application/pdf');
  const target = new mupdf.PDFDocument();
  for (const index of pages ?? Array.from({ length: source.countPages() }, (_, page) => page)) {
    const page = source.loadPage(index);
    const [x0, y0, x1, y1] = page.getBounds();
    const fine = dpi * Math.max(1, 792 / Math.max(x1 - x0, y1 - y0));
    const { image } = drawUpright(mupdf, page, fine, degrees);
    const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, image.width, image.height], false);
    const pixels = pixmap.getPixels();
    const stride = pixmap.getStride();
    for (let y = 0; y < image.height; y++) pixels.set(image.pixels.subarray(y * image.width, (y + 1) * image.width), y * stride);
    const [width, height] = [(image.width * 72) / fine, (image.height * 72) / fine];
    // JPEG of a common scanner quality: its ringing around letters is part of the task.
    const picture = target.addImage(new mupdf.Image(pixmap.asJPEG(75)));
    target.insertPage(-1, target.addPage([0, 0, width, height], 0, { XObject: { P: picture } }, `q ${width} 0 0 ${height} 0 0 cm /P Do Q`));
  }
  return new Uint8Array(target.saveToBuffer('compress').asUint8Array());
}

/** The same pages with their text, for comparison. */
export function takePages(pdf: Uint8Array, pages: readonly number[]): Uint8Array<ArrayBuffer> {
  const source = mupdf.PDFDocument.openDocument(pdf, 'application/pdf') as mupdf.PDFDocument;
  source.rearrangePages([...pages]);
  return new Uint8Array(source.saveToBuffer('garbage').asUint8Array());
}

/** Words in reading order, for accuracy: what differs in white space only is no error of recognition. */
export function wordsOf(blocks: readonly { readonly text: string; readonly kind: string }[]): string[] {
  return blocks.flatMap((block) => block.text.split(/\s+/)).filter((word) => word !== '');
}

/** Share of the words of `right` that stand in `found` as often: order counts nothing, so that layout is not measured here. */
export function wordAccuracy(right: readonly string[], found: readonly string[]): { readonly share: number; readonly missed: readonly string[] } {
  const counts = new Map<string, number>();
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  const missed: string[] = [];
  for (const word of right) {
    const left = counts.get(word) ?? 0;
    if (left > 0) counts.set(word, left - 1);
    else missed.push(word);
  }
  return { share: right.length === 0 ? 1 : 1 - missed.length / right.length, missed };
}
