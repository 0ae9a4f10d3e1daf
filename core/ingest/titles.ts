// What tells a title from a sentence, for readers (is this block a heading?) and for clause headings alike, and the labels at which a party signs.

const SMALL = new Set([
  'a',
  'an',
  'and',
  'as',
  'at',
  'but',
  'by',
  'for',
  'from',
  'in',
  'into',
  'nor',
  'not',
  'of',
  'on',
  'or',
  'per',
  'the',
  'to',
  'upon',
  'via',
  'vs',
  'with',
  'without',
  'under',
  'between',
  'through',
  'during',
  'after',
  'before',
  'against',
  'if',
  'its',
  'than',
  'that',
  'over',
  'any',
  'all',
  'within',
  'until',
  'be',
  'etc',
  'other',
]);
const VERB =
  /\b(?:is|are|was|were|will|shall|may|must|can|has|have|had|means?|agrees?|represents?|warrants?|applies|apply|do|does|would|should|including|includes?)\b/;

/** Words that carry meaning begin with a capital or a digit. */
export function isTitleCase(words: readonly string[]): boolean {
  let large = 0;
  for (const word of words) {
    const bare = word.replace(/^[("“‘'[]+/, '').replace(/[)"”’',.;:\]]+$/, '');
    if (/^[\p{Lu}\d&/–—-]/u.test(bare) || bare === '') large++;
    else if (!SMALL.has(bare.toLowerCase())) return false;
  }
  return large > 0;
}

export function hasVerb(text: string): boolean {
  return VERB.test(text);
}

/** Longer than a few words and built like a statement: quoted term first, a verb, or ordinary lower case to the end. */
export function isSentence(title: string): boolean {
  const words = title.split(' ');
  if (words.length <= 5) return false;
  if (/^[“"]/.test(title)) return true;
  return !isTitleCase(words) && (hasVerb(title) || words.length > 10);
}

/** What stands before a place to fill in at a signature, in a pattern without regard to case: tables, columns and kinds of blocks are told by the same words. */
export const SIGNATURE_LABELS =
  'by|name|title|date|its|signature|signed|witness|print(?:ed)? name|authori[sz]ed (?:signature|signatory)|签字|签章|盖章|法定代表人|授权代表|日期';
const SIGNATURE_LINE = new RegExp(String.raw`^(?:(?:${SIGNATURE_LABELS})\s*[:：]|[_\s]{6,}$|x?_{5,}|/s/\s)`, 'i');

/** A label to sign or to fill in at a signature, the line for it, or the mark of one that was given ("/s/ Jane Roe"). */
export function isSignatureLine(text: string): boolean {
  return SIGNATURE_LINE.test(text);
}
