// Rules on the numbers of clauses among their siblings: numbers left out, numbers used twice.
//
// Owns: which reading of a number a list takes ((i) is a letter or a roman one), and how a missing number is written. Leaves the tree to core/structure.
// Rule: only inside a sequence that began at one can a number be missing, and only if it is written nowhere between its neighbours.
import type { Clause } from '../contract/document.ts';
import { readLabel, type Reading } from '../ingest/labels.ts';
import { chineseNumeral, letterValue, romanNumeral, romanValue } from '../ingest/numerals.ts';
import { placeOf, type Context, type Draft, type Rule } from './context.ts';
import { hasInline } from './references.ts';

export const numberingGaps: Rule = (context) => {
  const families = Map.groupBy(
    context.document.clauses.filter(({ number }) => number !== ''),
    (clause) => clause.parentId ?? '',
  );
  return [...families.values()].flatMap((siblings) => gapsAmong(context, siblings));
};

interface Numbered {
  readonly clause: Clause;
  readonly readings: readonly Reading[];
}

function gapsAmong(context: Context, siblings: readonly Clause[]): Draft[] {
  const list = siblings.map((clause): Numbered => ({
    clause,
    readings: readLabel(`${clause.number}. `)?.readings ?? readLabel(`${clause.number} `)?.readings ?? [],
  }));
  const found: Draft[] = [];
  let expected = 0;
  let form = '';
  for (const [index, { clause, readings }] of list.entries()) {
    const reading =
      readings.find((candidate) => candidate.form === form && candidate.values.at(-1) === expected + 1) ??
      readings.find((candidate) => candidate.form === form) ??
      // A list begins with its one: (i) after no (h) is roman.
      readings.find((candidate) => candidate.values.at(-1) === 1) ??
      readings[0];
    const value = reading?.values.at(-1);
    if (reading === undefined || value === undefined) {
      expected = 0;
      continue;
    }
    // A new sequence begins at one; only inside a sequence that began so can a number be missing.
    if (reading.form !== form || value === 1 || expected === 0) {
      form = reading.form;
      expected = value === 1 ? 1 : 0;
      continue;
    }
    const next = list[index + 1]?.readings.find((candidate) => candidate.form === form)?.values.at(-1);
    if (form === 'schedule') continue;
    const step: Step = { clause, before: list[index - 1]!.clause, expected, value, next };
    const draft = judgeStep(context, step);
    if (draft !== null) found.push(draft);
    // "4, 4, 6": the second 4 is a slip for 5, and nothing is missing after it.
    expected = value === expected && next === value + 2 ? value + 1 : value;
  }
  return found;
}

interface Step {
  readonly clause: Clause;
  readonly before: Clause;
  /** The number before, and this one. */
  readonly expected: number;
  readonly value: number;
  readonly next: number | undefined;
}

/** One or two numbers left out, with the sequence going on or ending there, is a gap; a larger jump is another numbering. */
function judgeStep(context: Context, { clause, before, expected, value, next }: Step): Draft | null {
  const span = clause.spans[0];
  const block = span === undefined ? undefined : context.blockOf.get(span.blockId);
  if (value === expected + 1 || span === undefined || block === undefined) return null;
  const place = { blockId: block.id, start: span.start, end: Math.max(span.start + 1, Math.min(block.text.length, span.start + clause.number.length)) };
  const name = clause.path || clause.number;
  if (value === expected) {
    const fix = next === value + 2 ? numberLike(clause.number, value, value + 1) : null;
    const message = `The number ${name} stands twice in a row.`;
    return {
      rule: 'numbering-duplicate',
      severity: 'warning',
      message,
      ...place,
      related: before.spans.slice(0, 1).map(placeOf),
      ...(fix === null ? {} : { fix }),
    };
  }
  const missing = value - expected - 1;
  if (missing < 1 || missing > MOST_MISSING || (next !== undefined && next !== value + 1)) return null;
  const written = numberLike(clause.number, value, value - 1);
  // The number may stand in a paragraph that the parser kept whole.
  if (written === null || standsBetween(context, before, clause, written) || (/^[\d.]+$/.test(written) && hasInline(context, written))) return null;
  const message = `The numbering goes to ${name} with ${missing === 1 ? `${written} left out` : `${missing} numbers left out`} before it.`;
  return { rule: 'numbering-gap', severity: 'warning', message, ...place };
}

const MOST_MISSING = 2;

/** The value after `now` in the form of a number: "1.09" and 8 give "1.08", "(j)" and 9 give "(i)", "(v)" and 4 give "(iv)"; null for words. */
function numberLike(number: string, now: number, value: number): string | null {
  const digits = /\d+(?=\D*$)/.exec(number);
  if (digits)
    return (
      number.slice(0, digits.index) +
      String(value).padStart(digits[0].startsWith('0') ? digits[0].length : 0, '0') +
      number.slice(digits.index + digits[0].length)
    );
  const han = /[零一二三四五六七八九十百千]+(?=[^零一二三四五六七八九十百千]*$)/.exec(number);
  if (han) return number.slice(0, han.index) + chineseNumeral(value) + number.slice(han.index + han[0].length);
  const sign = /[A-Za-z]+(?=[^A-Za-z]*$)/.exec(number);
  if (!sign) return null;
  const small = sign[0].toLowerCase();
  const written =
    romanValue(small) === now
      ? romanNumeral(value, MOST_ROMAN).toLowerCase()
      : letterValue(small) === now && small.length === 1 && value <= 26
        ? String.fromCharCode(96 + value)
        : null;
  if (written === null) return null;
  return number.slice(0, sign.index) + (sign[0] === small ? written : written.toUpperCase()) + number.slice(sign.index + small.length);
}

/** No list of a contract counts further in roman numerals. */
const MOST_ROMAN = 399;

/** Whether a number is written somewhere between two clauses, inside a paragraph. */
function standsBetween(context: Context, before: Clause, clause: Clause, written: string): boolean {
  const [from, to] = [before, clause].map(({ spans }) => context.order.get(spans[0]?.blockId ?? '') ?? 0) as [number, number];
  const escaped = written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/^\\\(/, '\\(?');
  // "8.4Limitation": the space may be lost.
  const pattern = new RegExp(
    `(?<![\\p{L}\\d.(]|(?:[Ss]ections?|[Aa]rticles?|[Cc]lauses?|[Ss]ubsections?|and|or|to|through|,)\\s)${escaped}(?![\\p{Ll}\\d])`,
    'u',
  );
  return context.blocks.slice(from, to).some(({ text }) => pattern.test(text));
}
