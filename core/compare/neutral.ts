// Two runs of tokens without what is told elsewhere: references that follow new numbers, and names that read otherwise throughout.
//
// Owns: putting one symbol in place of both forms of a name, and of both numbers of a reference whose clauses are a pair, so that a diff of the
// neutral runs is what a reader still has to be told about this clause.
// Rule: a symbol stands for the same thing on both sides, so exchanging the documents changes nothing.
import type { Document, Reference } from '../contract/document.ts';
import type { Rename } from './groups.ts';
import type { Hunk } from './myers.ts';
import type { Token, Vocabulary } from './tokens.ts';
import { wordHunks } from './wordDiff.ts';

/** Ids of the clauses of the second document that a clause of the first became. */
export type ClausePartners = ReadonlyMap<string, readonly string[]>;

/** Words of a reference that say what sort of place it names; they are wording. Roman numbers are none of them. */
const PLACE_WORD = /^(?![ivxlc]+$)\p{L}{3,}$/iu;

export interface Residue {
  /** What differs beyond names and followed references, in the tokens that were given. */
  readonly hunks: readonly Hunk[];
  /** How often each rename shows in what differs. */
  readonly renames: ReadonlyMap<number, number>;
  /** References in what differs. */
  readonly references: number;
}

export class Neutral {
  private readonly byBlock: readonly [ReadonlyMap<string, readonly Reference[]>, ReadonlyMap<string, readonly Reference[]>];
  private readonly clauseOf: readonly [ReadonlyMap<string, string>, ReadonlyMap<string, string>];
  private readonly names: ReadonlyMap<string, readonly Form[]>;

  private readonly documents: readonly [Document, Document];
  private readonly vocabulary: Vocabulary;

  constructor(first: Document, second: Document, partners: ClausePartners, renames: readonly Rename[], vocabulary: Vocabulary) {
    this.documents = [first, second];
    this.vocabulary = vocabulary;
    this.byBlock = [referencesByBlock(first), referencesByBlock(second)];
    this.clauseOf = classes(partners);
    this.names = formsOf(renames);
  }

  residue(a: readonly Token[], b: readonly Token[], hunks: readonly Hunk[]): Residue {
    const [left, right] = [this.read(0, a), this.read(1, b)];
    const rest = wordHunks(left.tokens, right.tokens)
      .map((hunk) => ({ a0: left.at[hunk.a0]!, a1: left.at[hunk.a1]!, b0: right.at[hunk.b0]!, b1: right.at[hunk.b1]! }))
      // Where only the symbols differ (a reference that reads the same but names another clause) no word does.
      .filter((hunk) => !sameIds(a.slice(hunk.a0, hunk.a1), b.slice(hunk.b0, hunk.b1)));
    const differs = ({ from, to }: Range): boolean => hunks.some((hunk) => from < hunk.a1 && hunk.a0 < to);
    const renames = new Map<number, number>();
    for (const range of left.renamed) if (range.rename !== -1 && differs(range)) renames.set(range.rename, (renames.get(range.rename) ?? 0) + 1);
    // Counted on both sides: a reference may have lost or gained a part ("5.1(a)" to "5.1").
    const inB = ({ from, to }: Range): boolean => hunks.some((hunk) => from < hunk.b1 && hunk.b0 < to);
    return { hunks: rest, renames, references: Math.max(left.referenced.filter(differs).length, right.referenced.filter(inB).length) };
  }

  private read(side: 0 | 1, tokens: readonly Token[]): Read {
    const read: Read = { tokens: [], at: [], renamed: [], referenced: [] };
    for (let index = 0; index < tokens.length;) {
      const reference = this.referenceAt(side, tokens, index);
      const name = reference === null ? this.nameAt(side, tokens, index) : null;
      const token = tokens[index]!;
      const symbol = reference?.symbol ?? name?.symbol;
      read.tokens.push(symbol === undefined ? token : { ...token, id: this.vocabulary.idOf(symbol) });
      read.at.push(index);
      const to = index + (reference?.length ?? name?.length ?? 1);
      if (reference !== null) read.referenced.push({ from: index, to });
      if (name !== null) read.renamed.push({ from: index, to, rename: name.rename });
      index = to;
    }
    read.at.push(tokens.length);
    return read;
  }

