// Every word of a document in order, found by its stem: how rules on terms ask "where is this phrase used?" without reading all text again.
//
// Owns: what a word is, its stem (singular, lower case), phrases as runs of words. Chinese has no spaces: there a term is searched as it is written.
import type { Block } from '../contract/document.ts';

export interface Use {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
}

interface Word {
  readonly block: number;
  readonly start: number;
  readonly end: number;
  readonly stem: string;
}

const WORD = /[\p{L}\p{N}]+(?:[’'&.-][\p{L}\p{N}]+)*/gu;
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
  return [...bare.matchAll(WORD)].map(([word]) => stemOf(word)).join(' ');
}

export class WordIndex {
  private readonly blocks: readonly Block[];
  private readonly words: Word[] = [];
  private readonly places = new Map<string, number[]>();

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    for (const [block, { text }] of blocks.entries())
      for (const match of text.matchAll(WORD)) {
        const word = { block, start: match.index, end: match.index + match[0].length, stem: stemOf(match[0]) };
        const known = this.places.get(word.stem);
        if (known) known.push(this.words.length);
        else this.places.set(word.stem, [this.words.length]);
        this.words.push(word);
      }
  }

  /** Where a term is written, in singular or plural, in any case. */
  uses(term: string): Use[] {
    return HAN.test(term) ? this.written(term) : this.phrase(stemPhrase(term).split(' '));
  }

  private phrase(stems: readonly string[]): Use[] {
    // The rarest word of the phrase is looked up, the others are checked around it.
    const counts = stems.map((stem) => this.places.get(stem)?.length ?? 0);
    const rarest = counts.indexOf(Math.min(...counts));
    return (this.places.get(stems[rarest]!) ?? []).flatMap((at): Use[] => {
      const from = at - rarest;
      const first = this.words[from];
      const last = this.words[from + stems.length - 1];
      if (!first || !last || first.block !== last.block || stems.some((stem, index) => this.words[from + index]!.stem !== stem)) return [];
      const block = this.blocks[first.block]!;
      // Only spaces and dashes stand inside a phrase: "SOWs, terms" is none.
      const whole = stems.every(
        (_stem, index) => index === 0 || GAP.test(block.text.slice(this.words[from + index - 1]!.end, this.words[from + index]!.start)),
      );
      return whole ? [{ block, start: first.start, end: last.end }] : [];
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
