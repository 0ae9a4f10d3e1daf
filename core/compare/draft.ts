// From an alignment to the list of changes, in the orientation in which the documents were aligned.
//
// Owns: what becomes a change of its own and which text each change shows. A sentence that moved is cut out of both clauses' own diffs, so it is
// told once. Neighbouring inserted, deleted or moved units of one clause subtree are one change.
import type { Alignment } from './alignment.ts';
import { coversMost, looseRuns, matchFragments, sentencesOf, type FragmentPair, type Run } from './fragments.ts';
import type { Hunk } from './myers.ts';
import { pairDrafts } from './moves.ts';
import type { Order } from './order.ts';
import { cut, kept, partOf, sameTokens, tokensOf, type Cuts, type Draft, type DraftPart } from './parts.ts';
import type { Token, Vocabulary } from './tokens.ts';
import type { Side, Unit } from './units.ts';
import { wordHunks } from './wordDiff.ts';

export function draftChanges(a: Side, b: Side, alignment: Alignment, order: Order, vocabulary: Vocabulary): Draft[] {
  const hunksOf = new Map<number, Hunk[]>();
  for (const unit of a.units) {
    const j = alignment.toB[unit.index]!;
    if (j !== -1 && unit.key !== b.units[j]!.key) hunksOf.set(unit.index, wordHunks(unit.tokens, b.units[j]!.tokens));
  }
  const loose = looseRuns(a, b, alignment, hunksOf, vocabulary);
  const fragments = widen(a, b, alignment, matchFragments(a, b, alignment, order, loose, vocabulary));
  const cuts: Cuts = { a: new Map(), b: new Map() };
  for (const { a: x, b: y } of fragments) {
    cut(cuts.a, x);
    cut(cuts.b, y);
  }
  const drafts = [...fragmentDrafts(a, b, alignment, fragments, cuts), ...pairDrafts(a, b, alignment, order, cuts), ...aloneDrafts(a, b, alignment, cuts)];
  return [...drafts, ...definitionDrafts(a, b, alignment, drafts, vocabulary), ...numberDrafts(a, b, alignment, drafts)];
}

/** A merged or split unit is told whole, with the words that were dropped or added on the way. */
function widen(a: Side, b: Side, alignment: Alignment, fragments: readonly FragmentPair[]): FragmentPair[] {
  const count = new Map<string, number>();
  for (const { a: x, b: y } of fragments) {
    count.set(`a${x.unit}`, (count.get(`a${x.unit}`) ?? 0) + 1);
    count.set(`b${y.unit}`, (count.get(`b${y.unit}`) ?? 0) + 1);
  }
  return fragments.map((pair) => {
    const wholeA = alignment.toB[pair.a.unit] === -1 && count.get(`a${pair.a.unit}`) === 1 && coversMost(a, pair.a);
    const wholeB = alignment.toA[pair.b.unit] === -1 && count.get(`b${pair.b.unit}`) === 1 && coversMost(b, pair.b);
    return {
      ...pair,
      a: wholeA ? { unit: pair.a.unit, from: 0, to: a.units[pair.a.unit]!.tokens.length } : pair.a,
      b: wholeB ? { unit: pair.b.unit, from: 0, to: b.units[pair.b.unit]!.tokens.length } : pair.b,
    };
  });
}

/** Headings without a partner of a clause that went into another go with it. */
function headingsOf(side: Side, clause: number, partner: Int32Array, cuts: Map<number, Run[]>): DraftPart[] {
  return (side.unitsOf[clause] ?? [])
    .filter((index) => side.units[index]!.heading && partner[index] === -1 && !cuts.has(index))
    .map((index) => {
      const run: Run = { unit: index, from: 0, to: side.units[index]!.tokens.length };
      cut(cuts, run);
      return partOf(side, run);
    });
}

function plain(text: string): string {
  return text.replace(/\s+/g, '');
}

function wordsOf(part: DraftPart): string {
  return part.tokens.map((token) => token.text).join('');
}

