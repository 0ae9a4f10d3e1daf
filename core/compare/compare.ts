// Compares two documents on their clause trees: what was inserted, deleted, changed, moved, renumbered, split and merged, and how much it matters.
//
// Owns: the order of the steps and the form of the result. Alignment is align.ts, order order.ts, sentences that went elsewhere fragments.ts,
// the list of changes draft.ts, words wordDiff.ts, meaning topics.ts and classify.ts.
// Rule: the work is always done in one direction (the document with the smaller id first) and turned round at the end if the caller asked for the
// other, so exchanging the documents mirrors the result exactly. Identical documents, and documents that differ in form only, give no changes.
import { CHANGE_KINDS, type Change, type Comparison } from '../contract/comparison.ts';
import type { Document, Span } from '../contract/document.ts';
import { alignUnits } from './align.ts';
import type { Alignment } from './alignment.ts';
import { judge } from './classify.ts';
import { draftChanges } from './draft.ts';
import type { Hunk } from './myers.ts';
import { findRenames, groupChanges, type Told } from './groups.ts';
import { Neutral, type ClausePartners } from './neutral.ts';
import { findOrder, type Order } from './order.ts';
import { sameTokens, tokensOf, type Draft, type DraftPart } from './parts.ts';
import { DefinedPlaces } from './places.ts';
import { joinBroken } from './reflow.ts';
import { termsOf, type Edit, type Terms } from './topics.ts';
import { Vocabulary, textOf, type Token } from './tokens.ts';
import { parentOf, readSide, type Side } from './units.ts';
import { diffParts, mirrorParts, wordHunks } from './wordDiff.ts';

type ChangeSide = NonNullable<Change['before']>;
const MIRRORED: Partial<Record<Change['kind'], Change['kind']>> = { inserted: 'deleted', deleted: 'inserted', split: 'merged', merged: 'split' };

export function compareDocuments(before: Document, after: Document): Comparison {
  const started = performance.now();
  const swapped = before.id > after.id;
  const [first, second] = swapped ? [after, before] : [before, after];
  const options = { markup: first.kind === 'text' || second.kind === 'text', hyphens: first.kind === 'pdf' || second.kind === 'pdf' };
  const vocabulary = new Vocabulary();
  const [a, b] = joinBroken(readSide(first, vocabulary, options), readSide(second, vocabulary, options));
  const alignment = alignUnits(a, b);
  const order = findOrder(a, b, alignment);
  const drafts = draftChanges(a, b, alignment, order, vocabulary);
  const scene: Scene = { a, b, swapped, terms: termsOf([first, second]), places: new DefinedPlaces(first, second) };
  const works = drafts.map((draft) => ({ at: positionOf(draft, a, b, alignment, order, swapped), work: workOut(draft, scene) }));
  works.sort((x, y) => x.at[0]! - y.at[0]! || x.at[1]! - y.at[1]! || x.at[2]! - y.at[2]!);
  const renames = findRenames(
    works.flatMap(({ work }) => work.edits),
    scene.terms.defined,
    swapped,
  );
  const neutral = new Neutral(first, second, clausePartners(a, b, alignment, drafts), renames, vocabulary);
  const told = works.map(({ work }, index) => tell(work, `change-${index + 1}`, scene, neutral));
  const { changes, groups } = groupChanges(told, renames);
  const counts = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, changes.filter((change) => change.kind === kind).length])) as Comparison['counts'];
  const pairs = pairsOf(a, b, alignment, swapped);
  const touched = new Set(changes.flatMap((change) => (swapped ? change.after : change.before)?.clauseIds ?? []));
  const touchedOther = new Set(changes.flatMap((change) => (swapped ? change.before : change.after)?.clauseIds ?? []));
  const unchangedClauses = a.clauses.filter(
    (clause, index) => alignment.clauseToB[index] !== -1 && !touched.has(clause.id) && !touchedOther.has(b.clauses[alignment.clauseToB[index]!]!.id),
  ).length;
  return { beforeId: before.id, afterId: after.id, changes, groups, notes: [], pairs, counts, unchangedClauses, ms: performance.now() - started };
}

