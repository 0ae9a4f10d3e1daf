// Line ends inside a paragraph: a space, nothing (Chinese, a real hyphen) or a word put together again.
//
// Rule: a hyphen is removed only on evidence: the whole word stands elsewhere in the document, or nothing speaks for a compound.
import { isWideScript } from '../../characters.ts';
import type { PdfLine } from './lines.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** First parts of compounds that end no syllable of another word: their hyphen was written. */
const FIRST_PARTS = words('non self third quasi vice well half arm two three four five six seven eight nine ten twelve');
/** First parts that are also syllables ("in-terest", "co-operate", "pre-vent"): the hyphen was written if the rest is a word of this document. */
const SYLLABLES = words('co ex anti cross sub multi pre post semi high low long short full mid year day off on in up all e de one over under inter');
/** Second parts of compounds that close no longer word: "machine-readable", "heavy-duty". */
const SECOND_PARTS = words(
  'adjusted advised approved backed based bearing compliant controlled coupled driven duty eligible exempt free friendly funded granting making managed neutral ' +
    'oriented owned paying readable related seeking sharing specific sponsored weighted',
);
const WORD = /[\p{L}\p{N}]+(?:[-‐‑][\p{L}\p{N}]+)*/gu;

/** Lower-case words of the lines, without those that a line end cuts. */
export function collectWords(lines: readonly PdfLine[]): ReadonlySet<string> {
  const seen = new Set<string>();
  lines.forEach((line, index) => {
    const found = line.text.toLowerCase().replace(/[‐‑]/g, '-').match(WORD) ?? [];
    const cutEnd = /[-‐‑]$/.test(line.text) || line.softHyphen;
    const before = lines[index - 1];
    const cutStart = before !== undefined && (/[-‐‑]$/.test(before.text) || before.softHyphen);
    found.forEach((word, at) => {
      if (!(cutEnd && at === found.length - 1) && !(cutStart && at === 0)) seen.add(word);
    });
  });
  return seen;
}

export interface Joint {
  /** Characters of the upper line that go. */
  readonly remove: 0 | 1;
  readonly between: '' | ' ';
}

export function jointOf(upper: PdfLine, lower: PdfLine, seen: ReadonlySet<string>): Joint {
  const last = upper.text.at(-1);
  const first = lower.text[0];
  if (upper.softHyphen) return { remove: /[-‐]$/.test(upper.text) ? 1 : 0, between: '' };
  if (last === '-' || last === '‐') return hyphenJoint(upper.text, lower.text, seen);
  if (last === '‑') return { remove: 0, between: '' };
  if (isWideScript(last) && isWideScript(first)) return { remove: 0, between: '' };
  return { remove: 0, between: ' ' };
}

function hyphenJoint(upper: string, lower: string, seen: ReadonlySet<string>): Joint {
  const [, chain, left] = /([\p{L}\p{Nd}][-‐])?([\p{L}\p{Nd}]+)[-‐]$/u.exec(upper) ?? [];
  const right = /^[\p{L}\p{Nd}]+/u.exec(lower)?.[0];
  if (left === undefined) return { remove: 0, between: ' ' };
  if (right === undefined || !/^\p{Ll}/u.test(right) || /\d$/.test(left)) return { remove: 0, between: '' };
  // "short- and long-term": a hanging hyphen before a conjunction is followed by a space.
  if (/^(and|or|und|oder)$/.test(right)) return { remove: 0, between: ' ' };
  // "a four-year-old": the third part of a compound that has a hyphen already.
  const isChain = chain !== undefined && (right.length < 4 || seen.has(right));
  return { remove: isChain || isWritten(left.toLowerCase(), right.toLowerCase(), seen) ? 0 : 1, between: '' };
}

/** Whether the hyphen between two parts was written by the author, and not set by the program that broke the line. */
function isWritten(left: string, right: string, seen: ReadonlySet<string>): boolean {
  if (seen.has(`${left}-${right}`)) return true;
  if (seen.has(left + right)) return false;
  // No program leaves one letter at a line's end.
  if (left.length === 1 || FIRST_PARTS.has(left)) return true;
  if (SYLLABLES.has(left)) return right.length > 3 && seen.has(right);
  if (SECOND_PARTS.has(right) && (left.length > 3 || seen.has(left))) return true;
  if (/[a-z]{3}ly$/.test(left) && /(?:ed|ing)$/.test(right)) return true;
  return left.length > 2 && seen.has(left) && seen.has(right);
}
