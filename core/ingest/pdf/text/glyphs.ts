// Characters of one PDF page with their boxes: segments of glyphs on one baseline, and the images and vectors around them.
//
// Owns: coordinates as displayed (top left origin), glyphs drawn twice (shadow, fake bold), slanted and turned text, how each segment was painted.
// Leaves to rows.ts what belongs to one line, to lines.ts what the text of a line is, and to hidden.ts which paint a reader sees.
import type * as mupdf from 'mupdf';
import type { Box } from '../../../contract/document.ts';
import { isCircle, joinEnclosed, joinSlanted, nameBullets, shareWidths } from './drawnLines.ts';
import { DrawnBefore, dropRepeats, rememberDrawn } from './duplicates.ts';
import type { Mupdf } from '../mupdf.ts';
import { codedText, countCharacters, PAINT, structuredText, unclippedText, walkStext, type Drawing, type StextVisitor } from './stext.ts';
import { markArtifacts, type Tag } from './tags.ts';
import type { Vector } from './vectors.ts';

export interface Glyph {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly size: number;
  readonly bold: boolean;
  readonly italic: boolean;
  /** The font on this page: a number without meaning beyond equality. */
  readonly font: number;
  /** Code in the font of a glyph that the file gives no character for (its text is U+FFFD); -1 otherwise. */
  readonly cid: number;
}

/** How a segment was put on the page: with ink, nearly without contrast to white paper, without any ink, too small to read, or cut off by the page's edge or a clip. */
export type Paint = 'ink' | 'white' | 'invisible' | 'tiny' | 'offPage';

export interface Segment {
  readonly glyphs: Glyph[];
  readonly box: Box;
  /** Size of most of its glyphs. */
  readonly size: number;
  readonly direction: 'right' | 'left' | 'down' | 'up' | 'slanted';
  readonly paint: Paint;
  /** Place in the painting order of the page. */
  readonly order: number;
  /** Innermost element of the structure tree that says something about it. */
  readonly tag: Tag | null;
}

export interface PlacedImage {
  readonly box: Box;
  readonly order: number;
}

export interface PageGlyphs {
  readonly segments: readonly Segment[];
  readonly images: readonly PlacedImage[];
  readonly vectors: readonly Vector[];
}

export interface PageArea {
  readonly size: readonly [number, number];
  /** Upper left corner of the page in mupdf's own coordinates. */
  readonly origin: readonly [number, number];
}

export interface GlyphOptions {
  readonly tagged: boolean;
  /** Also what the page's edge and clips cut away, at the cost of a second run of the page. */
  readonly unclipped: boolean;
}

/** `drawn` is emptied and used for the time of the call: who reads many pages hands in the same one. */
export function readGlyphs(library: Mupdf, drawing: Drawing, area: PageArea, options: GlyphOptions, drawn: DrawnBefore = new DrawnBefore()): PageGlyphs {
  const reader = new GlyphReader(library, area);
  const text = structuredText(drawing, options.tagged);
  try {
    walkStext(library, text, reader);
  } finally {
    text.destroy();
  }
  if (options.unclipped) readOutside(library, drawing, reader, drawn);
  if (reader.unmapped > 0) nameCodes(library, drawing, reader);
  const named = nameBullets(dropRepeats(reader.segments, drawn), reader.unmapped);
  const segments = options.tagged ? markArtifacts(named) : named;
  return { segments: joinSlanted(segments), images: reader.images, vectors: reader.vectors };
}

/** Characters without a meaning get the code that their font has for them; both runs put them at the same places. */
function nameCodes(library: Mupdf, drawing: Drawing, reader: GlyphReader): void {
  const coded = codedText(drawing);
  const codes = new Map<string, number>();
  try {
    const character = (code: number, _flags: number, _color: number, _size: number, _font: number, floats: Float32Array, quad: number): void =>
      void codes.set(`${floats[quad]},${floats[quad + 1]}`, code);
    walkStext(library, coded, { image() {}, vector() {}, beginLine() {}, character, endLine() {} });
  } finally {
    coded.destroy();
  }
  reader.nameCodes(codes);
}

function readOutside(library: Mupdf, drawing: Drawing, reader: GlyphReader, drawn: DrawnBefore): void {
  const whole = unclippedText(drawing);
  try {
    if (countCharacters(library, whole) > reader.count) walkStext(library, whole, reader.outside(drawn));
  } finally {
    whole.destroy();
  }
}

interface FontLook {
  readonly bold: boolean;
  readonly italic: boolean;
}

