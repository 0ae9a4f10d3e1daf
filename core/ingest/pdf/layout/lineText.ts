// Glyphs of one printed line -> its text, each character with its edges along the line.
//
// Owns: ligatures, accents drawn beside their letter, doubled quotes, spaces (spacing.ts tells where), superscript digits, soft hyphens inside lines.
// A superscript digit becomes a superscript character: "Section 5¹" stays apart from "Section 51", "10⁶" from "106", and the marks of notes can be found.
// Rule: edges.length === text.length + 1, always. Coordinates are those of the line's own frame, in which it stands upright.
import { isMark, isWideScript, repairCharacter } from '../../characters.ts';
import { isInvisibleSign } from '../../invisible.ts';
import type { Range } from '../../raw.ts';
import type { Glyph, Segment } from '../text/glyphs.ts';
import { isSpaceBetween, letterSpacing, wordSpaceOf } from './spacing.ts';

export interface LineText {
  readonly text: string;
  readonly edges: readonly number[];
  /** Bold or italic stretches. */
  readonly emphasis: readonly Range[];
  /** The last character was a soft hyphen: the word goes on in the next line. */
  readonly softHyphen: boolean;
  /** Where invisible signs were left out. */
  readonly invisible: readonly number[];
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFEFC]/;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** Accents that old fonts draw as signs of their own over, before or after their letter. */
const ACCENTS: Readonly<Record<string, string>> = {
  '\u0060': '\u0300',
  '\u00B4': '\u0301',
  '\u02C6': '\u0302',
  '\u005E': '\u0302',
  '\u02DC': '\u0303',
  '\u007E': '\u0303',
  '\u00AF': '\u0304',
  '\u02D8': '\u0306',
  '\u02D9': '\u0307',
  '\u00A8': '\u0308',
  '\u02DA': '\u030A',
  '\u02DD': '\u030B',
  '\u02C7': '\u030C',
  '\u00B8': '\u0327',
  '\u02DB': '\u0328',
};
/** Two single quotes are how typewriters and TeX write a double one. */
const DOUBLED: Readonly<Record<string, string>> = { '\u2018\u2018': '\u201C', '\u2019\u2019': '\u201D', '\u0060\u0060': '\u201C', "''": '\u201D' };

const QUOTES = "\u2018\u2019`'";

export interface InkLook {
  /** Of most of the glyphs. */
  readonly size: number;
  /** All have one size and one upper edge: nothing is raised. */
  readonly level: boolean;
}

/** ASCII signs that stand for themselves: no blank, and none of the quotes and accents that may become one sign with a neighbour. */
const isPlain = (code: number): boolean => code > 0x20 && code < 0x7f && code !== 0x27 && code !== 0x5e && code !== 0x60 && code !== 0x7e;

/** `inked`: the glyphs of `segments` that are no white space. */
export function textOf(segments: readonly Segment[], inked: readonly Glyph[], look: InkLook): LineText | null {
  const wordSpace = wordSpaceOf(inked);
  const spaced = letterSpacing(inked, wordSpace);
  const writer = new LineWriter(spaced === null && !look.level ? superscriptsOf(inked, look.size) : NONE);
  let last: Glyph | null = null;
  for (const glyphs of inReadingOrder(segments))
    for (const glyph of glyphs) {
      if (isPlain(glyph.text.charCodeAt(0)) && glyph.text.length === 1) {
        if (last && (spaced === null ? isSpaceBetween(last, glyph, wordSpace) : glyph.x0 - last.x1 > spaced)) writer.space(glyph);
        writer.writePlain(glyph);
        last = glyph;
        continue;
      }
      const text = repairCharacter(glyph.text);
      writer.soft = glyph.text === '\u00AD';
      if (text === '' && isInvisibleSign(glyph.text)) writer.noteInvisible();
      if (text === '' || (spaced !== null && text === ' ')) continue;
      if (last && text !== ' ' && (spaced === null ? isSpaceBetween(last, glyph, wordSpace) : glyph.x0 - last.x1 > spaced)) writer.space(glyph);
      writer.write(glyph, text);
      if (text !== ' ') last = glyph;
    }
  return writer.finish();
}

