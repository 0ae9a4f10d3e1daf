// From the upright frame, in which a turned or crooked page was laid out, back to the page as displayed.
//
// Owns: lines, edges and boxes of blocks and tables on such pages. Rule: a line that slopes is cut at word spaces into pieces, so that the box of each
// piece hugs its words; characters keep their order and every piece has the edges of its own characters.
import type { Block, Box, Line, Place, Table } from '../../contract/document.ts';
import { boxOf } from '../pdf/text/glyphs.ts';
import type { Matrix, Upright } from './render.ts';

/** Points that the ends of one piece may differ in height: a quarter of a small line. */
const MOST_DRIFT = 2;

type UprightPages = ReadonlyMap<number, Upright>;

export function straightenBlock(block: Block, pages: UprightPages): Block {
  if (!block.at.some((place) => pages.has(place.page))) return block;
  const lines = block.lines.flatMap((line) => {
    const upright = pages.get(line.page);
    return upright ? piecesOf(line, block.text, upright.toPage) : [line];
  });
  const at = block.at.map((place) => {
    const own = lines.filter((line) => line.page === place.page);
    return own.length > 0 && pages.has(place.page) ? { page: place.page, box: boxOf(own.map((line) => line.box)) } : straightenPlace(place, pages);
  });
  return { ...block, lines, at };
}

export function straightenTable(table: Table, pages: UprightPages): Table {
  return { ...table, places: table.places.map((place) => straightenPlace(place, pages)) };
}

function straightenPlace(place: Place, pages: UprightPages): Place {
  const upright = pages.get(place.page);
  return upright && place.box ? { page: place.page, box: mapBox(place.box, upright.toPage) } : place;
}

function mapPoint([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

const round = (value: number): number => Math.round(value * 100) / 100;

function mapBox(box: Box, matrix: Matrix): Box {
  const corners = [mapPoint(matrix, box.x0, box.y0), mapPoint(matrix, box.x1, box.y0), mapPoint(matrix, box.x0, box.y1), mapPoint(matrix, box.x1, box.y1)];
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { x0: round(Math.min(...xs)), y0: round(Math.min(...ys)), x1: round(Math.max(...xs)), y1: round(Math.max(...ys)) };
}

function piecesOf(line: Line, text: string, matrix: Matrix): Line[] {
  const pieces: Line[] = [];
  let start = line.start;
  for (const end of cutsOf(line, text, matrix)) {
    if (end > start) pieces.push(pieceOf(line, start, end, matrix));
    start = end;
  }
  return pieces;
}

/** Ends of the pieces: after a space where the drift since the last cut is used up, and the line's own end. */
function cutsOf(line: Line, text: string, [a, b, c, d]: Matrix): number[] {
  // Sideways movement per point along the line, measured across the direction it mostly runs in.
  const [alongX, alongY] = line.axis === 'x' ? [a, b] : [c, d];
  const drift = Math.min(Math.abs(alongX), Math.abs(alongY));
  const cuts: number[] = [];
  let from = line.edges[0] ?? 0;
  for (let index = line.start + 1; index < line.end; index++) {
    if (text[index - 1] !== ' ') continue;
    // The next word must still fit: look at its end, not at its beginning.
    const wordEnd = nextSpace(text, index, line.end);
    const reached = line.edges[wordEnd - line.start] ?? from;
    if (Math.abs(reached - from) * drift <= MOST_DRIFT) continue;
    cuts.push(index);
    from = line.edges[index - line.start] ?? from;
  }
  return [...cuts, line.end];
}

function nextSpace(text: string, from: number, end: number): number {
  const at = text.indexOf(' ', from);
  return at < 0 || at > end ? end : at;
}

function pieceOf(line: Line, start: number, end: number, matrix: Matrix): Line {
  const edges = line.edges.slice(start - line.start, end - line.start + 1);
  const [from, to] = [Math.min(...edges), Math.max(...edges)];
  const box = line.axis === 'x' ? { ...line.box, x0: from, x1: to } : { ...line.box, y0: from, y1: to };
  const middle = line.axis === 'x' ? (line.box.y0 + line.box.y1) / 2 : (line.box.x0 + line.box.x1) / 2;
  const mapped = edges.map((edge) => (line.axis === 'x' ? mapPoint(matrix, edge, middle) : mapPoint(matrix, middle, edge)));
  const [a, b, c, d] = matrix;
  const axis = (line.axis === 'x' ? Math.abs(a) >= Math.abs(b) : Math.abs(c) > Math.abs(d)) ? 'x' : 'y';
  return { start, end, page: line.page, box: mapBox(box, matrix), edges: mapped.map(([x, y]) => round(axis === 'x' ? x : y)), axis };
}
