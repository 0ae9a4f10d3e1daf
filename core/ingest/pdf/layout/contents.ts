// Tables of contents of a PDF, found line by line before paragraphs are built: with or without leaders, under a title or not.
//
// Method: a run of short lines of which most end in page numbers that never fall. Its lines become furniture: their numbers repeat those of the clauses.
import { isContentsLine, isContentsTitle } from '../../labels.ts';
import type { PdfLine } from './lines.ts';

const PAGE_AT_END = /(?:^|[\s.…])(\d{1,4})$/;
/** Without a title it takes this many entries in a row: a table of amounts seldom rises so long. */
const UNTITLED_ENTRIES = 6;

/** One flag per line. */
export function findContents(lines: readonly PdfLine[]): boolean[] {
  const flags = lines.map((line) => isContentsLine(line.text));
  for (let start = 0; start < lines.length; start++) {
    const line = lines[start] as PdfLine;
    const titled = isContentsTitle(line.text);
    if (!titled && entryPage(line) === null) continue;
    const run = runFrom(lines, titled ? start + 1 : start);
    if (run.entries >= (titled ? 2 : UNTITLED_ENTRIES) && run.entries * 2 >= run.end - start) {
      flags.fill(true, start, run.end);
      start = run.end - 1;
    } else if (!titled) start = Math.max(start, run.end - 2);
  }
  return flags;
}

/** Page number that a short line ends in; null where it is no entry. */
function entryPage(line: PdfLine): number | null {
  if (line.text.length > 140 || line.axis !== 'x') return null;
  const match = PAGE_AT_END.exec(line.text);
  return match && /\p{L}{2}/u.test(line.text) ? Number(match[1]) : null;
}

/** Entries in a row; up to three lines between them may be wrapped titles, column heads or running heads. */
function runFrom(lines: readonly PdfLine[], from: number): { readonly end: number; readonly entries: number } {
  let end = from;
  let entries = 0;
  let last = 0;
  for (let index = from; index < lines.length && index - end < 4; index++) {
    const line = lines[index] as PdfLine;
    const page = entryPage(line);
    if (page === null || page < last || page > last + 400) continue;
    last = page;
    entries++;
    end = index + 1;
  }
  return { end, entries };
}
