// Small PDFs for tests, made by mupdf: lines of Helvetica at given places (points from the top left of the unrotated page).
import * as mupdf from 'mupdf';

export interface DrawnLine {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
}

export interface DrawnPage {
  readonly lines: readonly DrawnLine[];
  readonly rotate?: 0 | 90 | 180 | 270;
}

const HEIGHT = 792;

export function makePdf(pages: readonly DrawnPage[], saveOptions = ''): Uint8Array {
  const document = new mupdf.PDFDocument();
  const fonts = {
    F1: document.addSimpleFont(new mupdf.Font('Helvetica'), 'Latin'),
    F2: document.addSimpleFont(new mupdf.Font('Helvetica-Bold'), 'Latin'),
  };
  for (const page of pages) {
    const content = page.lines
      .map((line) => `BT /${line.bold === true ? 'F2' : 'F1'} ${line.size ?? 10} Tf ${line.x} ${HEIGHT - line.y} Td ${literal(line.text)} Tj ET`)
      .join('\n');
    document.insertPage(-1, document.addPage([0, 0, 612, HEIGHT], page.rotate ?? 0, { Font: fonts }, content));
  }
  return new Uint8Array(document.saveToBuffer(saveOptions).asUint8Array());
}

/** A string of a PDF in the font's 8-bit code; "\u00AD" and other Latin-1 signs as octal. */
function literal(text: string): string {
  return `(${[...text]
    .map((sign) => {
      const code = sign.charCodeAt(0);
      return code > 126 || sign === '(' || sign === ')' || sign === '\\' ? `\\${code.toString(8).padStart(3, '0')}` : sign;
    })
    .join('')})`;
}

/** One line each 12 points from `top`, flush left. */
export function paragraph(texts: readonly string[], top: number, left = 72): DrawnLine[] {
  return texts.map((text, index) => ({ x: left, y: top + index * 12, text }));
}

/** One page of Chinese lines, 20 points apart. */
export function makeChinesePdf(lines: readonly string[]): Uint8Array {
  const document = new mupdf.PDFDocument();
  const font = document.addCJKFont(new mupdf.Font('zh-Hans'), 'zh-Hans', 0, false);
  const hex = (text: string): string => `<${[...text].map((sign) => sign.charCodeAt(0).toString(16).padStart(4, '0')).join('')}>`;
  const content = lines.map((text, index) => `BT /F1 12 Tf 72 ${700 - index * 20} Td ${hex(text)} Tj ET`).join('\n');
  document.insertPage(-1, document.addPage([0, 0, 500, HEIGHT], 0, { Font: { F1: font } }, content));
  return new Uint8Array(document.saveToBuffer('').asUint8Array());
}

/** One page with this content stream; fonts F1 (Helvetica) and F2 (bold). `toUnicode` gives F1 a map of its own. */
export function makePage(content: string, options: { readonly toUnicode?: string; readonly save?: string } = {}): Uint8Array {
  const document = new mupdf.PDFDocument();
  const fonts = {
    F1: document.addSimpleFont(new mupdf.Font('Helvetica'), 'Latin'),
    F2: document.addSimpleFont(new mupdf.Font('Helvetica-Bold'), 'Latin'),
  };
  if (options.toUnicode !== undefined) fonts.F1.put('ToUnicode', document.addStream(options.toUnicode, {}));
  document.insertPage(-1, document.addPage([0, 0, 612, HEIGHT], 0, { Font: fonts, ExtGState: { Multiply: { BM: 'Multiply' } } }, content));
  return new Uint8Array(document.saveToBuffer(options.save ?? '').asUint8Array());
}
