// Runs of rows that may be a table: lines whose gaps lie over each other.
//
// Owns: which rows follow each other in a run, lines without columns between them, what rules add at its ends, captions and text that are no part of it.
// Leaves to tableEvidence.ts whether a run is a table.
import type { Box } from '../../../contract/document.ts';
import { boxOf } from '../text/glyphs.ts';
import type { Line, Rules } from './rules.ts';
import { isAligned } from './tableColumns.ts';
import { chunksOf, rowsOf, type Chunk, type TextRow, type Word } from './tableText.ts';

export interface ChunkRow {
  readonly row: TextRow;
  readonly chunks: readonly Chunk[];
}

/** Lines without columns (a title of a group, a wrapped label) that may stand between two rows of a run. */
const MOST_BETWEEN = 3;
/** Points: wrapped text begins where its cell begins. */
const COLUMN_START = 3;
/** White space between two rows of one table, in heights of a line. */
const WIDEST_STEP = 2.2;
/** The same where more than so many columns go on below. */
const FARTHEST_STEP = 5;
const MANY_COLUMNS = 4;
const CAPTION = /^(?:table|exhibit|tab\.|figure|表)\s?[A-Z]?[-.]?[\dIVX]+\b/i;
/** Lines of a running head and a caption above a table, and of a caption itself. */
const MOST_HEADING = 5;

/** Runs of at least two rows, from top to bottom, without captions and text around them. */
export function findRuns(words: readonly Word[], rules: Rules): (readonly ChunkRow[])[] {
  const rows = rowsOf(words).map((row): ChunkRow => ({ row, chunks: chunksOf(row.words) }));
  return runsOf(rows, rules)
    .flatMap((run) => splitAtHeaders(run, rules))
    .map((run) => trim(run, rules));
}

/** Tables one above the other under headers that begin alike: the header comes again, with a rule below it as the first time. */
function splitAtHeaders(run: readonly ChunkRow[], rules: Rules): (readonly ChunkRow[])[] {
  const labelOf = ({ chunks }: ChunkRow): string => (chunks.length > 1 ? (chunks[0]?.text ?? '') : '');
  const first = run.findIndex((entry) => labelOf(entry) !== '');
  const label = labelOf(run[first] as ChunkRow);
  const wide = wideRules(rules, boxOf(run.map((entry) => entry.row)));
  const isHeader = (entry: ChunkRow): boolean => labelOf(entry) === label && wide.some((rule) => Math.abs(rule.at - entry.row.y1) < entry.row.size);
  if (!/\p{L}{2}/u.test(label) || !isHeader(run[first] as ChunkRow)) return [run];
  const cuts = run.flatMap((entry, index) => (index > first + 1 && isHeader(entry) ? [headingStart(run, index, wide)] : []));
  return [0, ...cuts].map((from, index) => run.slice(from, cuts[index]));
}

/** Lines over a header belong to it up to a rule or a line with columns. */
function headingStart(run: readonly ChunkRow[], header: number, wide: readonly Line[]): number {
  let start = header;
  const isParted = (upper: ChunkRow, lower: ChunkRow): boolean => wide.some((rule) => rule.at > upper.row.y1 - 3 && rule.at < lower.row.y0 + 3);
  while (start > 0 && (run[start - 1] as ChunkRow).chunks.length < 2 && !isParted(run[start - 1] as ChunkRow, run[start] as ChunkRow)) start--;
  return start;
}

/** Rows that follow each other closely and have their gaps in common; lines between them included. */
function runsOf(rows: readonly ChunkRow[], rules: Rules): ChunkRow[][] {
  const runs: ChunkRow[][] = [];
  let run: ChunkRow[] = [];
  let between: ChunkRow[] = [];
  const isWrapped = (entry: ChunkRow): boolean => (run.at(-1)?.chunks.slice(1) ?? []).some((chunk) => Math.abs(chunk.x0 - entry.row.x0) < COLUMN_START);
  const close = (): void => {
    if (run.length >= 2) runs.push(withRuledEnds(run, rows, rules));
    run = [];
    between = [];
  };
  rows.forEach((entry, index) => {
    const last = between.at(-1) ?? run.at(-1);
    const step = last === undefined ? 0 : (entry.row.y0 - last.row.y1) / Math.max(entry.row.size, last.row.size);
    const loose = between.filter((line) => !isWrapped(line)).length;
    if (step > FARTHEST_STEP || loose > MOST_BETWEEN) close();
    if (entry.chunks.length < 2) {
      if (run.length > 0) between.push(entry);
      return;
    }
    const far = step > WIDEST_STEP || between.some((line, at) => at > 0 && line.row.y0 - (between[at - 1] as ChunkRow).row.y1 > WIDEST_STEP * line.row.size);
    const fits = far
      ? isManifold(run, entry)
      : run.length === 0 || alignsWith(run, entry) || rows.slice(index + 1, index + 3).some((next) => alignsWith(run, next));
    if (!fits) close();
    run.push(...between, entry);
    between = [];
  });
  close();
  return runs;
}

