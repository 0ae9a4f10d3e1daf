// Tables whose columns are made by white space, with horizontal rules, shades or nothing at all around them.
//
// Owns: runs of lines whose gaps lie over each other, what rules add to them, columns of prose that are no table, tables side by side, and the decision
// that a run is a table. Rule: without rules a table needs numbers or three aligned columns; prose, contents, lists and signatures are never one.
import type { Box } from '../../contract/document.ts';
import { columnsOf, isAligned, type Band } from './tableColumns.ts';
import { boxOf } from './glyphs.ts';
import type { Line, Rules } from './rules.ts';
import { rowTable, type RowedTable } from './tableRows.ts';
import { chunksOf, isListMark, isNumeric, rowsOf, type Chunk, type TextRow, type Word } from './tableText.ts';

export interface DraftTable extends RowedTable {
  readonly box: Box;
  readonly columns: number;
  readonly bands: readonly Band[];
  readonly ruled: boolean;
}

interface ChunkRow {
  readonly row: TextRow;
  readonly chunks: readonly Chunk[];
}

/** Lines without columns (a title of a group, a wrapped label) that may stand between two rows of a run. */
const MOST_BETWEEN = 3;
/** White space between two rows of one table, in heights of a line. */
const WIDEST_STEP = 2.2;
/** The same where more than so many columns go on below. */
const FARTHEST_STEP = 5;
const MANY_COLUMNS = 4;

export function findAligned(words: readonly Word[], rules: Rules, walls: readonly number[] = [], depth = 0): DraftTable[] {
  const rows = rowsOf(words).map((row): ChunkRow => ({ row, chunks: chunksOf(row.words) }));
  return runsOf(rows, rules).flatMap((found) => {
    const run = trim(found, rules);
    const bands = columnsOf(
      run.filter((entry) => entry.chunks.length > 1).map((entry) => entry.chunks),
      walls,
    );
    if (bands.length < 2) return [];
    const gutter = depth < 4 ? partingGutter(run, bands, rules) : null;
    if (gutter !== null) {
      const inside = run.flatMap((entry) => entry.row.words);
      const left = inside.filter((word) => word.x1 <= gutter);
      return [
        ...findAligned(left, rules, walls, depth + 1),
        ...findAligned(
          inside.filter((word) => !left.includes(word)),
          rules,
          walls,
          depth + 1,
        ),
      ];
    }
    const table = tableOf(run, bands, rules);
    return table ? [table] : [];
  });
}