/** Segment after segment; where a subscript stands in the gap of a longer one, glyph after glyph. A space follows what stands in it. */
function inReadingOrder(segments: readonly Segment[]): readonly (readonly Glyph[])[] {
  if (segments.length === 1) return [(segments[0] as Segment).glyphs];
  const isNested = segments.some(
    (segment, index) => index > 0 && segment.box.x1 < (segments[index - 1] as Segment).box.x1 && segment.box.x0 > (segments[index - 1] as Segment).box.x0,
  );
  if (!isNested) return segments.map((segment) => segment.glyphs);
  const placeOf = (glyph: Glyph): number => (glyph.text.trim() === '' ? glyph.x1 - 0.1 : glyph.x0);
  return [segments.flatMap((segment) => segment.glyphs).sort((a, b) => placeOf(a) - placeOf(b))];
}

const NONE: ReadonlySet<Glyph> = new Set();

/** Small digits raised above the middle of the line. A numerator is raised too, but a fraction bar follows it. */
function superscriptsOf(inked: readonly Glyph[], size: number): ReadonlySet<Glyph> {
  const first = inked[0];
  if (first === undefined || inked.every((glyph) => Math.abs(glyph.size - first.size) < 0.12 * size && Math.abs(glyph.y0 - first.y0) < 0.1 * size)) return NONE;
  const found = new Set<Glyph>();
  const middles = inked.filter((glyph) => Math.abs(glyph.size - size) < 0.1 * size).map((glyph) => (glyph.y0 + glyph.y1) / 2);
  const middle = middles.sort((a, b) => a - b)[middles.length >> 1] ?? 0;
  inked.forEach((glyph, index) => {
    const raised = middle - (glyph.y0 + glyph.y1) / 2;
    const small = glyph.size < 0.85 * size;
    if (!/^\d$/.test(glyph.text) || raised < (small ? 0.08 : 0.2) * size || raised > 0.9 * size) return;
    const next = inked[index + 1]?.text;
    const last = inked[index - 1];
    // Small raised letters before it: a text of its own beside the line.
    const alone = last !== undefined && last.size < 0.85 * size && middle - (last.y0 + last.y1) / 2 > 0.08 * size && /\p{L}|[-.]/u.test(last.text);
    if (next !== '/' && next !== '⁄' && !alone) found.add(glyph);
  });
  return found;
}

class LineWriter {
  soft = false;
  private readonly characters: string[] = [];
  private readonly edges: number[] = [];
  private readonly marks: boolean[] = [];
  private marked = false;
  private readonly invisible: number[] = [];
  private end = 0;
  private last: Glyph | null = null;
  /** An accent that waits for the letter it is drawn over. */
  private accent: Glyph | null = null;
  private readonly raised: ReadonlySet<Glyph>;

  constructor(raised: ReadonlySet<Glyph>) {
    this.raised = raised;
  }

  noteInvisible(): void {
    this.invisible.push(this.characters.length);
  }

  space(before: Glyph): void {
    if (this.endsInText()) this.push(' ', this.end, before.x0, false);
  }

  /** What `write` does for a plain sign, which is nearly every one of a contract. */
  writePlain(glyph: Glyph): void {
    const { text } = glyph;
    this.soft = false;
    if (this.accent !== null && this.isComposed(glyph, text)) return;
    this.put(this.raised !== NONE && this.raised.has(glyph) ? (SUPERSCRIPTS[Number(text)] ?? text) : text, glyph.x0, glyph.bold || glyph.italic);
    this.end = glyph.x1;
    this.accent = null;
    this.last = glyph;
  }

  write(glyph: Glyph, text: string): void {
    if (text === ' ') {
      if (this.endsInText()) this.push(' ', glyph.x0, glyph.x1, glyph.bold || glyph.italic);
      return;
    }
    this.closeChinese(glyph);
    if (this.isComposed(glyph, text)) return;
    const [from, to] = RIGHT_TO_LEFT.test(text) ? this.endsLeftwards(glyph) : [glyph.x0, glyph.x1];
    const printed = this.raised.has(glyph) ? (SUPERSCRIPTS[Number(text)] ?? text) : text;
    this.push(printed, from, to, glyph.bold || glyph.italic);
    if (QUOTES.includes(text)) this.mergeQuotes();
    this.accent = text in ACCENTS ? glyph : null;
    this.last = glyph;
  }

