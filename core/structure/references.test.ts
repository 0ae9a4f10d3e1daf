import { expect, it } from 'vitest';
import { parse } from './structure.test-support.ts';

const BODY = ['1. Fees', '1.1 Amount', '(a) monthly', '(b) yearly', '2. Term: (x) one year or (y) two.', '# Article IV', '# Exhibit A', '1. Scope'];

async function referencesOf(line: string, at = BODY.length): Promise<[string, string | null][]> {
  const document = await parse([...BODY.slice(0, at), `9. ${line}`, ...BODY.slice(at)]);
  const path = new Map(document.clauses.map((clause) => [clause.id, clause.path]));
  const block = document.blocks.find((entry) => entry.text.startsWith('9. '));
  return document.references
    .filter((reference) => reference.span.blockId === block?.id)
    .map((reference) => {
      expect(block?.text.slice(reference.span.start, reference.span.end)).toBe(reference.text);
      return [reference.text, reference.targetId === null ? null : (path.get(reference.targetId) ?? '?')];
    });
}

it.each([
  ['under Section 1.1(b) only', [['Section 1.1(b)', '1.1(b)']]],
  [
    'see Sections 1.1(a) and (b), 2 and 7',
    [
      ['Sections 1.1(a)', '1.1(a)'],
      ['(b)', '1.1(b)'],
      ['2', '2'],
      ['7', null],
    ],
  ],
  ['as in Section 2(y) above', [['Section 2(y)', '2']]],
  [
    'per Article 4 and Exhibit A',
    [
      ['Article 4', 'Article IV'],
      ['Exhibit A', 'Exhibit A'],
    ],
  ],
  ['under Section 365(n) of the Bankruptcy Code', []],
  ['Section 409A applies', []],
])('resolves: %s', async (line, expected) => {
  expect(await referencesOf(line, 5)).toEqual(expected);
});

it('prefers the exhibit it stands in', async () => {
  const document = await parse(['1. Fees', '# Exhibit A', '1. Scope', '2. Use of Section 1']);
  const target = document.clauses.find((clause) => clause.id === document.references[0]?.targetId);
  expect(target?.path).toBe('Exhibit A 1');
});

it('resolves Chinese references and leaves laws alone', async () => {
  const document = await parse(['第一条 定义', '第二条 依照第一条和《民法典》第五百条处理，详见附件一。', '附件一 价格']);
  const path = new Map(document.clauses.map((clause) => [clause.id, clause.path]));
  expect(document.references.map((reference) => [reference.text, path.get(reference.targetId ?? '')])).toEqual([
    ['第一条', '第一条'],
    ['附件一', '附件一'],
  ]);
});
