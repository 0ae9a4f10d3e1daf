// Glyph maps that are missing or shifted, and what they must have been: whole fonts are repaired, never single letters.
//
// Owns: two faults. A font without a map to Unicode whose codes are the glyph numbers of an ordinary TrueType font (glyph 3 is the space, 36 is "A"): most
// PDFs "without ToUnicode" are this. A font whose map is off by a constant, so that "Volumes" reads "9ROXPHV".
// Rule: a repair is taken only when the repaired text is clearly more plausible, and the page's warning names it.
import type { Glyph, Segment } from './glyphs.ts';
import { judgeText } from './plausibility.ts';

/** Glyphs 3 to 97 of the standard order of TrueType fonts are ASCII from the space on. */
const ORDER_SHIFT = 29;
const FIRST_GLYPH = 3;
/** From glyph 98 on the same order follows Mac Roman (Apple, TrueType Reference Manual, 'post' table). */
const UPPER_ORDER = 'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ';
/** Maps are off by the distance of two starting points of a code: 3, 29, 31 and 32 are seen; 64 covers a column of ASCII. */
const MOST_SHIFT = 64;
/** Gain in mean log-likelihood that a repair must bring; chance gains on texts of this length stay under 0.2. */
const LEAST_GAIN = 0.3;
/** Letters of the repaired text must be at least this likely: prose, not only better than before. */
const LIKELY = -3.1;

export interface Repair {
  readonly segments: readonly Segment[];
  /** Characters that read otherwise now. */
  readonly repaired: number;
}

/** Both faults, font by font. */
export function repairGlyphs(segments: readonly Segment[]): Repair {
  const fonts = new Map<number, Glyph[]>();
  for (const segment of segments)
    for (const glyph of segment.glyphs) {
      const list = fonts.get(glyph.font);
      if (list) list.push(glyph);
      else fonts.set(glyph.font, [glyph]);
    }
  const maps = new Map<number, (glyph: Glyph) => string>();
  for (const [font, glyphs] of fonts) {
    const unmapped = glyphs.filter((glyph) => glyph.cid >= 0).length;
    const map = 2 * unmapped > glyphs.length ? standardOrder(glyphs) : shifted(glyphs);
    if (map !== null) maps.set(font, map);
  }
  if (maps.size === 0) return { segments, repaired: 0 };
  let repaired = 0;
  const apply = (glyph: Glyph): Glyph => {
    const text = maps.get(glyph.font)?.(glyph) ?? glyph.text;
    if (text === glyph.text) return glyph;
    repaired++;
    return { ...glyph, text };
  };
  return { segments: segments.map((segment) => ({ ...segment, glyphs: segment.glyphs.map(apply) })), repaired };
}

function standardOrder(glyphs: readonly Glyph[]): ((glyph: Glyph) => string) | null {
  const text = glyphs
    .filter((glyph) => glyph.cid >= 0)
    .map((glyph) => orderedCharacter(glyph.cid))
    .join('');
  if (!looksWritten(text)) return null;
  return (glyph) => (glyph.cid >= 0 ? orderedCharacter(glyph.cid) : glyph.text);
}

/** Letters, figures and the signs of prose, vowels among the letters, and letters of a language where there are enough of them. */
function looksWritten(text: string): boolean {
  const letters = text.replace(/[^A-Za-z]/g, '').length;
  const plain = text.replace(/[^A-Za-z0-9 .,;:'"()/&$%-]/g, '').length;
  const vowels = text.replace(/[^aeiouyAEIOUY]/g, '').length;
  // One sign again and again is a bullet or a fill character, whatever it would read as.
  if (new Set(text.toLowerCase().replace(/[^a-z]/g, '')).size < 4) return false;
  if (plain < 0.94 * text.length || letters < 0.4 * text.length || vowels < 0.15 * letters) return false;
  const likelihood = judgeText(text).letters;
  return likelihood === null || likelihood > LIKELY;
}

function orderedCharacter(glyphNumber: number): string {
  if (glyphNumber < FIRST_GLYPH) return '\uFFFD';
  if (glyphNumber + ORDER_SHIFT <= 0x7e) return String.fromCharCode(glyphNumber + ORDER_SHIFT);
  return UPPER_ORDER[glyphNumber - 98] ?? '\uFFFD';
}

function shifted(glyphs: readonly Glyph[]): ((glyph: Glyph) => string) | null {
  const text = glyphs.map((glyph) => glyph.text).join('');
  const before = judgeText(text);
  if (before.letters !== null && before.letters > LIKELY && before.meaningless < 0.02) return null;
  let best: { readonly shift: number; readonly likelihood: number } | null = null;
  for (let shift = -MOST_SHIFT; shift <= MOST_SHIFT; shift++) {
    if (shift === 0) continue;
    const after = judgeText(glyphs.map((glyph) => shiftedCharacter(glyph, shift)).join(''));
    if (after.letters !== null && after.meaningless < 0.02 && (best === null || after.letters > best.likelihood)) best = { shift, likelihood: after.letters };
  }
  if (best === null || best.likelihood < LIKELY || (before.letters !== null && best.likelihood < before.letters + LEAST_GAIN)) return null;
  const { shift } = best;
  return (glyph) => shiftedCharacter(glyph, shift);
}

/** Blanks that mupdf put in for white space are no characters of the font. */
function shiftedCharacter(glyph: Glyph, shift: number): string {
  // A code below the space is no character, so mupdf gives the bare code: in a shifted font it is most often the space itself.
  const code = glyph.cid >= 0 && glyph.cid < 0x20 ? glyph.cid : (glyph.text.codePointAt(0) ?? 0);
  if (code === 0x20 || code === 0xa0 || code > 0xff) return glyph.text;
  const moved = code + shift;
  return moved < 0x20 || moved > 0x17f ? '\uFFFD' : String.fromCharCode(moved);
}
