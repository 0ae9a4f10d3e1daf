// The same clause in many contracts, side by side, against a baseline.
//
// Owns: pairing the provisions of each contract with those of the baseline (heading, type, what they say, and where their neighbours went; never the
// number alone), then pairing what the baseline lacks among the others, and how each clause deviates. Likeness is provisions.ts, words wordDiff.ts.
// Rule: a clause of a document stands in at most one row; a missing clause is null, never a poor guess.
import type { ClauseCell, ClauseRow, ClauseTable } from '../contract/clauseTable.ts';
import type { Document } from '../contract/document.ts';
import { readCells, type CellSource } from './cells.ts';
import { readProvisions, Weights, type Provision } from './provisions.ts';

/** What counts in a pairing, and from where on it is one. Chosen on one half of the contracts of CUAD (labels) and measured on the other. */
export const WEIGHING = { heading: 0.5, type: 0.35, content: 0.65, parent: 0.08, least: 0.36 } as const;
/** Words of a provision that are looked up for candidates, rarest first. */
const LOOKUPS = 24;

export interface AlignOptions {
  /** Document that the others are measured by; the first if it is not given. */
  readonly baselineId?: string;
  /** For measurements: whether headings and types may be used. */
  readonly blind?: boolean;
}

interface Pair {
  readonly row: number;
  readonly other: number;
  readonly score: number;
}

export function alignClauses(documents: readonly Document[], options: AlignOptions = {}): ClauseTable {
  const started = performance.now();
  const base = Math.max(
    0,
    documents.findIndex(({ id }) => id === options.baselineId),
  );
  const provisions = documents.map(readProvisions);
  const weights = new Weights(provisions);
  const cells = documents.map((document) => readCells(document));
  const grid: Grid = { documents, provisions, cells, weights, taken: documents.map(() => new Set<number>()), blind: options.blind === true };
  const rows = rowsOf(
    grid,
    base,
    documents.map((_document, at) => at),
  );
  // What the baseline lacks: each document in turn is the measure for those after it.
  const extra = documents.flatMap((_document, at) =>
    at === base
      ? []
      : rowsOf(
          grid,
          at,
          documents.map((_other, after) => after).filter((after) => after > at && after !== base),
        ),
  );
  return {
    baselineId: documents[base]?.id ?? '',
    documents: documents.map(({ id, name }) => ({ id, name })),
    rows: [...rows, ...extra],
    ms: performance.now() - started,
  };
}

interface Grid {
  readonly documents: readonly Document[];
  readonly provisions: readonly (readonly Provision[])[];
  readonly cells: readonly CellSource[];
  readonly weights: Weights;
  /** Provisions that stand in a row. */
  readonly taken: readonly Set<number>[];
  readonly blind: boolean;
}

function rowsOf(grid: Grid, base: number, others: readonly number[]): ClauseRow[] {
  const { provisions, taken } = grid;
  const extra = taken.some(({ size }) => size > 0);
  const free = provisions[base]!.filter(
    ({ index, clause }) => !taken[base]!.has(index) && (clause.heading !== '' || clause.type !== null || (!extra && clause.parentId === null)),
  );
  const pairs = others.filter((at) => at !== base).map((at) => [at, pairUp(grid, base, free, at)] as const);
  return free.map((provision) => {
    const cells: (ClauseCell | null)[] = grid.documents.map(() => null);
    cells[base] = grid.cells[base]!.baseline(provision, extra);
    taken[base]!.add(provision.index);
    for (const [at, found] of pairs) {
      const pair = found.get(provision.index);
      if (pair === undefined) continue;
      cells[at] = grid.cells[at]!.against(provisions[at]![pair.other]!, grid.cells[base]!, provision, pair.score);
      taken[at]!.add(pair.other);
    }
    return { label: labelOf(provision), type: provision.clause.type, depth: provision.clause.depth, cells };
  });
}

function labelOf({ clause, words }: Provision): string {
  return clause.heading || [...words.keys()].slice(0, 6).join(' ') || clause.path;
}

/** The best pairs of the free provisions of the baseline with those of another document, each used once. */
function pairUp(grid: Grid, base: number, free: readonly Provision[], at: number): Map<number, Pair> {
  const { provisions, taken } = grid;
  const candidates = free.flatMap((row) =>
    candidatesOf(grid, row, at).map((other) => ({ row: row.index, other, score: scoreOf(grid, row, provisions[at]![other]!) })),
  );
  const first = choose(
    candidates.filter(({ score }) => score >= WEIGHING.least),
    taken[at]!,
  );
  // Second look: where the clause above was paired, its parts belong together; so do neighbours of the same parent.
  const helped = candidates.map((pair) => {
    const [above, aboveOther] = [provisions[base]![pair.row]!.parent, provisions[at]![pair.other]!.parent];
    return above !== -1 && first.get(above)?.other === aboveOther ? { ...pair, score: pair.score + WEIGHING.parent } : pair;
  });
  return choose(
    helped.filter(({ score }) => score >= WEIGHING.least),
    taken[at]!,
  );
}

function choose(pairs: readonly Pair[], taken: ReadonlySet<number>): Map<number, Pair> {
  const [chosen, used] = [new Map<number, Pair>(), new Set(taken)];
  for (const pair of pairs.toSorted((x, y) => y.score - x.score || x.row - y.row || x.other - y.other)) {
    if (chosen.has(pair.row) || used.has(pair.other)) continue;
    chosen.set(pair.row, pair);
    used.add(pair.other);
  }
  return chosen;
}

/** Provisions of a document that share a heading word, the type or rare words with the row. */
function candidatesOf({ provisions, weights, taken, blind }: Grid, row: Provision, at: number): number[] {
  const rare = new Set([...row.words.keys()].toSorted((x, y) => weights.of(y) - weights.of(x)).slice(0, LOOKUPS));
  return provisions[at]!.flatMap(({ index, heading, words, clause }) => {
    if (taken[at]!.has(index)) return [];
    const near = !blind && ((clause.type !== null && clause.type === row.clause.type) || [...row.heading].some((word) => heading.has(word)));
    return near || [...rare].some((word) => words.has(word)) ? [index] : [];
  });
}

function scoreOf({ weights, blind }: Grid, x: Provision, y: Provision): number {
  const content = weights.likeness(x, y);
  if (blind) return content;
  const heading = weights.headings(x, y);
  const type = x.clause.type !== null && x.clause.type === y.clause.type ? 1 : 0;
  // Very different sizes are an article against one of its parts: the heading decides then, but it counts a little less.
  const sizes = Math.min(x.size, y.size) / Math.max(1, x.size, y.size);
  return WEIGHING.heading * heading + WEIGHING.type * type + WEIGHING.content * content - (sizes < 0.1 ? 0.05 : 0);
}
