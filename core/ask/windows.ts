// Windows: runs of whole sentences that the Reader can hold at once, cut at clause borders where possible, with one clause of overlap.
//
// Owns: window borders and the exact characters of a window's prefix and of a question turn (READER.md, format 1).
// Leaves to the Reader (reader.ts): tokens, sessions, answers.
import type { EngineModel } from '../contract/engine.ts';
import type { Document } from '../contract/document.ts';
import { documentSentences, type Sentence } from './sentences.ts';

export interface Window {
  readonly documentId: string;
  /** Index in the document, from 0. */
  readonly index: number;
  /** Sentence i of the window carries the number i + 1. */
  readonly sentences: readonly Sentence[];
  /** System turn and window, as tokens: what is prefilled once. */
  readonly prefix: Int32Array;
}

/** Tokens of a window's text. The Reader was trained on 350 to 3,600; 2,400 keeps the answer sharp and the batch even. */
const WINDOW_TOKENS = 2400;
/** A window may end up to this many tokens early to end at a clause border. */
const BORDER_TOKENS = 600;
/** Overlap is one clause, but never more than this many tokens, or windows would hardly advance over long clauses. */
const OVERLAP_TOKENS = 400;

const SYSTEM =
  'You read part of a document. Each sentence is followed by its number in brackets. Reply with the numbers of the sentences that answer, or none.';
const HEAD = `<|im_start|>system\n${SYSTEM}<|im_end|>\n<|im_start|>user\n`;
const TAIL = '<|im_end|>';
const TURN_HEAD = '\n<|im_start|>user\n';
const TURN_TAIL = '<|im_end|>\n<|im_start|>assistant\n';

export const numbered = (text: string, n: number): string => `${text} [${n}]`;

export function joinTokens(parts: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Tokens of one question turn. The words of a person are tokenized without special tokens: markup in them stays text. */
export async function questionTokens(model: EngineModel, turn: string): Promise<Int32Array> {
  const [head, text, tail] = await Promise.all([model.tokenize(TURN_HEAD, true), model.tokenize(turn, false), model.tokenize(TURN_TAIL, true)]);
  return joinTokens([head, text, tail]);
}

/** Cuts a document into windows and tokenizes them. */
export async function documentWindows(document: Document, model: EngineModel): Promise<readonly Window[]> {
  const sentences = documentSentences(document);
  // A line ends at a line break, where the pre-tokenizer always splits: lengths of lines add up to the length of the window.
  const lengths = await Promise.all(sentences.map(async (s) => (await model.tokenize(`${numbered(s.text, 100)}\n`, false)).length));
  return Promise.all(windowRuns(sentences, lengths).map(({ from, to }, index) => makeWindow(document.id, index, sentences.slice(from, to), model)));
}

/** A window of the given sentences, numbered from 1. */
export async function makeWindow(documentId: string, index: number, sentences: readonly Sentence[], model: EngineModel): Promise<Window> {
  const lines = sentences.map((sentence, i) => numbered(sentence.text, i + 1));
  const [head, text, tail] = await Promise.all([model.tokenize(HEAD, true), model.tokenize(lines.join('\n'), false), model.tokenize(TAIL, true)]);
  return { documentId, index, sentences, prefix: joinTokens([head, text, tail]) };
}

/** Sentence ranges [from, to) of the windows: every sentence is in at least one, each window but the last begins inside its predecessor. */
export function windowRuns(sentences: readonly Sentence[], lengths: readonly number[]): readonly { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let from = 0;
  while (from < sentences.length) {
    const to = windowEnd(sentences, lengths, from);
    runs.push({ from, to });
    if (to >= sentences.length) break;
    from = overlapStart(sentences, lengths, from, to);
  }
  return runs;
}

function windowEnd(sentences: readonly Sentence[], lengths: readonly number[], from: number): number {
  let tokens = 0;
  let to = from;
  while (to < sentences.length && (to === from || tokens + lengths[to]! <= WINDOW_TOKENS)) {
    tokens += lengths[to]!;
    to += 1;
  }
  if (to >= sentences.length) return to;
  let given = 0;
  for (let border = to; border > from + 1; border -= 1) {
    if (sentences[border]!.clauseId !== sentences[border - 1]!.clauseId) return border;
    given += lengths[border - 1]!;
    if (given > BORDER_TOKENS) break;
  }
  return to;
}

function overlapStart(sentences: readonly Sentence[], lengths: readonly number[], from: number, to: number): number {
  const clause = sentences[to - 1]!.clauseId;
  let start = to;
  let tokens = 0;
  while (start > from + 1 && sentences[start - 1]!.clauseId === clause && tokens + lengths[start - 1]! <= OVERLAP_TOKENS) {
    start -= 1;
    tokens += lengths[start]!;
  }
  return start;
}
