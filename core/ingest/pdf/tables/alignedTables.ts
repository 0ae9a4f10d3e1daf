// Tables whose columns are made by white space, with horizontal rules, shades or nothing at all around them.
//
// Owns: the way from a run of rows to a table, columns of prose beside each other and beside a table, tables side by side.
// Leaves runs to tableRuns.ts, the decision to tableEvidence.ts, rows and cells to tableRows.ts.
import type { Box } from '../../../contract/document.ts';
import { boxOf } from '../text/glyphs.ts';
import type { Line, Rules } from './rules.ts';
import { columnsOf, type Band } from './tableColumns.ts';
import { isTable, MOST_LINES } from './tableEvidence.ts';
import { rowTable, type RowedTable } from './tableRows.ts';
import { findRuns, wideRules, type ChunkRow } from './tableRuns.ts';
import { isNumeric, type Word } from './tableText.ts';

export interface DraftTable extends RowedTable {
  readonly box: Box;
  readonly columns: number;
  readonly bands: readonly Band[];
  readonly ruled: boolean;
}

/** Points: narrower than this are a fraction with its indexes and a column of a form. */
const LEAST_WIDTH = 60;

/** `depth` counts the gutters that the words have been parted at. */
export function findAligned(words: readonly Word[], rules: Rules, depth = 0): DraftTable[] {
  return findRuns(words, rules).flatMap((run) => {
    const bands = columnsOf(run.filter((entry) => entry.chunks.length > 1).map((entry) => entry.chunks));
    if (bands.length < 2) return [];
    const gutter = depth < 4 ? partingGutter(run, bands, rules) : null;
    if (gutter !== null) {
      const inside = run.flatMap((entry) => entry.row.words);
      const sides = [inside.filter((word) => word.x1 <= gutter), inside.filter((word) => word.x1 > gutter)];
      return sides.flatMap((words) => findAligned(words, rules, depth + 1));
    }
    const table = tableOf(run, bands, rules);
    return table ? [table] : [];
  });
}

/** x of a gutter between columns of prose, or between two tables side by side; null where the run is one thing. */
function partingGutter(run: readonly ChunkRow[], bands: readonly Band[], rules: Rules): number | null {
  const box = boxOf(run.map((entry) => entry.row));
  const near = rules.horizontal.filter((rule) => rule.at > box.y0 - 14 && rule.at < box.y1 + 14);
  for (let index = 1; index < bands.length; index++) {
    const [left, right] = [(bands[index - 1] as Band).x1, (bands[index] as Band).x0];
    const x = (left + right) / 2;
    const crossing = near.filter((rule) => rule.from < x && rule.to > x).length;
    const sides = [(word: Word) => word.x1 <= x, (word: Word) => word.x1 > x].map((belongs) => proseOf(run, belongs));
    // Rules through the gutter make rows of what stands beside it, unless columns of text run on for many lines between them.
    const rowed = crossing >= 3 && run.length < MOST_LINES * crossing;
    if (!rowed && sides.every((side) => side >= 1)) return x;
    if (crossing === 0 && sides.some((side) => side >= 2)) return x;
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
  if (box.x1 - box.x0 < LEAST_WIDTH || !isTable(run, bands, ruled)) return null;
  const rowed = rowTable({ lines: run, bands, rules: inside });
  return { ...rowed, box, columns: bands.length, bands, ruled: ruled >= 2 };
}