function pairsOf(a: Side, b: Side, alignment: Alignment, swapped: boolean): Comparison['pairs'] {
  const pairs: { beforeId: string; afterId: string }[] = [];
  const [one, other, partner] = swapped ? [b, a, alignment.clauseToA] : [a, b, alignment.clauseToB];
  one.clauses.forEach((clause, index) => {
    const match = other.clauses[partner[index]!];
    if (match !== undefined) pairs.push({ beforeId: clause.id, afterId: match.id });
  });
  return pairs;
}

/** Sort key: unit of the newer document, then older unit for deletions, then token. */
function positionOf(draft: Draft, a: Side, b: Side, alignment: Alignment, order: Order, swapped: boolean): number[] {
  const [newer, older] = swapped ? [draft.a, draft.b] : [draft.b, draft.a];
  const part = newer[0];
  if (part !== undefined) return [part.unit.index, -1, part.tokens[0]?.start ?? 0];
  if (draft.kind === 'renumbered') {
    const [side, clause] = swapped ? [a, draft.clauseA] : [b, draft.clauseB];
    return [side.unitsOf[clause]?.[0] ?? firstUnitBelow(side, clause), -1, -1];
  }
  const index = older[0]!.unit.index;
  if (!swapped) return [order.previous[index]! + 0.5, index, older[0]!.tokens[0]?.start ?? 0];
  // The newer side is the first one here: the last kept unit of it whose partner stands before the deleted unit.
  let at = -1;
  for (let j = index - 1; j >= 0 && at === -1; j--) {
    const i = alignment.toA[j]!;
    if (i !== -1 && order.kept[i] === true) at = i;
  }
  return [at + 0.5, index, older[0]!.tokens[0]?.start ?? 0];
}

function firstUnitBelow(side: Side, clause: number): number {
  const child = side.clauses[clause]?.children[0];
  const index = child === undefined ? -1 : (side.clauseIndex.get(child) ?? -1);
  return index === -1 ? 0 : (side.unitsOf[index]?.[0] ?? firstUnitBelow(side, index));
}

/** What all changes of one comparison are seen in. */
interface Scene {
  readonly a: Side;
  readonly b: Side;
  readonly swapped: boolean;
  readonly terms: Terms;
  readonly places: DefinedPlaces;
}

interface Work {
  readonly draft: Draft;
  readonly tokensA: readonly Token[];
  readonly tokensB: readonly Token[];
  readonly hunks: readonly Hunk[];
  /** In the orientation that was asked for: `removed` stands in the older document. */
  readonly edits: readonly Edit[];
}

function workOut(draft: Draft, scene: Scene): Work {
  const [tokensA, tokensB] = [tokensOf(draft.a), tokensOf(draft.b)];
  const both = draft.a.length > 0 && draft.b.length > 0;
  const hunks = both && !sameTokens(tokensA, tokensB) ? wordHunks(tokensA, tokensB) : [];
  return { draft, tokensA, tokensB, hunks, edits: makeEdits(draft, tokensA, tokensB, hunks, scene) };
}

function tell({ draft, tokensA, tokensB, hunks, edits }: Work, id: string, scene: Scene, neutral: Neutral): Told {
  const { a, b, swapped, terms } = scene;
  const kind = swapped ? (MIRRORED[draft.kind] ?? draft.kind) : draft.kind;
  const [left, right] = [sideOf(draft.a, draft.clauseA, a), sideOf(draft.b, draft.clauseB, b)];
  const [before, after] = swapped ? [right, left] : [left, right];
  const both = draft.a.length > 0 && draft.b.length > 0;
  const parts = hunks.length > 0 ? diffParts(tokensA, tokensB, hunks) : [];
  const whole =
    kind === 'inserted' ? [{ op: 'insert' as const, text: after!.text }] : kind === 'deleted' ? [{ op: 'delete' as const, text: before!.text }] : [];
  // A name that reads otherwise throughout, and references that follow, are told once; what else differs here is judged without them.
  const residue = hunks.length > 0 ? neutral.residue(tokensA, tokensB, hunks) : { hunks, renames: new Map<number, number>(), references: 0 };
  const told = hunks.length > 0 && residue.hunks.length === 0;
  const judgedEdits = told || residue.hunks.length === 0 ? edits : makeEdits(draft, tokensA, tokensB, residue.hunks, scene);
  const words = [...tokensA, ...tokensB].map((token) => token.text);
  const paths = { beforePath: before?.path ?? '', afterPath: after?.path ?? '', heading: after?.heading || before?.heading || '' };
  const rename = told ? ([...residue.renames.keys()].find((index) => index !== -1) ?? -1) : -1;
  const follows = told && rename === -1 && residue.references > 0;
  const judged = judge({ kind, ...paths, edits: judgedEdits, words, referencesFollow: follows, term: draft.term }, terms);
  const change: Change = { id, kind, before, after, diff: both ? (swapped ? mirrorParts(parts) : parts) : whole, ...judged, groupId: null };
  return { change, rename, renamePlaces: residue.renames, follows, parents: `${parentOf(a, draft.clauseA)} ${parentOf(b, draft.clauseB)}` };
}

