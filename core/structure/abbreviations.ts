// Words behind which a point ends no sentence. One list for headings, sentences of extraction and sentences of comparison.
// (The sentences that the Reader is given, core/ask/sentences.ts, keep the list it was trained with.)

/** Legal forms, titles of people, parts of documents, of books of law, and Latin. */
const WORDS =
  'inc|incorp|ltd|co|corp|llc|no|nos|mr|mrs|ms|dr|jr|sr|st|art|sec|subsec|para|cl|ch|pt|pp?|cf|vs?|etc|al|approx|viz|rev|stat|ann|supp|reg|regs|fed|cir|cal|del|fla|tex|tit|bros|dept|est|attn|ref|fig';
const WORD = new RegExp(`^(?:${WORDS})$`, 'i');
const BEFORE_POINT = new RegExp(`(?:^|[\\s("“'‘])(?:(?:${WORDS})|(?:[a-z]\\.){0,4}[a-z])$`, 'i');

/** A single word without its point; dotted letters ("U.S") are the caller's to see. */
export const isAbbreviation = (word: string): boolean => WORD.test(word);

/** The text up to a point ends in an abbreviation or in letters with points ("the U.S", "i.e", "John P"). */
export const endsInAbbreviation = (text: string): boolean => BEFORE_POINT.test(text);
