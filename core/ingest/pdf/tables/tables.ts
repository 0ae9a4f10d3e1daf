// Tables of a page: segments and vectors -> tables with the lines of their cells, and the segments that belong to none.
//
// Owns: the order of methods (crossing rules first, white space on what is left), pages whose text is turned, cells as lines, the place of a table among
// the lines of its page. Leaves tables over page breaks and blocks to tableBlocks.ts.
// Rule: every glyph is either in exactly one cell or in `rest`.
import type { Box } from '../../../contract/document.ts';
import { findAligned, type DraftTable } from './alignedTables.ts';
import type { CellMark, PageTable } from '../layout/cellMark.ts';
import { segmentsIn, toFrame, toPage, type Frame, type Turn } from '../layout/frames.ts';
import type { Segment } from '../text/glyphs.ts';
import { readLines, type PdfLine } from '../layout/lines.ts';
import { readRules } from './rules.ts';
import { findRuled } from './ruledTables.ts';
import type { DraftCell } from './tableRows.ts';
import { readWords, segmentsOf, without } from './tableText.ts';
import { readTurned, withTurned } from './turnedHeaders.ts';
import type { Vector } from '../text/vectors.ts';

export interface PageTables {
  readonly tables: readonly { readonly table: PageTable; readonly lines: readonly PdfLine[] }[];
  readonly rest: readonly Segment[];
}

/** Words below which a page is not looked at: a table of two rows has four. */
const FEWEST_WORDS = 4;
/** Underscores are blanks to fill in, not rules. */
const TYPED_RULE = /^[-=—–]{4,}$/;

export function findTables(segments: readonly Segment[], vectors: readonly Vector[], page: number, width: number, height: number): PageTables {
  const frame: Frame = { turn: mainTurn(segments), width, height };
  const framed =
    frame.turn === 'right' ? segments : segments.map((segment) => (segment.direction === frame.turn ? (segmentsIn([segment], frame)[0] as Segment) : segment));
  const all = readWords(framed, frame.turn);
  const words = all.filter((word) => !TYPED_RULE.test(word.text));
  if (words.length < FEWEST_WORDS) return { tables: [], rest: segments };
  const turned = frame.turn === 'right' ? vectors : vectors.map((vector) => ({ ...vector, box: toFrame(vector.box, frame) }));
  const typed =
    all.length === words.length
      ? []
      : all.filter((word) => TYPED_RULE.test(word.text)).map((word) => ({ at: (word.y0 + word.y1) / 2, from: word.x0, to: word.x1 }));
  const rules = readRules(turned, typed, width, height);
  const ruled = findRuled(words, rules);
  const taken = new Set(ruled.flatMap((table) => table.cells.flatMap((cell) => cell.words)));
  const free = taken.size === 0 ? words : words.filter((word) => !taken.has(word));
  const strokes = turned.filter(isSlope).map((vector) => vector.box);
  const drafts = [...ruled, ...findAligned(free, rules)].filter((draft) => !isChart(draft.box, strokes) && !hasBars(draft.box, rules.shades));
  if (drafts.length === 0) return { tables: [], rest: segments };
  const turnedWords = readTurned(segments, frame);
  const headed = turnedWords.length === 0 ? drafts : drafts.map((draft) => withTurned(draft, turnedWords));
  const cells = headed.flatMap((draft) => draft.cells.flatMap((cell) => cell.words));
  return {
    tables: headed.map((draft) => linesOf(draft, segments, frame, page)),
    rest: without(segments, cells),
  };
}

/** A stroke that is neither upright nor level: part of a curve or of a drawing. 6 points: lower ones are brackets, ticks and rounded corners. */
function isSlope({ box, stroked, rectangle }: Vector): boolean {
  return stroked && !rectangle && box.x1 - box.x0 > 6 && box.y1 - box.y0 > 6;
}

/** Lines of a chart cross its grid; four of them, each smaller than the table (a frame with round corners is one that is not). */
function isChart(box: Box, strokes: readonly Box[]): boolean {
  const inside = strokes.filter(
    (stroke) => stroke.x0 > box.x0 - 4 && stroke.x1 < box.x1 + 4 && stroke.y0 < box.y1 && stroke.y1 > box.y0 && stroke.y1 - stroke.y0 < box.y1 - box.y0,
  );
  return inside.length >= 4;
}

