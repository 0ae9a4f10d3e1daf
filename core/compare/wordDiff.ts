// Word diff of two runs of tokens, cleaned so that it reads as a person would mark the edit.
//
// Owns: where an edit begins and ends. An edit that could stand at several places begins at a sentence or a clause mark; two edits with
// only a little common text between them are one; a long number is shown by the digits that differ.
// Rule: the text of `equal` and `delete` parts is the whole text of the first run, that of `equal` and `insert` parts the whole of the second
// (up to noise: equal words are shown as the second run writes them).
import type { DiffPart } from '../contract/comparison.ts';
import { diffNumbers, type Hunk } from './myers.ts';
import { leadOf, textOf, type Token } from './tokens.ts';

const STOP_WORDS = new Set(
  'a an the of to in on for by at as is are be been was were it its that this these those with from into or and any all such each per than then'.split(' '),
);

const HAN_NUMERAL = /^[一二三四五六七八九十百千万亿两零〇壹贰叁肆伍陆柒捌玖拾佰仟]$/;

/** Edits between two runs of tokens, already cleaned. `sift` may drop or narrow the raw ones first. */
export function wordHunks(a: readonly Token[], b: readonly Token[], sift: (hunks: readonly Hunk[]) => readonly Hunk[] = (hunks) => hunks): Hunk[] {
  const raw = sift(
    diffNumbers(
      a.map((token) => token.id),
      b.map((token) => token.id),
    ),
  );
  // One after the other: an edit may slide left only up to where the one before it came to lie, or the two would claim the same words.
  const placed: Hunk[] = [];
  for (const [index, hunk] of raw.entries()) placed.push(slide(hunk, placed.at(-1), raw[index + 1], a, b));
  return mergeClose(placed, a, b);
}

/** How well an edit may begin at `index`: after the end of a sentence best, then after a comma or bracket. */
function beginScore(tokens: readonly Token[], index: number): number {
  const before = tokens[index - 1]?.text;
  if (before === undefined) return 5;
  if (/^[.;?!。；]$/.test(before)) return 4;
  if (/^[:,，、]$/.test(before)) return 3;
  const here = tokens[index]?.text ?? '';
  if (here === '(' || here === '[' || here === ',' || here === '，') return 2;
  return tokens[index]?.spaced === false ? 0 : 1;
}

/** Moves a pure insertion or deletion along repeated words to its best place. */
function slide(hunk: Hunk, previous: Hunk | undefined, next: Hunk | undefined, a: readonly Token[], b: readonly Token[]): Hunk {
  const inserts = hunk.a0 === hunk.a1;
  if (!inserts && hunk.b0 !== hunk.b1) return hunk;
  const tokens = inserts ? b : a;
  const [from, to] = inserts ? [hunk.b0, hunk.b1] : [hunk.a0, hunk.a1];
  const other = inserts ? hunk.a0 : hunk.b0;
  const floor = inserts ? (previous?.b1 ?? 0) : (previous?.a1 ?? 0);
  const ceiling = inserts ? (next?.b0 ?? b.length) : (next?.a0 ?? a.length);
  const otherFloor = inserts ? (previous?.a1 ?? 0) : (previous?.b1 ?? 0);
  let best = 0;
  let bestScore = beginScore(tokens, from);
  // Repeated text lets the edit move; 64 words either way reach past any sentence that begins as its neighbour does.
  for (let left = 1; left <= 64 && from - left >= floor && other - left >= otherFloor && tokens[from - left]!.id === tokens[to - left]!.id; left++) {
    const score = beginScore(tokens, from - left);
    if (score > bestScore) [best, bestScore] = [-left, score];
  }
  for (let right = 1; right <= 64 && to + right <= ceiling && tokens[from + right - 1]!.id === tokens[to + right - 1]!.id; right++) {
    const score = beginScore(tokens, from + right);
    if (score > bestScore) [best, bestScore] = [right, score];
  }
  return { a0: hunk.a0 + best, a1: hunk.a1 + best, b0: hunk.b0 + best, b1: hunk.b1 + best };
}

function wordsIn(tokens: readonly Token[], from: number, to: number): { words: number; plain: boolean; stops: boolean } {
  let words = 0;
  let stops = true;
  let plain = true;
  for (let i = from; i < to; i++) {
    const text = tokens[i]!.text;
    if (/[\p{L}\p{N}]/u.test(text)) {
      words++;
      if (!STOP_WORDS.has(text.toLowerCase())) stops = false;
      // The point inside "U.S.C." or "659A.370" ends nothing.
    } else if (/^[.;。；]$/.test(text) && !(text === '.' && tokens[i + 1]?.spaced === false && /[\p{L}\p{N}]/u.test(tokens[i + 1]!.text))) plain = false;
  }
  return { words, plain, stops };
}

