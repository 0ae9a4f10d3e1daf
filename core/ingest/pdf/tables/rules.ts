// Drawn rules of a page, joined: what vectors.ts gives piece by piece -> whole lines on common coordinates, and shaded areas.
//
// Owns: dashes, dotted and double lines, borders drawn once for each cell. Leaves to gridCells.ts which rules make a table.
// Rule: rules come sorted by their coordinate; no two of one direction overlap.
import type { Box } from '../../../contract/document.ts';
import { rulesOf, type Vector } from '../text/vectors.ts';

/** A straight line at `at` (y of a horizontal, x of a vertical rule) that reaches from `from` to `to`. Points. */
export interface Line {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Shade extends Box {
  readonly color: number;
}

export interface Rules {
  readonly horizontal: readonly Line[];
  readonly vertical: readonly Line[];
  /** Filled areas that are neither thin, nor white, nor as large as half the page: shaded cells and rows. */
  readonly shades: readonly Shade[];
  /** Upper and lower edges of shaded areas, joined like rules. */
  readonly edges: readonly Line[];
}

/** Points: the two strokes of a double rule, and the border that two cells drew each for itself, lie within this. */
const SAME_LINE = 2.2;
/** Points: the holes of dashed and dotted lines, and corners that cells leave open. */
const SAME_STROKE = 4;
/** Points: shorter ones are dashes that met no other, parts of letters and signs. */
const SHORTEST = 7;
/** Points: dots of a dotted line are no longer than this in either direction. */
const DOT = 2;
/** Tenths of a point: what is thinner is a rule as it is, what is thicker is a box of the page. */
const LEAST_THICKENED = 31;
const MOST_THICKENED = 200;
/** More vectors than this make a drawing or a map; its lines are no table and looking at them would take long. */
const MOST_VECTORS = 12_000;

/** `typed`: rules made of hyphens and equals signs, as plain-text filings have them. */
export function readRules(vectors: readonly Vector[], typed: readonly Line[], width: number, height: number): Rules {
  if (vectors.length > MOST_VECTORS) return { horizontal: joinRules(typed), vertical: [], shades: [], edges: [] };
  // White lines part the cells of shaded rows, whose own edges say the same, and hide what lies under them elsewhere.
  const seen = vectors.filter((vector) => !isWhite(vector.color));
  const thick = thickenedTo(seen);
  const pieces = rulesOf(thick === 0 ? seen : seen.map((vector) => thinned(vector, thick)));
  const horizontal: Line[] = [...pieces.filter((piece) => piece.horizontal), ...typed];
  const vertical: Line[] = pieces.filter((piece) => !piece.horizontal);
  const shades: Shade[] = [];
  for (const { box, stroked, rectangle, color } of vectors) {
    const [w, h] = [box.x1 - box.x0, box.y1 - box.y0];
    if (w <= DOT && h <= DOT && !isWhite(color)) {
      horizontal.push({ at: (box.y0 + box.y1) / 2, from: box.x0, to: box.x1 });
      vertical.push({ at: (box.x0 + box.x1) / 2, from: box.y0, to: box.y1 });
    } else if (rectangle && !stroked && w > 5 && h > 5 && w * h < 0.5 * width * height && !isWhite(color)) shades.push({ ...box, color });
  }
  const edges = shades.flatMap(({ x0, y0, x1, y1 }): Line[] => [
    { at: y0, from: x0, to: x1 },
    { at: y1, from: x0, to: x1 },
  ]);
  return { horizontal: joinRules(horizontal), vertical: joinRules(vertical), shades, edges: joinRules(edges) };
}

/** Tenths of a point. */
const thicknessOf = ({ box }: Vector): number => Math.round(10 * Math.min(box.x1 - box.x0, box.y1 - box.y0));

/**
 * Under a matrix that scales down, mupdf 1.28 widens strokes by the unscaled width of the line: a hairline of 10 units comes as a box 10 points high.
 * Such widths show in lines of both directions that are equally thick, or in lines that lie over the next by just their thickness.
 * The largest of them, in tenths of a point; 0 where strokes are as wide as they look.
 */
function thickenedTo(vectors: readonly Vector[]): number {
  let found = 0;
  const groups = new Map<number, Vector[]>();
  for (const vector of vectors) {
    const thickness = thicknessOf(vector);
    if (!vector.stroked || !vector.rectangle || thickness < LEAST_THICKENED || thickness > MOST_THICKENED) continue;
    groups.set(thickness, [...(groups.get(thickness) ?? []), vector]);
  }
  for (const [thickness, group] of groups) {
    const level = group.filter(({ box }) => box.x1 - box.x0 > box.y1 - box.y0).sort((a, b) => a.box.y0 - b.box.y0 || a.box.x0 - b.box.x0);
    const overlapping = level.filter(({ box }, index) => {
      const next = level[index + 1]?.box;
      return next !== undefined && next.y0 === box.y0 && Math.abs(10 * (box.x1 - next.x0) - thickness) < 3;
    });
    if ((level.length >= 2 && group.length - level.length >= 2) || overlapping.length >= 2) found = Math.max(found, thickness);
  }
  return found;
}

function thinned(vector: Vector, thick: number): Vector {
  const { box } = vector;
  if (!vector.stroked || !vector.rectangle || thicknessOf(vector) > thick) return vector;
  const half = Math.min(box.x1 - box.x0, box.y1 - box.y0) / 2 - 0.25;
  return { ...vector, box: { x0: box.x0 + half, y0: box.y0 + half, x1: box.x1 - half, y1: box.y1 - half } };
}

function isWhite(color: number): boolean {
  return color >>> 24 === 0 || (color & 0xffffff) === 0xffffff;
}

/** Rules within a line's breadth of each other take one coordinate; pieces that touch become one. */
function joinRules(pieces: readonly Line[]): Line[] {
  const sorted = [...pieces].sort((a, b) => a.at - b.at);
  const joined: Line[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start + 1;
    const first = (sorted[start] as Line).at;
    while (end < sorted.length && (sorted[end] as Line).at - first <= SAME_LINE) end++;
    const line = sorted.slice(start, end);
    const at = line.reduce((sum, rule) => sum + rule.at, 0) / line.length;
    for (const { from, to } of joinStrokes(line)) if (to - from >= SHORTEST) joined.push({ at, from, to });
    start = end;
  }
  return joined;
}

function joinStrokes(line: readonly Line[]): { from: number; to: number }[] {
  const strokes: { from: number; to: number }[] = [];
  for (const { from, to } of [...line].sort((a, b) => a.from - b.from)) {
    const last = strokes.at(-1);
    if (last && from - last.to <= SAME_STROKE) last.to = Math.max(last.to, to);
    else strokes.push({ from, to });
  }
  return strokes;
}