  /** A resolved reference whose number begins at the token. */
  private referenceAt(side: 0 | 1, tokens: readonly Token[], index: number): { symbol: string; length: number } | null {
    const token = tokens[index]!;
    const block = this.documents[side].blocks[token.block]!.id;
    const reference = referenceOver(this.byBlock[side].get(block) ?? [], token);
    if (reference === undefined || reference.targetId === null || PLACE_WORD.test(token.text)) return null;
    let length = 1;
    while (tokens[index + length]?.block === token.block && tokens[index + length]!.end <= reference.span.end) length++;
    return { symbol: `\u0000clause ${this.clauseOf[side].get(reference.targetId) ?? `${side} ${reference.targetId}`}`, length };
  }

  private nameAt(side: 0 | 1, tokens: readonly Token[], index: number): { symbol: string; length: number; rename: number } | null {
    const word = wordOf(tokens[index]!);
    for (const form of [...(this.names.get(word) ?? []), ...(this.names.get(stemOf(word)) ?? [])]) {
      const last = tokens[index + form.words.length - 1];
      if (last === undefined || !form.words.every((word, at) => matches(wordOf(tokens[index + at]!), word, at === form.words.length - 1))) continue;
      const ending = wordOf(last).slice(form.words.at(-1)!.length);
      const own = (side === 0) === form.old;
      return { symbol: `\u0000name ${form.rename}${ending}`, length: form.words.length, rename: own ? form.rename : -1 };
    }
    return null;
  }
}

function referencesByBlock({ references }: Document): ReadonlyMap<string, readonly Reference[]> {
  return Map.groupBy(
    references.toSorted((x, y) => x.span.start - y.span.start),
    ({ span }) => span.blockId,
  );
}

/** The first of the references, sorted by their beginnings, that holds the token. */
function referenceOver(references: readonly Reference[], token: Token): Reference | undefined {
  let [low, high] = [0, references.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (references[middle]!.span.start > token.start) high = middle;
    else low = middle + 1;
  }
  let found: Reference | undefined;
  // References to several clauses share words; few lie over one place.
  for (let at = low - 1; at >= 0 && at >= low - MOST_OVER_ONE_PLACE; at--) if (token.end <= references[at]!.span.end) found = references[at];
  return found;
}

const MOST_OVER_ONE_PLACE = 8;

interface Read {
  readonly tokens: Token[];
  /** Index of each neutral token among the given ones; one more for the end. */
  readonly at: number[];
  /** `rename` is -1 for a name that the document had in the other's form. */
  readonly renamed: (Range & { readonly rename: number })[];
  readonly referenced: Range[];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Form {
  readonly rename: number;
  readonly words: readonly string[];
  /** The form of the first document. */
  readonly old: boolean;
}

const wordOf = (token: Token): string => token.text.toLowerCase().replace(/[’‘]/g, "'");
const stemOf = (word: string): string => word.replace(/(?:s'|'s|s)$/, '');
const matches = (word: string, wanted: string, last: boolean): boolean =>
  word === wanted || (last && word.startsWith(wanted) && /^(?:s|'s|s')$/.test(word.slice(wanted.length)));
const sameIds = (x: readonly Token[], y: readonly Token[]): boolean => x.length === y.length && x.every((token, at) => token.id === y[at]!.id);

function formsOf(renames: readonly Rename[]): Map<string, Form[]> {
  const forms = new Map<string, Form[]>();
  for (const [rename, { stems }] of renames.entries()) {
    for (const [old, words] of [
      [true, stems[0]],
      [false, stems[1]],
    ] as const) {
      forms.set(words[0]!, [...(forms.get(words[0]!) ?? []), { rename, words, old }]);
    }
  }
  return forms;
}

/** One name for all clauses that became one another. */
function classes(partners: ClausePartners): readonly [Map<string, string>, Map<string, string>] {
  const [first, second] = [new Map<string, string>(), new Map<string, string>()];
  for (const [id, others] of partners) {
    const known = others.map((other) => second.get(other)).find((name) => name !== undefined) ?? id;
    first.set(id, known);
    for (const other of others) if (!second.has(other)) second.set(other, known);
  }
  return [first, second];
}
