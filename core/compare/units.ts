// The pieces that are aligned: one unit is one stretch of a clause's own text in one block (a paragraph, a heading, a list item), or a row of a table.
//
// Owns: reading a Document into units in reading order. Text that belongs to no clause makes units too, so nothing is left uncompared.
// Leaves out: furniture (running heads, page numbers), annotations and hidden text, and the number a clause begins with: numbers are compared apart from words.
import type { Block, Clause, Document } from '../contract/document.ts';
import { marginOf, marginWords } from './margins.ts';
import { tokenize, type Token, type TokenOptions, type Vocabulary } from './tokens.ts';

export interface Unit {
  readonly index: number;
  /** Index into `Side.clauses`; -1 for text outside every clause. */
  readonly clause: number;
  readonly heading: boolean;
  readonly tokens: readonly Token[];
  /** The printed number that stands before them, where the unit begins a clause. */
  readonly number: readonly Token[];
  /** Equal exactly for units with the same words. */
  readonly key: string;
}

export interface Side {
  readonly document: Document;
  readonly vocabulary: Vocabulary;
  readonly clauses: readonly Clause[];
  readonly clauseIndex: ReadonlyMap<string, number>;
  readonly units: readonly Unit[];
  /** Pairs of neighbouring words in the margins of its pages. */
  readonly margins: ReadonlySet<string>;
  /** Clause by its path as cited; the first where a path recurs. */
  readonly clauseAt: ReadonlyMap<string, number>;
  /** Units of each clause, in order. */
  readonly unitsOf: readonly (readonly number[])[];
}

interface Piece {
  readonly block: number;
  readonly start: number;
  readonly end: number;
  readonly clause: number;
  readonly first: boolean;
}

/** Units of a document in reading order. */
export function readSide(document: Document, vocabulary: Vocabulary, options: TokenOptions): Side {
  const blockIndex = new Map(document.blocks.map((block, index) => [block.id, index]));
  const clauseIndex = new Map(document.clauses.map((clause, index) => [clause.id, index]));
  const pieces = [...clausePieces(document, blockIndex), ...loosePieces(document)];
  pieces.sort((x, y) => x.block - y.block || x.start - y.start);
  const isMargin = marginOf(document);
  const units: Unit[] = [];
  let row = '';
  for (const piece of pieces) {
    const block = document.blocks[piece.block]!;
    if (block.kind === 'annotation' || block.hidden !== null || isMargin(block)) continue;
    const number = piece.first ? (document.clauses[piece.clause]?.number ?? '') : '';
    const start = textStart(block, piece.start, number);
    const tokens = tokenize(block.text, start, piece.end, vocabulary, options, piece.block);
    if (tokens.length === 0) continue;
    // The cells of a row are one unit: a row is what a reader looks for, and a cell says little alone.
    const here = block.cell === null ? '' : `${block.cell.table} ${block.cell.row} ${piece.clause}`;
    if (here !== '' && here === row) {
      const last = units.pop()!;
      const cells = [...last.tokens, { ...tokens[0]!, cell: true }, ...tokens.slice(1)];
      units.push({ ...last, tokens: cells, key: keyOf(cells) });
    } else {
      const printed = tokenize(block.text, piece.start, start, vocabulary, options, piece.block);
      units.push({ index: units.length, clause: piece.clause, heading: block.kind === 'heading', tokens, number: printed, key: keyOf(tokens) });
    }
    row = here;
  }
  return makeSide({ document, vocabulary, clauses: document.clauses, clauseIndex, margins: marginWords(document, isMargin, vocabulary, options) }, units);
}

function keyOf(tokens: readonly Token[]): string {
  return tokens.map((token) => token.id).join(' ');
}

function makeSide(base: Pick<Side, 'document' | 'vocabulary' | 'clauses' | 'clauseIndex' | 'margins'>, units: readonly Unit[]): Side {
  const unitsOf: number[][] = base.clauses.map(() => []);
  for (const unit of units) unitsOf[unit.clause]?.push(unit.index);
  const clauseAt = new Map(base.clauses.map(({ path }, index) => [path, index] as const).toReversed());
  return { ...base, clauseAt, units, unitsOf };
}

/** The tokens of a unit that goes on after another; a number that was taken for that of a clause is text again. */
export function continued(unit: Unit, withNumber: boolean): Token[] {
  const tokens = withNumber ? [...unit.number, ...unit.tokens] : unit.tokens;
  return tokens.map((token, index) => (index === 0 ? { ...token, spaced: true } : token));
}

/** The same side with each of the given runs of units [from, to) as one unit; runs do not overlap and are in order. */
export function joinUnits(side: Side, runs: readonly { readonly from: number; readonly to: number }[]): Side {
  if (runs.length === 0) return side;
  const units: Unit[] = [];
  const starts = new Map(runs.map((run) => [run.from, run.to]));
  for (let at = 0; at < side.units.length;) {
    const to = starts.get(at) ?? at + 1;
    const first = side.units[at]!;
    const tokens = side.units.slice(at, to).flatMap((unit, order) => (order === 0 ? unit.tokens : continued(unit, unit.clause !== first.clause)));
    units.push({ ...first, index: units.length, tokens, key: keyOf(tokens) });
    at = to;
  }
  return makeSide(side, units);
}

/** Index of the clause above; -1 for a top clause, and for none. */
export function parentOf(side: Side, clause: number): number {
  const parentId = side.clauses[clause]?.parentId ?? null;
  return parentId === null ? -1 : (side.clauseIndex.get(parentId) ?? -1);
}

function clausePieces(document: Document, blockIndex: ReadonlyMap<string, number>): Piece[] {
  return document.clauses.flatMap((clause, index) =>
    clause.spans.flatMap((span, order) => {
      const block = blockIndex.get(span.blockId);
      return block === undefined ? [] : [{ block, start: span.start, end: span.end, clause: index, first: order === 0 }];
    }),
  );
}

/** Stretches of blocks that no clause covers. */
function loosePieces(document: Document): Piece[] {
  const covered = new Map<string, { start: number; end: number }[]>();
  for (const clause of document.clauses) {
    for (const span of clause.spans) {
      const list = covered.get(span.blockId);
      if (list === undefined) covered.set(span.blockId, [span]);
      else list.push(span);
    }
  }
  const pieces: Piece[] = [];
  document.blocks.forEach((block, index) => {
    // A table's cells are blocks of their own; the table block would say everything twice.
    if (block.kind === 'table') return;
    let at = 0;
    for (const span of (covered.get(block.id) ?? []).toSorted((x, y) => x.start - y.start)) {
      if (span.start > at) pieces.push({ block: index, start: at, end: span.start, clause: -1, first: false });
      at = Math.max(at, span.end);
    }
    if (at < block.text.length) pieces.push({ block: index, start: at, end: block.text.length, clause: -1, first: false });
  });
  return pieces;
}

/** Where the words begin: after the printed number and its mark. */
function textStart(block: Block, start: number, clauseNumber: string): number {
  let at = start;
  const number = start === 0 && block.number !== null ? block.number : clauseNumber;
  if (number !== '' && block.text.startsWith(number, at)) {
    at += number.length;
    while (at < block.text.length && /[\s.:)、．\]\\*_-]/.test(block.text[at]!)) at++;
  } else if (block.kind === 'listItem' && start === 0) {
    const bullet = /^\s*[•●▪◦‣·*+–-]\s+/.exec(block.text);
    if (bullet !== null) at += bullet[0].length;
  }
  return at;
}
