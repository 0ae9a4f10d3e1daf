// Small PDFs for tests, made by mupdf: lines of Helvetica at given places (points from the top left of the unrotated page).
import * as mupdf from 'mupdf';

export interface DrawnLine {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
  /** Degrees that the line is turned against the clock about its first point. */
  readonly angle?: number;
}

export interface DrawnPage {
  readonly lines: readonly DrawnLine[];
  readonly rotate?: 0 | 90 | 180 | 270;
  /** Ruled lines as x0, y0, x1, y1. */
  readonly rules?: readonly DrawnRule[];
  /** Rules are drawn in units of a tenth of a point under a matrix that scales them down, as printer drivers do. */
  readonly scaled?: boolean;
}

export type DrawnRule = readonly [x0: number, y0: number, x1: number, y1: number];

const HEIGHT = 792;

export function makePdf(pages: readonly DrawnPage[], saveOptions = ''): Uint8Array {
  const document = new mupdf.PDFDocument();
  const fonts = {
    F1: document.addSimpleFont(new mupdf.Font('Helvetica'), 'Latin'),
    F2: document.addSimpleFont(new mupdf.Font('Helvetica-Bold'), 'Latin'),
  };
  for (const page of pages) {
    const content = page.lines
      .map(
        (line) => `BT /${line.bold === true ? 'F2' : 'F1'} ${line.size ?? 10} Tf ${turnOf(line)} ${line.x} ${HEIGHT - line.y} Tm ${literal(line.text)} Tj ET`,
      )
      .concat(
        (page.rules ?? []).map(([x0, y0, x1, y1]) => {
          const line = `${x0} ${HEIGHT - y0} m ${x1} ${HEIGHT - y1} l S`;
          return page.scaled === true ? `q 0.1 0 0 0.1 0 0 cm 8 w ${line.replace(/\d+/g, (value) => `${value}0`)} Q` : `0.5 w ${line}`;
        }),
      )
      .join('\n');
    document.insertPage(-1, document.addPage([0, 0, 612, HEIGHT], page.rotate ?? 0, { Font: fonts }, content));
  }
  return new Uint8Array(document.saveToBuffer(saveOptions).asUint8Array());
}

/** The first four numbers of a text matrix. */
function turnOf({ angle = 0 }: DrawnLine): string {
  const [cosine, sine] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)].map((value) => Math.round(value * 1e4) / 1e4);
  return `${cosine} ${sine} ${-(sine ?? 0)} ${cosine}`;
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

/** One page of Chinese lines, 20 points apart; `vertical` ones from right to left. */
export function makeChinesePdf(lines: readonly string[], vertical = false): Uint8Array {
  const document = new mupdf.PDFDocument();
  const font = document.addCJKFont(new mupdf.Font('zh-Hans'), 'zh-Hans', vertical ? 1 : 0, false);
  const hex = (text: string): string => `<${[...text].map((sign) => sign.charCodeAt(0).toString(16).padStart(4, '0')).join('')}>`;
  const content = lines
    .map((text, index) => `BT /F1 12 Tf ${vertical ? `${400 - index * 20} 700` : `72 ${700 - index * 20}`} Td ${hex(text)} Tj ET`)
    .join('\n');
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
