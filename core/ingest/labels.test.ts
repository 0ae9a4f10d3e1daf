// Numbers as contracts write them, with the values they are read to, and what looks like a number and is none.
//
// Owns: readLabel, the values of numerals, bullets and lines of a contents table. What a number means among its neighbours is core/structure's.
import { describe, expect, it } from 'vitest';
import { bulletLength, isContentsLine, readLabel } from './labels.ts';
import { chineseValue, letterValue, romanValue } from './numerals.ts';

describe('readLabel', () => {
  it.each([
    ['1. Term. The', '1', '1', [1]],
    ['5.2. Security', '5.2', '1', [5, 2]],
    ['12.3 Fees', '12.3', '1', [12, 3]],
    ['1) first', '1)', '1)', [1]],
    ['ARTICLE IV: PURPOSE', 'ARTICLE IV', 'article', [4]],
    ['Section 2. Use', 'Section 2', 'section', [2]],
    ['Section 1.01 Name', 'Section 1.01', '1', [1, 1]],
    ['Schedule A', 'Schedule A', 'schedule', [1]],
    ['Exhibit B – Price List', 'Exhibit B', 'schedule', [2]],
    ['第三条 保密义务', '第三条', '条', [3]],
    ['第十二章 附则', '第十二章', '章', [12]],
    ['（一）甲方的义务', '（一）', '（一）', [1]],
    ['一、总则', '一', '一、', [1]],
    ['附件二：价格表', '附件二', 'schedule', [2]],
    ['2.B. GUARANTY', '2.B', '1', [2, 2]],
    ['Annex C-1', 'Annex C-1', 'schedule', [301]],
    ['§ 5 Haftung', '§ 5', 'section', [5]],
  ])('reads %s', (text, number, form, values) => {
    const label = readLabel(text);
    expect(label?.number).toBe(number);
    expect(text.startsWith(label?.number ?? '?')).toBe(true);
    expect(label?.readings[0]).toEqual({ form, values });
  });

  it.each([
    '2024. The year',
    'Section 5.2 of this Agreement applies.',
    '30 days after receipt',
    '1.5 million euros',
    'Article 9 and Article 10 apply',
    'Exhibit 10.1 Execution Version',
    '第三条的规定不适用。',
    '第五条、第六条',
    'The parties agree',
    'i think so',
    '(see below) text',
    '5 December 2020',
    '100% of fees',
    'EXHIBITS',
    'Sections 1 and 2',
  ])('takes %s for text', (text) => {
    expect(readLabel(text)).toBeNull();
  });

  it('gives both readings of (i) and marks bare letters as weak', () => {
    expect(readLabel('(i) the')?.readings.map((reading) => reading.form)).toEqual(['(a)', '(i)']);
    expect(readLabel('A. Smith')?.weak).toBe(true);
  });

  it('finds where the text begins', () => {
    for (const [text, rest] of [
      ['5.1. Use', 'Use'],
      ['(a) it', 'it'],
      ['Exhibit A - Fees', 'Fees'],
      ['第一条：定义', '定义'],
    ] as const)
      expect(text.slice(readLabel(text)?.rest)).toBe(rest);
  });
});

describe('numerals', () => {
  it('reads roman, repeated letters and Chinese', () => {
    expect([romanValue('xiv'), romanValue('IIII'), romanValue('abc')]).toEqual([14, 0, 0]);
    expect([letterValue('c'), letterValue('cc'), letterValue('cd')]).toEqual([3, 29, 0]);
    expect([chineseValue('十'), chineseValue('二十三'), chineseValue('一百零五'), chineseValue('两')]).toEqual([10, 23, 105, 2]);
  });
});

it('knows bullets and leaders', () => {
  expect(bulletLength('• item')).toBe(2);
  expect(bulletLength('item')).toBe(0);
  expect(isContentsLine('1. Definitions ........ 12')).toBe(true);
  expect(isContentsLine('Article I . . . . . . iv')).toBe(true);
  expect(isContentsLine('第一条 定义………… 3')).toBe(true);
  expect(isContentsLine('The term ends ...')).toBe(false);
});

it('fault: a sentence that ends in points is no line of a contents table', () => {
  for (const text of ['2. The price is to be agreed.....', '3. Name of the Buyer: ....................', '第二条 价格为……'])
    expect([isContentsLine(text), readLabel(text) !== null]).toEqual([false, true]);
});
