// Words of a text with their places, and the normal form under which two words count as the same.
//
// Owns: what is noise between two documents: white space, line breaks, quote and dash styles, ligatures and width, emphasis marks of
// Markdown, soft hyphens, the length of a blank line. Case, punctuation and wording are not noise.
// Rule: every token keeps [start, end) in the text it came from, so any part of a comparison can be shown on the page.

import { isAbbreviation } from '../structure/abbreviations.ts';

/** Gives equal words of both documents the same small number. */
export class Vocabulary {
  private readonly ids = new Map<string, number>();
  readonly words: string[] = [];

  idOf(word: string): number {
    let id = this.ids.get(word);
    if (id === undefined) {
      id = this.words.length;
      this.ids.set(word, id);
      this.words.push(word);
    }
    return id;
  }
}

export interface Token {
  /** Number of the normal form in the vocabulary. */
  readonly id: number;
  /** As written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** White space stood before it. */
  readonly spaced: boolean;
  /** It begins a cell of a table row, after another cell. */
  readonly cell?: boolean;
  /** Index of its block in the document. */
  readonly block: number;
}

export interface TokenOptions {
  /** Marks of emphasis are noise: true for text and Markdown, where the parser may have left some. */
  readonly markup: boolean;
  /** Hyphens inside words are noise: a printed page breaks words at line ends and the break cannot always be told from the spelling. */
  readonly hyphens: boolean;
}

// Order matters: blanks, numbers (with group and decimal marks), Han characters one by one, words (with inner apostrophes and hyphens), the rest one by one.
const TOKEN =
  /_{2,}|\.{3,}|…|\p{N}+(?:,\p{N}{3}(?!\p{N})|[.:\/]\p{N}+)*%?|\p{Script=Han}|[[\p{L}\p{M}]--\p{Script=Han}][[\p{L}\p{M}\p{N}]--\p{Script=Han}]*(?:['’‘ʼ\-‐‑\u00ad][[\p{L}\p{M}\p{N}]--\p{Script=Han}]+)*|[^\s]/gv;
const MARKUP =
  /<\/?[a-z][^<>]{0,300}>|\\(?=[!-/:-@[-`{-~])|(?<![[*\\])\*{1,3}(?![\]*])|(?<![_\p{L}\p{N}])_{1,2}(?=[\p{L}\p{N}"“'‘([])|(?<=[\p{L}\p{N}"”'’.,;:)\]])_{1,2}(?![_\p{L}\p{N}])|`|^#{1,6}(?=\s)|^>\s?/gimu;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const ASCII = /^[\x21-\x7e]*$/;

/** The form under which two tokens are the same word. */
export function normalForm(text: string, hyphens: boolean): string {
  let word = text;
  if (!ASCII.test(word)) {
    word = word
      .replace(INVISIBLE, '')
      .normalize('NFKC')
      .replace(/[‘’‚‛ʼ′`´]/g, "'")
      .replace(/[“”„‟«»″「」『』]/g, '"')
      .replace(/[‐‑‒–—―−]/g, '-')
      .replace(/[•●▪◦‣·]/g, '•');
  }
  if (word.length > 1 && word.charCodeAt(0) === 95) return '__';
  if (word === '...' || /^\.{3,}$/.test(word)) return '...';
  if (hyphens && word.length > 2 && word.includes('-')) return word.replaceAll('-', '');
  return word;
}

/** Replaces marks of emphasis and tags by spaces of the same length, so that places stay true. A mark inside a word would split it: those are kept. */
function blankMarkup(text: string): string {
  return text.replace(MARKUP, (mark) => ' '.repeat(mark.length));
}

/** Tokens of text[from, to). */
export function tokenize(text: string, from: number, to: number, vocabulary: Vocabulary, options: TokenOptions, block = 0): Token[] {
  const source = options.markup ? blankMarkup(text) : text;
  const tokens: Token[] = [];
  let last = from;
  TOKEN.lastIndex = from;
  for (let match = TOKEN.exec(source); match !== null && match.index < to; match = TOKEN.exec(source)) {
    const start = match.index;
    const end = Math.min(to, start + match[0].length);
    const word = normalForm(source.slice(start, end), options.hyphens);
    if (word === '') continue;
    // Only white space that stands in the text counts: a blanked mark between a word and its comma is no space.
    const spaced = tokens.length > 0 && /\s/.test(text.slice(last, start));
    tokens.push({ id: vocabulary.idOf(word), text: text.slice(start, end), start, end, spaced, block });
    last = end;
  }
  return tokens;
}

/** What is shown before a token that is not the first: a bar between cells, one space where any white space stood. */
export function leadOf(token: Token | undefined): string {
  return token?.cell === true ? ' | ' : token?.spaced === true ? ' ' : '';
}

/** The text of a run of tokens. */
export function textOf(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) text += (text === '' ? '' : leadOf(token)) + token.text;
  return text;
}

/** Ends (exclusive token indexes) of the sentences of a run of tokens; the last is tokens.length. */
export function sentenceEnds(tokens: readonly Token[], vocabulary: Vocabulary): number[] {
  const ends: number[] = [];
  const word = (index: number): string => vocabulary.words[tokens[index]?.id ?? -1] ?? '';
  for (let i = 0; i < tokens.length - 1; i++) {
    const mark = word(i);
    if (mark === '。' || mark === '；') {
      ends.push(i + 1);
      continue;
    }
    if (mark !== '.' && mark !== ';' && mark !== '?' && mark !== '!') continue;
    let next = i + 1;
    while (next < tokens.length && /^["')\]]$/.test(word(next)) && !tokens[next]!.spaced) next++;
    const follows = tokens[next];
    if (follows === undefined || !follows.spaced) continue;
    // "U.S." and "L.P.": a letter with a point right before it.
    const dotted = word(i - 1).length === 1 && !tokens[i - 1]!.spaced && word(i - 2) === '.';
    if (mark === '.' && (dotted || isAbbreviation(word(i - 1)) || !/^[\p{Lu}\p{N}"'([]/u.test(word(next)))) continue;
    ends.push(next);
  }
  if (tokens.length > 0) ends.push(tokens.length);
  return ends;
}
