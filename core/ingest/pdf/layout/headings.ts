// What kind of block a group of lines is: heading, caption, signature line, list item, paragraph.
//
// Evidence for a heading, strongest first: the outline names it, a tag says so, it is larger than the text, bold, or in capitals; in every case it is short and
// no sentence. Leaves the clause tree to core/structure. Rule: evidence of looks never makes a heading of a sentence; the outline may.
import type { Block } from '../../../contract/document.ts';
import { readLabel } from '../../labels.ts';
import type { OutlineEntry } from '../../raw.ts';
import { isSentence, isSignatureLine, isTitleCase } from '../../titles.ts';
import type { PdfLine } from './lines.ts';

export interface Kind {
  readonly kind: Block['kind'];
  /** Depth that the outline or a tag declares for a heading. */
  readonly level: number | null;
}

/** "Table 4: ..." or "Figure 2. ..."; "Table 1 shows" goes on in lower case and is text. */
const CAPTION =
  /^(?:table|figure|fig\.|chart|listing|tabelle|abbildung|abb\.|图|表)\s?(?:\d{1,3}|[IVX]{1,5}|[A-Z])(?:[.-]\d{1,3})?(?:\s*(?<sign>[:.–—|：])(?=\s|$)|\s+(?=[\p{Lu}\p{Lo}“"(])|$)/iu;
/** Bold words much smaller than the text are labels of drawings and logos. */
const LEAST_HEADING = 0.8;
/** Forms of numbers that name a part of a document by a word. */
const SECTIONS: ReadonlySet<string> = new Set(['article', 'section', 'part', 'chapter', 'clause', 'schedule', '编', '章', '节']);
/** A tag is believed on blocks of a heading's length only: some writers tag whole pages as headings. */
const TAGGED_LENGTH = 160;

export class KindReader {
  private readonly outline: ReadonlyMap<string, readonly OutlineEntry[]>;
  private readonly bodySize: number;
  private readonly believesTags: boolean;

  constructor(lines: readonly PdfLine[], outline: readonly OutlineEntry[]) {
    this.outline = Map.groupBy(outline, (entry) => foldTitle(entry.title));
    this.bodySize = bodySizeOf(lines);
    this.believesTags = areSane(lines);
  }

  kindOf(text: string, lines: readonly PdfLine[], bulleted: boolean): Kind {
    const first = lines[0] as PdfLine;
    const label = readLabel(text);
    const rest = label?.rest ?? 0;
    const entry = this.outlineOf(text, rest, first.page);
    if (entry) return { kind: 'heading', level: entry.depth };
    if (isSignatureLine(text)) return { kind: 'signature', level: null };
    const tag = this.believesTags ? first.tag : null;
    if (tag?.role === 'caption' || isCaption(text)) return { kind: 'caption', level: null };
    if (tag?.role === 'heading' && text.length <= TAGGED_LENGTH && !/[.;,]$/.test(text)) return { kind: 'heading', level: tag.level };
    if (first.size > LEAST_HEADING * this.bodySize && (isTitle(text, lines, this.bodySize) || isHeading(text, rest, lines, first.size > 1.12 * this.bodySize)))
      return { kind: 'heading', level: null };
    if (bulleted || isListNumber(label?.number)) return { kind: 'listItem', level: null };
    return { kind: 'paragraph', level: null };
  }

  /** The entry of that title that points at this page or beside it: a bookmark may name the end of the page before. */
  private outlineOf(text: string, rest: number, page: number): OutlineEntry | undefined {
    if (text.length > 200 || this.outline.size === 0) return undefined;
    const entries = this.outline.get(foldTitle(text)) ?? (rest > 0 ? this.outline.get(foldTitle(text.slice(rest))) : undefined);
    return entries?.find((entry) => entry.page === null || Math.abs(entry.page - page) <= 1);
  }
}

/** Size of most characters. */
function bodySizeOf(lines: readonly PdfLine[]): number {
  const weights = new Map<number, number>();
  for (const line of lines) weights.set(line.size, (weights.get(line.size) ?? 0) + line.text.length);
  return [...weights].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Headings are a small part of any text: writers that tag by looks (every bold word a heading) are not believed. */
function areSane(lines: readonly PdfLine[]): boolean {
  let all = 0;
  let headed = 0;
  for (const { text, tag } of lines) {
    all += text.length;
    if (tag?.role === 'heading') headed += text.length;
  }
  return headed < 0.3 * all;
}

function foldTitle(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function isCaption(text: string): boolean {
  const match = CAPTION.exec(text);
  if (!match) return false;
  return match.groups?.['sign'] !== undefined || !isSentence(text.slice(match[0].length, 120));
}

function isListNumber(number: string | undefined): boolean {
  return number !== undefined && /^[(（]|[)）]$/.test(number);
}

/** Set at least a third larger than the text, a few lines at most: a title, even if it is built like a sentence. */
function isTitle(text: string, lines: readonly PdfLine[], bodySize: number): boolean {
  return lines.length <= 4 && text.length <= 200 && /\p{L}{3}/u.test(text) && !/[.,;:，；。]$/.test(text) && lines.every((line) => line.size > 1.33 * bodySize);
}

function isHeading(text: string, rest: number, lines: readonly PdfLine[], large: boolean): boolean {
  const title = text.slice(rest);
  const words = title.split(' ').length;
  if (words > 14 || title.length > 110 || !/\p{L}{2}/u.test(text) || /[,;:，；]$/.test(title)) return false;
  if (/[_…]{3}|\.{4}/.test(title) || isSentence(title)) return false;
  const bold = lines.every((line) => line.bold);
  const capitals = title === title.toUpperCase() && /\p{Lu}{3}/u.test(title);
  if (large) return !/[.。]$/.test(title) || bold;
  if (lines.length === 1 && isNumberedTitle(text, title)) return true;
  if (bold || (rest > 0 && title !== '' && lines.length === 1 && (lines[0] as PdfLine).bold)) return lines.length <= 3;
  return capitals && lines.length <= 3;
}

/** "5.4.8 Calculation of a Criterion": a number of two levels or a word for a part, and a title beside it. One level and brackets number lists too. */
function isNumberedTitle(text: string, title: string): boolean {
  const reading = readLabel(text)?.readings[0];
  const isSection = reading !== undefined && (reading.form === '1' ? reading.values.length > 1 : SECTIONS.has(reading.form));
  return isSection && title !== '' && !/[.。]$/.test(title) && isTitleCase(title.split(' '));
}