/** Joins edits between which only a little common text stands. */
function mergeClose(hunks: readonly Hunk[], a: readonly Token[], b: readonly Token[]): Hunk[] {
  const merged: Hunk[] = [];
  const size = (hunk: Hunk): number => Math.max(wordsIn(a, hunk.a0, hunk.a1).words, wordsIn(b, hunk.b0, hunk.b1).words);
  for (const hunk of hunks) {
    let current = hunk;
    for (let last = merged.at(-1); last !== undefined; last = merged.at(-1)) {
      const gap = wordsIn(b, last.b1, current.b0);
      const [left, right] = [size(last), size(current)];
      // Two or more words either side with a stop word or two between them are one edit; so is a gap that is smaller than both edits (at most 3 words).
      // Edits that touch (sliding can bring them together) are one: its deletion is shown before its insertion.
      const touches = last.a1 === current.a0 && last.b1 === current.b0;
      // 十五 became 二十: every character of a Chinese number is a token, and the number is one word.
      const numeral = !touches && current.b0 > last.b1 && b.slice(last.b1, current.b0).every(({ text }) => HAN_NUMERAL.test(text));
      const joins =
        touches ||
        numeral ||
        (gap.plain &&
          ((gap.stops && gap.words <= 2 && left + right >= 3 && Math.min(left, right) >= 1) || (gap.words <= 3 && gap.words < left && gap.words < right)));
      if (!joins) break;
      merged.pop();
      current = { a0: last.a0, a1: current.a1, b0: last.b0, b1: current.b1 };
    }
    merged.push(current);
  }
  return merged;
}

/** Texts of a number that was replaced, divided into common and differing digits; null if it is better shown whole. */
function numberParts(before: string, after: string): DiffPart[] | null {
  // In a short number every digit is seen; in a long one only the marked digits are.
  if (Math.min(before.length, after.length) < 7 || !/^\p{N}[\p{N}.,]*$/u.test(before) || !/^\p{N}[\p{N}.,]*$/u.test(after)) return null;
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (head + tail < Math.max(before.length, after.length) / 2) return null;
  const parts: DiffPart[] = [
    { op: 'equal', text: before.slice(0, head) },
    { op: 'delete', text: before.slice(head, before.length - tail) },
    { op: 'insert', text: after.slice(head, after.length - tail) },
    { op: 'equal', text: before.slice(before.length - tail) },
  ];
  return parts.filter((part) => part.text !== '');
}

/** Texts of the runs, with the white space that stands before each put to the part it belongs to. */
export function diffParts(a: readonly Token[], b: readonly Token[], hunks: readonly Hunk[]): DiffPart[] {
  const parts: DiffPart[] = [];
  const push = (op: DiffPart['op'], tokens: readonly Token[], lead: string): void => {
    if (tokens.length > 0) parts.push({ op, text: lead + textOf(tokens) });
  };
  // Common words after a beginning that only one side has: that side knows whether a space stands before them.
  const pushEqual = (to: number): void => push('equal', b.slice(at, to), leadOf(b[at]) || (at === 0 ? leadOf(a[atA]) : ''));
  let [at, atA] = [0, 0];
  for (const hunk of hunks) {
    pushEqual(hunk.b0);
    [at, atA] = [hunk.b1, hunk.a1];
    const [before, after] = [a.slice(hunk.a0, hunk.a1), b.slice(hunk.b0, hunk.b1)];
    const digits = before.length === 1 && after.length === 1 ? numberParts(before[0]!.text, after[0]!.text) : null;
    if (digits === null) {
      push('delete', before, leadOf(before[0]));
      push('insert', after, leadOf(after[0]));
    } else {
      if (leadOf(after[0]) !== '') parts.push({ op: 'equal', text: leadOf(after[0]) });
      parts.push(...digits);
    }
  }
  pushEqual(b.length);
  return joinEqual(parts);
}

function joinEqual(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.op === part.op) joined[joined.length - 1] = { op: part.op, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** The same diff seen from the other side; deletions stand before insertions again. */
export function mirrorParts(parts: readonly DiffPart[]): DiffPart[] {
  const mirrored: DiffPart[] = [];
  for (const part of parts) {
    const op = part.op === 'equal' ? 'equal' : part.op === 'insert' ? 'delete' : 'insert';
    const last = mirrored.at(-1);
    if (op === 'delete' && last?.op === 'insert') mirrored.splice(-1, 0, { op, text: part.text });
    else mirrored.push({ op, text: part.text });
  }
  return mirrored;
}
