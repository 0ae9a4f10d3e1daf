// Invisible signs inside words: readers leave them out of the text, and this remembers where, so that a person learns of them.
//
// Between two Latin letters or figures nothing needs a sign of width zero or of direction; there it hides a word from a search, or one word in another.
// Rule: only what parts such a word is told of. Scripts that need these signs (Arabic, Hebrew, Indic) and break hints beside spaces and dots are left alone.
import type { Warning } from '../contract/document.ts';

const SIGNS = '\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u2069\\uFEFF';
const LETTER = '[\\p{Script=Latin}\\p{N}]';
const SIGN = new RegExp(`^[${SIGNS}]$`);
const INSIDE_WORD = new RegExp(`(?<=${LETTER})[${SIGNS}]+(?=${LETTER})`, 'gu');
const ONE_LETTER = new RegExp(`^${LETTER}$`, 'u');
const WORD_BEFORE = new RegExp(`${LETTER}*$`, 'u');
const WORD_AFTER = new RegExp(`^${LETTER}*`, 'u');
/** Letters of a word that are looked at on each side. */
const LONGEST_HALF = 60;

export function isInvisibleSign(character: string): boolean {
  return SIGN.test(character);
}

/** The source with `mark` in the place of invisible signs inside words. */
export function markInvisible(source: string, mark: string): string {
  return source.replace(INSIDE_WORD, mark);
}

/** `offsets`: where signs were left out of the block's text. Null where none of them parts a word. */
export function invisibleWarning(block: { readonly id: string; readonly text: string }, offsets: readonly number[], page: number | null): Warning | null {
  const { id, text } = block;
  const inside = offsets.filter((at) => ONE_LETTER.test(text[at - 1] ?? '') && ONE_LETTER.test(text[at] ?? ''));
  const first = inside[0];
  if (first === undefined) return null;
  const start = first - (WORD_BEFORE.exec(text.slice(Math.max(0, first - LONGEST_HALF), first))?.[0].length ?? 0);
  const end = first + (WORD_AFTER.exec(text.slice(first, first + LONGEST_HALF))?.[0].length ?? 0);
  const place = page === null ? '' : `Page ${page + 1}: `;
  const stand = inside.length === 1 ? 'an invisible sign stands' : `${inside.length} places with invisible signs, the first`;
  return {
    code: 'invisible_characters',
    message: `${place}${stand} inside the word “${text.slice(start, end)}”; it is read without them.`,
    page,
    span: { documentId: '', blockId: id, start, end },
  };
}
