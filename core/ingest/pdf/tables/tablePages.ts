// Whether a page can hold a table at all: most pages of a contract are lines of text one below the other, and looking for tables in them is a tenth of the
// whole reading.
//
// Rule: it errs on the side of looking. A page without rules that cross and without texts side by side has no cells; a clause number and its text are not
// side by side: tableEvidence.ts calls rows of those a list.
import { isInked, type Segment } from '../text/glyphs.ts';
import type { Vector } from '../text/vectors.ts';
import { readRules } from './rules.ts';
import { CHUNK_GAP, isListMark, NUMBER_GAP } from './tableText.ts';

/** Headings are underlined with one rule or two; the smallest grid has four. */
const FEWEST_RULES = 4;
/** One row with texts side by side is a heading with its date, a signature line, a clause with its number. */
const FEWEST_ROWS = 2;
/** In shares of the font size: two blanks of a typewriter face are 1.2 wide; without blanks mupdf starts a segment of its own at 0.8. */
const WIDE = 1.7;
/** So many blanks in a row are typed to reach a column. */
const TYPED_BLANKS = 3;
/** Inked characters of the longest clause number: "Section 10.12(b)". */
const LONGEST_MARK = 16;

export function mayHoldTable(segments: readonly Segment[], vectors: readonly Vector[], width: number, height: number): boolean {
  const ruled = vectors.length >= FEWEST_RULES;
  if (segments.some((segment) => segment.direction !== 'right') || (ruled && readRules(vectors, [], width, height).vertical.length > 0)) return true;
  let rows = 0;
  for (const segment of segments) if (hasGap(segment, ruled) && ++rows >= FEWEST_ROWS) return true;
  return rows + rowsSideBySide(segments) >= FEWEST_ROWS;
}

/** `ruled`: rules between rows are evidence of their own, and every gap between chunks counts. */
function hasGap({ glyphs }: Segment, ruled: boolean): boolean {
  let blanks = 0;
  let last = -1;
  for (let index = 0; index < glyphs.length; index++) {
    const { text, x0, size } = glyphs[index] as Segment['glyphs'][number];
    if (text === ' ' || text === '\u00A0') {
      blanks++;
      continue;
    }
    const before = glyphs[last];
    if (before !== undefined || text === '\t') {
      const isNumber = ruled && isDigit(text) && isDigit(before?.text ?? '');
      const wide = isNumber ? NUMBER_GAP : ruled ? CHUNK_GAP : WIDE;
      const isGap = blanks >= TYPED_BLANKS || text === '\t' || x0 - (before?.x1 ?? x0) > wide * size;
      if (isGap && !isMark(glyphs.slice(0, last + 1))) return true;
    }
    blanks = 0;
    last = index;
  }
  return false;
}

const isDigit = (text: string): boolean => text >= '0' && text <= '9';

function isMark(glyphs: Segment['glyphs']): boolean {
  const inked = glyphs.filter(isInked);
  return inked.length > 0 && inked.length <= LONGEST_MARK && isListMark(glyphs.map((glyph) => glyph.text).join('').trim()); // prettier-ignore
}

/** Neighbours in height that share most of it, and of which the left one is no clause number. */
function rowsSideBySide(segments: readonly Segment[]): number {
  const sorted = [...segments].sort((a, b) => a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1);
  let rows = 0;
  for (let index = 1; index < sorted.length && rows < FEWEST_ROWS; index++) {
    const [one, other] = [sorted[index - 1], sorted[index]];
    if (!one || !other) continue;
    const [upper, lower] = [one.box, other.box];
    const shared = Math.min(upper.y1, lower.y1) - Math.max(upper.y0, lower.y0);
    const apart = Math.max(lower.x0 - upper.x1, upper.x0 - lower.x1);
    if (shared <= 0.5 * Math.min(upper.y1 - upper.y0, lower.y1 - lower.y0) || apart <= 0) continue;
    if (!isMark((upper.x0 < lower.x0 ? one : other).glyphs)) rows++;
  }
  return rows;
}
