// Which paragraph, table or row of the older side is which of the newer.
//
// Owns: anchors by equal content (Myers over whole units), then pairs by shared words between two anchors (dynamic programming keeps the order).
// Rule: every unit of both sides is in exactly one entry; in the order of both sides; between two pairs, deletions stand before insertions.
import { diffNumbers } from '../../compare/myers.ts';
import type { Token } from '../../compare/tokens.ts';

export interface Unit {
  /** Only units of one kind pair. */
  readonly kind: string;
  /** Equal for equal content. */
  readonly key: string;
  /** Count of each word; white space is none. */
  readonly words: ReadonlyMap<number, number>;
  readonly size: number;
}

export interface Entry<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** Below this a pair reads worse than a deletion and an insertion. */
const LEAST_ALIKE = 0.4;
/** A table beside a table is the same table, changed: two tables in a row would run into each other in Word. */
const TABLES_ALIKE = 0.41;
/** Two empty paragraphs: paired when nothing better wants either. */
const EMPTIES_ALIKE = 0.05;
/** Units on one side of a table of similarities: 40,000 cells take some milliseconds. */
const MOST_IN_GAP = 200;

export function countWords(tokens: readonly Token[]): { words: Map<number, number>; size: number } {
  const words = new Map<number, number>();
  let size = 0;
  for (const { id, text } of tokens) {
    if (/^\s/.test(text)) continue;
    words.set(id, (words.get(id) ?? 0) + 1);
    size++;
  }
  return { words, size };
}

export function alignUnits<T extends Unit>(before: readonly T[], after: readonly T[]): Entry<T>[] {
  const entries: Entry<T>[] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...anchors(before, after), [before.length, after.length] as const]) {
    fillGap(before.slice(i, a), after.slice(j, b), entries);
    if (a < before.length) entries.push({ before: before[a]!, after: after[b]! });
    [i, j] = [a + 1, b + 1];
  }
  return entries;
}

/** Equal units with words, in order. Empty ones are everywhere and would pull the rest apart. */
function anchors(before: readonly Unit[], after: readonly Unit[]): [number, number][] {
  const numbers = new Map<string, number>();
  const side = (units: readonly Unit[]): { at: number[]; ids: number[] } => {
    const at = [...units.keys()].filter((index) => units[index]!.size > 0);
    const ids = at.map((index) => {
      const key = `${units[index]!.kind}:${units[index]!.key}`;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      return numbers.get(key)!;
    });
    return { at, ids };
  };
  const [a, b] = [side(before), side(after)];
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  for (const hunk of [...diffNumbers(a.ids, b.ids), { a0: a.ids.length, a1: 0, b0: 0, b1: 0 }]) {
    for (; i < hunk.a0; i++, j++) pairs.push([a.at[i]!, b.at[j]!]);
    [i, j] = [hunk.a1, hunk.b1];
  }
  return pairs;
}

/** Share of words that two units have in common (Dice), 0 to 1. */
export function likeness(a: Unit, b: Unit): number {
  let common = 0;
  const [few, many] = a.words.size < b.words.size ? [a.words, b.words] : [b.words, a.words];
  for (const [word, count] of few) common += Math.min(count, many.get(word) ?? 0);
  return (2 * common) / (a.size + b.size);
}

function alike(a: Unit, b: Unit): number {
  if (a.kind !== b.kind) return 0;
  if (a.size === 0 && b.size === 0) return EMPTIES_ALIKE;
  const share = likeness(a, b);
  if (a.kind === 'table') return Math.max(TABLES_ALIKE, share);
  return share >= LEAST_ALIKE ? share : 0;
}

function fillGap<T extends Unit>(before: readonly T[], after: readonly T[], entries: Entry<T>[]): void {
  const parts = Math.ceil(Math.max(before.length, after.length) / MOST_IN_GAP);
  const cut = (length: number, part: number): number => Math.floor((length * part) / parts);
  for (let part = 0; part < parts; part++)
    pairInOrder(
      before.slice(cut(before.length, part), cut(before.length, part + 1)),
      after.slice(cut(after.length, part), cut(after.length, part + 1)),
      entries,
    );
}

/** The pairs in order whose likeness adds up to most. */
function pairInOrder<T extends Unit>(before: readonly T[], after: readonly T[], entries: Entry<T>[]): void {
  const width = after.length + 1;
  const score = before.map((a) => after.map((b) => alike(a, b)));
  // best[i * width + j]: the most that before[i..] and after[j..] can reach.
  const best = new Float64Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
      const own = score[i]![j]!;
      best[i * width + j] = own > 0 ? Math.max(skip, own + best[(i + 1) * width + j + 1]!) : skip;
    }
  let [i, j] = [0, 0];
  let held: T[] = [];
  const release = (): void => {
    for (const unit of held) entries.push({ before: null, after: unit });
    held = [];
  };
  while (i < before.length || j < after.length) {
    const here = best[i * width + j]!;
    const own = i < before.length && j < after.length ? score[i]![j]! : 0;
    if (own > 0 && here === own + best[(i + 1) * width + j + 1]!) {
      release();
      entries.push({ before: before[i++]!, after: after[j++]! });
    } else if (i < before.length && here === best[(i + 1) * width + j]!) entries.push({ before: before[i++]!, after: null });
    else held.push(after[j++]!);
  }
  release();
}