/** Rows that follow each other closely and have their gaps in common; lines between them included. */
function runsOf(rows: readonly ChunkRow[], rules: Rules): ChunkRow[][] {
  const runs: ChunkRow[][] = [];
  let run: ChunkRow[] = [];
  let between: ChunkRow[] = [];
  const close = (): void => {
    if (run.length >= 2) runs.push(withRuledEnds(run, rows, rules));
    run = [];
    between = [];
  };
  rows.forEach((entry, index) => {
    const last = between.at(-1) ?? run.at(-1);
    const step = last === undefined ? 0 : (entry.row.y0 - last.row.y1) / Math.max(entry.row.size, last.row.size);
    if (step > FARTHEST_STEP || between.length > MOST_BETWEEN) close();
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
  return rows.slice(start, last + 1);
}

const CAPTION = /^(?:table|exhibit|tab\.|figure|表)\s?[A-Z]?[-.]?[\dIVX]+\b/i;

/** Lines of a running head and a caption above a table, and of a caption itself. */
const MOST_HEADING = 5;

/** Without a caption whose number stands apart, and without the columns of text that follow below the rule that closes a table. */
function trim(run: readonly ChunkRow[], rules: Rules): readonly ChunkRow[] {
  if (run.length < 3) return run;
  const box = boxOf(run.map((entry) => entry.row));
  const wide = wideRules(rules, box).map((rule) => rule.at);
  const below = (at: number): number => run.findIndex((entry) => entry.row.y0 > at - 3);
  const caption = run.slice(0, MOST_HEADING).findLastIndex((entry) => CAPTION.test(textOf(entry)));
  const rule = caption < 0 ? undefined : wide.map(below).find((index) => index > caption && index <= caption + MOST_HEADING);
  const start = rule ?? caption + 1;
  const end = wide.map(below).find((index) => index > start + 1 && isWordy(run.slice(index)) && !isWordy(run.slice(start, index)));
  return run.slice(start, end);
}

function textOf(entry: ChunkRow): string {
  return entry.row.words.map((word) => word.text).join(' ');
}

/** Chunks of running text: sentences, not values. */
function isWordy(rows: readonly ChunkRow[]): boolean {
  const chunks = rows.flatMap((entry) => entry.chunks);
  if (chunks.length === 0) return false;
  const counts = chunks.map((chunk) => chunk.words.length).sort((a, b) => a - b);
  return (counts[counts.length >> 1] as number) >= 4 && chunks.filter((chunk) => chunk.numeric).length < 0.2 * chunks.length;
}

/** Rules, and edges of shaded rows, that cover most of a box's width. */
function wideRules(rules: Rules, box: Box): Line[] {
  const width = box.x1 - box.x0;
  return [...rules.horizontal, ...rules.edges].filter((rule) => Math.min(rule.to, box.x1) - Math.max(rule.from, box.x0) >= 0.6 * width);
}

/** x of a gutter between columns of prose, or between two tables side by side; null where the run is one thing. */
function partingGutter(run: readonly ChunkRow[], bands: readonly Band[], rules: Rules): number | null {
  const box = boxOf(run.map((entry) => entry.row));
  const near = rules.horizontal.filter((rule) => rule.at > box.y0 - 14 && rule.at < box.y1 + 14);
  for (let index = 1; index < bands.length; index++) {
    const [left, right] = [(bands[index - 1] as Band).x1, (bands[index] as Band).x0];
    const x = (left + right) / 2;
    const crossing = near.filter((rule) => rule.from < x && rule.to > x).length;
    if (crossing >= 3) continue;
    const sides = [(word: Word) => word.x1 <= x, (word: Word) => word.x1 > x].map((belongs) => proseOf(run, belongs));
    if (sides.every((side) => side >= 1) || (sides.some((side) => side >= 2) && crossing === 0)) return x;
    if (crossing === 0 && index > 1 && index < bands.length - 1) {
      const apart = [near.filter((rule) => rule.to < x), near.filter((rule) => rule.from > x)];
      const wide = [left - box.x0, box.x1 - right];
      if (apart.every((side, at) => side.filter((rule) => rule.to - rule.from > 0.6 * (wide[at] as number)).length >= 2)) return x;
    }
  }
  return null;
}

/** 2 where one side of a gutter is plainly running text, 1 where it may be, 0 where it is not. */
function proseOf(run: readonly ChunkRow[], belongs: (word: Word) => boolean): 0 | 1 | 2 {
  const lines = run.map((entry) => entry.row.words.filter(belongs)).filter((words) => words.length > 0);
  if (lines.length < 4) return 0;
  const bounds = boxOf(lines.flat());
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const counts = middle(lines.map((words) => words.length));
  // A word space counts with its word.
  const fill = middle(lines.map((words) => words.reduce((sum, word) => sum + word.x1 - word.x0 + 0.28 * word.size, 0) / (bounds.x1 - bounds.x0)));
  const words = lines.flat();
  const numbers = words.filter((word) => isNumeric(word.text)).length / words.length;
  if (bounds.x1 - bounds.x0 < 72 || numbers > 0.25 || counts < 4 || fill < 0.6) return 0;
  return lines.length >= 8 && fill > 0.75 && counts >= 6 && numbers < 0.15 ? 2 : 1;
}

function tableOf(run: readonly ChunkRow[], bands: readonly Band[], rules: Rules): DraftTable | null {
  const box = boxOf(run.map((entry) => entry.row));
  const size = (run[0] as ChunkRow).row.size;
  const near = (rule: Line): boolean => rule.at > box.y0 - 1.5 * size && rule.at < box.y1 + 1.5 * size;
  const closing = wideRules(rules, box).filter(near);
  const drawn = rules.horizontal.filter((rule) => near(rule) && rule.from < box.x1 && rule.to > box.x0);
  // Where rules are drawn, stripes only please the eye.
  const inside = drawn.length >= 2 ? drawn : [...drawn, ...closing];
  const ruled = new Set(closing.map((rule) => Math.round(rule.at / 4))).size;
  if (!isTable(run, bands, ruled)) return null;
  const rowed = rowTable({ lines: run, bands, rules: inside });
  return { ...rowed, box, columns: bands.length, bands, ruled: ruled >= 2 };
}

/** Share of the cells that an unruled table fills: sparse ones in financial reports fill half. */
const FILLED = 0.4;
const FILLED_RULED = 0.3;
/** Brackets and operators that stand alone: a formula with its indexes, not a table. */
const SIGNS = /^[^\p{L}\p{N}—–\-*✓✔□☐☒%$€£¥•●]+$/u;
const FORMULA_SIGNS = 0.1;
const LEADER = /\.{4}|…{2}|(?:\. ){3}|·{4}/;
const SIGNATURE = /(?:^|\s)(?:by|name|title|date|signature|signed|its|witness|签字|签章|盖章|日期)\s*[:：]|_{5,}/i;

function isTable(run: readonly ChunkRow[], bands: readonly Band[], ruled: number): boolean {
  const rows = run.filter((entry) => entry.chunks.length > 1);
  const texts = rows.map(textOf);
  if (rows.filter((entry) => isLed(entry)).length > (ruled >= 2 ? 0.34 : 0.2) * rows.length) return false;
  if (texts.filter((text) => SIGNATURE.test(text)).length * 3 > texts.length) return false;
  const first = bands[0] as Band;
  const labels = rows.map((entry) => entry.chunks[0] as Chunk).filter((chunk) => chunk.x1 <= first.x1 + 1);
  const listed = labels.filter((chunk) => isListMark(chunk.text)).length;
  const chunks = rows.flatMap((entry) => entry.chunks);
  if (chunks.filter((chunk) => SIGNS.test(chunk.text)).length > FORMULA_SIGNS * chunks.length) return false;
  if (bands.length === 2 && listed * 2 > labels.length) return false;
  const values = valuesIn(rows, first);
  const numeric = numericIn(rows, first);
  const words = values.map((chunk) => chunk.words.length).sort((a, b) => a - b);
  const short = (words[words.length >> 1] ?? 0) <= 5;
  if (ruled < 3 && isPageList(rows)) return false;
  // Scattered labels of a drawing line up too, but leave most places of their rows empty.
  const share = (values.length + labels.length) / (rows.length * bands.length);
  if (share < (ruled >= 2 ? FILLED_RULED : FILLED)) return false;
  if (ruled >= 2) return rows.length >= 2 && (numeric >= 0.3 || (short && bands.length >= 3) || ruled >= 3);
  // Of two columns the second must be values nearly throughout: a formula, an address and its number have some too.
  if (bands.length === 2 ? numericIn(rows.slice(1), first) >= 0.7 : numeric >= 0.5) return rows.length >= 3;
  return rows.length >= 4 && bands.length >= 3 && short && numeric >= 0.2 && listed * 2 <= labels.length;
}

/** Chunks beside the first column. */
function valuesIn(rows: readonly ChunkRow[], first: Band): Chunk[] {
  return rows.flatMap((entry) => entry.chunks.filter((chunk) => chunk.x0 > first.x1 - 1));
}

function numericIn(rows: readonly ChunkRow[], first: Band): number {
  const values = valuesIn(rows, first);
  return values.filter((chunk) => chunk.numeric).length / Math.max(1, values.length);
}

/** An entry of contents: dots that lead to one number. Dots before several numbers fill the label column of a table. */
function isLed(entry: ChunkRow): boolean {
  return (
    LEADER.test(textOf(entry)) &&
    entry.chunks.filter((chunk) => isNumeric(chunk.text)).length <= 2 &&
    !entry.chunks.slice(-2, -1).some((chunk) => /\d/.test(chunk.text))
  );
}

/** Contents without leaders: each row ends in its only number, and the numbers never fall. */
function isPageList(rows: readonly ChunkRow[]): boolean {
  const entries = rows.filter((entry) => /^\d{1,4}$/.test((entry.chunks.at(-1) as Chunk).text) && entry.chunks.slice(1, -1).every((chunk) => !chunk.numeric));
  if (entries.length < 3 || entries.length < 0.7 * rows.length) return false;
  const pages = entries.map((entry) => Number((entry.chunks.at(-1) as Chunk).text));
  return pages.filter((page, index) => index > 0 && page < (pages[index - 1] as number)).length <= 0.1 * pages.length;
}
