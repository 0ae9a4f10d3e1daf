// PDFs that the viewer is tested with: turned pages whose words stand upright, and long files made of the sample.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as mupdf from 'mupdf';
import { ROOT, SAMPLES } from './window.ts';

const [WIDTH, HEIGHT] = [612, 792];
export const TURNS = [0, 90, 180, 270] as const;

/** Text matrix (ISO 32000-1, 9.4.2) by which a line reads upright at (x, y) points from the top left of the page as it is displayed after /Rotate. */
function upright(turn: (typeof TURNS)[number], x: number, y: number): string {
  if (turn === 90) return `0 1 -1 0 ${y} ${x}`;
  if (turn === 180) return `-1 0 0 -1 ${WIDTH - x} ${y}`;
  if (turn === 270) return `0 -1 1 0 ${WIDTH - y} ${HEIGHT - x}`;
  return `1 0 0 1 ${x} ${HEIGHT - y}`;
}

/** One page per turn; each has a numbered clause with a blank to fill in, and nothing else within an inch of it. */
export function turnedPdf(): Uint8Array {
  const document = new mupdf.PDFDocument();
  const font = document.addSimpleFont(new mupdf.Font('Helvetica'), 'Latin');
  TURNS.forEach((turn, index) => {
    const lines = [
      { x: 90, y: 120, text: `${index + 1}. Parties. The words of this clause stand upright on a page turned by ${turn} degrees.` },
      { x: 90, y: 240, text: `[INSERT NAME ${index + 1}]` },
    ];
    const content = lines.map(({ x, y, text }) => `BT /F1 11 Tf ${upright(turn, x, y)} Tm (${text}) Tj ET`).join('\n');
    document.insertPage(-1, document.addPage([0, 0, WIDTH, HEIGHT], turn, { Font: { F1: font } }, content));
  });
  return new Uint8Array(document.saveToBuffer('').asUint8Array());
}

/** The sample repeated until it has at least so many pages: long enough to be watched while it is read. */
export function longPdf(pages: number): Uint8Array {
  const sample = mupdf.PDFDocument.openDocument(readFileSync(path.join(ROOT, 'assets/samples', SAMPLES[1])), 'application/pdf') as mupdf.PDFDocument;
  const document = new mupdf.PDFDocument();
  const map = document.newGraftMap();
  for (let page = 0; page < pages; page++) map.graftPage(-1, sample, page % sample.countPages());
  return new Uint8Array(document.saveToBuffer('compress').asUint8Array());
}
