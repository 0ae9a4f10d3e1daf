// Footnotes of a page, found before paragraphs are made: the small lines with marks at the foot of a page or of a column.
//
// Evidence: a mark at the start, and either a smaller size than the text of the page, a rule above (drawn or typed), or the tag of a note. A note that the last
// page left unfinished goes on above the first mark of the next. notes.ts ties the notes to their marks in the text.
// Rule: without a mark at its beginning nothing is a footnote, whatever its size; captions and conditions are small too.
import type { Page } from '../../../contract/document.ts';
import { readPages, type PageLines } from './edges.ts';
import type { PdfLine } from './lines.ts';
import { rulesOf, type Rule, type Vector } from '../text/vectors.ts';

/** How a note begins; the mark is group 1. A plain number needs a word after it and nothing that makes it a clause number. */
export const NOTE_MARK = /^((?:[⁰¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\]|\d{1,3}(?=\s+["“‘'(]?[\p{L}§])))\s*(?=\S)/u;
/** Footnotes are set at 75 to 90 % of the text. */
const SMALLER = 0.94;

export interface Footnotes {
  /** Each the lines of one note, in order. */
  readonly notes: readonly (readonly PdfLine[])[];
  readonly rest: readonly PdfLine[];
}

/** `lines` without furniture, in reading order. */
export function splitFootnotes(lines: readonly PdfLine[], pages: readonly { readonly page: Page; readonly vectors: readonly Vector[] }[]): Footnotes {
  const notes: PdfLine[][] = [];
  const taken = new Set<PdfLine>();
  for (const page of readPages(lines)) {
    const number = (page.lines[0] as { line: PdfLine }).line.page;
    const rules = separatorsOf(pages[number]?.vectors ?? [], pages[number]?.page.width ?? 0);
    let open = notes.at(-1)?.at(-1)?.page === number - 1 ? notes.at(-1) : undefined;
    for (const column of columnsOf(page)) {
      for (const line of tailOf(column, page, rules, open)) {
        taken.add(line);
        const last = notes.at(-1);
        if (beginsNote(line, last, open !== undefined)) notes.push([line]);
        else last?.push(line);
        open = undefined;
      }
    }
  }
  return { notes, rest: taken.size === 0 ? lines : lines.filter((line) => !taken.has(line)) };
}

/** Lines of the page's main way of writing by region, each from top to foot. */
function columnsOf(page: PageLines): PdfLine[][] {
  const columns = new Map<number, PdfLine[]>();
  for (const { line } of page.lines) {
    if (line.turn !== page.turn) continue;
    const column = columns.get(line.region);
    if (column) column.push(line);
    else columns.set(line.region, [line]);
  }
  return [...columns.values()];
}

/** Short horizontal rules: what separates notes is a fifth to a half of the text's width, a rule of a table or a head is all of it. */
function separatorsOf(vectors: readonly Vector[], width: number): readonly Rule[] {
  return rulesOf(vectors).filter((rule) => rule.horizontal && rule.to - rule.from > 0.06 * width && rule.to - rule.from < 0.45 * width);
}

/** The notes at the end of a column: from the first mark (or the rest of a note of the last page) to the last line. */
function tailOf(column: readonly PdfLine[], page: PageLines, rules: readonly Rule[], open: readonly PdfLine[] | undefined): readonly PdfLine[] {
  const small = (line: PdfLine): boolean => line.size < SMALLER * page.size || line.tag?.role === 'note';
  let start = column.length;
  while (start > 0 && small(column[start - 1] as PdfLine)) start--;
  // Notes as large as the text need a rule above them.
  const left = Math.min(...column.map((line) => line.frame.x0));
  const ruled = column.findIndex((line, index) => index > 0 && isSeparated(column[index - 1] as PdfLine, line, { page, rules, left }));
  if (ruled >= 0 && column.slice(ruled).every((line) => line.size <= 1.02 * page.size)) start = Math.min(start, ruled);
  const tail = column.slice(start);
  const first = tail.findIndex((line) => NOTE_MARK.test(line.text));
  const head = tail[0];
  // Notes fill less than two thirds of a page; small text that begins higher is a page set small.
  if (head === undefined || head.frame.y0 < 0.33 * page.height) return [];
  if (open !== undefined && isUnfinished(open) && first !== 0 && (ruled >= 0 || first > 0)) return tail;
  if (first < 0) return [];
  const notes = tail.slice(first);
  const above = column[column.length - notes.length - 1];
  const plain = /^\d/.test((notes[0] as PdfLine).text);
  // A plain number also begins a clause or a row: it counts only where the text above it is larger or a rule is drawn.
  if (plain && !(ruled >= 0 || (above !== undefined && !small(above)))) return [];
  return notes;
}

/** A rule, or a line of underscores, stands in the white between two lines. */
function isSeparated(
  upper: PdfLine,
  lower: PdfLine,
  { page, rules, left }: { readonly page: PageLines; readonly rules: readonly Rule[]; readonly left: number },
): boolean {
  if (/^_{8,}$/.test(upper.text) && upper.frame.x1 - upper.frame.x0 < 0.45 * page.height) return true;
  if (page.turn !== 'right' || !NOTE_MARK.test(lower.text)) return false;
  return rules.some(
    (rule) => rule.at > upper.frame.y1 - 0.3 * upper.size && rule.at < lower.frame.y0 + 0.3 * lower.size && Math.abs(rule.from - left) < 1.5 * page.size,
  );
}

function isUnfinished(note: readonly PdfLine[]): boolean {
  return !/[.!?。；;]["”’')]*$/.test((note.at(-1) as PdfLine).text);
}

/** The next number, or a sign. Without the order a number at a line's start ("1 January") would begin a note. */
function beginsNote(line: PdfLine, last: readonly PdfLine[] | undefined, open: boolean): boolean {
  const mark = markOf(line.text);
  if (mark === null) return last === undefined;
  const value = Number(mark);
  if (Number.isNaN(value) || last === undefined) return true;
  const before = Number(markOf((last[0] as PdfLine).text) ?? Number.NaN);
  if (Number.isNaN(before) || value === before + 1) return true;
  // Numbers may start again on each page, and the first note of a page may be far from the last one read.
  return !open && (last.at(-1) as PdfLine).page !== line.page;
}

/** The mark that a note begins with, superscripts and brackets opened: "12", "*". */
export function markOf(text: string): string | null {
  const mark = NOTE_MARK.exec(text)?.[1];
  return mark === undefined ? null : plainMark(mark);
}

export function plainMark(mark: string): string {
  return mark.normalize('NFKC').replace(/[[\]]/g, '');
}
