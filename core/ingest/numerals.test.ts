// Numerals written, and read back.
import { expect, it } from 'vitest';
import { chineseNumeral, chineseValue, romanNumeral, romanValue } from './numerals.ts';

it('fault: Chinese numbers from a hundred on are written as laws write them', () => {
  const written = [10, 11, 20, 99, 100, 101, 110, 111, 200, 1000, 1001, 1010, 1260, 9999].map(chineseNumeral);
  expect(written.join(' ')).toBe('十 十一 二十 九十九 一百 一百零一 一百一十 一百一十一 二百 一千 一千零一 一千零一十 一千二百六十 九千九百九十九');
});

it('reads every number back that it writes', () => {
  for (let value = 1; value <= 9999; value++) expect(chineseValue(chineseNumeral(value))).toBe(value);
  for (let value = 1; value <= 399; value++) expect(romanValue(romanNumeral(value, 399))).toBe(value);
});

it('writes roman numerals up to a limit and figures beyond', () => {
  expect([4, 1994, 3999, 4000, 0].map((value) => romanNumeral(value, 3999))).toEqual(['IV', 'MCMXCIV', 'MMMCMXCIX', '4000', '0']);
});
