// The words of one change: its diff, its places, what the edits concern and how much they matter.
//
// Owns: turning a draft (which text against which) into a change of the contract, in the orientation that was asked for.
// Rule: a name that reads otherwise throughout, references that follow, and what a scan misread are told elsewhere; a change is judged by the rest.
import type { Change } from '../contract/comparison.ts';
import type { Span } from '../contract/document.ts';
import { judge } from './classify.ts';
import type { Told } from './groups.ts';
import { standsInMargin } from './margins.ts';
import type { Misreads } from './misreads.ts';
import type { Hunk } from './myers.ts';
import type { Neutral } from './neutral.ts';
import { sameTokens, tokensOf, type Draft, type DraftPart } from './parts.ts';
import type { DefinedPlaces } from './places.ts';
import type { Edit, Terms } from './topics.ts';
import { textOf, type Token } from './tokens.ts';
import { parentOf, type Side } from './units.ts';
import { diffParts, mirrorParts, wordHunks } from './wordDiff.ts';

type ChangeSide = NonNullable<Change['before']>;
const MIRRORED: Partial<Record<Change['kind'], Change['kind']>> = { inserted: 'deleted', deleted: 'inserted', split: 'merged', merged: 'split' };

/** What all changes of one comparison are seen in. */
export interface Scene {
  readonly a: Side;
  readonly b: Side;
  readonly swapped: boolean;
  readonly terms: Terms;
  readonly places: DefinedPlaces;
  readonly misreads: Misreads;
}

export interface Work {
  readonly draft: Draft;
  readonly tokensA: readonly Token[];
  readonly tokensB: readonly Token[];
  readonly hunks: readonly Hunk[];
  /** In the orientation that was asked for: `removed` stands in the older document. */
  readonly edits: readonly Edit[];
}

/** The words of a draft that differ; nothing where only a scan was misread or only a margin repeats. */
export function workOut(draft: Draft, scene: Scene): Work[] {
  const [tokensA, tokensB] = [tokensOf(draft.a), tokensOf(draft.b)];
  const both = draft.a.length > 0 && draft.b.length > 0;
  if (!both && draft.clauseA === -1 && scene.misreads.isSpeck([...tokensA, ...tokensB])) return [];
  // A paragraph that the other document has as a running foot says nothing new.
  const { a, b } = scene;
  if (draft.b.length === 0 && draft.clauseA === -1 && standsInMargin(tokensA, b.margins, b.vocabulary)) return [];
  if (draft.a.length === 0 && draft.clauseB === -1 && standsInMargin(tokensB, a.margins, a.vocabulary)) return [];
  const differs = both && !sameTokens(tokensA, tokensB);
  const hunks = differs ? wordHunks(tokensA, tokensB, (raw) => scene.misreads.sift(tokensA, tokensB, raw)) : [];
  if (differs && hunks.length === 0) {
    if (draft.kind === 'changed') return [];
    if (draft.kind === 'movedChanged') return [{ draft: { ...draft, kind: 'moved' }, tokensA, tokensB, hunks, edits: [] }];
  }
  return [{ draft, tokensA, tokensB, hunks, edits: makeEdits(draft, tokensA, tokensB, hunks, scene) }];
}

export function tell({ draft, tokensA, tokensB, hunks, edits }: Work, id: string, scene: Scene, neutral: Neutral): Told {
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
  const follows = told && rename === -1 ? residue.references : 0;
  const judged = judge({ kind, ...paths, edits: judgedEdits, words, referencesFollow: follows > 0, term: draft.term }, terms);
  const change: Change = { id, kind, before, after, diff: both ? (swapped ? mirrorParts(parts) : parts) : whole, ...judged, groupId: null };
  return { change, rename, renamePlaces: residue.renames, follows, parents: `${parentOf(a, draft.clauseA)} ${parentOf(b, draft.clauseB)}` };
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
