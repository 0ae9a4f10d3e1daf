// Headers, footers, page numbers and stamps of a PDF: lines that stand at the same place of several pages with the same words.
//
// Method: lines in the outer parts of a page are compared with digits folded to "#"; a line is furniture when its text and height on the page recur on
// enough pages, when it is a bare page number at the edge of a page, or when it is set at a slant. Nothing is deleted: the lines become furniture blocks.
import type { PdfLine } from './lines.ts';

/** Running heads and foots stand within this share of the page's height; legal footers of five lines reach 15 %. */
const TOP_SHARE = 0.13;
const BOTTOM_SHARE = 0.84;
/** A new edition of a line may shift by a few points with its font's ascender. */
const PLACE_STEP = 6;

const PAGE_NUMBER = /^(?:[-–—|\s]*(?:page|seite|p\.)?[-–—|\s]*(?:\d{1,4}|[ivxl]{1,7})[-–—|\s]*(?:(?:of|\/|von)\s*\d{1,4})?[-–—|\s]*|第\s*\d+\s*页.*)$/i;

/** Rules typed as signs: the underlining of plain-text filings. Underscores are blanks to fill in and stay. */
const RULE = /^[-=*~\s]{3,}$/;

/** One flag per line of `lines` (all pages, in order). `heights` by page index. */
export function findFurniture(lines: readonly PdfLine[], heights: readonly number[]): boolean[] {
  const pagesOf = new Map<string, Set<number>>();
  const keys = lines.map((line) => keyOf(line, heights[line.page] ?? 0));
  lines.forEach((line, index) => {
    const key = keys[index];
    if (key === null || key === undefined) return;
    const pages = pagesOf.get(key);
    if (pages) pages.add(line.page);
    else pagesOf.set(key, new Set([line.page]));
  });
  const edges = edgeLines(lines);
  const inside = insideRepeats(lines, heights.length);
  const counted = countedPages(lines);
  const margins = marginLines(lines, heights);
  // Left and right pages may differ and a first page may be free of them: a fifth of the pages, at least two (three in long documents).
  const least = Math.max(heights.length > 6 ? 3 : 2, Math.ceil(heights.length * 0.2));
  return lines.map((line, index) => {
    if (line.slanted || RULE.test(line.text) || inside.has(foldDigits(line.text)) || counted.has(index) || margins.has(index)) return true;
    const key = keys[index];
    if (key === null || key === undefined) return false;
    if (heights.length > 1 && repeats(pagesOf, key, least)) return true;
    return edges.has(index) && PAGE_NUMBER.test(line.text);
  });
}

function foldDigits(text: string): string {
  return text
    .toLowerCase()
    .replace(/\d+/g, '#')
    .replace(/\b[ivxl]+$/, '#')
    .replace(/\s+/g, ' ');
}

/** Web pages printed to PDF keep the foot of the old page in the middle of the new one: such lines recur on a third of the pages, wherever they stand. */
function insideRepeats(lines: readonly PdfLine[], pages: number): Set<string> {
  const pagesOf = new Map<string, Set<number>>();
  for (const line of lines) {
    if (line.text.length < 10 || line.text.length > 160) continue;
    const key = foldDigits(line.text);
    const seen = pagesOf.get(key);
    if (seen) seen.add(line.page);
    else pagesOf.set(key, new Set([line.page]));
  }
  const least = Math.max(5, pages / 3);
  return new Set([...pagesOf].filter(([, seen]) => seen.size >= least).map(([key]) => key));
}

/** Bare numbers that count up by one through the whole document are its old page numbers. */
function countedPages(lines: readonly PdfLine[]): Set<number> {
  const bare = lines.flatMap((line, index) => {
    const match = /^[-–—\s]*(\d{1,4})[-–—\s]*$/.exec(line.text);
    return match ? [{ index, value: Number(match[1]) }] : [];
  });
  const steps = new Set<number>();
  bare.forEach((entry, at) => {
    const next = bare[at + 1];
    if (next && next.value === entry.value + 1) steps.add(entry.index).add(next.index);
  });
  return steps.size >= 4 ? steps : new Set();
}