function fragmentDrafts(a: Side, b: Side, alignment: Alignment, fragments: readonly FragmentPair[], cuts: Cuts): Draft[] {
  const groups = new Map<string, { kind: FragmentPair['meaning']; a: DraftPart[]; b: DraftPart[]; clauseA: number; clauseB: number }>();
  for (const [index, { a: x, b: y, meaning }] of fragments.entries()) {
    const [clauseA, clauseB] = [a.units[x.unit]!.clause, b.units[y.unit]!.clause];
    const [left, right] = [partOf(a, x), partOf(b, y)];
    if (meaning === 'reflow' && sameTokens(left.tokens, right.tokens)) continue;
    // One reader took "(b)" in a running sentence for a clause number, the other did not: the documents say the same.
    if (meaning === 'split' && wordsOf(left) === plain(b.clauses[clauseB]!.number) + wordsOf(right)) continue;
    if (meaning === 'merged' && wordsOf(right) === plain(a.clauses[clauseA]!.number) + wordsOf(left)) continue;
    // All paragraphs of one clause that went into one other clause are one change.
    const key = meaning === 'merged' || meaning === 'split' ? `${meaning} ${clauseA} ${clauseB}` : `${index}`;
    const group = groups.get(key) ?? { kind: meaning, a: [], b: [], clauseA, clauseB };
    groups.set(key, group);
    group.a.push(left);
    group.b.push(right);
  }
  return [...groups.values()].map((group) => {
    const headA = group.kind === 'merged' ? headingsOf(a, group.clauseA, alignment.toB, cuts.a) : [];
    const headB = group.kind === 'split' ? headingsOf(b, group.clauseB, alignment.toA, cuts.b) : [];
    const [left, right] = [
      [...headA, ...group.a],
      [...headB, ...group.b],
    ];
    const same = sameTokens(tokensOf(left), tokensOf(right));
    const kind = group.kind === 'reflow' ? 'changed' : group.kind === 'moved' ? (same ? 'moved' : 'movedChanged') : group.kind;
    return { kind, a: left, b: right, clauseA: -1, clauseB: -1, term: null };
  });
}

function aloneDrafts(a: Side, b: Side, alignment: Alignment, cuts: Cuts): Draft[] {
  const left = runsAlone(a, alignment.toB, alignment.clauseToB, cuts.a).map((parts): Draft => ({
    kind: 'deleted',
    a: parts,
    b: [],
    clauseA: -1,
    clauseB: -1,
    term: null,
  }));
  const right = runsAlone(b, alignment.toA, alignment.clauseToA, cuts.b).map((parts): Draft => ({
    kind: 'inserted',
    a: [],
    b: parts,
    clauseA: -1,
    clauseB: -1,
    term: null,
  }));
  return [...left, ...right];
}

/** Units without a partner; those of one clause that has none itself, with all its parts, together. */
function runsAlone(side: Side, partner: Int32Array, clausePartner: Int32Array, cuts: ReadonlyMap<number, readonly Run[]>): DraftPart[][] {
  const runs: DraftPart[][] = [];
  let lastRoot = -2;
  for (const unit of side.units) {
    if (partner[unit.index] !== -1) continue;
    const part = kept(side, unit.index, cuts);
    if (part.tokens.length === 0) continue;
    const root = aloneRoot(side, unit.clause, clausePartner);
    // A clause that is gone is gone once, though a part of it was moved out before.
    if (root !== -1 && root === lastRoot) runs.at(-1)!.push(part);
    else runs.push([part]);
    lastRoot = root;
  }
  return runs;
}

/** The highest clause above without a partner; -1 if the clause itself has one. */
function aloneRoot(side: Side, clause: number, partner: Int32Array): number {
  let root = -1;
  for (let at = clause; at !== -1 && partner[at] === -1;) {
    root = at;
    const parentId = side.clauses[at]!.parentId;
    at = parentId === null ? -1 : (side.clauseIndex.get(parentId) ?? -1);
  }
  return root;
}

/** Defined terms whose definition stands in another clause now, where the text around it did not simply move along. */
function definitionDrafts(a: Side, b: Side, alignment: Alignment, drafts: readonly Draft[], vocabulary: Vocabulary): Draft[] {
  const [left, right] = [definitionPlaces(a, vocabulary), definitionPlaces(b, vocabulary)];
  const told = new Set(
    drafts.filter((draft) => draft.kind !== 'changed' && draft.a.length > 0 && draft.b.length > 0).flatMap((draft) => draft.a.map((part) => part.unit.index)),
  );
  const found: Draft[] = [];
  for (const [term, x] of left) {
    const y = right.get(term);
    if (x === null || y === undefined || y === null) continue;
    const [ca, cb] = [a.units[x.unit]!.clause, b.units[y.unit]!.clause];
    if (ca === -1 || cb === -1 || alignment.clauseToB[ca] === cb || alignment.toB[x.unit] === y.unit || told.has(x.unit)) continue;
    const [from, to] = [partOf(a, x), partOf(b, y)];
    found.push({ kind: sameTokens(from.tokens, to.tokens) ? 'moved' : 'movedChanged', a: [from], b: [to], clauseA: -1, clauseB: -1, term });
  }
  return found;
}

