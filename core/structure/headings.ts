// The heading of a clause: its whole block, or the phrase that runs into its text ("3. Term. This Agreement ...").
//
// Rule: a heading is short, names a subject and is no sentence: set apart by emphasis, or written in title case, or without a verb.
import type { Block } from '../contract/document.ts';
import { endsInAbbreviation } from './abbreviations.ts';
import type { Range } from '../ingest/raw.ts';
import { hasVerb, isSentence, isTitleCase } from '../ingest/titles.ts';

/** Longest heading seen in the template corpora: 97 characters, 13 words. */
const MAX_CHARACTERS = 110;
const MAX_WORDS = 14;

/** Heading of a numbered piece of a block that ends at `end`; `rest` is where its text begins after the number. */
export function headingOf(block: Block, rest: number, end: number, emphasis: readonly Range[]): string {
  const text = block.text.slice(rest, end);
  if (block.kind === 'heading') {
    const whole = trimHeading(text);
    const runIn = readRunIn(text, rest, emphasis);
    // A bold block of two sentences is a run-in heading and its text.
    if (runIn !== '' && runIn.length < whole.length) return runIn;
    return isSentence(whole) ? '' : whole;
  }
  return readRunIn(text, rest, emphasis);
}

export function trimHeading(text: string): string {
  const bare = text.trim().replace(/[\s.:：。–—-]+$/u, '');
  // "[Financial Statements. ...]": an option bracket that opens here closes after the text.
  return bare.startsWith('[') && !bare.includes(']') ? bare.slice(1) : bare;
}

function readRunIn(text: string, rest: number, emphasis: readonly Range[]): string {
  if (!/^["“]?[\p{Lu}\p{Lo}\d[]/u.test(text) || /^["“]/.test(text)) return '';
  const stop = firstStop(text);
  const phrase = text.slice(0, stop.at).trim();
  const words = phrase.split(/\s+/);
  if (phrase.length < 2 || phrase.length > MAX_CHARACTERS || words.length > MAX_WORDS) return '';
  if (/[;,]\s*(?:and|or)?$|\b(?:and|or)$/.test(phrase)) return '';
  if (/\p{Script=Han}/u.test(phrase)) return phrase.length <= 24 && stop.sign !== '。' && !/[，；,]/.test(phrase) ? trimHeading(phrase) : '';
  const end = rest + stop.at;
  const set = emphasis.find((range) => range.start <= rest + 1);
  if (set && Math.abs(set.end - end) <= 2) return trimHeading(phrase);
  if (set === undefined && emphasis.length > 0 && stop.sign === '' && !isTitleCase(words)) return '';
  if (/[,;]/.test(phrase) && !isTitleCase(words)) return '';
  if (isTitleCase(words) && (stop.sign !== '' || words.length <= 8)) return trimHeading(phrase);
  return stop.sign === '.' && stop.at + 1 < text.trimEnd().length && words.length <= 5 && !hasVerb(phrase) ? trimHeading(phrase) : '';
}

interface Stop {
  readonly at: number;
  readonly sign: string;
}

/** End of the first phrase: a point, colon or dash that is no abbreviation; the text's end without one. */
function firstStop(text: string): Stop {
  const sign = /([.:](?=["”’)]?(?:\s|$))|[：。]|\s[–—](?=\s)|—)/g;
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    if (match.index > MAX_CHARACTERS) break;
    if (match[1] === '.' && endsInAbbreviation(text.slice(0, match.index))) continue;
    return { at: match.index, sign: match[1] as string };
  }
  return { at: text.length, sign: '' };
}
