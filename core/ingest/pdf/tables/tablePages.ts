// Whether a page can hold a table at all: most pages of a contract are lines of text one below the other, and looking for tables in them is a tenth of the
// whole reading.
//
// Rule: it errs on the side of looking. A page without drawn rules and without texts side by side has no cells.
import type { Segment } from '../text/glyphs.ts';
import type { Vector } from '../text/vectors.ts';

/** Headings are underlined with one rule or two; the smallest grid has four. */
const FEWEST_RULES = 4;
/** One row with texts side by side is a heading with its date, a signature line, a clause with its number. */
const FEWEST_ROWS = 2;
/** In shares of the font size: two blanks of a typewriter face are 1.2 wide; without blanks mupdf starts a segment of its own at 0.8. */
const WIDE = 1.7;
/** So many blanks in a row are typed to reach a column. */
const TYPED_BLANKS = 3;

export function mayHoldTable(segments: readonly Segment[], vectors: readonly Vector[]): boolean {
  if (vectors.length >= FEWEST_RULES || segments.some((segment) => segment.direction !== 'right')) return true;
  let rows = 0;
  for (const segment of segments) if (hasGap(segment)) rows++;
  return rows >= FEWEST_ROWS || rows + rowsSideBySide(segments) >= FEWEST_ROWS;
}

function hasGap({ glyphs }: Segment): boolean {
  let blanks = 0;
  let right = Infinity;
  for (const { text, x0, x1, size } of glyphs) {
    if (text === ' ' || text === '\u00A0') {
      if (++blanks >= TYPED_BLANKS && right < Infinity) return true;
      continue;
    }
    if (text === '\t' || x0 - right > WIDE * size) return true;
    blanks = 0;
    right = x1;
  }
  return false;
}

/** Neighbours in height that share most of it. */
function rowsSideBySide(segments: readonly Segment[]): number {
  const boxes = segments.map((segment) => segment.box).sort((a, b) => a.y0 + a.y1 - b.y0 - b.y1);
  let rows = 0;
  for (let index = 1; index < boxes.length && rows < FEWEST_ROWS; index++) {
    const [upper, lower] = [boxes[index - 1], boxes[index]];
    if (!upper || !lower) continue;
    const shared = Math.min(upper.y1, lower.y1) - Math.max(upper.y0, lower.y0);
    const apart = Math.max(lower.x0 - upper.x1, upper.x0 - lower.x1);
    if (shared > 0.5 * Math.min(upper.y1 - upper.y0, lower.y1 - lower.y0) && apart > 0) rows++;
  }
  return rows;
}