  /** Some writers put a space after each Chinese character and take its width back. */
  private closeChinese(glyph: Glyph): void {
    const { last } = this;
    if (this.characters.at(-1) !== ' ' || last === null || !isWideScript(last.text) || !isWideScript(glyph.text)) return;
    if (glyph.x0 - last.x1 < 0.3 * glyph.size && glyph.x0 > last.x0) this.drop();
  }

  finish(): LineText | null {
    while (this.characters.at(-1) === ' ') this.drop();
    if (this.characters.length === 0) return null;
    this.edges.push(round(this.end));
    const text = this.characters.join('');
    return { text, edges: this.edges, emphasis: this.marked ? rangesOf(this.marks, text) : [], softHyphen: this.soft, invisible: this.invisible };
  }

  private endsInText(): boolean {
    return this.characters.length > 0 && this.characters.at(-1) !== ' ';
  }

  /** Right-to-left letters come in the order they are read: their edges run to the left. */
  private endsLeftwards(glyph: Glyph): [number, number] {
    return this.last === null || glyph.x1 <= this.last.x0 + 0.3 * glyph.size ? [glyph.x1, glyph.x0] : [glyph.x0, glyph.x1];
  }

  /** A combining mark, a letter under an accent drawn before it, or an accent drawn over the letter before it. */
  private isComposed(glyph: Glyph, text: string): boolean {
    if (isMark(text)) return this.compose(this.characters.at(-1) ?? '', text, glyph.x1);
    const { accent, last } = this;
    if (accent && last === accent && /^\p{L}$/u.test(text) && overlaps(accent, glyph)) {
      const mark = ACCENTS[accent.text] ?? '';
      if (this.compose(text === 'ı' ? 'i' : text, mark, glyph.x1)) {
        this.accent = null;
        this.last = glyph;
        return true;
      }
    }
    const mark = ACCENTS[text];
    return mark !== undefined && last !== null && /^\p{L}$/u.test(last.text) && overlaps(glyph, last) && this.compose(last.text, mark, last.x1);
  }

  /** Puts letter and mark in the place of the last character. */
  private compose(letter: string, mark: string, end: number): boolean {
    const composed = (letter + mark).normalize('NFC');
    if (this.characters.length === 0 || composed.length !== 1) return false;
    this.characters[this.characters.length - 1] = composed;
    this.end = Math.max(this.end, end);
    return true;
  }

  private mergeQuotes(): void {
    const { end, characters } = this;
    const merged = DOUBLED[`${characters.at(-2)}${characters.at(-1)}`];
    if (merged === undefined) return;
    this.drop();
    characters[characters.length - 1] = merged;
    this.end = end;
  }

  private push(text: string, from: number, to: number, mark: boolean): void {
    if (text.length === 1) this.put(text, from, mark);
    else for (let index = 0; index < text.length; index++) this.put(text[index] as string, from + ((to - from) * index) / text.length, mark);
    this.end = to;
  }

  private put(character: string, from: number, mark: boolean): void {
    this.edges.push(round(from));
    this.marks.push(mark);
    if (mark) this.marked = true;
    this.characters.push(character);
  }

  private drop(): void {
    this.characters.pop();
    this.end = this.edges.pop() ?? this.end;
    this.marks.pop();
  }
}

function round(edge: number): number {
  return Math.round(edge * 100) / 100;
}

/** The middle of an accent lies over its letter. */
function overlaps(accent: Glyph, letter: Glyph): boolean {
  const middle = (accent.x0 + accent.x1) / 2;
  return middle > letter.x0 && middle < letter.x1;
}

function rangesOf(marks: readonly boolean[], text: string): Range[] {
  const ranges: Range[] = [];
  let start = -1;
  for (let index = 0; index <= text.length; index++) {
    const on = index < text.length && (marks[index] === true || (start >= 0 && text[index] === ' '));
    if (on && start < 0) start = index;
    if (!on && start >= 0) {
      const end = start + text.slice(start, index).trimEnd().length;
      ranges.push({ start, end });
      start = -1;
    }
  }
  return ranges;
}
