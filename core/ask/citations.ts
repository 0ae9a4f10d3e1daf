// Citations: is this quote in the document, and where exactly? The only place that may say `verified`.
//
// Owns: normalisation with a way back to the original characters, exact and near location, the rule for each state:
//   verified    the quote stands in one block after normalisation (Unicode compatibility forms, quotes, dashes, white space, hyphens at line ends, case)
//   repaired    one contiguous run of at least 85 % of the quote (and 12 characters) stands there; only that run is highlighted
//   unverified  neither: nothing is highlighted
// Searched on the hinted page first, then one page before and after, then the document.
// Rule that must stay true: the characters of every returned span, normalised, occur in the normalised quote (a property test says so).
import { isContent, type Block, type Document, type Span } from '../contract/document.ts';

export interface Located {
  readonly state: 'verified' | 'repaired' | 'unverified';
  readonly spans: readonly Span[];
}

const MIN_RUN = 12;
const MIN_SHARE = 0.85;

interface Folded {
  readonly text: string;
  /** origin[i]: index in the original text of normalised character i; one more entry for the end. */
  readonly origin: readonly number[];
}

const QUOTES = /["'“”„‟‘’‚‛«»`´]/u;
const DASHES = /[‐‑‒–—―−-]/u;
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/u;

const foldedBlocks = new WeakMap<Block, Folded>();

function foldBlock(block: Block): Folded {
  const known = foldedBlocks.get(block);
  if (known) return known;
  const folded = fold(block.text);
  foldedBlocks.set(block, folded);
  return folded;
}

/** Normalised form of a text; every kept character knows where it came from. */
export function fold(text: string): Folded {
  let out = '';
  const origin: number[] = [];
  let at = 0;
  for (const character of text) {
    const folded = foldCharacter(character);
    for (const unit of folded) {
      if (unit === ' ' && (out === '' || out.endsWith(' '))) continue;
      out += unit;
      for (let i = 0; i < unit.length; i += 1) origin.push(at);
    }
    at += character.length;
  }
  const end = out.endsWith(' ') ? out.length - 1 : out.length;
  return { text: out.slice(0, end), origin: [...origin.slice(0, end), text.length] };
}

function foldCharacter(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (/\s/u.test(character)) return ' ';
  if (QUOTES.test(character)) return "'";
  if (DASHES.test(character)) return '-';
  return character.normalize('NFKC').toLowerCase();
}

/** Finds `quote` in the document; `page` is where it is said to be (index from 0), null if unknown. */
export function locate(quote: string, document: Document, page: number | null = null): Located {
  const needle = fold(quote.normalize('NFC')).text;
  if (needle === '') return { state: 'unverified', spans: [] };
  const blocks = searchOrder(document, page);
  for (const block of blocks) {
    const hay = foldBlock(block);
    const at = hay.text.indexOf(needle);
    if (at >= 0) return { state: 'verified', spans: [spanOf(document, block, hay, at, at + needle.length)] };
  }
  return locateRun(needle, document, blocks);
}

function locateRun(needle: string, document: Document, blocks: readonly Block[]): Located {
  const least = Math.max(MIN_RUN, Math.ceil(needle.length * MIN_SHARE));
  if (needle.length < MIN_RUN) return { state: 'unverified', spans: [] };
  for (const block of blocks) {
    const hay = foldBlock(block);
    const run = longestRun(needle, hay.text, least);
    if (run) return { state: 'repaired', spans: [spanOf(document, block, hay, run.at, run.at + run.length)] };
  }
  return { state: 'unverified', spans: [] };
}

/** Longest piece of `needle` of at least `least` characters inside `hay`; such a piece always covers the middle of the needle. */
function longestRun(needle: string, hay: string, least: number): { at: number; length: number } | null {
  if (hay.length < least) return null;
  const slack = needle.length - least;
  const seed = needle.slice(slack, least);
  if (seed.length === 0) return null;
  let best: { at: number; length: number } | null = null;
  for (let at = hay.indexOf(seed); at >= 0; at = hay.indexOf(seed, at + 1)) {
    let before = 0;
    while (before < slack && at - before > 0 && hay[at - before - 1] === needle[slack - before - 1]) before += 1;
    let after = 0;
    while (least + after < needle.length && hay[at + seed.length + after] === needle[least + after]) after += 1;
    const length = before + seed.length + after;
    if (length >= least && length > (best?.length ?? 0)) best = { at: at - before, length };
  }
  return best;
}

function spanOf(document: Document, block: Block, hay: Folded, from: number, to: number): Span {
  const last = hay.origin[to - 1]!;
  const width = String.fromCodePoint(block.text.codePointAt(last)!).length;
  return { documentId: document.id, blockId: block.id, start: hay.origin[from]!, end: last + width };
}

function searchOrder(document: Document, page: number | null): readonly Block[] {
  const blocks = document.blocks.filter(isContent);
  if (page === null) return blocks;
  const distance = (block: Block): number => {
    const steps = Math.min(...block.at.map((place) => Math.abs(place.page - page)), Number.POSITIVE_INFINITY);
    return steps <= 1 ? steps : 2;
  };
  return blocks
    .map((block, index) => ({ block, index, steps: distance(block) }))
    .sort((a, b) => a.steps - b.steps || a.index - b.index)
    .map((entry) => entry.block);
}

const NUMBERS = /\d+(?:[.,]\d+)*/g;

/** Numbers of `sentence` that occur in none of the quotes: a sentence that says "30 days" must cite a place that says 30. */
export function missingNumbers(sentence: string, quotes: readonly string[]): readonly string[] {
  const known = new Set(quotes.flatMap((quote) => quote.match(NUMBERS) ?? []));
  return [...new Set(sentence.match(NUMBERS) ?? [])].filter((value) => !known.has(value));
}