/** Nobody reads print below this, in points; legal small print ends at 4. */
const TINY_POINTS = 1.2;
const BLACK = 0xff000000;
/** Lightest grey that is ink: fainter type than 8 % is not seen on paper. */
const WHITE_LEVEL = 0.92;
class GlyphReader implements StextVisitor {
  readonly segments: Segment[] = [];
  readonly images: PlacedImage[] = [];
  readonly vectors: Vector[] = [];
  /** Characters that passed, drawn before or not. */
  count = 0;
  /** Of them without a meaning in the file. */
  unmapped = 0;
  private readonly library: Mupdf;
  private readonly size: readonly [number, number];
  private readonly origin: readonly [number, number];
  private readonly fonts = new Map<number, FontLook>();
  private glyphs: Glyph[] = [];
  private direction: Segment['direction'] = 'right';
  private paint: Paint = 'ink';
  private order = 0;
  private tag: Tag | null = null;
  /** In the run without clipping: what the first run has shown. */
  private known: DrawnBefore | null = null;
  private font = 0;
  private look: FontLook = { bold: false, italic: false };
  private readonly nameless = new Map<{ cid: number }, string>();

  constructor(library: Mupdf, { size, origin }: PageArea) {
    this.library = library;
    this.size = size;
    this.origin = origin;
  }

  /** The same reader for the text without clipping: what it has not seen yet lies outside. */
  outside(drawn: DrawnBefore): StextVisitor {
    rememberDrawn(this.segments, drawn);
    this.known = drawn;
    return this;
  }

  image(box: readonly [number, number, number, number], order: number): void {
    this.images.push({ box: this.place(box), order });
  }

  vector(box: readonly [number, number, number, number], stroked: boolean, rectangle: boolean, color: number, order: number): void {
    this.vectors.push({ box: this.place(box), stroked, rectangle, color, order });
  }

  private place([x0, y0, x1, y1]: readonly [number, number, number, number]): Box {
    const [left, top] = this.origin;
    return { x0: x0 - left, y0: y0 - top, x1: x1 - left, y1: y1 - top };
  }

  beginLine(vertical: boolean, dx: number, dy: number, order: number, tag: Tag | null): void {
    this.glyphs = [];
    this.order = order;
    this.tag = tag;
    // 0.96: up to 16 degrees of slope still reads as a line of a crooked scan.
    if (vertical) this.direction = 'down';
    else if (dx > 0.96) this.direction = 'right';
    else if (dx < -0.96) this.direction = 'left';
    else if (dy > 0.96) this.direction = 'down';
    else if (dy < -0.96) this.direction = 'up';
    else this.direction = 'slanted';
  }

  character(code: number, flags: number, color: number, size: number, font: number, floats: Float32Array, quad: number): void {
    this.count++;
    const left = this.origin[0];
    const top = this.origin[1];
    const ax = floats[quad] as number;
    const ay = floats[quad + 1] as number;
    const bx = floats[quad + 2] as number;
    const by = floats[quad + 3] as number;
    const cx = floats[quad + 4] as number;
    const cy = floats[quad + 5] as number;
    const dx = floats[quad + 6] as number;
    const dy = floats[quad + 7] as number;
    const x0 = Math.min(ax, bx, cx, dx) - left;
    const y0 = Math.min(ay, by, cy, dy) - top;
    const x1 = Math.max(ax, bx, cx, dx) - left;
    const y1 = Math.max(ay, by, cy, dy) - top;
    if (code === 0x20 || code === 0xa0) {
      // A blank of the second pass belongs to outside text only inside of it.
      if (this.known !== null && this.glyphs.length === 0) return;
    } else {
      // A letter without extent belongs to a ligature, whose width the first run has shared out.
      if (this.known !== null && (x1 - x0 < 0.01 || y1 - y0 < 0.01)) return;
      if (this.known?.seen(code, (flags & (PAINT.filled | PAINT.stroked | PAINT.clipped)) === 0 ? 1 : 0, x0, y0, x1 - x0, size) === true) {
        this.endLine();
        return;
      }
      const paint = this.paintOf(flags, color, size, x0, y0, x1, y1);
      if (paint !== this.paint) this.endLine();
      this.paint = paint;
    }
    if (font !== this.font) this.setFont(font);
    const { look } = this;
    const unmapped = code === 0xfffd || code > 0x10ffff;
    if (unmapped) this.unmapped++;
    const text = unmapped ? '\uFFFD' : String.fromCodePoint(code);
    const glyph = { text, x0, y0, x1, y1, size, bold: look.bold, italic: look.italic, font, cid: -1 };
    if (unmapped) this.nameless.set(glyph, `${floats[quad]},${floats[quad + 1]}`);
    this.glyphs.push(glyph);
  }

  /** `codes` by the place of a glyph's upper left corner in mupdf's own coordinates. */
  nameCodes(codes: ReadonlyMap<string, number>): void {
    for (const [glyph, place] of this.nameless) glyph.cid = codes.get(place) ?? -1;
  }

