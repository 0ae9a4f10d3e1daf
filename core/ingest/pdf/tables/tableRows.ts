// Printed lines of a table -> its rows: wrapped cells, headers of several levels, spans.
//
// Owns: what a line of a table belongs to when no rule says so, where the header ends, how far a header cell reaches.
// Method: a line without a value of its own goes on with the row above or below it; header lines stack into cells column by column.
// Leaves the columns to tableColumns.ts. Rule: every word of the lines comes out in exactly one cell.
import type { Band } from './tableColumns.ts';
import type { Line } from './rules.ts';
import { chunkOf, isNumeric, isDate, type Chunk, type TextRow, type Word } from './tableText.ts';

export interface DraftCell {
  row: number;
  readonly column: number;
  rowSpan: number;
  readonly columnSpan: number;
  header: boolean;
  readonly words: Word[];
}

/** A line of the table: its pieces, each in the columns that it covers. */
interface Printed {
  readonly pieces: readonly Piece[];
  readonly y0: number;
  readonly y1: number;
  readonly size: number;
}

interface Piece {
  from: number;
  to: number;
  readonly chunk: Chunk;
}

export interface TableText {
  readonly lines: readonly { readonly row: TextRow; readonly chunks: readonly Chunk[] }[];
  readonly bands: readonly Band[];
  /** Horizontal rules inside the table. */
  readonly rules: readonly Line[];
}