/** Where each term is defined; null for a term with several definitions. */
function definitionPlaces(side: Side, vocabulary: Vocabulary): Map<string, Run | null> {
  const unitsOfBlock = new Map<string, Set<Unit>>();
  for (const unit of side.units) {
    for (const token of unit.tokens) {
      const id = side.document.blocks[token.block]!.id;
      unitsOfBlock.set(id, (unitsOfBlock.get(id) ?? new Set()).add(unit));
    }
  }
  const places = new Map<string, Run | null>();
  for (const { term, span } of side.document.definitions) {
    const run = [...(unitsOfBlock.get(span.blockId) ?? [])].flatMap((unit): Run[] => {
      const here = (token: Token): boolean => side.document.blocks[token.block]!.id === span.blockId;
      const from = unit.tokens.findIndex((token) => here(token) && token.end > span.start);
      const to = unit.tokens.findLastIndex((token) => here(token) && token.start < span.end) + 1;
      if (from === -1 || to <= from) return [];
      return [widenDefinition(unit, from, to, vocabulary)];
    })[0];
    if (run !== undefined) places.set(term, places.has(term) ? null : run);
  }
  return places;
}

/** A definition that begins its sentence is the sentence; one in brackets is the brackets; otherwise the term alone. */
function widenDefinition(unit: Unit, from: number, to: number, vocabulary: Vocabulary): Run {
  // One token before the term is its quote.
  const sentence = sentencesOf(unit, 0, unit.tokens.length, vocabulary).find((run) => from - run.from <= 1 && run.from <= from && to <= run.to);
  if (sentence !== undefined) return sentence;
  const word = (at: number): string => vocabulary.words[unit.tokens[at]?.id ?? -1] ?? '';
  // Twelve tokens hold "(collectively, with its affiliates, the “X”)".
  const open = [...Array(12).keys()].map((back) => from - 1 - back).find((at) => word(at) === '(');
  const close = [...Array(12).keys()].map((ahead) => to + ahead).find((at) => word(at) === ')');
  return open !== undefined && close !== undefined ? { unit: unit.index, from: open, to: close + 1 } : { unit: unit.index, from, to };
}

/** Clauses whose own number changed while their words did not; those told already by another change are left out. */
function numberDrafts(a: Side, b: Side, alignment: Alignment, drafts: readonly Draft[]): Draft[] {
  const told = new Set(drafts.flatMap((draft) => clausePairsOf(draft)));
  return a.clauses.flatMap((clause, clauseA): Draft[] => {
    const clauseB = alignment.clauseToB[clauseA]!;
    if (clauseB === -1 || told.has(`${clauseA} ${clauseB}`)) return [];
    return plainNumber(clause.number) === plainNumber(b.clauses[clauseB]!.number) ? [] : [{ kind: 'renumbered', a: [], b: [], clauseA, clauseB, term: null }];
  });
}

/** Pairs of clauses of which the draft tells; part by part, since the parts of a draft correspond in order. */
function clausePairsOf({ a, b }: Draft): string[] {
  if (a.length !== b.length) return a.flatMap((x) => b.map((y) => `${x.unit.clause} ${y.unit.clause}`));
  return a.map((x, at) => `${x.unit.clause} ${b[at]!.unit.clause}`);
}

/** A number without its marks: "1." and "1" and "(1)" name the same place; "12.3" under 12 is what "3" is. */
function plainNumber(number: string): string {
  return number
    .toLowerCase()
    .replace(/^(?:section|article|clause|paragraph|第)\s*/u, '')
    .replace(/[\s().:、）（条章节款]/gu, (mark) => (mark === '.' ? '.' : ''))
    .replace(/^\.+|\.+$/g, '')
    .split('.')
    .at(-1)!;
}