  private paintOf(flags: number, color: number, size: number, x0: number, y0: number, x1: number, y1: number): Paint {
    if (this.known !== null || x1 <= 0 || y1 <= 0 || x0 >= this.size[0] || y0 >= this.size[1]) return 'offPage';
    // Nearly every character: black ink of a size that can be read.
    if (color === BLACK && size >= TINY_POINTS && (flags & PAINT.filled) !== 0) return 'ink';
    if ((flags & (PAINT.filled | PAINT.stroked | PAINT.clipped)) === 0) return 'invisible';
    if (size < TINY_POINTS && y1 - y0 < TINY_POINTS && x1 - x0 < TINY_POINTS) return 'tiny';
    // Text that clips has no colour of its own: what shows through it is drawn later.
    if ((flags & PAINT.clipped) !== 0) return 'ink';
    const alpha = color >>> 24;
    if (alpha < 20) return 'invisible';
    const level = (0.299 * ((color >> 16) & 255) + 0.587 * ((color >> 8) & 255) + 0.114 * (color & 255)) / 255;
    return 1 - (1 - level) * (alpha / 255) > WHITE_LEVEL ? 'white' : 'ink';
  }

  endLine(): void {
    const found = this.glyphs;
    if (found.length === 0) return;
    this.glyphs = [];
    const look = lookOver(found);
    if (!look.inked) return;
    const glyphs = look.odd ? joinEnclosed(shareWidths(found)) : found;
    const box = look.odd ? boxOf(glyphs) : look.box;
    const size = look.sameSize ? (found[0] as Glyph).size : middleSize(glyphs);
    this.segments.push({ glyphs, box, size, direction: this.direction, paint: this.paint, order: this.order, tag: this.tag });
  }

  private setFont(pointer: number): void {
    this.font = pointer;
    this.look = this.fonts.get(pointer) ?? this.lookOf(pointer);
  }

  private lookOf(pointer: number): FontLook {
    const font = new this.library.Font(pointer as ConstructorParameters<typeof mupdf.Font>[0]);
    const name = font.getName();
    const look = { bold: font.isBold() || /bold|black|heavy|semibold|demi/i.test(name), italic: font.isItalic() || /italic|oblique/i.test(name) };
    font.destroy();
    this.fonts.set(pointer, look);
    return look;
  }
}

export function isInk(glyph: Glyph): boolean {
  return glyph.text !== ' ' && glyph.text !== '\u00A0';
}

/** Neither a blank nor any other white sign. */
export function isInked({ text }: Glyph): boolean {
  const code = text.charCodeAt(0);
  return code > 0x20 && (code < 0x7f || text.trim() !== '');
}

interface Overview {
  readonly box: Box;
  readonly inked: boolean;
  readonly sameSize: boolean;
  /** A glyph without width, or a circle: their places have to be looked at. */
  readonly odd: boolean;
}

/** All that a segment has to know of its glyphs, in one pass. */
function lookOver(glyphs: readonly Glyph[]): Overview {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  let [inked, sameSize, odd] = [false, true, false];
  const { size } = glyphs[0] as Glyph;
  for (const glyph of glyphs) {
    if (glyph.x0 < x0) x0 = glyph.x0;
    if (glyph.y0 < y0) y0 = glyph.y0;
    if (glyph.x1 > x1) x1 = glyph.x1;
    if (glyph.y1 > y1) y1 = glyph.y1;
    if (glyph.size !== size) sameSize = false;
    if (!inked && isInk(glyph)) inked = true;
    // Both signs of a joined pair: a second letter without width, a circle.
    if (glyph.x1 - glyph.x0 < 0.01 || isCircle(glyph)) odd = true;
  }
  return { box: { x0, y0, x1, y1 }, inked, sameSize, odd };
}

function middleSize(glyphs: readonly Glyph[]): number {
  const sizes = glyphs.map((glyph) => glyph.size).sort((a, b) => a - b);
  return sizes[sizes.length >> 1] ?? 0;
}

/** Box of what is seen; blanks reach further than the ink before them. */
export function inkBoxOf(glyphs: readonly Glyph[]): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const glyph of glyphs) {
    if (!isInked(glyph)) continue;
    if (glyph.x0 < x0) x0 = glyph.x0;
    if (glyph.y0 < y0) y0 = glyph.y0;
    if (glyph.x1 > x1) x1 = glyph.x1;
    if (glyph.y1 > y1) y1 = glyph.y1;
  }
  return { x0, y0, x1, y1 };
}

export function boxOf(parts: readonly Box[]): Box {
  let x0 = Infinity;
  let y0 = Infinity;
  let x1 = -Infinity;
  let y1 = -Infinity;
  for (const part of parts) {
    if (part.x0 < x0) x0 = part.x0;
    if (part.y0 < y0) y0 = part.y0;
    if (part.x1 > x1) x1 = part.x1;
    if (part.y1 > y1) y1 = part.y1;
  }
  return { x0, y0, x1, y1 };
}