/** Three filled areas of one breadth that start at one line and differ in length. Stripes and cells of a row have one length. */
function hasBars(box: Box, shades: readonly Box[]): boolean {
  const inside = shades.filter((shade) => shade.x0 > box.x0 - 4 && shade.x1 < box.x1 + 4 && shade.y0 > box.y0 - 4 && shade.y1 < box.y1 + 4);
  const lengths = new Map<string, Set<number>>();
  const note = (key: string, length: number): boolean => {
    const set = lengths.get(key) ?? new Set();
    lengths.set(key, set.add(Math.round(length / 2)));
    return set.size >= 3;
  };
  return inside.some(({ x0, y0, x1, y1 }) => {
    const [width, height] = [Math.round(x1 - x0), Math.round(y1 - y0)];
    // Cells of unequal columns start at one line too: bars of one direction are narrow.
    return (width < 40 && note(`up ${Math.round(y1)} ${width}`, height)) || (height < 20 && note(`right ${Math.round(x0)} ${height}`, width));
  });
}

function mainTurn(segments: readonly Segment[]): Turn {
  const weights = new Map<Turn, number>();
  for (const { direction, glyphs } of segments) if (direction !== 'slanted') weights.set(direction, (weights.get(direction) ?? 0) + glyphs.length);
  return [...weights].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'right';
}

function linesOf(draft: DraftTable, segments: readonly Segment[], frame: Frame, page: number): PageTables['tables'][number] {
  const { rows, columns, headerRows, bands, ruled } = draft;
  const table: PageTable = { box: frame.turn === 'right' ? draft.box : toPage(draft.box, frame), rows, columns, headerRows, bands, ruled };
  const cells = inReadingOrder(draft).sort((a, b) => a.row - b.row || a.column - b.column);
  const lines = cells.flatMap((cell) => {
    const { row, column, rowSpan, columnSpan, header } = cell;
    const mark: CellMark = { table, row, column, rowSpan, columnSpan, header };
    return readLines(segmentsOf(cell.words, segments), page, frame.width, frame.height).map((line): PdfLine => ({
      ...line,
      aside: false,
      slanted: false,
      cell: mark,
    }));
  });
  return { table, lines };
}

/** Columns of Hebrew and Arabic tables count from the right. */
function inReadingOrder({ cells, columns }: DraftTable): DraftCell[] {
  const text = cells.flatMap((cell) => cell.words.map((word) => word.text)).join('');
  const right = text.match(/[\u0590-\u08FF\uFB1D-\uFEFC]/g)?.length ?? 0;
  const left = right === 0 ? 1 : (text.match(/(?![\u0590-\u08FF\uFB1D-\uFEFC])\p{L}/gu)?.length ?? 0);
  return right <= left ? [...cells] : cells.map((cell) => ({ ...cell, column: columns - cell.column - cell.columnSpan }));
}

/**
 * Lines of a page with those of its tables among them. A table follows the nearest line above it or precedes the nearest below it, whichever is nearer:
 * on a page of two columns the lines of the other column are neither.
 */
export function placeTables(lines: readonly PdfLine[], tables: PageTables['tables']): PdfLine[] {
  const placed = tables.map(({ table, lines: cells }) => ({ at: placeOf(table.box, lines), top: table.box.y0, cells }));
  placed.sort((a, b) => a.at - b.at || a.top - b.top);
  const out: PdfLine[] = [];
  let next = 0;
  for (let index = 0; index <= lines.length; index++) {
    while (next < placed.length && (placed[next] as { at: number }).at <= index) out.push(...(placed[next++] as { cells: readonly PdfLine[] }).cells);
    if (index < lines.length) out.push(lines[index] as PdfLine);
  }
  return out;
}

function placeOf(box: Box, lines: readonly PdfLine[]): number {
  let above = { at: -1, distance: Infinity };
  let below = { at: -1, distance: Infinity };
  lines.forEach((line, index) => {
    if (line.aside || line.slanted || line.box.x1 < box.x0 || line.box.x0 > box.x1) return;
    const middle = (line.box.y0 + line.box.y1) / 2;
    if (middle < box.y0 + 2) {
      const distance = Math.max(0, box.y0 - line.box.y1);
      if (distance <= above.distance) above = { at: index + 1, distance };
    } else {
      const distance = Math.max(0, line.box.y0 - box.y1);
      if (distance < below.distance) below = { at: index, distance };
    }
  });
  const best = above.distance <= below.distance ? above : below;
  return best.at >= 0 ? best.at : lines.length;
}
