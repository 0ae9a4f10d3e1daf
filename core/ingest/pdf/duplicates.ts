// Finds a character that was drawn at its own place before: a shadow or a fake bold, which a reader sees once.
//
// One table per page: a hash of character and place, open to the neighbouring places within reach. Typed arrays, because every character passes here.

/** Side of a place of the table in points. Wider places hold more characters, narrower ones have more neighbours to look at. */
const CELL = 8;
/** Points: a shadow of any size is nearer than this. */
const FARTHEST = 4;

export class DrawnBefore {
  private heads = new Int32Array(1 << 13).fill(-1);
  private next = new Int32Array(1 << 12);
  private places = new Float32Array(3 << 12);
  private codes = new Uint32Array(1 << 12);
  private count = 0;

  /** For the next page: making the tables anew costs more than emptying them. */
  clear(): this {
    this.heads.fill(-1);
    this.count = 0;
    return this;
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
