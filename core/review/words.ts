// Every word of a document in order, found by its stem: how rules on terms ask "where is this phrase used?" without reading all text again.
//
// Owns: what a word is, its stem (singular, lower case), phrases as runs of words. Chinese has no spaces: there a term is searched as it is written.
import type { Block } from '../contract/document.ts';

export interface Use {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
}

const LETTER = /[\p{L}\p{N}]/u;
/** By character code below 0x250 (Latin); asking the expression for each of a million characters would cost more than all rules together. */
const LATIN: readonly boolean[] = Array.from({ length: 0x250 }, (_unused, code) => LETTER.test(String.fromCharCode(code)));
const isLetter = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 0x250 ? LATIN[code]! : LETTER.test(text[at]!);
};
const INNER = "’'&.-";

/** Runs of letters and figures; an apostrophe, dash, point or ampersand between two of them belongs to the word ("Co-Host", "AT&T", "U.S"). */
function eachWord(text: string, each: (start: number, end: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    if (!isLetter(text, at)) continue;
    const start = at;
    while (at < text.length && (isLetter(text, at) || (INNER.includes(text[at]!) && at + 1 < text.length && isLetter(text, at + 1)))) at++;
    each(start, at);
  }
}

/** What stands between two words of one phrase: "SOWs, terms" is none. */
const GAP = /^(?:[\s’'/&-]{1,3}|\s?\((?:R|TM|SM)\)\s?|[®™]\s?)$/;
const HAN = /[\u3400-\u9fff]/;

/** Singular in lower case, without the s of a possessive. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, '');
  if (lower.length < 4) return lower;
  return lower
    .replace(/ies$/, 'y')
    .replace(/(?<=(?:s|x|ch|sh))es$/, '')
    .replace(/(?<=[^su])s$/, '');
}

/** The form under which uses and definitions of a term meet. */
export function stemPhrase(term: string): string {
  const bare = term.replace(/\(s\)/gi, '').replace(/^(?:the|an?|each|such)\s+/i, '');
  const stems: string[] = [];
  eachWord(bare, (start, end) => void stems.push(stemOf(bare.slice(start, end))));
  return stems.join(' ');
}

export class WordIndex {
  private readonly blocks: readonly Block[];
  /** Number of a stem; words hold numbers, for a long contract has some hundred thousand of them. */
  private readonly stems = new Map<string, number>();
  private readonly places: number[][] = [];
  private readonly block: number[] = [];
  private readonly start: number[] = [];
  private readonly end: number[] = [];
  private readonly stem: number[] = [];

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    // Most words of a text are few different ones.
    const known = new Map<string, number>();
    for (const [index, { text }] of blocks.entries())
      eachWord(text, (start, end) => {
        const word = text.slice(start, end);
        let stem = known.get(word);
        if (stem === undefined) known.set(word, (stem = this.stemNumber(stemOf(word))));
        this.places[stem]!.push(this.stem.length);
        this.block.push(index);
        this.start.push(start);
        this.end.push(end);
        this.stem.push(stem);
      });
  }

  /** Where a term is written, in singular or plural, in any case. */
  uses(term: string): Use[] {
    return HAN.test(term) ? this.written(term) : this.phrase(stemPhrase(term).split(' '));
  }

  /** Words that stand beside each other and have one stem: both as one place. */
  twins(): Use[] {
    const found: Use[] = [];
    for (let at = 1; at < this.stem.length; at++)
      if (this.stem[at] === this.stem[at - 1] && this.block[at] === this.block[at - 1])
        found.push({ block: this.blocks[this.block[at]!]!, start: this.start[at - 1]!, end: this.end[at]! });
    return found;
  }

  private stemNumber(stem: string): number {
    const known = this.stems.get(stem);
    if (known !== undefined) return known;
    this.stems.set(stem, this.places.length);
    this.places.push([]);
    return this.places.length - 1;
  }

  private phrase(words: readonly string[]): Use[] {
    const stems = words.map((word) => this.stems.get(word) ?? -1);
    if (stems.includes(-1)) return [];
    // The rarest word of the phrase is looked up, the others are checked around it.
    const counts = stems.map((stem) => this.places[stem]!.length);
    const rarest = counts.indexOf(Math.min(...counts));
    return this.places[stems[rarest]!]!.flatMap((at): Use[] => {
      const from = at - rarest;
      const to = from + stems.length - 1;
      if (from < 0 || stems.some((stem, index) => this.stem[from + index] !== stem) || this.block[from] !== this.block[to]) return [];
      const block = this.blocks[this.block[from]!]!;
      for (let index = from; index < to; index++) if (!GAP.test(block.text.slice(this.end[index], this.start[index + 1]))) return [];
      return [{ block, start: this.start[from]!, end: this.end[to]! }];
    });
  }

  private written(term: string): Use[] {
    return this.blocks.flatMap((block) => {
      const found: Use[] = [];
      for (let at = block.text.indexOf(term); at >= 0; at = block.text.indexOf(term, at + term.length)) found.push({ block, start: at, end: at + term.length });
      return found;
    });
  }
}
