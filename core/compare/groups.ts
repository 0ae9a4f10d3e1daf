// Edits that show at many places and are one: a term renamed throughout, cross-references that follow new numbers, a run of new numbers.
//
// Owns: finding names that were replaced, saying which edits of a change they explain, and making the groups of the finished changes.
// Rule: a change belongs to a group only if the group says all of it; what else differs in a clause is told by itself and judged without the name.
import type { Change, ChangeGroup } from '../contract/comparison.ts';
import { chineseValue, letterValue, romanValue } from '../ingest/numerals.ts';
import type { Edit } from './topics.ts';

/** A name that reads otherwise throughout. */
export interface Rename {
  /** As a reader knows it: the whole term, in the form that was met most. */
  readonly before: string;
  readonly after: string;
  /** Words that differ, in lower case and without ending, in the first and in the second document. */
  readonly stems: readonly [readonly string[], readonly string[]];
}

/** A name has up to six words ("Number of Issued And Outstanding Options"). */
const LONGEST_NAME = 6;
/** The same replacement three times is a pattern; twice may be chance. */
const LEAST_PLACES = 3;
const NOT_A_NAME =
  /^(?:shall|will|must|may|can|should|could|might|would|not|no|never|any|all|each|every|and|or|the|a|an|this|that|such|if|unless|except|business|days?|months?|years?|dollars?|sections?|articles?|clauses?|exhibits?|schedules?|[ivxlc]+|.)$/i;

/** Without the plural and possessive ending of the last word, in lower case: the forms of one name are one rename. */
function stems(removed: readonly string[], added: readonly string[]): [string[], string[]] {
  const lower = (words: readonly string[]): string[] => words.map((word) => word.toLowerCase().replace(/[’‘]/g, "'"));
  const [x, y] = [lower(removed), lower(added)];
  const [lastX, lastY] = [x.at(-1)!, y.at(-1)!];
  for (const ending of ["s'", "'s", 's']) {
    if (!lastX.endsWith(ending) || !lastY.endsWith(ending) || Math.min(lastX.length, lastY.length) < ending.length + 3) continue;
    return [
      [...x.slice(0, -1), lastX.slice(0, -ending.length)],
      [...y.slice(0, -1), lastY.slice(0, -ending.length)],
    ];
  }
  return [x, y];
}

const normal = (text: string): string => text.replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim();