/** Clause pairs, and for a clause that was merged or split off the clause that has its words now: what references to it point at. */
function clausePartners(a: Side, b: Side, alignment: Alignment, drafts: readonly Draft[]): ClausePartners {
  const partners = new Map<string, string[]>();
  const add = (x: number, y: number): void => {
    const [id, other] = [a.clauses[x]?.id, b.clauses[y]?.id];
    if (id !== undefined && other !== undefined) partners.set(id, [...(partners.get(id) ?? []), other]);
  };
  a.clauses.forEach((_clause, index) => add(index, alignment.clauseToB[index]!));
  for (const { kind, a: x, b: y } of drafts) if (kind === 'merged' || kind === 'split') add(x[0]!.unit.clause, y[0]!.unit.clause);
  return partners;
}

function sideOf(parts: readonly DraftPart[], clause: number, side: Side): ChangeSide | null {
  const clauses = [...new Set(parts.length > 0 ? parts.map((part) => part.unit.clause) : clause === -1 ? [] : [clause])]
    .filter((index) => index !== -1)
    .map((index) => side.clauses[index]!);
  if (parts.length === 0 && clauses.length === 0) return null;
  return {
    clauseIds: clauses.map(({ id }) => id),
    path: clauses[0]?.path ?? '',
    heading: clauses[0]?.heading ?? '',
    text: parts.map((part) => textOf(part.tokens)).join('\n'),
    spans: parts.length > 0 ? parts.flatMap((part) => spansOf(part, side)) : (clauses[0]?.spans ?? []),
  };
}

/** Spans of the tokens; a sentence that was told elsewhere leaves a gap. */
function spansOf(part: DraftPart, side: Side): Span[] {
  const spans: { documentId: string; blockId: string; start: number; end: number }[] = [];
  const place = new Map(part.unit.tokens.map((token, index) => [`${token.block} ${token.start}`, index]));
  let last = -2;
  for (const token of part.tokens) {
    const index = place.get(`${token.block} ${token.start}`)!;
    const blockId = side.document.blocks[token.block]!.id;
    const span = spans.at(-1);
    if (span?.blockId === blockId && index === last + 1) span.end = token.end;
    else spans.push({ documentId: side.document.id, blockId, start: token.start, end: token.end });
    last = index;
  }
  return spans;
}

const texts = (tokens: readonly Token[]): string[] => tokens.map((token) => token.text);

function makeEdits(draft: Draft, a: readonly Token[], b: readonly Token[], hunks: readonly Hunk[], { swapped, places }: Scene): Edit[] {
  const whole = draft.a.length === 0 || draft.b.length === 0;
  const list = whole ? [{ a0: 0, a1: a.length, b0: 0, b1: b.length }] : hunks;
  return list.map((hunk) => {
    const [x, y] = [a.slice(hunk.a0, hunk.a1), b.slice(hunk.b0, hunk.b1)];
    const [removed, added] = swapped ? [y, x] : [x, y];
    // Five words reach from a number over "(30) business" to its unit. They are equal words, so the same on both sides.
    const [before, after] = whole ? [[], []] : [texts(b.slice(Math.max(0, hunk.b0 - 4), hunk.b0)), texts(b.slice(hunk.b1, hunk.b1 + 5))];
    return {
      removed: texts(removed),
      added: texts(added),
      removedText: textOf(removed),
      addedText: textOf(added),
      defines: places.defines(draft.a, draft.b, hunk),
      before,
      after,
    };
  });
}
