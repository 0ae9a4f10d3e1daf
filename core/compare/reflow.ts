// Paragraph breaks that only one document has: a page end, a line break of a text file, a converter's habit. They are noise.
//
// Owns: finding them between equal neighbours, inside one clause, and joining the pieces to one unit before alignment, so that a broken paragraph
// is compared as the paragraph it was.
import { matchRepeated, matchUnique } from './align.ts';
import { emptyAlignment } from './alignment.ts';
import { bagOf, dice } from './similarity.ts';
import { continued, joinUnits, type Side, type Unit } from './units.ts';

/**
 * Undoes paragraph breaks that only one document has: a run of units of one clause that reads, joined, as a run of the other side between the same
 * equal neighbours becomes one unit. Joined text must be equal, or one side must be a single unit that is more like the whole run than like any part.
 */
export function joinBroken(a: Side, b: Side): [Side, Side] {
  const alignment = emptyAlignment(a, b);
  matchUnique(a, b, alignment);
  matchRepeated(a, b, alignment);
  const [joinsA, joinsB]: [{ from: number; to: number }[], { from: number; to: number }[]] = [[], []];
  for (let i = 0; i < a.units.length;) {
    if (alignment.toB[i] !== -1) {
      i++;
      continue;
    }
    let end = i;
    while (end < a.units.length && alignment.toB[end] === -1) end++;
    const j = i === 0 ? 0 : alignment.toB[i - 1]! + 1;
    let jEnd = j;
    while (jEnd < b.units.length && alignment.toA[jEnd] === -1) jEnd++;
    joinsB.push(...numberedRuns(a, i, end, b, j, jEnd));
    joinsA.push(...numberedRuns(b, j, jEnd, a, i, end));
    for (const [left, right] of brokenRuns(a, b, clauseRuns(a, i, end), clauseRuns(b, j, jEnd))) {
      if (left.to - left.from > 1) joinsA.push(left);
      if (right.to - right.from > 1) joinsB.push(right);
    }
    i = end;
  }
  return [joinUnits(a, apart(joinsA)), joinUnits(b, apart(joinsB))];
}

/** In order, and none that overlaps one before it. */
function apart(runs: readonly UnitRun[]): UnitRun[] {
  const kept: UnitRun[] = [];
  for (const run of runs.toSorted((x, y) => x.from - y.from || y.to - x.to)) if (run.from >= (kept.at(-1)?.to ?? 0)) kept.push(run);
  return kept;
}

/** Beginning by which a broken unit is looked up: three words are seldom those of another. */
const OPENING = 3;
const openingOf = (ids: readonly number[]): string => ids.slice(0, OPENING).join(' ');
const idsOf = (unit: Unit): number[] => unit.tokens.map((token) => token.id);

/**
 * A line that happens to begin with a number ("... in accordance with Section / 3.5 and with ...") is read as a clause of its own. Units of the broken
 * side, numbers included, that read exactly as one unit of the whole side become one.
 */
function numberedRuns(whole: Side, from: number, to: number, broken: Side, first: number, end: number): UnitRun[] {
  const places = Map.groupBy(broken.units.slice(first, end), (unit) => openingOf(idsOf(unit)));
  return whole.units.slice(from, to).flatMap((unit) => {
    const wanted = idsOf(unit);
    // Few beginnings recur; where many do, the first ones are tried.
    for (const start of (places.get(openingOf(wanted)) ?? []).slice(0, 4)) {
      const run = runThatReads(wanted, broken, start.index, end);
      if (run !== null) return [run];
    }
    return [];
  });
}

function runThatReads(wanted: readonly number[], side: Side, from: number, end: number): UnitRun | null {
  let at = 0;
  for (let index = from; index < end && at < wanted.length; index++) {
    const unit = side.units[index]!;
    const tokens = index === from ? unit.tokens : continued(unit, unit.clause !== side.units[from]!.clause);
    if (!tokens.every((token, offset) => token.id === wanted[at + offset])) return null;
    at += tokens.length;
    if (at === wanted.length) return index > from ? { from, to: index + 1 } : null;
  }
  return null;
}

interface UnitRun {
  readonly from: number;
  readonly to: number;
}

/** Runs of units of the same clause in [from, to). */
function clauseRuns(side: Side, from: number, to: number): UnitRun[] {
  const runs: UnitRun[] = [];
  for (let start = from; start < to;) {
    let end = start + 1;
    while (end < to && side.units[end]!.clause === side.units[start]!.clause) end++;
    runs.push({ from: start, to: end });
    start = end;
  }
  return runs;
}

function brokenRuns(a: Side, b: Side, left: readonly UnitRun[], right: readonly UnitRun[]): [UnitRun, UnitRun][] {
  const found: [UnitRun, UnitRun][] = [];
  // A gap of more runs than this is a rewritten part, not a re-flowed one.
  if (left.length * right.length > 400) return found;
  const free = new Set(right);
  for (const x of left) {
    const y = [...free].find((run) => (x.to - x.from > 1 || run.to - run.from > 1) && readsAlike(a, b, x, run));
    if (y === undefined) continue;
    free.delete(y);
    found.push([x, y]);
  }
  return found;
}

function readsAlike(a: Side, b: Side, x: UnitRun, y: UnitRun): boolean {
  const [left, right] = [a.units.slice(x.from, x.to), b.units.slice(y.from, y.to)];
  const join = (units: readonly Unit[]): number[] => units.flatMap((unit) => unit.tokens.map((token) => token.id));
  const [joinedA, joinedB] = [join(left), join(right)];
  if (joinedA.join(' ') === joinedB.join(' ')) return true;
  if (left.length > 1 && right.length > 1) return false;
  const weightOf = (): number => 1;
  const whole = dice(bagOf(joinedA), bagOf(joinedB), weightOf);
  const best = Math.max(...left.flatMap((p) => right.map((q) => dice(bagOf(join([p])), bagOf(join([q])), weightOf))));
  return whole >= 0.8 && whole > best;
}