function isName(words: readonly string[]): boolean {
  const letters = words.filter((word) => /\p{L}/u.test(word));
  if (letters.length === 0 || words.length > LONGEST_NAME || words.some((word) => /^[\p{N}.;:()"]/u.test(word))) return false;
  if (letters.every((word) => /\p{Script=Han}/u.test(word))) return true;
  return letters.some((word) => /^\p{Lu}/u.test(word) && !NOT_A_NAME.test(word));
}

/**
 * Names that were replaced in at least three places, from the edits of all changes that have both sides.
 * `removed` of an edit stands in the older document; `swapped` says that this is the second one.
 */
export function findRenames(edits: readonly Edit[], terms: ReadonlySet<string>, swapped: boolean): Rename[] {
  const found = new Map<string, { count: number; stems: [string[], string[]]; forms: Map<string, number> }>();
  for (const { removed, added, removedText, addedText } of edits) {
    if (removed.length === 0 || added.length === 0 || !isName(removed) || !isName(added)) continue;
    const pair = stems(removed, added);
    const key = pair.map((words) => words.join(' ')).join('\n');
    const entry = found.get(key) ?? { count: 0, stems: pair, forms: new Map<string, number>() };
    found.set(key, entry);
    entry.count++;
    const form = `${normal(removedText)}\n${normal(addedText)}`;
    entry.forms.set(form, (entry.forms.get(form) ?? 0) + 1);
  }
  const order = (entry: { stems: string[][] }): string =>
    entry.stems
      .map((words) => words.join(' '))
      .toSorted()
      .join('\n');
  return [...found.values()]
    .filter(({ count }) => count >= LEAST_PLACES)
    .toSorted((x, y) => y.count - x.count || (order(x) < order(y) ? -1 : 1))
    .map(({ stems: [x, y], forms }) => {
      const [before, after] = [...forms].toSorted((p, q) => q[1] - p[1] || (p[0] < q[0] ? -1 : 1))[0]![0].split('\n') as [string, string];
      const [shownBefore, shownAfter] = wholeTerm(before, after, terms);
      return { before: shownBefore, after: shownAfter, stems: swapped ? [y, x] : [x, y] };
    });
}

/** Where only a part of a term differs ("甲" of "甲方", "Disclosing" of "Disclosing Party"), the terms are what was renamed. */
function wholeTerm(before: string, after: string, terms: ReadonlySet<string>): [string, string] {
  if (terms.has(before)) return [before, after];
  for (const term of terms) {
    const other = term.replace(before, after);
    if (other !== term && terms.has(other)) return [term, other];
  }
  return [before, after];
}

/** What compare.ts knows of a change beyond its own form. */
export interface Told {
  readonly change: Change;
  /** Index of the rename that explains every edit of the change; -1 if anything else differs. */
  readonly rename: number;
  /** How often each rename shows in the change. */
  readonly renamePlaces: ReadonlyMap<number, number>;
  /** References that follow, where nothing else differs; 0 otherwise. */
  readonly follows: number;
  /** Parents of the clause on both sides, for runs of new numbers. */
  readonly parents: string;
}

const SEVERITY_ORDER = { high: 0, medium: 1, low: 2 } as const;

/** Groups of the changes, and the changes with the ids of their groups. */
export function groupChanges(told: readonly Told[], renames: readonly Rename[]): { changes: Change[]; groups: ChangeGroup[] } {
  const groups: ChangeGroup[] = [];
  const groupOf = new Map<string, string>();
  const add = (group: Omit<ChangeGroup, 'id'>): void => {
    const id = `group-${groups.length + 1}`;
    groups.push({ ...group, id });
    for (const changeId of group.changeIds) groupOf.set(changeId, id);
  };
  for (const [index, rename] of renames.entries()) {
    const group = renameGroup(told, rename, index);
    if (group !== null) add(group);
  }
  const references = told.filter(({ change, follows }) => follows > 0 && change.kind === 'changed' && !groupOf.has(change.id));
  if (references.length > 0) add(referenceGroup(references));
  for (const run of numberRuns(told.filter(({ change }) => change.kind === 'renumbered'))) add(renumberingGroup(run));
  return { changes: told.map(({ change }) => ({ ...change, groupId: groupOf.get(change.id) ?? null })), groups };
}

function renameGroup(told: readonly Told[], rename: Rename, index: number): Omit<ChangeGroup, 'id'> | null {
  const own = told.filter((entry) => entry.rename === index && entry.change.kind === 'changed').map(({ change }) => change);
  const places = told.reduce((sum, { renamePlaces }) => sum + (renamePlaces.get(index) ?? 0), 0);
  if (own.length === 0) return null;
  const severity = own.map((change) => change.severity).toSorted((x, y) => SEVERITY_ORDER[x] - SEVERITY_ORDER[y])[0]!;
  const reason = `“${rename.before}” became “${rename.after}” in ${places} places.`;
  return { kind: 'rename', before: rename.before, after: rename.after, changeIds: own.map(({ id }) => id), places, severity, reason };
}

function referenceGroup(references: readonly Told[]): Omit<ChangeGroup, 'id'> {
  const places = references.reduce((sum, { follows }) => sum + follows, 0);
  const reason = `${places === 1 ? 'One cross-reference follows' : `${places} cross-references follow`} the new numbering and still ${places === 1 ? 'points' : 'point'} at the same ${places === 1 ? 'clause' : 'clauses'}.`;
  return { kind: 'references', before: '', after: '', changeIds: references.map(({ change }) => change.id), places, severity: 'low', reason };
}

const ROMAN = /^[ivxlc]+$/;

/** By how much two printed numbers differ: "5.12" and "5.14" 2, "(c)" and "(d)" 1, 第三条 and 第四条 1. Letters that are Roman numbers too have two answers. */
function distancesOf(before: string, after: string): number[] {
  const [x, y] = [labelOf(before), labelOf(after)];
  if (/^\d+$/.test(x) && /^\d+$/.test(y)) return [Number(y) - Number(x)];
  const distances: number[] = [];
  if (ROMAN.test(x) && ROMAN.test(y)) distances.push(romanValue(y) - romanValue(x));
  if (/^[a-z]$/.test(x) && /^[a-z]$/.test(y)) distances.push(letterValue(y) - letterValue(x));
  if (CHINESE.test(x) && CHINESE.test(y)) distances.push(chineseValue(y) - chineseValue(x));
  return distances;
}

const CHINESE = /^[零〇一二两三四五六七八九十百千]+$/;

/** The last part of a path without its brackets and words. */
function labelOf(path: string): string {
  return (/([\p{L}\p{N}]+?)[)）.条章节款项目编]*$/u.exec(path)?.[1] ?? '').toLowerCase().replace(/^第/, '');
}

/** Runs of at least two siblings, in order, whose numbers all differ by the same count. */
function numberRuns(told: readonly Told[]): Told[][] {
  const runs: Told[][] = [];
  const lastOf = new Map<string, Told[]>();
  for (const entry of told) {
    const keys = distancesOf(entry.change.before?.path ?? '', entry.change.after?.path ?? '').map((distance) => `${entry.parents} ${distance}`);
    const going = keys.find((key) => lastOf.has(key));
    if (going !== undefined) lastOf.get(going)!.push(entry);
    else if (keys.length > 0) {
      const fresh = [entry];
      // Whichever reading the next one continues is the right one.
      for (const key of keys) lastOf.set(key, fresh);
      runs.push(fresh);
    }
  }
  return runs.filter((run) => run.length >= 2);
}

function renumberingGroup(run: readonly Told[]): Omit<ChangeGroup, 'id'> {
  const range = (side: 'before' | 'after'): string => `${run[0]!.change[side]?.path ?? ''} to ${run.at(-1)!.change[side]?.path ?? ''}`;
  const [before, after] = [range('before'), range('after')];
  return {
    kind: 'renumbering',
    before,
    after,
    changeIds: run.map(({ change }) => change.id),
    places: run.length,
    severity: 'low',
    reason: `Numbers ${before} became ${after}; the words did not change.`,
  };
}
