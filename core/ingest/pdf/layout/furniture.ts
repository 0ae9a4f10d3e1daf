// Headers, footers, page numbers, stamps and margin numbers of a PDF: lines that belong to the page and not to the text.
//
// Two kinds of evidence: repetition (this file) and geometry (edges.ts). Repeated is what recurs on many pages at one height with the same words, digits apart;
// what counts up by one from page to page; what fills the same place with other words each time, set apart from the text.
// Rule: nothing is deleted; the lines become furniture blocks, and a sentence that runs over them goes on.
import { readLabel } from '../../labels.ts';
import { isSentence } from '../../titles.ts';
import { findEdgeLines, isStamp, readPages, type PageLines } from './edges.ts';
import { isUntagged } from '../text/tags.ts';
import type { PdfLine } from './lines.ts';

/** Running heads and feet stand within this share of the page's height; legal footers of five lines reach 15 %. */
const TOP_SHARE = 0.13;
const BOTTOM_SHARE = 0.84;
/** A new edition of a line may shift by a few points with its font's ascender. */
const PLACE_STEP = 6;

/** Rules typed as signs: the underlining of plain-text filings. Underscores are blanks to fill in and stay. */
const RULE = /^(?:[-=*~\s]{3,}|(?:\.\s?){12,})$/;

/** One flag per line of `lines` (all pages, in order). `pageCount` counts pages without lines too. */
export function findFurniture(lines: readonly PdfLine[], pageCount: number): boolean[] {
  const pages = readPages(lines);
  const found = new Set<number>();
  const counted = countedPages(lines);
  const recurring = recurringUntagged(lines);
  lines.forEach((line, index) => {
    if (line.cell !== null) return;
    const outer = isOuter(line);
    if (line.aside || line.slanted || RULE.test(line.text) || isStamp(line, outer)) found.add(index);
    // Writers mark running heads as artifacts; some mark whole pages, so the place has to agree.
    else if (outer && line.tag?.role === 'artifact' && (!isUntagged(line.tag) || recurring.has(foldDigits(line.text)))) found.add(index);
  });
  for (const index of repeatedLines(lines, pageCount)) found.add(index);
  for (const index of [...counted, ...linesAtOldBreaks(lines, pageCount, counted)]) found.add(index);
  for (const index of findEdgeLines(pages, found)) found.add(index);
  for (const index of changingHeads(pages, found)) found.add(index);
  return lines.map((_line, index) => found.has(index));
}

/** Words without a tag that two pages have, digits apart: the end of a paragraph on its second page has no tag either, but stands on one page. */
function recurringUntagged(lines: readonly PdfLine[]): ReadonlySet<string> {
  const pagesOf = new Map<string, Set<number>>();
  for (const line of lines) if (isUntagged(line.tag)) addTo(pagesOf, foldDigits(line.text), line.page);
  return new Set([...pagesOf].filter(([, pages]) => pages.size >= 2).map(([text]) => text));
}

function isOuter(line: PdfLine): boolean {
  const middle = (line.frame.y0 + line.frame.y1) / 2 / Math.max(1, line.frameHeight);
  return middle <= TOP_SHARE || middle >= BOTTOM_SHARE;
}

function foldDigits(text: string): string {
  return text
    .toLowerCase()
    .replace(/\d+/g, '#')
    .replace(/\b[ivxl]+$/, '#')
    .replace(/\s+/g, ' ');
}

/** "Schedule 1" and "Schedule 2" at the top of two pages are two headings: their numbers count. */
function wordsOf(text: string): string {
  const form = readLabel(text)?.readings[0]?.form;
  if (form !== undefined && /^\p{L}{2}|^\p{Lo}/u.test(form)) return text.toLowerCase();
  // In a sentence only a number at its end can be that of the page.
  return isSentence(text) ? text.toLowerCase().replace(/^\W*\d+|\d+\W*$/g, '#') : foldDigits(text);
}

function addTo(map: Map<string, Set<number>>, key: string, page: number): void {
  const pages = map.get(key);
  if (pages) pages.add(page);
  else map.set(key, new Set([page]));
}

