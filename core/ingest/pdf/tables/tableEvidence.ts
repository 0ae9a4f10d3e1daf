// Whether a run of aligned rows is a table.
//
// Rule: without rules a table needs numbers or three aligned columns; prose, contents, lists, formulas and signatures are never one.
import { SIGNATURE_LABELS } from '../../titles.ts';
import type { Band } from './tableColumns.ts';
import { isWordy, textOf, type ChunkRow } from './tableRuns.ts';
import { isListMark, isNumeric, type Chunk } from './tableText.ts';

/** Lines of the longest cells of a row. */
export const MOST_LINES = 8;
/** Share of the cells that an unruled table fills: sparse ones in financial reports fill half. */
const FILLED = 0.4;
const FILLED_RULED = 0.3;
/** Brackets and operators that stand alone: a formula with its indexes, not a table. */
const SIGNS = /^[^\p{L}\p{N}—–\-*✓✔□☐☒%$€£¥•●]+$/u;
const FORMULA_SIGNS = 0.1;
const LEADER = /\.{4}|…{2}|(?:\. ){3}|·{4}/;
const SIGNATURE = new RegExp(String.raw`(?:^|\s)(?:${SIGNATURE_LABELS})\s*[:：]|_{5,}`, 'i');

export function isTable(run: readonly ChunkRow[], bands: readonly Band[], ruled: number): boolean {
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
  // Cells of sentences make a table when rules part its rows.
  if (isWordy(rows)) return ruled >= 3 && run.length < MOST_LINES * ruled && bands.length * rows.length <= 2 * values.length + 2 * labels.length;
  if (ruled >= 2) return rows.length >= (ruled === 2 ? 3 : 2) && (numeric >= 0.3 || (short && bands.length >= 3) || ruled >= 3);
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
