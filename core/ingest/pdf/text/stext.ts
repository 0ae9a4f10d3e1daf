// mupdf's structured text of one page, read from the module's memory: lines of characters, images, vectors, each with its place in the painting order.
//
// Owns: the offsets of mupdf's C structures and the walk over them. Leaves to glyphs.ts what becomes of a character.
// Rule: nothing of mupdf is called during the walk, because a call may move its memory.
import type * as mupdf from 'mupdf';
import { viewMemory, type Memory, type Mupdf } from '../mupdf.ts';
import { roleOf, type Tag } from './tags.ts';

/**
 * Options of mupdf 1.28 that are known to exist; an unknown one is an error there. Ligatures are opened later, so that each letter gets its box.
 * `vectors` and `structured` cost nothing measurable on 300 pages; `collect-styles` is quadratic in the page's characters (10 s there) and stays out.
 */
const TEXT_OPTIONS = 'preserve-whitespace,preserve-ligatures';
const OPTIONS = `${TEXT_OPTIONS},preserve-images,vectors`;

/** Byte offsets of the fields that are read. */
const PAGE = { firstBlock: 24 } as const;
const BLOCK = { type: 0, box: 8, firstLine: 24, down: 24, vectorFlags: 24, vectorColor: 28, next: 56 } as const;
const STRUCT = { firstBlock: 8, role: 16 } as const;
const LINE = { wmode: 0, direction: 4, firstChar: 28, next: 40 } as const;
const CHAR = { code: 0, flags: 6, color: 8, quad: 20, size: 52, font: 56, next: 60 } as const;
const TEXT = 0;
const IMAGE = 1;
const STRUCTURE = 2;
const VECTOR = 3;

/** Bits of a character's flags. */
export const PAINT = { filled: 16, stroked: 32, clipped: 64 } as const;

export interface StextVisitor {
  image(box: readonly [number, number, number, number], order: number): void;
  vector(box: readonly [number, number, number, number], stroked: boolean, rectangle: boolean, color: number, order: number): void;
  beginLine(vertical: boolean, dx: number, dy: number, order: number, tag: Tag | null): void;
  /** `color` is 0xAARRGGBB, `font` a pointer that is valid while the structured text is. */
  character(code: number, flags: number, color: number, size: number, font: number, floats: Float32Array, quad: number): void;
  endLine(): void;
}

/** A page, or the display list of an annotation. */
export type Drawing = Pick<mupdf.DisplayList, 'toStructuredText'>;

/** The structured text of a page; the caller destroys it. A damaged structure tree must not cost the page its text. */
export function structuredText(drawing: Drawing, tagged: boolean): mupdf.StructuredText {
  if (!tagged) return drawing.toStructuredText(OPTIONS);
  try {
    return drawing.toStructuredText(`${OPTIONS},structured`);
  } catch {
    return drawing.toStructuredText(OPTIONS); // Without tags; if that fails too, the page is damaged and the error is the caller's.
  }
}

/** With the font's own codes for characters that have no meaning. Their mark sticks to what follows in the same string, so only the codes are taken from here. */
export function codedText(drawing: Drawing): mupdf.StructuredText {
  return drawing.toStructuredText(`${TEXT_OPTIONS},use-cid-for-unknown-unicode`);
}

/** With the characters that the page's edge or a clip path cuts away, which mupdf leaves out otherwise. */
export function unclippedText(drawing: Drawing): mupdf.StructuredText {
  return drawing.toStructuredText(`${TEXT_OPTIONS},clip=no`);
}

/** Of a text without structure. No visitor: one kind of visitor keeps the walk of every page fast. */
export function countCharacters(library: Mupdf, text: mupdf.StructuredText): number {
  const { words } = viewMemory(library);
  const next = (at: number): number => words[at >> 2] ?? 0;
  let count = 0;
  for (let block = next(text.pointer + PAGE.firstBlock); block !== 0; block = next(block + BLOCK.next)) {
    if (next(block + BLOCK.type) !== TEXT) continue;
    for (let line = next(block + BLOCK.firstLine); line !== 0; line = next(line + LINE.next))
      for (let at = next(line + LINE.firstChar); at !== 0; at = next(at + CHAR.next)) count++;
  }
  return count;
}

export function walkStext(library: Mupdf, text: mupdf.StructuredText, visitor: StextVisitor): void {
  const walk = new StextWalk(viewMemory(library), visitor);
  walk.blocks(walk.word(text.pointer + PAGE.firstBlock), null, 0);
}

/** Deeper structure trees than this are cycles or nonsense: real ones have about 12 levels. */
const MAX_DEPTH = 64;

class StextWalk {
  private readonly memory: Memory;
  private readonly visitor: StextVisitor;
  private order = 0;

  constructor(memory: Memory, visitor: StextVisitor) {
    this.memory = memory;
    this.visitor = visitor;
  }

  word(at: number): number {
    return this.memory.words[at >> 2] ?? 0;
  }

  private box(at: number): [number, number, number, number] {
    const { floats } = this.memory;
    const index = at >> 2;
    return [floats[index] ?? 0, floats[index + 1] ?? 0, floats[index + 2] ?? 0, floats[index + 3] ?? 0];
  }

  blocks(first: number, tag: Tag | null, depth: number): void {
    for (let block = first; block !== 0; block = this.word(block + BLOCK.next)) {
      const type = this.word(block + BLOCK.type);
      const order = this.order++;
      if (type === TEXT) this.lines(this.word(block + BLOCK.firstLine), order, tag);
      else if (type === IMAGE) this.visitor.image(this.box(block + BLOCK.box), order);
      else if (type === VECTOR) {
        const flags = this.word(block + BLOCK.vectorFlags);
        this.visitor.vector(this.box(block + BLOCK.box), (flags & 1) !== 0, (flags & 2) !== 0, this.word(block + BLOCK.vectorColor), order);
      } else if (type === STRUCTURE && depth < MAX_DEPTH) this.structure(this.word(block + BLOCK.down), tag, depth);
    }
  }

  private structure(element: number, outer: Tag | null, depth: number): void {
    if (element === 0) return;
    this.blocks(this.word(element + STRUCT.firstBlock), roleOf(this.word(element + STRUCT.role) | 0, element, outer), depth + 1);
  }

  private lines(first: number, order: number, tag: Tag | null): void {
    const { bytes, floats } = this.memory;
    for (let line = first; line !== 0; line = this.word(line + LINE.next)) {
      const direction = (line + LINE.direction) >> 2;
      this.visitor.beginLine(bytes[line + LINE.wmode] === 1, floats[direction] ?? 1, floats[direction + 1] ?? 0, order, tag);
      this.characters(this.word(line + LINE.firstChar));
      this.visitor.endLine();
    }
  }

  private characters(first: number): void {
    const { shorts, words, floats } = this.memory;
    for (let at = first; at !== 0; at = words[(at + CHAR.next) >> 2] ?? 0)
      this.visitor.character(
        words[(at + CHAR.code) >> 2] ?? 0,
        shorts[(at + CHAR.flags) >> 1] ?? 0,
        words[(at + CHAR.color) >> 2] ?? 0,
        floats[(at + CHAR.size) >> 2] ?? 0,
        words[(at + CHAR.font) >> 2] ?? 0,
        floats,
        (at + CHAR.quad) >> 2,
      );
  }
}
