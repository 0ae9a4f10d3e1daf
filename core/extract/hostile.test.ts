// Texts that are made to hang a reader: each through the parser, the linter, the extractors and the comparison, in a stated time.
//
// Rule: a new pattern with a repeat in it is safe only if all of these pass. CPU time is measured, not the clock: other work on the machine does not count.
import { expect, it } from 'vitest';
import { compareDocuments } from '../compare/compare.ts';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import type { Document } from '../contract/document.ts';
import { lintDocument } from '../review/lint.ts';
import { parseDocument } from '../structure/document.ts';
import { extractFields } from './fields.ts';

/** A page of running text has some 3,000 characters: ten pages in one paragraph. */
const LENGTH = 30_000;
/** Linear work on such a text takes tens of milliseconds; a quadratic pattern takes many seconds, an exponential one never ends. */
const MOST_SECONDS = 2;

const filled = (piece: string, lead = '', tail = 'x'): string => lead + piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH) + tail;

const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ['dashes after a date', filled('-', 'Dated: May 8, ')],
  ['blanks after a date', filled(' ', 'This Agreement is dated May 8')],
  ['commas in a bracket before a term', filled(',', 'Acme (the ', ' “Company”) and Bolt.')],
  ['words in a bracket before a term', filled('the, ', 'Acme (', '“Company”) and Bolt.')],
  ['open brackets', filled('(')],
  ['brackets of all kinds, crossed', filled('([“)]”')],
  ['quotation marks', filled('"')],
  ['curly marks with a letter', filled('“A” ')],
  ['a list of one letter', filled('(a) ')],
  ['lines of one letter', filled('a.\n')],
  ['digits', filled('1')],
  ['digits and points', filled('1.')],
  ['digits and commas', filled('111,')],
  ['Chinese numerals', filled('一')],
  ['Chinese numerals of money', filled('壹佰', '人民币')],
  ['blanks', filled(' ', 'The term')],
  ['opened tags', filled('<b>')],
  ['number words', filled('one ', 'The price is ')],
  ['capital words', filled('Acme ', 'between ')],
  ['exhibits in a list', filled('A,  ', 'Exhibits ')],
  ['references', filled('Section 1.2, ', 'See ')],
  ['stars and bars', filled('*_|')],
];

const timed = async <Result>(work: () => Result | Promise<Result>): Promise<{ result: Result; seconds: number }> => {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
};

const parsed = (text: string, kind: 'txt' | 'md'): Promise<Document> => parseDocument(new TextEncoder().encode(text), `hostile.${kind}`);

it.each(HOSTILE)('fault: %s cost no more than their length', { timeout: 120_000 }, async (_what, text) => {
  const plain = await timed(() => parsed(text, 'txt'));
  const marked = await timed(() => parsed(text, 'md'));
  // Readers fold blanks and drop signs; one block that keeps all of them is what a PDF may give.
  const whole = makeDocument(text.replaceAll('\n', ' '));
  const seconds: Record<string, number> = { 'parsing text': plain.seconds, 'parsing Markdown': marked.seconds };
  for (const [name, document] of Object.entries({ text: plain.result, block: whole })) {
    seconds[`linting ${name}`] = (await timed(() => lintDocument(document))).seconds;
    seconds[`extracting ${name}`] = (await timed(() => extractFields(document))).seconds;
  }
  const other = await parsed(`${text} and one more.`, 'txt');
  seconds['comparing'] = (await timed(() => compareDocuments(plain.result, other))).seconds;
  expect(Object.entries(seconds).filter(([, taken]) => taken > MOST_SECONDS)).toEqual([]);
});
