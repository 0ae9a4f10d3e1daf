// Pages that mupdf could not read or whose letters can not be believed, read again by pdf.js, with glyph boxes from mupdf where both drew the same.
//
// Owns: pdf.js's document of the file and its text as segments. Leaves to chooseText.ts when it is asked and which of the two texts is taken.
// Rule: a file or page that pdf.js can not read is no opinion, never an error: mupdf's reading then stands alone.
import type { Box } from '../../../contract/document.ts';
import { boxOf, type Glyph, type Segment } from './glyphs.ts';
import { openWithPdfJs, type PdfJsDocument, type PdfJsPage, type TextItem, type TextStyle } from './pdfjs.ts';

export interface OpinionPage {
  readonly width: number;
  readonly height: number;
  readonly segments: readonly Segment[];
}

export class SecondOpinion {
  private readonly bytes: Uint8Array;
  private readonly password: string | undefined;
  private task: Awaited<ReturnType<typeof openWithPdfJs>> | null = null;
  private document: PdfJsDocument | null | undefined;

  constructor(bytes: Uint8Array, password: string | undefined) {
    this.bytes = bytes;
    this.password = password;
  }

  /** 0 when pdf.js can not open the file either. */
  async pageCount(): Promise<number> {
    return (await this.open())?.numPages ?? 0;
  }

  /** Null when pdf.js can not read the page. `known` are mupdf's segments of it, for the places of glyphs. */
  async page(index: number, known: readonly Segment[]): Promise<OpinionPage | null> {
    const document = await this.open();
    if (document === null || index >= document.numPages) return null;
    const read = await readPdfJsPage(document, index);
    return read === null ? null : placePage(read, known);
  }

  private async open(): Promise<PdfJsDocument | null> {
    if (this.document !== undefined) return this.document;
    try {
      this.task = await openWithPdfJs(this.bytes, this.password);
      this.document = await this.task.promise;
    } catch {
      this.document = null; // The same: mupdf's reading stands alone.
    }
    return this.document;
  }

  async dispose(): Promise<void> {
    await this.task?.destroy();
    this.task = null;
    this.document = null;
  }
}

interface ReadPage {
  readonly content: Awaited<ReturnType<PdfJsPage['getTextContent']>>;
  readonly viewport: ReturnType<PdfJsPage['getViewport']>;
}

async function readPdfJsPage(document: PdfJsDocument, index: number): Promise<ReadPage | null> {
  try {
    const page = await document.getPage(index + 1);
    const read = { content: await page.getTextContent({ disableNormalization: true }), viewport: page.getViewport({ scale: 1 }) };
    page.cleanup();
    return read;
  } catch {
    return null; // No second opinion on this page; what the first one lacks is said in its warning.
  }
}

function placePage({ content, viewport }: ReadPage, known: readonly Segment[]): OpinionPage {
  const { width, height, transform } = viewport;
  const places = known.flatMap((segment) => segment.glyphs).filter((glyph) => glyph.text.trim() !== '');
  const segments: Segment[] = [];
  for (const item of content.items) {
    if (!('str' in item) || item.str.trim() === '') continue;
    const segment = segmentOf(item, content.styles[item.fontName], transform, places, segments.length);
    if (segment.box.x1 > 0 && segment.box.y1 > 0 && segment.box.x0 < width && segment.box.y0 < height) segments.push(segment);
  }
  return { width, height, segments };
}

type Matrix = readonly number[];

function multiply(m: Matrix, n: Matrix): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = m;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = n;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function segmentOf(item: TextItem, style: TextStyle | undefined, viewport: Matrix, places: readonly Glyph[], order: number): Segment {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = multiply(viewport, item.transform);
  const vertical = style?.vertical === true;
  const along = Math.hypot(vertical ? c : a, vertical ? d : b) || 1;
  const [ux, uy] = vertical ? [-c / along, -d / along] : [a / along, b / along];
  const size = Math.hypot(c, d) || item.height || 1;
  const length = vertical ? item.height : item.width;
  // Up the glyph: ascenders of 0.8 where the font does not say.
  const up = vertical ? 0.5 : style === undefined || !(style.ascent > 0.1) ? 0.8 : Math.min(style.ascent, 1.2);
  const down = vertical ? -0.5 : style === undefined || !(style.descent < 0) ? -0.2 : Math.max(style.descent, -0.5);
  const [vx, vy] = vertical ? [size, 0] : [c, d];
  const at = (distance: number, rise: number): readonly [number, number] => [e + ux * distance + vx * rise, f + uy * distance + vy * rise];
  const frame = boxAround([at(0, up), at(0, down), at(length, up), at(length, down)]);
  const characters = [...(item.dir === 'rtl' ? [...item.str].toReversed() : item.str)];
  const known = knownPlaces(characters, frame, places);
  let passed = 0;
  const weights = characters.map((character) => (/[ iljtfI.,;:'|!]/.test(character) ? 1 : 2));
  const total = weights.reduce<number>((sum, weight) => sum + weight, 0);
  const glyphs = characters.map((character, index): Glyph => {
    const from = (passed / total) * length;
    passed += weights[index] as number;
    const box = known?.[index] ?? boxAround([at(from, up), at(from, down), at((passed / total) * length, up), at((passed / total) * length, down)]);
    const { x0, y0, x1, y1 } = box;
    return { text: character, x0, y0, x1, y1, size, bold: false, italic: false, font: 0, cid: -1 };
  });
  return { glyphs, box: boxOf(glyphs), size, direction: directionOf(ux, uy), paint: 'ink', order, tag: null };
}

function directionOf(ux: number, uy: number): Segment['direction'] {
  if (ux > 0.96) return 'right';
  if (ux < -0.96) return 'left';
  if (uy > 0.96) return 'down';
  return uy < -0.96 ? 'up' : 'slanted';
}

function boxAround(points: readonly (readonly [number, number])[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** Both engines draw the same glyphs: where their numbers agree inside the item's frame, mupdf's boxes are the exact ones. Blanks have no glyph to compare. */
function knownPlaces(characters: readonly string[], frame: Box, places: readonly Glyph[]): (Box | undefined)[] | null {
  const inside = places.filter((glyph) => {
    const [x, y] = [(glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2];
    return x >= frame.x0 && x <= frame.x1 && y >= frame.y0 && y <= frame.y1;
  });
  const inked = characters.filter((character) => character.trim() !== '').length;
  if (inside.length !== inked) return null;
  let at = 0;
  return characters.map((character) => (character.trim() === '' ? undefined : inside[at++]));
}
