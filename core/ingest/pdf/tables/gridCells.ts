// Rules that cross each other -> grids, and their cells with spans.
//
// Owns: which rules hang together, the common coordinates of a grid, borders that are missing between neighbours (spans), open outer sides.
// Leaves to tables.ts whether a grid is a table: a chart, a framed page and a letterhead have grids too.
// Rule: the cells of a grid are rectangles that cover it without overlap.
import type { Box } from '../../../contract/document.ts';
import type { Line, Rules } from './rules.ts';

export interface GridCell {
  /** First row and column, and how many of each. */
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
}

export interface Grid {
  /** Coordinates of the separators, the outer ones included: columns + 1, rows + 1. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly cells: readonly GridCell[];
}

/** Points: rules of a corner may miss each other by this much. */
const CORNER = 4;
/** Share of a cell's side that its border must cover. */
const COVERED = 0.6;
/** Points: separators nearer than this are one. Less than the height of a line of the smallest print. */
const SAME_SEPARATOR = 4;
/** Pairs of rules looked at on one page: a hundred times the largest table seen; hatched drawings have more. */
const MOST_PAIRS = 4_000_000;

export function readGrids(rules: Rules): Grid[] {
  return components(rules)
    .map(gridOf)
    .filter((grid) => grid !== null);
}

interface Component {
  readonly horizontal: Line[];
  readonly vertical: Line[];
}

/** Disjoint sets over 0 .. size - 1. */
class Sets {
  private readonly parent: number[];

  constructor(size: number) {
    this.parent = Array.from({ length: size }, (_entry, index) => index);
  }

  rootOf(index: number): number {
    let root = index;
    while (this.parent[root] !== root) root = this.parent[root] as number;
    for (let at = index; at !== root;) {
      const next = this.parent[at] as number;
      this.parent[at] = root;
      at = next;
    }
    return root;
  }

  join(a: number, b: number): void {
    this.parent[this.rootOf(a)] = this.rootOf(b);
  }
}

function components({ horizontal, vertical }: Rules): Component[] {
  if (horizontal.length * vertical.length > MOST_PAIRS) return [];
  const sets = new Sets(horizontal.length + vertical.length);
  horizontal.forEach((across, h) => {
    vertical.forEach((down, v) => {
      if (crosses(across, down)) sets.join(h, horizontal.length + v);
    });
  });
  const found = new Map<number, Component>();
  [...horizontal, ...vertical].forEach((line, index) => {
    const root = sets.rootOf(index);
    const entry = found.get(root) ?? { horizontal: [], vertical: [] };
    found.set(root, entry);
    (index < horizontal.length ? entry.horizontal : entry.vertical).push(line);
  });
  return [...found.values()].filter((entry) => entry.horizontal.length >= 2 && entry.vertical.length > 0);
}

function crosses(across: Line, down: Line): boolean {
  return down.at >= across.from - CORNER && down.at <= across.to + CORNER && across.at >= down.from - CORNER && across.at <= down.to + CORNER;
}

function gridOf({ horizontal, vertical }: Component): Grid | null {
  const xs = separators([...vertical.map((line) => line.at), ...outer(horizontal, vertical)]);
  const ys = separators([...horizontal.map((line) => line.at), ...outer(vertical, horizontal)]);
  if (xs.length < 2 || ys.length < 2) return null;
  return { xs, ys, cells: cellsOf(xs, ys, horizontal, vertical) };
}

/** Ends of the rules where no crossing rule closes the grid: tables without outer borders. */
function outer(lines: readonly Line[], crossing: readonly Line[]): number[] {
  const [from, to] = [Math.min(...lines.map((line) => line.from)), Math.max(...lines.map((line) => line.to))];
  const ends: number[] = [];
  // 8 points: less than a column or a row; nearer ends are the overshoot of rules at a border.
  if (crossing.every((line) => Math.abs(line.at - from) > 8)) ends.push(from);
  if (crossing.every((line) => Math.abs(line.at - to) > 8)) ends.push(to);
  return ends;
}

function separators(values: number[]): number[] {
  values.sort((a, b) => a - b);
  const kept: number[] = [];
  for (const value of values) if (kept.length === 0 || value - (kept.at(-1) as number) > SAME_SEPARATOR) kept.push(value);
  return kept;
}

/** Whether a rule near `at` covers most of [from, to]. */
function isDrawn(lines: readonly Line[], at: number, from: number, to: number): boolean {
  let covered = 0;
  for (const line of lines) if (Math.abs(line.at - at) <= SAME_SEPARATOR) covered += Math.max(0, Math.min(line.to, to) - Math.max(line.from, from));
  return covered >= COVERED * (to - from);
}

/** Atoms without a border between them grow together. A union that is no rectangle falls back to its atoms: its missing borders are a flaw of the drawing. */
function cellsOf(xs: readonly number[], ys: readonly number[], horizontal: readonly Line[], vertical: readonly Line[]): GridCell[] {
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const sets = new Sets(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [x0, x1, y0, y1] = [xs[column] as number, xs[column + 1] as number, ys[row] as number, ys[row + 1] as number];
      const at = row * columns + column;
      if (column + 1 < columns && !isDrawn(vertical, x1, y0, y1)) sets.join(at, at + 1);
      if (row + 1 < rows && !isDrawn(horizontal, y1, x0, x1)) sets.join(at, at + columns);
    }
  const members = new Map<number, number[]>();
  for (let at = 0; at < rows * columns; at++) {
    const root = sets.rootOf(at);
    const atoms = members.get(root);
    if (atoms) atoms.push(at);
    else members.set(root, [at]);
  }
  return [...members.values()].flatMap((atoms) => rectangle(atoms, columns)).sort((a, b) => a.row - b.row || a.column - b.column);
}

function rectangle(atoms: readonly number[], columns: number): GridCell[] {
  const rowOf = (at: number): number => Math.floor(at / columns);
  const [row, column] = [Math.min(...atoms.map(rowOf)), Math.min(...atoms.map((at) => at % columns))];
  const rowSpan = Math.max(...atoms.map(rowOf)) - row + 1;
  const columnSpan = Math.max(...atoms.map((at) => at % columns)) - column + 1;
  if (rowSpan * columnSpan === atoms.length) return [{ row, column, rowSpan, columnSpan }];
  return atoms.map((at) => ({ row: rowOf(at), column: at % columns, rowSpan: 1, columnSpan: 1 }));
}

export function boxOfCell(grid: Grid, cell: GridCell): Box {
  return {
    x0: grid.xs[cell.column] as number,
    x1: grid.xs[cell.column + cell.columnSpan] as number,
    y0: grid.ys[cell.row] as number,
    y1: grid.ys[cell.row + cell.rowSpan] as number,
  };
}
