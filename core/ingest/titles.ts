// What tells a title from a sentence, for readers (is this block a heading?) and for clause headings alike.

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