/** The last few rows: one of them may be a header or a total with other gaps. */
function alignsWith(run: readonly ChunkRow[], entry: ChunkRow): boolean {
  return run.slice(-3).some((above) => isAligned(above.chunks, entry.chunks));
}

/** Many columns that stand under each other are one table over wide white space too. */
function isManifold(run: readonly ChunkRow[], entry: ChunkRow): boolean {
  return entry.chunks.length > MANY_COLUMNS && run.slice(-2).some((above) => above.chunks.length > MANY_COLUMNS && isAligned(above.chunks, entry.chunks));
}

/** Lines between the run and a rule that closes it above or below: headers over several columns, totals, notes inside the frame. */
function withRuledEnds(run: readonly ChunkRow[], rows: readonly ChunkRow[], rules: Rules): ChunkRow[] {
  const box = boxOf(run.map((entry) => entry.row));
  const [first, last] = [rows.indexOf(run[0] as ChunkRow), rows.indexOf(run.at(-1) as ChunkRow)];
  const wide = wideRules(rules, box);
  const reachUp = run[0] as ChunkRow;
  let start = first;
  for (let at = first - 1; at >= 0 && at >= first - 5; at--) {
    const entry = rows[at] as ChunkRow;
    if (entry.row.x0 < box.x0 - 12 || entry.row.x1 > box.x1 + 12) break;
    if (
      wide.some((rule) => rule.at > entry.row.y1 - 2 && rule.at < reachUp.row.y0 + 2) &&
      !wide.some((rule) => rule.at < entry.row.y0 + 2 && rule.at > entry.row.y0 - 3 * entry.row.size)
    )
      break;
    if (wide.some((rule) => rule.at <= entry.row.y0 + 2 && rule.at > entry.row.y0 - 1.5 * entry.row.size)) {
      start = at;
      break;
    }
  }
  return rows.slice(start, last + 1 + wrappedLines(rows.slice(last)));
}

/** Lines below a row that go on with the text of one of its cells; a label in the first column begins something else. */
function wrappedLines([row, ...below]: readonly ChunkRow[]): number {
  let [count, bottom] = [0, row?.row.y1 ?? 0];
  for (const { row: line, chunks } of below) {
    const wrapped = chunks.length === 1 && (row?.chunks.slice(1) ?? []).some((chunk) => Math.abs(chunk.x0 - line.x0) < COLUMN_START);
    if (!wrapped || line.y0 - bottom > 0.6 * line.size) break;
    bottom = line.y1;
    count++;
  }
  return count;
}

/** Without a caption whose number stands apart, and without the columns of text that follow below the rule that closes a table. */
function trim(run: readonly ChunkRow[], rules: Rules): readonly ChunkRow[] {
  if (run.length < 3) return run;
  const box = boxOf(run.map((entry) => entry.row));
  const wide = wideRules(rules, box).map((rule) => rule.at);
  const below = (at: number): number => run.findIndex((entry) => entry.row.y0 > at - 3);
  const caption = run.slice(0, MOST_HEADING).findLastIndex((entry) => CAPTION.test(textOf(entry)));
  const rule = caption < 0 ? undefined : wide.map(below).find((index) => index > caption && index <= caption + MOST_HEADING);
  const start = rule ?? caption + 1;
  const starts = [...wide.map(below).filter((index) => index > start + 1), run.length];
  const end = starts.find((index, at) => isRunningText(run.slice(index, starts[at + 1]), box.x0) && !isWordy(run.slice(start, index)));
  return run.slice(start, end);
}

/** Four lines or more of sentences that begin at the margin. The text of a table begins there only with a label. */
function isRunningText(rows: readonly ChunkRow[], margin: number): boolean {
  return rows.length >= 4 && isWordy(rows) && rows.filter((entry) => entry.row.x0 < margin + COLUMN_START).length >= 0.7 * rows.length;
}

/** Rules, and edges of shaded rows, that cover most of a box's width. */
export function wideRules(rules: Rules, box: Box): Line[] {
  const width = box.x1 - box.x0;
  return [...rules.horizontal, ...rules.edges].filter((rule) => Math.min(rule.to, box.x1) - Math.max(rule.from, box.x0) >= 0.6 * width);
}

export function textOf(entry: ChunkRow): string {
  return entry.row.words.map((word) => word.text).join(' ');
}

/** Chunks of running text: sentences, not values. */
export function isWordy(rows: readonly ChunkRow[]): boolean {
  const chunks = rows.flatMap((entry) => entry.chunks);
  if (chunks.length === 0) return false;
  const counts = chunks.map((chunk) => chunk.words.length).sort((a, b) => a - b);
  return (counts[counts.length >> 1] as number) >= 4 && chunks.filter((chunk) => chunk.numeric).length < 0.2 * chunks.length;
}
