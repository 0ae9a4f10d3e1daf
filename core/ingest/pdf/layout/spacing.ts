// Where words end inside a printed line, told from the white between its characters.
//
// Owns: the width of a word space in each line, letter-spaced lines ("A G R E E M E N T"). Spaces that the file writes are always kept, unless the whole
// line is letter-spaced. Widths are in shares of the font size.
import { isWideScript } from '../../characters.ts';
import type { Glyph } from '../text/glyphs.ts';

/** A space glyph is 0.25 wide and kerning stays under 0.1: a gap of a fifth is a word space. */
const WORD_SPACE = 0.2;
/** TeX and some layout programs close spaces up to 0.14 in lines whose letters touch exactly; kerned pairs of those stay under 0.08. */
const TIGHT_WORD_SPACE = 0.115;
/** Korean sets narrower spaces. */
const KOREAN_WORD_SPACE = 0.14;
/** Chinese has no word spaces: a gap of most of a character is a blank that was meant. */
const WIDE_SPACE = 0.8;

export function gapBetween(last: Glyph, next: Glyph): number {
  return Math.max(next.x0 - last.x1, last.x0 - next.x1);
}

/** Width from which white is a word space in a line of these inked glyphs. */
export function wordSpaceOf(glyphs: readonly Glyph[]): number {
  let touching = 0;
  let wide = 0;
  for (let index = 1; index < glyphs.length; index++) {
    const last = glyphs[index - 1] as Glyph;
    const next = glyphs[index] as Glyph;
    const gap = gapBetween(last, next) / Math.min(last.size, next.size);
    if (gap > TIGHT_WORD_SPACE) wide++;
    else if (gap < 0.02) touching++;
  }
  // Nine of ten letters touch and every other gap is clear: the line has no letter spacing that could be taken for a word space.
  return glyphs.length > 12 && touching >= 0.9 * (glyphs.length - 1 - wide) ? TIGHT_WORD_SPACE : WORD_SPACE;
}

export function isSpaceBetween(last: Glyph, next: Glyph, wordSpace: number): boolean {
  const size = Math.min(last.size, next.size);
  const gap = gapBetween(last, next);
  // Nearly every pair of letters: no script has narrower spaces.
  if (gap <= TIGHT_WORD_SPACE * size) return false;
  if (isWideScript(last.text) && isWideScript(next.text)) return gap > WIDE_SPACE * size;
  return gap > (/[\uAC00-\uD7AF]/.test(last.text) ? Math.min(wordSpace, KOREAN_WORD_SPACE) : wordSpace) * size;
}

/**
 * A line of single letters set apart is one or more letter-spaced words. Returns the gap in points that ends a word in it, or null for an ordinary line.
 * Five letters that differ: shorter runs are initials or marks in a form ("X X X").
 */
export function letterSpacing(inked: readonly Glyph[], wordSpace: number): number | null {
  if (inked.length < 5) return null;
  let touching = 0;
  const most = 0.15 * (inked.length - 1);
  for (let index = 1; index < inked.length; index++) {
    const last = inked[index - 1] as Glyph;
    if (gapBetween(last, inked[index] as Glyph) <= wordSpace * last.size && ++touching > most) return null;
  }
  if (!inked.every((glyph) => /^[\p{L}\p{N}&.,:’'()-]$/u.test(glyph.text) && !isWideScript(glyph.text))) return null;
  const letters = inked.filter((glyph) => /\p{L}/u.test(glyph.text)).map((glyph) => glyph.text.toUpperCase());
  if (letters.length < 0.7 * inked.length || new Set(letters).size < 4) return null;
  // "A B C D E" heads columns.
  if (letters.every((letter, index) => index === 0 || letter.charCodeAt(0) === (letters[index - 1] as string).charCodeAt(0) + 1)) return null;
  const gaps = inked.slice(1).map((glyph, index) => gapBetween(inked[index] as Glyph, glyph));
  const typical = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0;
  // Letters further apart than two sizes are a drawing or a table.
  return typical > 2 * (inked[0] as Glyph).size ? null : 1.6 * typical;
}
