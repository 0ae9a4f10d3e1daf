// Finds characters that were drawn at their own place before: a shadow or a fake bold, which a reader sees once.
//
// Only lines that lie on each other, or run back on themselves, can hold any; their characters pass through a hash of character and place, in typed arrays.
import { boxOf, type Glyph, type Segment } from './glyphs.ts';

/** Side of a place of the table in points. Wider places hold more characters, narrower ones have more neighbours to look at. */
const CELL = 8;
/** Points: a shadow of any size is nearer than this. */
const FARTHEST = 4;

/** The characters of one page, or of one drawing on it; a reader of pages keeps one for all of them, since they are read one after the other. */
export class DrawnBefore {
  private heads = new Int32Array(1 << 13).fill(-1);
  private next = new Int32Array(1 << 12);
  private places = new Float32Array(3 << 12);
  private codes = new Uint32Array(1 << 12);
  private count = 0;

  /** For the next page: making the tables anew costs more than emptying them. */
  clear(): void {
    this.heads.fill(-1);
    this.count = 0;
  }

  /** True when the character was seen within a tenth of its size and a third of its width; remembers it otherwise. `layer` keeps kinds of paint apart. */
  seen(code: number, layer: number, x: number, y: number, width: number, size: number): boolean {
    const across = Math.min(FARTHEST, Math.max(1, 0.1 * size));
    // The second letter of a ligature that the file maps to two has no width of its own.
    const along = Math.max(0.1, Math.min(0.35 * width, across));
    const key = code * 8 + layer;
    const lastColumn = Math.floor((x + along) / CELL);
    const lastRow = Math.floor((y + across) / CELL);
    for (let column = Math.floor((x - along) / CELL); column <= lastColumn; column++)
      for (let row = Math.floor((y - across) / CELL); row <= lastRow; row++) {
        for (let at = this.heads[this.slot(key, column, row)] ?? -1; at >= 0; at = this.next[at] ?? -1) {
          if (this.codes[at] !== key || Math.abs((this.places[3 * at] ?? 0) - x) >= along || Math.abs((this.places[3 * at + 1] ?? 0) - y) >= across) continue;
          if (Math.abs((this.places[3 * at + 2] ?? 0) - size) < Math.max(0.5, 0.05 * size)) return true;
        }
      }
    this.remember(key, x, y, size);
    return false;
  }

  private slot(key: number, column: number, row: number): number {
    // Odd multipliers spread neighbouring places; the length of `heads` is a power of two.
    return ((Math.imul(key, 0x9e3779b1) ^ Math.imul(column, 0x85ebca6b) ^ Math.imul(row, 0xc2b2ae35)) >>> 8) & (this.heads.length - 1);
  }

  private remember(key: number, x: number, y: number, size: number): void {
    if (this.count === this.next.length) this.grow();
    const at = this.count++;
    this.codes[at] = key;
    this.places[3 * at] = x;
    this.places[3 * at + 1] = y;
    this.places[3 * at + 2] = size;
    this.link(at);
  }

  private link(at: number): void {
    const slot = this.slot(this.codes[at] ?? 0, Math.floor((this.places[3 * at] ?? 0) / CELL), Math.floor((this.places[3 * at + 1] ?? 0) / CELL));
    this.next[at] = this.heads[slot] ?? -1;
    this.heads[slot] = at;
  }

  private grow(): void {
    const size = this.next.length * 2;
    const [codes, places] = [this.codes, this.places];
    this.codes = new Uint32Array(size);
    this.codes.set(codes);
    this.places = new Float32Array(3 * size);
    this.places.set(places);
    this.next = new Int32Array(size);
    this.heads = new Int32Array(2 * size).fill(-1);
    for (let at = 0; at < this.count; at++) this.link(at);
  }
}

/** Lines of ordinary leading share a fifth of their height; a shadow shares most of it. */
const ON_EACH_OTHER = 0.4;

/** The same segments without what was drawn before; a segment that loses all its glyphs goes. */
export function dropRepeats(segments: readonly Segment[], drawn: DrawnBefore): readonly Segment[] {
  const suspects = suspectsOf(segments);
  if (suspects.size === 0) return segments;
  drawn.clear();
  return segments.flatMap((segment) => {
    if (!suspects.has(segment)) return [segment];
    const glyphs = segment.glyphs.filter((glyph) => !isRepeat(drawn, segment, glyph));
    if (glyphs.length === segment.glyphs.length) return [segment];
    return glyphs.some((glyph) => glyph.text.trim() !== '') ? [{ ...segment, glyphs, box: boxOf(glyphs) }] : [];
  });
}

/** `drawn` then tells of each character whether it is among these segments, for a second run of the page. */
export function rememberDrawn(segments: readonly Segment[], drawn: DrawnBefore): void {
  drawn.clear();
  for (const segment of segments) for (const glyph of segment.glyphs) isRepeat(drawn, segment, glyph);
}

/** Blanks are never repeats: they leave no mark. Text without ink under the same text with ink is another drawing. */
function isRepeat(drawn: DrawnBefore, segment: Segment, { text, x0, y0, x1, size }: Glyph): boolean {
  if (text === ' ' || text === '\u00A0') return false;
  return drawn.seen(text.codePointAt(0) ?? 0, segment.paint === 'invisible' ? 1 : 0, x0, y0, x1 - x0, size);
}

function suspectsOf(segments: readonly Segment[]): Set<Segment> {
  // Type without extent lies on itself by nature.
  const sized = segments.filter((segment) => segment.paint !== 'tiny');
  const suspects = new Set(sized.filter(runsBack));
  const sorted = [...sized].sort((a, b) => a.box.y0 - b.box.y0);
  sorted.forEach((upper, index) => {
    for (let next = index + 1; next < sorted.length; next++) {
      const lower = sorted[next] as Segment;
      if (lower.box.y0 > upper.box.y1) break;
      if (overlap(upper.box, lower.box) > ON_EACH_OTHER) suspects.add(upper).add(lower);
    }
  });
  return suspects;
}

function runsBack({ glyphs, direction }: Segment): boolean {
  if (direction !== 'right') return true;
  let last = -Infinity;
  for (const { x0 } of glyphs) {
    if (x0 < last - 0.01) return true;
    last = x0;
  }
  return false;
}

/** Share of the smaller box that both cover. */
function overlap(a: Segment['box'], b: Segment['box']): number {
  const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
  const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.max(1e-6, Math.min((a.x1 - a.x0) * (a.y1 - a.y0), (b.x1 - b.x0) * (b.y1 - b.y0)));
}
