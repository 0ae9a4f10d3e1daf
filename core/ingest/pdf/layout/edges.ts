// What the place of a line on its page says: page numbers, lines in the outermost margin, running heads of a single page, stamps.
//
// Owns: the lines of each page from top to foot, and the rules that need no second page. Repetition over pages stands in furniture.ts.
// Shares of the page's height and multiples of the text's size; measured on contracts, filings, papers and scanned books.
import { readLabel } from '../../labels.ts';
import { isSentence } from '../../titles.ts';
import type { PdfLine } from './lines.ts';

export interface PlacedLine {
  readonly index: number;
  readonly line: PdfLine;
}

export interface PageLines {
  /** From top to foot in the frame of the page's main way of writing; lines of other ways follow. */
  readonly lines: readonly PlacedLine[];
  readonly turn: PdfLine['turn'];
  readonly height: number;
  /** Size of most of its characters. */
  readonly size: number;
}

export function readPages(lines: readonly PdfLine[]): PageLines[] {
  const pages = new Map<number, PlacedLine[]>();
  lines.forEach((line, index) => {
    if (line.slanted || line.aside || line.cell !== null) return;
    const list = pages.get(line.page);
    if (list) list.push({ index, line });
    else pages.set(line.page, [{ index, line }]);
  });
  return [...pages.values()].map((entries) => {
    // `readLines` gives the main way of writing first.
    const { turn, frameHeight } = (entries[0] as PlacedLine).line;
    const main = entries.filter(({ line }) => line.turn === turn).sort((a, b) => a.line.frame.y0 - b.line.frame.y0);
    return { lines: [...main, ...entries.filter(({ line }) => line.turn !== turn)], turn, height: frameHeight, size: sizeOfMost(main) };
  });
}

