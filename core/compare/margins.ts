// Text in the margins of pages: running heads and feet, legends, notices of a publisher. It is no part of what a contract says, wherever it stands.
//
// Owns: which blocks are margin matter beyond what the reader marked as furniture (small print in the margin of a page that has no second page to repeat
// it on), and knowing such text again where the other document has it as a paragraph.
import type { Block, Document } from '../contract/document.ts';
import { tokenize, type Token, type TokenOptions, type Vocabulary } from './tokens.ts';

/** Share of the page's height that is margin, and of the body's size up to which print there is small. */
const MARGIN = 0.08;
const SMALL = 0.75;
/** Of the neighbouring words of a text so many have to stand together in the other's margins; shorter texts are too easily found. */
const KNOWN = 0.8;
const LEAST = 4;

/** Tells margin matter of the document. */
export function marginOf(document: Document): (block: Block) => boolean {
  const body = bodySize(document);
  return (block) => {
    if (block.kind === 'furniture') return true;
    if (block.kind === 'footnote' || block.number !== null || block.lines.length === 0 || block.font.size > SMALL * body) return false;
    return block.at.every(({ page, box }) => {
      const height = document.pages[page]?.height ?? 0;
      return box !== null && height > 0 && (box.y1 <= MARGIN * height || box.y0 >= (1 - MARGIN) * height);
    });
  };
}

/** The size in which most of the text is set. */
function bodySize({ blocks }: Document): number {
  const lengths = new Map<number, number>();
  for (const { font, text, lines } of blocks) if (lines.length > 0) lengths.set(font.size, (lengths.get(font.size) ?? 0) + text.length);
  return [...lengths].toSorted((x, y) => y[1] - x[1])[0]?.[0] ?? 0;
}

/** Pairs of neighbouring words of the text in the margins. */
export function marginWords(document: Document, isMargin: (block: Block) => boolean, vocabulary: Vocabulary, options: TokenOptions): ReadonlySet<string> {
  return new Set(document.blocks.filter(isMargin).flatMap(({ text }) => neighbours(tokenize(text, 0, text.length, vocabulary, options), vocabulary)));
}

/** Whether the text stands in the margins of the other document. */
export function standsInMargin(tokens: readonly Token[], margins: ReadonlySet<string>, vocabulary: Vocabulary): boolean {
  const pairs = margins.size === 0 ? [] : neighbours(tokens, vocabulary);
  return pairs.length >= LEAST && pairs.filter((pair) => margins.has(pair)).length >= KNOWN * pairs.length;
}

function neighbours(tokens: readonly Token[], vocabulary: Vocabulary): string[] {
  const ids = tokens.map(({ id }) => id).filter((id) => /[\p{L}\p{N}]/u.test(vocabulary.words[id]!));
  return ids.slice(1).map((id, at) => `${ids[at]!} ${id}`);
}
