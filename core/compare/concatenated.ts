// A paragraph that is two paragraphs of the other side, one after the other: clauses that were merged, or one that was split.
//
// Owns: which of the two stands for the whole. Alignment by likeness pairs the longer one; a reader keeps the one that the whole begins with, since
// it has the number and the heading, and says that the other became part of it.
// Rule: only neighbours are looked at, so the work is linear.
import { link, type Alignment } from './alignment.ts';
import { bagOf, dice, headingKey } from './similarity.ts';
import type { Side, Unit } from './units.ts';

/** A shorter paragraph at the beginning of another is chance. */
const LEAST_WORDS = 8;
/** Share of words from which the two together are the whole. */
const WHOLE = 0.8;
/** Share of its words with which the first has to stand at the beginning. */
const AT_THE_HEAD = 0.75;

/** Paragraphs that are looked at before the one that was paired. */
const REACH = 4;

export function preferHeads(a: Side, b: Side, alignment: Alignment): void {
  repair(a, b, alignment.toB, alignment.toA, (i, j) => link(alignment, i, j));
  repair(b, a, alignment.toA, alignment.toB, (j, i) => link(alignment, i, j));
}

/** `parts` has the two paragraphs, `whole` the one. */
function repair(parts: Side, whole: Side, partner: Int32Array, wholePartner: Int32Array, pair: (part: number, whole: number) => void): void {
  for (let tail = 1; tail < parts.units.length; tail++) {
    const at = partner[tail]!;
    if (at === -1 || parts.units[tail]!.key === whole.units[at]!.key) continue;
    const head = headBefore(parts, whole, partner, tail, at);
    if (head === -1) continue;
    partner[tail] = -1;
    wholePartner[at] = -1;
    pair(head, at);
  }
}

/** The nearest paragraph before `tail` that begins the whole; what stood between them was deleted or moved away. */
function headBefore(parts: Side, whole: Side, partner: Int32Array, tail: number, at: number): number {
  const [second, joined] = [parts.units[tail]!, whole.units[at]!];
  for (let head = tail - 1; head >= Math.max(0, tail - REACH); head--) {
    const first = parts.units[head]!;
    if (partner[head] !== -1) continue;
    if (first.clause !== second.clause && isHead(first, second, joined) && !keepsHeading(parts, whole, first, second, joined)) return head;
  }
  return -1;
}

const even = (): number => 1;
const ids = (unit: Unit, to = unit.tokens.length): number[] => unit.tokens.slice(0, to).map((token) => token.id);

function isHead(first: Unit, second: Unit, joined: Unit): boolean {
  if (first.tokens.length < LEAST_WORDS || joined.tokens.length < first.tokens.length + second.tokens.length / 2) return false;
  if (dice(bagOf([...ids(first), ...ids(second)]), bagOf(ids(joined)), even) < WHOLE) return false;
  const head = bagOf(ids(first));
  const begins = (unit: Unit): boolean => dice(head, bagOf(ids(unit, first.tokens.length)), even) >= AT_THE_HEAD;
  return begins(joined) && !begins(second);
}

/** The whole has the second one's heading: then the second is what lives on. */
function keepsHeading(parts: Side, whole: Side, first: Unit, second: Unit, joined: Unit): boolean {
  const heading = (side: Side, unit: Unit): string => headingKey(side.clauses[unit.clause]?.heading ?? '');
  const kept = heading(whole, joined);
  return kept !== '' && kept === heading(parts, second) && kept !== heading(parts, first);
}
