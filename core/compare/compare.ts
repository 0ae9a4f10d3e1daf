// Compares two documents on their clause trees: what was inserted, deleted, changed, moved, renumbered, split and merged, and how much it matters.
//
// Owns: the order of the steps and the form of the result. Alignment is align.ts, order order.ts, sentences that went elsewhere fragments.ts,
// the list of changes draft.ts, the words of each tell.ts, what many places have in common groups.ts, meaning topics.ts and classify.ts.
// Rule: the work is always done in one direction (the document with the smaller id first) and turned round at the end if the caller asked for the
// other, so exchanging the documents mirrors the result exactly. Identical documents, and documents that differ in form only, give no changes.
import { CHANGE_KINDS, type Comparison } from '../contract/comparison.ts';
import type { Document } from '../contract/document.ts';
import { alignUnits } from './align.ts';
import type { Alignment } from './alignment.ts';
import { draftChanges } from './draft.ts';
import { findRenames, groupChanges } from './groups.ts';
import { misreadNote, Misreads } from './misreads.ts';
import { Neutral, type ClausePartners } from './neutral.ts';
import { findOrder, type Order } from './order.ts';
import type { Draft } from './parts.ts';
import { DefinedPlaces } from './places.ts';
import { joinBroken } from './reflow.ts';
import { tell, workOut, type Scene } from './tell.ts';
import { termsOf } from './topics.ts';
import { Vocabulary } from './tokens.ts';
import { readSide, type Side } from './units.ts';

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
  const misreads = new Misreads(a, b);
  const scene: Scene = { a, b, swapped, terms: termsOf([first, second]), places: new DefinedPlaces(first, second), misreads };
  const works = drafts.flatMap((draft) => workOut(draft, scene).map((work) => ({ at: positionOf(draft, a, b, alignment, order, swapped), work })));
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
  return { beforeId: before.id, afterId: after.id, changes, groups, notes: noteOf(misreads), pairs, counts, unchangedClauses, ms: performance.now() - started };
}

function noteOf(misreads: Misreads): string[] {
  const note = misreadNote(misreads.found);
  return note === null ? [] : [note];
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