/** Share of the table's width from which a rule parts rows rather than underlines a header. */
const FULL_RULE = 0.6;
/** Share of the usual distance of rows below which two lines are one wrapped row. */
const WRAPPED_PITCH = 0.86;
/** Share of the headers of a line, and of the columns that they must reach over together. */
const MOSTLY = 0.6;
const TILED = 0.75;
const GOES_ON = /(?:[,&/(–-]|\b(?:and|or|of|the|for|in|to|with|by|from|on|per|und|der|et|de))$/i;

export interface RowedTable {
  readonly rows: number;
  readonly headerRows: number;
  readonly cells: DraftCell[];
}

export function rowTable(text: TableText): RowedTable {
  const { bands } = text;
  const lines = text.lines.map(({ row, chunks }): Printed => ({ ...row, pieces: chunks.flatMap((chunk) => place(chunk, bands)) }));
  const width = (bands.at(-1) as Band).x1 - (bands[0] as Band).x0;
  const full = text.rules.flatMap((rule) => (rule.to - rule.from >= FULL_RULE * width ? [rule.at] : [])).sort((a, b) => a - b);
  const end = headerEnd(lines, full);
  const header = headerCells(lines.slice(0, end), text);
  const groups = groupRows(lines.slice(end), full);
  const cells = [...header.cells];
  groups.forEach((group, index) => cells.push(...cellsOfGroup(group, header.levels + index)));
  return { rows: header.levels + groups.length, headerRows: header.levels, cells };
}

/** A chunk over several columns is cut where words part at the gutters; where they do not, it spans the columns. */
function place(chunk: Chunk, bands: readonly Band[]): Piece[] {
  const [from, to] = reach(chunk, bands);
  if (from === to || chunk.words.length < 2) return [{ from, to, chunk }];
  const parts: { column: number; words: Word[] }[] = [];
  for (const word of chunk.words) {
    const [first, last] = reach(word, bands);
    const open = parts.at(-1);
    if (first !== last) return [{ from, to, chunk }];
    if (open?.column === first) open.words.push(word);
    else if (open && word.x0 - (open.words.at(-1) as Word).x1 < 0.35 * word.size) return [{ from, to, chunk }];
    else parts.push({ column: first, words: [word] });
  }
  return parts.map(({ column, words }) => ({ from: column, to: column, chunk: chunkOf(words) }));
}

/** First and last band that a box lies in: overlaps of under 2 points or a tenth of the band are untidy setting. */
function reach(box: Band, bands: readonly Band[]): [number, number] {
  const covered = bands.flatMap((band, index) => {
    const shared = Math.min(band.x1, box.x1) - Math.max(band.x0, box.x0);
    return shared > Math.min(2, 0.3 * (box.x1 - box.x0)) && shared > 0.1 * Math.min(band.x1 - band.x0, box.x1 - box.x0) ? [index] : [];
  });
  if (covered.length > 0) return [covered[0] as number, covered.at(-1) as number];
  const middle = (box.x0 + box.x1) / 2;
  let nearest = 0;
  bands.forEach((band, index) => {
    const distance = Math.max(band.x0 - middle, middle - band.x1, 0);
    const best = bands[nearest] as Band;
    if (distance < Math.max(best.x0 - middle, middle - best.x1, 0)) nearest = index;
  });
  return [nearest, nearest];
}

const hasValue = (line: Printed): boolean => line.pieces.some((piece) => piece.from > 0 && isNumeric(piece.chunk.text) && !isDate(piece.chunk.text));

/** Number of header lines: those above the first full rule inside the table, else those above the first value. */
function headerEnd(lines: readonly Printed[], full: readonly number[]): number {
  const most = Math.min(8, Math.ceil(lines.length / 2));
  const value = lines.findIndex(hasValue);
  const first = lines[0] as Printed;
  const rule = full.find((at) => at > first.y1 - 2);
  if (rule !== undefined) {
    const above = lines.filter((line) => (line.y0 + line.y1) / 2 < rule).length;
    // Where a rule or two are all there is inside, they part the header from the body, even one of numbers.
    const alone = above <= 3 && full.filter((at) => at > first.y1 - 2 && at < (lines.at(-1) as Printed).y0 + 2).length <= 2;
    if (above > 0 && above <= most && above < lines.length && (alone || lines.slice(0, above).filter(hasValue).length <= above / 3)) return above;
  }
  if (value > 0 && value <= most) return trimSections(lines, value);
  const bold = lines.findIndex((line) => !isBold(line));
  return bold > 0 && bold <= most && value !== 0 ? bold : 0;
}

/** "Assets:" over the first row of values is a row of the body, not a line of the header. */
function trimSections(lines: readonly Printed[], value: number): number {
  let end = value;
  while (end > 0 && (lines[end - 1] as Printed).pieces.every((piece) => piece.to === 0)) end--;
  return end;
}

const isBold = (line: Printed): boolean => line.pieces.every((piece) => piece.chunk.words.every((word) => word.bold));

interface Header {
  readonly levels: number;
  readonly cells: readonly DraftCell[];
}

/** Lines with spans are levels of their own; lines between them are wrapped text of one level. A column under no span is one cell over all levels. */
function headerCells(lines: readonly Printed[], { bands, rules }: TableText): Header {
  lines.forEach((line, index) => {
    if (index < lines.length - 1) widen(line, lines.slice(index + 1), bands, rules);
  });
  const levels: Printed[][] = [];
  for (const line of lines) {
    const last = levels.at(-1)?.at(-1);
    if (last && sameLevel(last, line, rules)) (levels.at(-1) as Printed[]).push(line);
    else levels.push([line]);
  }
  const cells = levels.flatMap((level, row) => cellsOfGroup(level, row).map((cell) => ({ ...cell, header: true })));
  const spanned = new Set(
    cells.flatMap((cell) => (cell.columnSpan > 1 ? Array.from({ length: cell.columnSpan }, (_entry, index) => cell.column + index) : [])),
  );
  const merged: DraftCell[] = [];
  for (const cell of cells) {
    const tall = cell.columnSpan === 1 && !spanned.has(cell.column);
    const above = tall ? merged.find((other) => other.column === cell.column && other.columnSpan === 1) : undefined;
    if (above) above.words.push(...cell.words);
    else merged.push(tall ? { ...cell, row: 0, rowSpan: levels.length } : cell);
  }
  return { levels: levels.length, cells: merged };
}

const spans = (line: Printed): boolean => line.pieces.some((piece) => piece.to > piece.from);

function sameLevel(upper: Printed, lower: Printed, rules: readonly Line[]): boolean {
  if (spans(upper) !== spans(lower)) return false;
  if (spans(upper) && !lower.pieces.every((piece) => upper.pieces.some((above) => above.from === piece.from && above.to === piece.to))) return false;
  return !rules.some((rule) => rule.at > upper.y0 + 0.7 * upper.size && rule.at < lower.y0 + 0.3 * lower.size);
}

/**
 * A centred header reaches over the columns under it: as far as its underline, else over the free columns whose middle it stands on. Without underlines most
 * pieces of the line must reach so far and over nearly all columns: a wrapped header over one of three columns stands on their middle too.
 */
function widen(line: Printed, below: readonly Printed[], bands: readonly Band[], rules: readonly Line[]): void {
  const found = line.pieces.map((piece, index) => {
    const under = underlineOf(piece.chunk, line.size, rules);
    const low = (line.pieces[index - 1]?.to ?? 0) + 1;
    const high = (line.pieces[index + 1]?.from ?? bands.length) - 1;
    return { piece, under, range: piece.from === 0 ? null : widest(piece, under, [Math.max(1, low), high], below, bands) };
  });
  const beside = found.filter(({ piece }) => piece.from > 0);
  const reaching = beside.filter(({ range }) => range !== null && range[1] > range[0]);
  const covered = beside.reduce((sum, { range }) => sum + (range === null ? 0 : range[1] - range[0] + 1), 0);
  const most = reaching.length >= MOSTLY * beside.length && covered >= TILED * (bands.length - 1);
  for (const { piece, under, range } of found) if (range !== null && (most || under)) [piece.from, piece.to] = range;
}

function underlineOf(chunk: Chunk, size: number, rules: readonly Line[]): Line | undefined {
  return rules.find((rule) => rule.at > chunk.y1 - 0.3 * size && rule.at < chunk.y1 + size && rule.from <= chunk.x0 + 2 && rule.to >= chunk.x1 - 2);
}

function widest(
  { from: first, to: last, chunk }: Piece,
  under: Line | undefined,
  [low, high]: readonly [number, number],
  below: readonly Printed[],
  bands: readonly Band[],
): readonly [number, number] {
  const filled = (column: number): boolean => below.some((entry) => entry.pieces.some((other) => other.from <= column && other.to >= column));
  const middleOf = (band: Band): number => (band.x0 + band.x1) / 2;
  const middle = middleOf(chunk);
  let best: readonly [number, number] = [first, last];
  for (let from = low; from <= first; from++)
    for (let to = last; to <= high; to++) {
      const [left, right] = [bands[from] as Band, bands[to] as Band];
      const fits = under
        ? middleOf(left) > under.from && middleOf(right) < under.to
        : Math.abs(middle - (left.x0 + right.x1) / 2) < 3 + 0.06 * (right.x1 - left.x0);
      if (fits && filled(from) && filled(to) && to - from > best[1] - best[0]) best = [from, to];
    }
  return best;
}

/** Lines of the body, those of one row together. */
function groupRows(lines: readonly Printed[], full: readonly number[]): Printed[][] {
  const parted = (upper: Printed, lower: Printed): boolean => full.some((at) => at > (upper.y0 + upper.y1) / 2 && at < (lower.y0 + lower.y1) / 2);
  const ruled: Printed[][] = [];
  for (const line of lines) {
    const last = ruled.at(-1)?.at(-1);
    if (last && !parted(last, line)) (ruled.at(-1) as Printed[]).push(line);
    else ruled.push([line]);
  }
  // Rules part rows when most bands between them hold one row of values; where they hold many, the rules part groups of rows.
  const several = ruled.filter((band) => band.filter(hasValue).length > 1).length;
  if (ruled.length >= 3 && several <= 0.15 * ruled.length && (lines.length <= 4 * ruled.length || ruled.filter(beginsOnce).length >= 0.8 * ruled.length))
    return ruled;
  const pitch = usualPitch(lines);
  return ruled.flatMap((band) => groupBand(band, pitch));
}

/** Only the first lines of the band stand in the first column: one label beside text of many lines. */
function beginsOnce(band: readonly Printed[]): boolean {
  const labelled = band.map((line) => line.pieces.some((piece) => piece.from === 0));
  return labelled[0] === true && !labelled.slice(labelled.indexOf(false) < 0 ? labelled.length : labelled.indexOf(false)).includes(true);
}

/** Median distance of rows that both have values; 0 where there are too few. */
function usualPitch(lines: readonly Printed[]): number {
  const steps = lines.flatMap((line, index) => {
    const above = lines[index - 1];
    return above && hasValue(above) && hasValue(line) ? [line.y1 - above.y1] : [];
  });
  steps.sort((a, b) => a - b);
  return steps.length < 2 ? 0 : (steps[steps.length >> 1] as number);
}

function groupBand(lines: readonly Printed[], pitch: number): Printed[][] {
  const groups: Printed[][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    if (group && (goesOn(group, line, pitch) || startsEarly(group, line, pitch))) group.push(line);
    else groups.push([line]);
  }
  return groups;
}

const columnsOfLine = (line: Printed): Set<number> => new Set(line.pieces.map((piece) => piece.from));

/** The line is wrapped text of the row above: it brings no value and nothing in a column that the row leaves empty. */
function goesOn(group: readonly Printed[], line: Printed, pitch: number): boolean {
  const last = group.at(-1) as Printed;
  if (line.y0 - last.y1 > 0.6 * line.size || line.pieces.some((piece) => isNumeric(piece.chunk.text))) return false;
  const filled = new Set(group.flatMap((entry) => [...columnsOfLine(entry)]));
  if (line.pieces.some((piece) => !filled.has(piece.from) || piece.to > piece.from)) return false;
  if (pitch > 0 && line.y1 - last.y1 < WRAPPED_PITCH * pitch) return true;
  const lower = line.pieces.every((piece) => /^[\p{Ll}(]/u.test(piece.chunk.text));
  if (line.pieces.some((piece) => piece.from === 0)) return lower && filled.size > 1;
  return lower || filled.has(0);
}

/** The rows above is only a label that was too long for its line; its values stand beside its last line. */
function startsEarly(group: readonly Printed[], line: Printed, pitch: number): boolean {
  if (group.some((entry) => entry.pieces.some((piece) => piece.from > 0 || piece.to > 0))) return false;
  const first = line.pieces[0];
  const last = group.at(-1) as Printed;
  if (!first || first.from > 0 || line.pieces.length < 2 || line.y0 - last.y1 > 0.6 * line.size) return false;
  const text = last.pieces.at(-1)?.chunk.text ?? '';
  if (text.endsWith(':')) return false;
  return /^\p{Ll}/u.test(first.chunk.text) || GOES_ON.test(text) || (pitch > 0 && line.y1 - last.y1 < WRAPPED_PITCH * pitch);
}

function cellsOfGroup(group: readonly Printed[], row: number): DraftCell[] {
  const cells: DraftCell[] = [];
  for (const line of group)
    for (const { from, to, chunk } of line.pieces) {
      const home = cells.find((cell) => cell.column <= to && cell.column + cell.columnSpan > from);
      if (!home) cells.push({ row, column: from, rowSpan: 1, columnSpan: to - from + 1, header: false, words: [...chunk.words] });
      else if (home.column <= from && home.column + home.columnSpan > to) home.words.push(...chunk.words);
      else cells.splice(cells.indexOf(home), 1, grown(home, from, to, chunk));
    }
  return cells.sort((a, b) => a.column - b.column);
}

function grown(cell: DraftCell, from: number, to: number, chunk: Chunk): DraftCell {
  const column = Math.min(cell.column, from);
  const end = Math.max(cell.column + cell.columnSpan - 1, to);
  return { ...cell, column, columnSpan: end - column + 1, words: [...cell.words, ...chunk.words] };
}