function sizeOfMost(entries: readonly PlacedLine[]): number {
  const weights = new Map<number, number>();
  for (const { line } of entries) weights.set(line.size, (weights.get(line.size) ?? 0) + line.text.length);
  return [...weights].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Words for "page" and "of" in the languages of Europe. */
const PAGE_NUMBER =
  /^(?:[-–—|[\s]*(?:page|seite|p\.|página|pagina|pág\.|sida|side)?[-–—|\s]*(?:\d{1,4}|[ivxl]{1,7}|[A-Z]{1,3}-\d{1,3})[-–—|\]\s]*(?:(?:of|\/|von|de|di|sur|av)\s*\d{1,4})?[-–—|\s]*|第\s*\d+\s*页.*|\d{1,4}\s*\/\s*\d{1,4})$/i;
const COUNTED_PAGE = /(?:^|\s)(?:page|seite|página|pagina|pág\.)\s*(?:\d{1,4}|[ivxl]{1,7})\s*(?:of|\/|von|de|di|sur)\s*(?:\d{1,4}|[ivxl]{1,7})(?:$|\s)/i;
/** The page number beside the name of the chapter or of the publisher. */
const FOLIO = /^(?:\d{1,4}\s+\D.{0,60}|\D.{0,60}\s\d{1,4})$/;
const ENVELOPE = /^docusign envelope id\s*:\s*[\dA-F-]{20,}/i;
/** Header that a United States court puts on every page of a filing. */
const COURT_STAMP = /^case[\s:]\s*\d.*\b(?:document|doc\.?|dkt\.?)\s+[\d-]+.*\bpage/i;
/** Production numbers: "ABC-0001234", "DEF 000123". Amounts and dates have no such run of letters and leading zeros. */
const PRODUCTION_NUMBER = /^[A-Z]{2,12}(?:[-_ ][A-Z]{1,8})?[-_ ]{0,2}0\d{3,9}$/;

export function isStamp(line: PdfLine, outer: boolean): boolean {
  return (
    ENVELOPE.test(line.text) ||
    COURT_STAMP.test(line.text) ||
    (outer && (PRODUCTION_NUMBER.test(line.text) || (line.text.length < 120 && COUNTED_PAGE.test(line.text))))
  );
}

/** Indexes of furniture that its place alone tells. `found` is furniture already: what it hides from the edge is not looked at again. */
export function findEdgeLines(pages: readonly PageLines[], found: ReadonlySet<number>): number[] {
  return pages.flatMap((page) => {
    const own = new Set<number>();
    const rest = (): PlacedLine[] => page.lines.filter(({ index, line }) => line.turn === page.turn && !found.has(index) && !own.has(index));
    for (const edge of ['top', 'foot'] as const) {
      for (const index of marginLines(page, rest(), edge)) own.add(index);
      if (edge === 'foot') for (const index of countedFoot(rest())) own.add(index);
      const [outermost, next] = edge === 'top' ? rest() : rest().toReversed();
      if (outermost && (isPageNumber(outermost, page, rest()) || isRunningHead(outermost.line, next?.line, page, edge))) own.add(outermost.index);
    }
    for (const { index, line } of page.lines) if (line.turn !== page.turn && isSideways(line)) own.add(index);
    return [...own];
  });
}

/** Far below a page of this many lines stands only its foot; a title page has fewer, and a date at its foot. */
const FULL_PAGE = 14;

/** Neither a clause nor the end of a sentence. */
function isNoText({ text }: PdfLine): boolean {
  return text.length < 60 && !/[.;,:。；，]$/.test(text) && readLabel(text) === null && !isSentence(text);
}

/** "Page 3 of 7" in one of the last two lines, and what stands below it: the foot of a page that ends early. */
function countedFoot(rest: readonly PlacedLine[]): number[] {
  const at = rest.findIndex(({ line }, index) => index >= rest.length - 2 && line.text.length < 120 && COUNTED_PAGE.test(line.text) && !isSentence(line.text));
  return at < 1 ? [] : rest.slice(at).map(({ index }) => index);
}

function whiteBetween(upper: PdfLine, lower: PdfLine): number {
  return lower.frame.y0 - upper.frame.y1;
}

/** A number in the outer fifth, or with three lines of white between it and the text; the last figure of a column of figures has neither. */
function isPageNumber({ index, line }: PlacedLine, page: PageLines, rest: readonly PlacedLine[]): boolean {
  if (!PAGE_NUMBER.test(line.text.normalize('NFKC'))) return false;
  if (rest.length === 1) return true;
  const at = rest.findIndex((entry) => entry.index === index);
  const white = at === 0 ? whiteBetween(line, (rest[1] as PlacedLine).line) : whiteBetween((rest[at - 1] as PlacedLine).line, line);
  const middle = (line.frame.y0 + line.frame.y1) / 2 / page.height;
  // The last line of a page that ends early: apart from text, or far from anything.
  const above = at === 0 ? '' : (rest[at - 1] as PlacedLine).line.text;
  return ((middle < 0.2 || middle > 0.8) && white > 0) || white > 3 * page.size || (white > page.size && /\p{L}.*[.;:]$/u.test(above));
}

/**
 * The outermost lines, set apart from the text by white space: smaller than the text within 20 mm of the edge, of any size within 12 mm, and much smaller
 * within an eighth of the page (logos and dates in the foot of a slide). Three lines at most: longer feet are notes.
 */
function marginLines(page: PageLines, rest: readonly PlacedLine[], edge: 'top' | 'foot'): number[] {
  const order = edge === 'top' ? rest : rest.toReversed();
  const reach = (line: PdfLine): number => (edge === 'top' ? line.frame.y1 : page.height - line.frame.y0) / page.height;
  let best: number[] = [];
  for (let count = 1; count <= 3 && count < order.length; count++) {
    const taken = order.slice(0, count);
    const last = (taken.at(-1) as PlacedLine).line;
    const next = (order[count] as PlacedLine).line;
    if (reach(last) > 0.125) break;
    const white = edge === 'top' ? whiteBetween(last, next) : whiteBetween(next, last);
    const fits = taken.every(({ line }) => {
      if (line.text.length > 120 || /^[\d*†‡⁰¹²³⁴-⁹]+\s?\p{L}/u.test(line.text)) return false;
      if (reach(line) < 0.08 && edge === 'foot' && FOLIO.test(line.text) && isNoText(line)) return white >= 1.2 * page.size && line.size < 1.2 * page.size;
      if (reach(line) < 0.05) return white >= 1.2 * page.size && line.size < 1.2 * page.size;
      if (reach(line) < 0.07) return white >= 1.2 * page.size && line.size < 0.96 * page.size;
      if (reach(line) < 0.1 && white >= 4 * page.size && edge === 'foot' && page.lines.length > FULL_PAGE)
        return line.size < 1.05 * page.size && isNoText(line);
      return white >= 2 * page.size && line.size < 0.7 * page.size;
    });
    if (fits) best = taken.map(({ index }) => index);
  }
  return best;
}

/** The texts of a line between white that is no word space. */
function partsOf(line: PdfLine): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let index = 0; index < line.text.length; index++)
    if (line.text[index] === ' ' && Math.abs((line.edges[index + 1] ?? 0) - (line.edges[index] ?? 0)) > 2 * line.size) {
      parts.push(line.text.slice(from, index));
      from = index + 1;
    }
  return [...parts, line.text.slice(from)];
}

/** "400      BRITISH HUSBANDRY.      [Ch. XIX": parts set wide apart, one of which is the page number. A clause number and its heading are two parts. */
function isRunningHead(line: PdfLine, next: PdfLine | undefined, page: PageLines, edge: 'top' | 'foot'): boolean {
  const reach = edge === 'top' ? line.frame.y0 : page.height - line.frame.y1;
  if (next === undefined || reach > 0.12 * page.height || line.text.length > 130) return false;
  const parts = partsOf(line);
  if (parts.length < 2 || /[$€£%]/.test(line.text)) return false;
  const numbers = parts.filter((part) => /^(?:page )?(?:\d{1,4}|[ivxl]{1,7})$/i.test(part)).length;
  // Two pages on one sheet have two numbers, at its ends.
  const numbered = numbers === 1 || (numbers === 2 && parts.length > 3 && /^\d/.test(line.text) && /\d$/.test(line.text));
  if (parts.length > 2) return numbered && parts.length <= 4;
  const white = edge === 'top' ? whiteBetween(line, next) : whiteBetween(next, line);
  return numbered && white > 0.8 * page.size && /\p{L}/u.test(parts[0] ?? '');
}

/** Text along the side of a page that is written another way: the stamp of an archive, the name of a file. */
function isSideways(line: PdfLine): boolean {
  // In its own frame the sides of the page are top and foot.
  const middle = (line.frame.y0 + line.frame.y1) / 2 / Math.max(1, line.frameHeight);
  return line.axis === 'y' && (middle < 0.08 || middle > 0.92);
}