/** The same words at the same height of several pages, in their outer parts. */
function repeatedLines(lines: readonly PdfLine[], pageCount: number): number[] {
  if (pageCount < 2) return [];
  const pagesOf = new Map<string, Set<number>>();
  const placed = lines.map((line) => (line.cell === null && isOuter(line) ? { text: wordsOf(line.text), step: Math.round(line.frame.y0 / PLACE_STEP) } : null));
  // A place counts for its neighbours too: lines shift by a point or two.
  placed.forEach((place, index) => {
    if (place) for (const shift of [-1, 0, 1]) addTo(pagesOf, `${place.text}@${place.step + shift}`, (lines[index] as PdfLine).page);
  });
  // Left and right pages may differ and a first page may be free of them: a fifth of the pages, at least two (three in long documents).
  const least = Math.max(pageCount > 6 ? 3 : 2, Math.ceil(pageCount * 0.2));
  return placed.flatMap((place, index) => (place && (pagesOf.get(`${place.text}@${place.step}`)?.size ?? 0) >= least ? [index] : []));
}

/** Feet and heads of an old page together have up to this many lines. */
const OLD_BREAK_LINES = 5;

/**
 * Web pages printed to PDF keep the foot of the old page in the middle of the new one: words that recur on a third of the pages beside old page numbers, or in
 * the outer parts. The number makes the place the break of an old page; the note under every table recurs too.
 */
function linesAtOldBreaks(lines: readonly PdfLine[], pageCount: number, counted: ReadonlySet<number>): number[] {
  const near = new Set<number>();
  lines.forEach((line, index) => {
    if (isOuter(line)) near.add(index);
    if (!counted.has(index) && !/^page\s*\d/i.test(line.text)) return;
    for (let other = index - OLD_BREAK_LINES; other <= index + OLD_BREAK_LINES; other++) if (lines[other]?.page === line.page) near.add(other);
  });
  // Figures of one length look alike when digits are folded, and so do the heads of numbered articles: other words have to agree.
  const isWords = ({ text, cell }: PdfLine): boolean =>
    cell === null && text.length >= 10 && text.length <= 160 && /\p{L}{3}/u.test(text) && readLabel(text) === null;
  const keys = [...near].flatMap((index) => (isWords(lines[index] as PdfLine) ? [{ index, key: foldDigits((lines[index] as PdfLine).text) }] : []));
  const pagesOf = new Map<string, Set<number>>();
  for (const { index, key } of keys) addTo(pagesOf, key, (lines[index] as PdfLine).page);
  const least = Math.max(5, pageCount / 3);
  return keys.filter(({ key }) => (pagesOf.get(key)?.size ?? 0) >= least).map(({ index }) => index);
}

/** Bare numbers that count up by one from page to page are its old page numbers. */
function countedPages(lines: readonly PdfLine[]): ReadonlySet<number> {
  const bare = lines.flatMap((line, index) => {
    const match = line.cell === null ? /^[-–—\s]*(\d{1,4})[-–—\s]*$/.exec(line.text) : null;
    return match ? [{ index, value: Number(match[1]), page: line.page }] : [];
  });
  const steps = new Set<number>();
  bare.forEach((entry, at) => {
    const next = bare[at + 1];
    // In a filing two old pages may share a new one.
    if (next && next.value === entry.value + 1 && next.page - entry.page <= 2) steps.add(entry.index).add(next.index);
  });
  const spread = new Set([...steps].map((index) => (lines[index] as PdfLine).page));
  return steps.size >= 4 && spread.size >= 0.6 * steps.size ? steps : new Set();
}

/** Places of this many points are one place. */
const SAME_PLACE = 3;

/** Running heads whose words change (the title of each chapter): the outermost line of most pages stands at one height, set apart from the text below. */
function changingHeads(pages: readonly PageLines[], found: ReadonlySet<number>): number[] {
  return (['top', 'foot'] as const).flatMap((edge) => {
    const outermost = pages.flatMap((page) => {
      const rest = page.lines.filter(({ index, line }) => !found.has(index) && line.turn === page.turn);
      const [entry, next] = edge === 'top' ? [rest[0], rest[1]] : [rest.at(-1), rest.at(-2)];
      if (!entry || !next || !isOuter(entry.line)) return [];
      const [upper, lower] = edge === 'top' ? [entry, next] : [next, entry];
      const place = `${Math.round(entry.line.frame.y0 / SAME_PLACE)} ${Math.round(entry.line.size)}`;
      return [{ index: entry.index, place, apart: lower.line.frame.y0 - upper.line.frame.y1 > 1.1 * page.size }];
    });
    const places = Map.groupBy(outermost, ({ place }) => place);
    return outermost.filter(({ place, apart }) => apart && isHeadPlace(places.get(place) ?? [], pages.length)).map(({ index }) => index);
  });
}

/** Most pages have a line there, and nearly all of those are set apart. */
function isHeadPlace(same: readonly { readonly apart: boolean }[], pageCount: number): boolean {
  return same.length >= 4 && same.length > 0.5 * pageCount && same.filter(({ apart }) => apart).length >= 0.8 * same.length;
}
