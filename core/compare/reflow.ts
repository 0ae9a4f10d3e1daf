// Paragraph breaks that only one document has: a page end, a line break of a text file, a converter's habit. They are noise.
//
// Owns: finding them between equal neighbours, inside one clause, and joining the pieces to one unit before alignment, so that a broken paragraph
// is compared as the paragraph it was.
import { matchRepeated, matchUnique } from './align.ts';
import { emptyAlignment } from './alignment.ts';
import { bagOf, dice } from './similarity.ts';
import { joinUnits, type Side, type Unit } from './units.ts';

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
    for (const [left, right] of brokenRuns(a, b, clauseRuns(a, i, end), clauseRuns(b, j, jEnd))) {
      if (left.to - left.from > 1) joinsA.push(left);
      if (right.to - right.from > 1) joinsB.push(right);
    }
    i = end;
  }
  const byStart = (x: { from: number }, y: { from: number }): number => x.from - y.from;
  return [joinUnits(a, joinsA.toSorted(byStart)), joinUnits(b, joinsB.toSorted(byStart))];
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
