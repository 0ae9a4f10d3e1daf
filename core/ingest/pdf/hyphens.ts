// Line ends inside a paragraph: a space, nothing (Chinese, a real hyphen) or a word put together again.
//
// Rule: a hyphen is removed only on evidence: the whole word stands elsewhere in the document, or nothing speaks for a compound.
import { isWideScript } from '../characters.ts';
import type { PdfLine } from './lines.ts';

/** Prefixes that keep their hyphen in English contracts more often than not. */
const PREFIXES = new Set([
  'non',
  'self',
  'co',
  'ex',
  'anti',
  'cross',
  'sub',
  'multi',
  'de',
  'pre',
  'post',
  'third',
  'semi',
  'quasi',
  'vice',
  'all',
  'well',
  'high',
  'low',
  'long',
  'short',
  'full',
  'on',
  'off',
  'in',
  'up',
  'year',
  'day',
  'one',
  'two',
  'three',
  'e',
]);
const WORD = /[\p{L}\p{N}]+(?:[-‐‑][\p{L}\p{N}]+)*/gu;

/** Lower-case words of the lines, without those that a line end cuts. */
export function collectWords(lines: readonly PdfLine[]): Set<string> {
  const words = new Set<string>();
  lines.forEach((line, index) => {
    const found = line.text.toLowerCase().replace(/[‐‑]/g, '-').match(WORD) ?? [];
    const cutEnd = /[-‐‑]$/.test(line.text) || line.softHyphen;
    const before = lines[index - 1];
    const cutStart = before !== undefined && (/[-‐‑]$/.test(before.text) || before.softHyphen);
    found.forEach((word, at) => {
      if (!(cutEnd && at === found.length - 1) && !(cutStart && at === 0)) words.add(word);
    });
  });
  return words;
}

export interface Joint {
  /** Characters of the upper line that go. */
  readonly remove: 0 | 1;
  readonly between: '' | ' ';
}

export function jointOf(upper: PdfLine, lower: PdfLine, words: ReadonlySet<string>): Joint {
  const last = upper.text.at(-1);
  const first = lower.text[0];
  if (upper.softHyphen) return { remove: /[-‐]$/.test(upper.text) ? 1 : 0, between: '' };
  if (last === '-' || last === '‐') return hyphenJoint(upper.text, lower.text, words);
  if (last === '‑') return { remove: 0, between: '' };
  if (isWideScript(last) && isWideScript(first)) return { remove: 0, between: '' };
  return { remove: 0, between: ' ' };
}

function hyphenJoint(upper: string, lower: string, words: ReadonlySet<string>): Joint {
  const left = /([\p{L}\p{N}]+)[-‐]$/u.exec(upper)?.[1];
  const right = /^[\p{L}\p{N}]+/u.exec(lower)?.[0];
  if (left === undefined) return { remove: 0, between: ' ' };
  if (right === undefined || !/^\p{Ll}/u.test(right) || /\d$/.test(left)) return { remove: 0, between: '' };
  // "short- and long-term": a hanging hyphen before a conjunction is followed by a space.
  if (/^(and|or|und|oder)$/.test(right)) return { remove: 0, between: ' ' };
  const joined = (left + right).toLowerCase();
  const compound = `${left}-${right}`.toLowerCase();
  if (words.has(compound)) return { remove: 0, between: '' };
  if (words.has(joined)) return { remove: 1, between: '' };
  if (PREFIXES.has(left.toLowerCase())) return { remove: 0, between: '' };
  const bothWords = left.length > 2 && words.has(left.toLowerCase()) && words.has(right.toLowerCase());
  return bothWords ? { remove: 0, between: '' } : { remove: 1, between: '' };
}