/** In the outermost strip of a page, set apart from the text by white space and smaller than it: a head or foot even where nothing repeats. */
function marginLines(lines: readonly PdfLine[], heights: readonly number[]): Set<number> {
  const pages = new Map<number, number[]>();
  lines.forEach((line, index) => {
    if (line.axis !== 'x' || line.slanted) return;
    const list = pages.get(line.page);
    if (list) list.push(index);
    else pages.set(line.page, [index]);
  });
  const found = new Set<number>();
  for (const [page, indexes] of pages) {
    const sizes = indexes.map((index) => (lines[index] as PdfLine).size).sort((a, b) => a - b);
    const size = sizes[sizes.length >> 1] ?? 0;
    const sorted = [...indexes].sort((a, b) => (lines[a] as PdfLine).box.y0 - (lines[b] as PdfLine).box.y0);
    const height = heights[page] ?? 0;
    for (const order of [sorted, [...sorted].reverse()])
      takeMargin(
        order.map((index) => ({ index, line: lines[index] as PdfLine })),
        order === sorted,
        height,
        size,
        found,
      );
  }
  return found;
}

function takeMargin(
  order: readonly { readonly index: number; readonly line: PdfLine }[],
  top: boolean,
  height: number,
  size: number,
  found: Set<number>,
): void {
  // 7 % is 20 mm of A4: the usual margin holds nothing else. Three lines: longer foots are footnotes.
  const outside = (line: PdfLine): boolean => (top ? line.box.y1 < 0.07 * height : line.box.y0 > 0.93 * height);
  let count = 0;
  while (count < order.length && count < 4 && outside((order[count] as { line: PdfLine }).line)) count++;
  const next = order[count]?.line;
  const last = order[count - 1]?.line;
  if (count === 0 || count > 3 || !next || !last) return;
  const white = top ? next.box.y0 - last.box.y1 : last.box.y0 - next.box.y1;
  if (white < 1.2 * size) return;
  for (const { index, line } of order.slice(0, count))
    if (line.size < 0.96 * size && line.text.length <= 120 && !/^[\d*†‡]\s?\p{L}/u.test(line.text)) found.add(index);
}

function keyOf(line: PdfLine, height: number): string | null {
  const middle = (line.box.y0 + line.box.y1) / 2 / Math.max(1, height);
  if (middle > TOP_SHARE && middle < BOTTOM_SHARE) return null;
  return `${foldDigits(line.text)}@${Math.round(line.box.y0 / PLACE_STEP)}`;
}

function repeats(pagesOf: ReadonlyMap<string, ReadonlySet<number>>, key: string, least: number): boolean {
  const at = key.lastIndexOf('@');
  const words = key.slice(0, at);
  const step = Number(key.slice(at + 1));
  const pages = new Set<number>();
  for (const near of [step - 1, step, step + 1]) for (const page of pagesOf.get(`${words}@${near}`) ?? []) pages.add(page);
  return pages.size >= least;
}

/** Indexes of the highest and the lowest upright lines of each page. */
function edgeLines(lines: readonly PdfLine[]): Set<number> {
  const highest = new Map<number, number>();
  const lowest = new Map<number, number>();
  lines.forEach((line, index) => {
    if (line.axis !== 'x' || line.slanted) return;
    const top = highest.get(line.page);
    if (top === undefined || line.box.y0 < (lines[top] as PdfLine).box.y0) highest.set(line.page, index);
    const low = lowest.get(line.page);
    if (low === undefined || line.box.y1 > (lines[low] as PdfLine).box.y1) lowest.set(line.page, index);
  });
  return new Set([...highest.values(), ...lowest.values()]);
}
