// Characters of one PDF page with their boxes, as mupdf's structured text gives them: segments of glyphs on one baseline.
//
// Owns: the walk, coordinates as displayed (top left origin), glyphs drawn twice (shadow, fake bold), slanted and turned text, text outside the page.
// Leaves to rows.ts what belongs to one line and to lines.ts what the text of a line is.
// Limit: mupdf's walker passes characters above U+FFFF as their lower 16 bits; such characters (rare CJK, emoji) come out wrong.
import type * as mupdf from 'mupdf';
import type { Box } from '../../contract/document.ts';

export interface Glyph {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly size: number;
  readonly bold: boolean;
  readonly italic: boolean;
}

export interface Segment {
  readonly glyphs: Glyph[];
  readonly box: Box;
  /** Size of most of its glyphs. */
  readonly size: number;
  readonly direction: 'right' | 'left' | 'down' | 'up' | 'slanted';
}

export interface PageGlyphs {
  readonly segments: readonly Segment[];
  /** Share of the page covered by its largest image. */
  readonly imageShare: number;
  readonly outside: number;
}

/** Options of mupdf 1.28 that are known to exist; an unknown one is an error there. Ligatures are opened here, so that each letter gets its box. */
const OPTIONS = 'preserve-whitespace,preserve-ligatures,preserve-images';

interface FontLook {
  readonly bold: boolean;
  readonly italic: boolean;
}

export function readGlyphs(page: mupdf.Page, width: number, height: number, origin: readonly [number, number]): PageGlyphs {
  const text = page.toStructuredText(OPTIONS);
  const reader = new GlyphReader(width, height, origin);
  try {
    text.walk({
      onImageBlock: (box) => reader.image(box),
      beginLine: (_box, wmode, direction) => reader.begin(wmode, direction),
      onChar: (character, _origin, font, size, quad) => reader.add(character, font, size, quad),
      endLine: () => reader.end(),
    });
  } finally {
    text.destroy();
  }
  return { segments: joinSlanted(reader.segments), imageShare: reader.imageShare, outside: reader.outside };
}

/** Letters of a text on a circle stand upright at its top and sides: one or two letters beside slanted ones are part of that drawing. */
function joinSlanted(segments: readonly Segment[]): Segment[] {
  const slanted = segments.filter((segment) => segment.direction === 'slanted');
  if (slanted.length < 3) return [...segments];
  const near = (a: Segment, b: Segment): boolean => {
    const reach = 2.5 * a.size;
    return a.box.x0 < b.box.x1 + reach && b.box.x0 < a.box.x1 + reach && a.box.y0 < b.box.y1 + reach && b.box.y0 < a.box.y1 + reach;
  };
  return segments.map((segment) => {
    const letters = segment.glyphs.filter((glyph) => glyph.text.trim() !== '').length;
    return letters <= 2 && segment.direction !== 'slanted' && slanted.some((other) => near(segment, other))
      ? { ...segment, direction: 'slanted' as const }
      : segment;
  });
}

class GlyphReader {
  readonly segments: Segment[] = [];
  imageShare = 0;
  outside = 0;
  private readonly width: number;
  private readonly height: number;
  private readonly origin: readonly [number, number];
  private readonly fonts = new Map<number, FontLook>();
  private readonly drawn = new Map<number, Glyph>();
  private glyphs: Glyph[] = [];
  private direction: Segment['direction'] = 'right';

  constructor(width: number, height: number, origin: readonly [number, number]) {
    this.width = width;
    this.height = height;
    this.origin = origin;
  }

  image(box: readonly number[]): void {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box;
    const area = Math.max(0, Math.min(x1, this.width) - Math.max(x0, 0)) * Math.max(0, Math.min(y1, this.height) - Math.max(y0, 0));
    this.imageShare = Math.max(this.imageShare, area / Math.max(1, this.width * this.height));
  }

  begin(wmode: number, direction: readonly number[]): void {
    const [dx = 1, dy = 0] = direction;
    this.glyphs = [];
    // 0.96: up to 16 degrees of slope still reads as a line of a crooked scan.
    if (wmode === 1) this.direction = 'down';
    else if (dx > 0.96) this.direction = 'right';
    else if (dx < -0.96) this.direction = 'left';
    else if (dy > 0.96) this.direction = 'down';
    else if (dy < -0.96) this.direction = 'up';
    else this.direction = 'slanted';
  }

  add(text: string, font: mupdf.Font, size: number, quad: readonly number[]): void {
    const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0, dx = 0, dy = 0] = quad;
    const [left, top] = this.origin;
    const look = this.lookOf(font);
    const glyph: Glyph = {
      text,
      x0: Math.min(ax, bx, cx, dx) - left,
      y0: Math.min(ay, by, cy, dy) - top,
      x1: Math.max(ax, bx, cx, dx) - left,
      y1: Math.max(ay, by, cy, dy) - top,
      size,
      bold: look.bold,
      italic: look.italic,
    };
    if (text.trim() !== '') {
      if (glyph.x1 <= 0 || glyph.y1 <= 0 || glyph.x0 >= this.width || glyph.y0 >= this.height) {
        this.outside++;
        return;
      }
      if (this.drawnBefore(glyph)) return;
    }
    this.glyphs.push(glyph);
  }

  end(): void {
    const { glyphs } = this;
    const inked = glyphs.filter((glyph) => glyph.text.trim() !== '');
    if (inked.length === 0) return;
    const box = boxOf(inked);
    const sizes = inked.map((glyph) => glyph.size).sort((a, b) => a - b);
    this.segments.push({ glyphs, box, size: sizes[sizes.length >> 1] ?? 0, direction: this.direction });
  }

  private lookOf(font: mupdf.Font): FontLook {
    const key = font.pointer as unknown as number;
    let look = this.fonts.get(key);
    if (look === undefined) {
      const name = font.getName();
      look = { bold: font.isBold() || /bold|black|heavy|semibd|demi/i.test(name), italic: font.isItalic() || /italic|oblique/i.test(name) };
      this.fonts.set(key, look);
    }
    font.destroy();
    return look;
  }

  /** The same character within a fraction of its own width was drawn before: a shadow or a fake bold, read once. */
  private drawnBefore(glyph: Glyph): boolean {
    const code = glyph.text.charCodeAt(0);
    const column = Math.floor(glyph.x0) + 512;
    const row = Math.floor(glyph.y0) + 512;
    const reach = Math.min(0.35 * (glyph.x1 - glyph.x0), 1);
    for (let x = column - 1; x <= column + 1; x++)
      for (let y = row - 1; y <= row + 1; y++) {
        const other = this.drawn.get((code * 32768 + x) * 32768 + y);
        if (other && Math.abs(other.x0 - glyph.x0) < reach && Math.abs(other.y0 - glyph.y0) < 1 && Math.abs(other.size - glyph.size) < 0.5) return true;
      }
    this.drawn.set((code * 32768 + column) * 32768 + row, glyph);
    return false;
  }
}

export function boxOf(parts: readonly Box[]): Box {
  let x0 = Infinity;
  let y0 = Infinity;
  let x1 = -Infinity;
  let y1 = -Infinity;
  for (const part of parts) {
    x0 = Math.min(x0, part.x0);
    y0 = Math.min(y0, part.y0);
    x1 = Math.max(x1, part.x1);
    y1 = Math.max(y1, part.y1);
  }
  return { x0, y0, x1, y1 };
}
