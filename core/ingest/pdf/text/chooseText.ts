// Which text of a page is taken: mupdf's, mupdf's with its glyph maps repaired, or pdf.js's.
//
// Order: a text without doubt is taken as it is, at no cost; then the second engine, which knows or does not know; then the repair, which infers.
// Rule: another text than the first is taken only when its measured doubt is clearly smaller, and a warning of the page says so.
import type { Warning } from '../../../contract/document.ts';
import type { PlacedImage, Segment } from './glyphs.ts';
import { repairGlyphs } from './glyphRepair.ts';
import { doubtOf, Judge, type Plausibility } from './plausibility.ts';
import type { OpinionPage, SecondOpinion } from './secondOpinion.ts';

export interface ChosenText {
  readonly segments: readonly Segment[];
  readonly warnings: readonly Warning[];
  /** Where the second engine was taken: the page as it measures it, for pages that the first one could not open. */
  readonly opinion: OpinionPage | null;
}

export interface FirstReading {
  readonly segments: readonly Segment[];
  readonly hidden: readonly Segment[];
  readonly images: readonly PlacedImage[];
  /** The page's own content asks for no text. */
  readonly blank: boolean;
  /** Why the first engine could not read the page; null when it did. */
  readonly flaw: string | null;
}

/** One character of fifty without meaning, or as much in other signs: at that rate every second line has a wrong word. */
const DOUBTFUL = 0.02;
/** By how much less another text must be doubted. */
const CLEARLY = 0.03;
/** A text that is doubted more than this is no better than none. */
const HOPELESS = 0.4;

export async function chooseText(first: FirstReading, index: number, second: SecondOpinion): Promise<ChosenText> {
  const own = judge(first.segments);
  const doubt = doubtOf(own);
  const taken = (segments: readonly Segment[], opinion: OpinionPage | null, code: string, message: string): ChosenText => ({
    segments,
    opinion,
    warnings: code === '' ? [] : [{ code, message: `Page ${index + 1}: ${message}`, page: index }],
  });
  const keep = taken(first.segments, null, '', '');
  const missing = first.flaw !== null || (own.characters === 0 && !first.blank && !isPicture(first.images));
  if (!missing && doubt <= DOUBTFUL) return keep;
  const opinion = await second.page(index, first.segments);
  const segments = opinion === null ? [] : withoutHidden(opinion.segments, first.hidden);
  const other = judge(segments);
  // Fewer characters are no better reading of the same page, whatever they look like.
  const usable = other.characters > 0 && other.characters >= 0.5 * own.characters && doubtOf(other) < HOPELESS && !echoesCodes(first.segments, segments);
  if (usable && own.characters === 0)
    return taken(
      segments,
      opinion,
      'second_opinion',
      `its text was read by the second engine (pdf.js); the first found ${first.flaw === null ? 'none' : `an error (${first.flaw})`}.`,
    );
  if (usable && doubtOf(other) + CLEARLY < doubt)
    return taken(
      segments,
      opinion,
      'second_opinion',
      `its text was read by the second engine (pdf.js); of the first one's ${percent(own.meaningless)} had no meaning.`,
    );
  const repair = repairGlyphs(first.segments);
  if (repair.repaired > 0 && doubtOf(judge(repair.segments)) + CLEARLY < doubt)
    return taken(
      repair.segments,
      null,
      'glyphs_repaired',
      `the file's font map is missing or shifted; ${repair.repaired} characters were restored by rule. Compare what matters with the picture.`,
    );
  return keep;
}

function judge(segments: readonly Segment[]): Plausibility {
  const judged = new Judge();
  for (const segment of segments) {
    for (const { text } of segment.glyphs) {
      const code = text.charCodeAt(0);
      judged.take(code < 0xd800 || code > 0xdfff ? code : (text.codePointAt(0) ?? 0), text);
    }
    judged.take(0x20, ' ');
  }
  return judged.verdict();
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A scan: no engine finds text in it, and asking costs time on every page. */
function isPicture(images: readonly PlacedImage[]): boolean {
  return images.length > 0;
}

function withoutHidden(segments: readonly Segment[], hidden: readonly Segment[]): readonly Segment[] {
  if (hidden.length === 0) return segments;
  return segments.filter(({ box }) => {
    const [x, y] = [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2];
    return !hidden.some((other) => x >= other.box.x0 && x <= other.box.x1 && y >= other.box.y0 && y <= other.box.y1);
  });
}

/** Glyph numbers are small; codes from here on that are characters of one script are a map to Unicode that the file does not declare. */
const LEAST_UNICODE = 0x250;

/** pdf.js gives a font's bare codes as characters where it knows no better: that is no opinion. */
function echoesCodes(first: readonly Segment[], second: readonly Segment[]): boolean {
  const codes = new Set(first.flatMap((segment) => segment.glyphs.filter((glyph) => glyph.cid >= 0).map((glyph) => glyph.cid)));
  if (codes.size === 0) return false;
  const characters = second.flatMap((segment) => segment.glyphs.map((glyph) => glyph.text.codePointAt(0) ?? 0)).filter((code) => code !== 0x20);
  const echoed = characters.filter((code) => code < LEAST_UNICODE && codes.has(code)).length;
  return echoed > 0.5 * characters.length;
}
