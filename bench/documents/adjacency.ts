// Tables scored by adjacency relations, as in the ICDAR 2013 table competition (Göbel, Hassan, Oro, Orsi: "A methodology for evaluating algorithms for
// table understanding in PDF documents", DocEng 2012).
//
// A relation is a pair of neighbouring cells and the direction between them; empty cells are passed over. Contents are compared without white space, case,
// and the variants of dashes. Detection counts too: a relation in a table that is none is a false one, those of a table that was missed are missing.

export interface ScoredCell {
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly text: string;
}

export interface ScoredTable {
  /** From 1. */
  readonly page: number;
  readonly cells: readonly ScoredCell[];
}

export interface Tally {
  readonly found: number;
  readonly right: number;
  readonly wanted: number;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&apos;': "'" };

export function foldCell(text: string): string {
  return text
    .replace(/&(?:lt|gt|amp|quot|apos);/g, (entity) => ENTITIES[entity] ?? entity)
    .normalize('NFKC')
    .replace(/[‐‑‒–—−]/g, '-')
    .replace(/[^\p{L}\p{N}%$.,()+\-*<>]/gu, '')
    .toLowerCase();
}

/** Structure XML of the competition. */
export function readStructure(xml: string): ScoredTable[] {
  const value = (tag: string, name: string): number | undefined => {
    const match = new RegExp(`${name}=['"](-?\\d+)['"]`).exec(tag);
    return match ? Number(match[1]) : undefined;
  };
  return xml
    .split('<table ')
    .slice(1)
    .map((table) => {
      const regions = table.split('<region ').slice(1);
      const cells = regions.flatMap((region) => {
        const tag = region.slice(0, region.indexOf('>'));
        const [down, over] = [value(tag, 'row-increment') ?? 0, value(tag, 'col-increment') ?? 0];
        return region
          .split('<cell ')
          .slice(1)
          .map((cell): ScoredCell => {
            const start = cell.slice(0, cell.indexOf('>'));
            const [row, column] = [value(start, 'start-row') ?? 0, value(start, 'start-col') ?? 0];
            const text = foldCell(/<content>([\s\S]*?)<\/content>/.exec(cell)?.[1] ?? '');
            const [rowSpan, columnSpan] = [(value(start, 'end-row') ?? row) - row + 1, (value(start, 'end-col') ?? column) - column + 1];
            return { row: row + down, column: column + over, rowSpan, columnSpan, text };
          });
      });
      return { page: value(regions[0] ?? '', 'page') ?? 1, cells: cells.filter((cell) => cell.text !== '') };
    });
}

export function relationsOf(cells: readonly ScoredCell[]): string[] {
  const filled = cells.filter((cell) => cell.text !== '');
  const at = new Map<string, ScoredCell>();
  for (const cell of filled)
    for (let row = cell.row; row < cell.row + cell.rowSpan; row++)
      for (let column = cell.column; column < cell.column + cell.columnSpan; column++) at.set(`${row},${column}`, cell);
  const rows = Math.max(0, ...filled.map((cell) => cell.row + cell.rowSpan));
  const columns = Math.max(0, ...filled.map((cell) => cell.column + cell.columnSpan));
  const pairs = new Map<ScoredCell, Set<ScoredCell>>();
  const relations: string[] = [];
  const add = (cell: ScoredCell, next: ScoredCell | undefined, direction: string): boolean => {
    if (!next) return false;
    const known = pairs.get(cell) ?? new Set();
    pairs.set(cell, known);
    if (!known.has(next)) relations.push(`${cell.text} ${direction} ${next.text}`);
    known.add(next);
    return true;
  };
  for (const cell of filled) {
    for (let row = cell.row; row < cell.row + cell.rowSpan; row++)
      for (let column = cell.column + cell.columnSpan; column < columns; column++) if (add(cell, at.get(`${row},${column}`), '>')) break;
    for (let column = cell.column; column < cell.column + cell.columnSpan; column++)
      for (let row = cell.row + cell.rowSpan; row < rows; row++) if (add(cell, at.get(`${row},${column}`), 'v')) break;
  }
  return relations;
}

function shared(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const entry of a) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  let count = 0;
  for (const entry of b) {
    const left = counts.get(entry) ?? 0;
    if (left > 0) count++;
    counts.set(entry, left - 1);
  }
  return count;
}

/** Each right table takes the found one that shares most relations with it. */
export function scoreTables(found: readonly ScoredTable[], wanted: readonly ScoredTable[]): Tally {
  const left = found.map((table) => relationsOf(table.cells));
  const all = left.reduce((sum, relations) => sum + relations.length, 0);
  let right = 0;
  let total = 0;
  for (const table of wanted) {
    const relations = relationsOf(table.cells);
    total += relations.length;
    const scores = left.map((other) => shared(relations, other));
    const best = scores.indexOf(Math.max(0, ...scores));
    if (best < 0) continue;
    right += scores[best] ?? 0;
    left.splice(best, 1);
  }
  return { found: all, right, wanted: total };
}
