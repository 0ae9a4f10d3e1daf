// Words changed as a person changes them while negotiating: a number, a verb of duty, a "not", a phrase put in, a phrase struck, a sentence more
// or less. With a fixed seed the same text gets the same edits.
import type { OutlineNode, Piece } from './outline.test-support.ts';

/** A generator of numbers in [0, 1) (mulberry32): small, fast, and the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

export const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

const PHRASES = [
  'subject to Section 2 of the Order Form', 'to the extent permitted by applicable law', 'at its sole expense', 'in good faith', 'without undue delay',
  'in each case in writing', 'including by electronic mail', 'other than ordinary course expenses', 'with the prior consent of the other party',
  'as reasonably determined by the board', 'on a pro rata basis', 'except in an emergency', 'and its affiliates', 'or any successor thereto',
]; // prettier-ignore
const SENTENCES = [
  'The foregoing does not limit any remedy that is available at law or in equity.',
  'Each party shall bear its own costs in connection with this provision.',
  'Any notice under this provision must be given at least fifteen (15) days in advance.',
  'This obligation survives for a period of two years.',
  'Upon written request, the other party shall provide reasonable evidence of compliance.',
  'Failure to object within ten business days is deemed acceptance.',
]; // prettier-ignore
const WORDS =
  'reasonable material prompt written additional specific applicable entire relevant initial final common separate prior current actual direct general joint sole'.split(
    ' ',
  );
const SWAPS: Readonly<Record<string, readonly string[]>> = {
  shall: ['may', 'will', 'must'], will: ['shall', 'may'], may: ['shall', 'must', 'may not'], must: ['may', 'shall'], shallnot: ['may'],
  all: ['certain', 'any'], any: ['each', 'a material'], reasonable: ['commercially reasonable', 'best'], days: ['business days', 'months'],
  written: ['prior written', 'electronic'], promptly: ['immediately', 'within a reasonable time'], and: ['or'], or: ['and'],
  agreement: ['contract'], including: ['excluding', 'such as'], prior: ['subsequent'], solely: ['primarily'], immediately: ['promptly'],
}; // prettier-ignore

/** The text with one edit more; the same text if the chosen edit does not fit it. */
function editOnce(random: () => number, text: string): string {
  const words = [...text.matchAll(/\S+/g)];
  if (words.length < 4) return text;
  const at = pick(random, words);
  const place = at.index;
  const kind = Math.floor(random() * 6);
  if (kind === 0) return replaceNumber(random, text);
  if (kind === 1) return swapWord(random, text);
  if (kind === 2) return `${text.slice(0, place)}${pick(random, PHRASES)} ${text.slice(place)}`;
  if (kind === 3) {
    const last = words[Math.min(words.length - 1, words.indexOf(at) + Math.floor(random() * 4))]!;
    const end = last.index + last[0].replace(/[.,;:)]+$/, '').length;
    return text.slice(0, place) + text.slice(end).trimStart();
  }
  if (kind === 4) return `${text.slice(0, place)}${pick(random, WORDS)} ${text.slice(place)}`;
  return sentenceEdit(random, text);
}

function replaceNumber(random: () => number, text: string): string {
  const numbers = [...text.matchAll(/(?<![\p{L}\p{N}.(])\d[\d,]*(?![\d.)])/gu)];
  if (numbers.length === 0) return swapWord(random, text);
  const { 0: old, index } = pick(random, numbers);
  const fresh = String(Math.max(1, Number(old.replaceAll(',', '')) + 1 + Math.floor(random() * 30)));
  return text.slice(0, index) + fresh + text.slice(index + old.length);
}

function swapWord(random: () => number, text: string): string {
  const known = [...text.matchAll(/[A-Za-z]+/g)].filter((match) => SWAPS[match[0]] !== undefined);
  if (known.length === 0) return text;
  const { 0: old, index } = pick(random, known);
  return text.slice(0, index) + pick(random, SWAPS[old]!) + text.slice(index + old.length);
}

function sentenceEdit(random: () => number, text: string): string {
  const ends = [...text.matchAll(/[.;]\s+(?=[A-Z])/g)].map((match) => match.index + match[0].length);
  const last = ends.at(-1);
  // A long text may lose its last sentence; a short one only gains.
  if (last !== undefined && ends.length > 2 && random() < 0.4) return text.slice(0, last).trimEnd();
  return /[.]\s*$/.test(text) ? `${text.trimEnd()} ${pick(random, SENTENCES)}` : text;
}

export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** Share of words that two texts do not have in common. */
export function wordsChanged(before: string, after: string): number {
  const [x, y] = [wordsOf(before), wordsOf(after)];
  const left = new Map<string, number>();
  for (const word of x) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of y) {
    const count = left.get(word) ?? 0;
    if (count > 0) {
      common++;
      left.set(word, count - 1);
    }
  }
  return 1 - common / Math.max(1, x.length, y.length);
}

export const plainText = (node: OutlineNode): string =>
  node.paragraphs.map(({ pieces }) => pieces.map((piece) => (typeof piece === 'string' ? piece : '0')).join('')).join('\n');

/** Changes words of the node's own text until at least `least` and at most `most` of them differ. False if that cannot be done. */
export function reword(random: () => number, node: OutlineNode, least: number, most: number): boolean {
  const original = plainText(node);
  for (let turn = 0; turn < 60; turn++) {
    const paragraph = pick(
      random,
      node.paragraphs.filter(({ kind }) => kind !== 'heading'),
    );
    if (paragraph === undefined) return false;
    const saved = paragraph.pieces;
    const texts = saved.map((piece, at) => ({ piece, at })).filter(({ piece }) => typeof piece === 'string' && wordsOf(piece).length >= 6);
    if (texts.length === 0) continue;
    const { piece, at } = pick(random, texts) as { piece: string; at: number };
    // The words of a run-in heading are left alone: an edit there would be another kind of change.
    const from = at === 0 && paragraph === node.paragraphs[0] && node.heading !== '' && piece.startsWith(node.heading) ? node.heading.length + 1 : 0;
    const edited = piece.slice(0, from) + editOnce(random, piece.slice(from));
    paragraph.pieces = saved.map((old, index): Piece => (index === at ? edited : old));
    const changed = wordsChanged(original, plainText(node));
    if (changed > most) paragraph.pieces = saved;
    else if (changed >= least && edited !== piece) return true;
  }
  return false;
}
