// Values of written numerals: roman, letters (a..z, aa, bb ...), English words, Chinese. 0 means "not a numeral of this kind".

const ROMAN = /^(c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$/i;
const ROMAN_DIGITS: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth'.split(' ');
const CHINESE_DIGITS = '零一二三四五六七八九';

/** 1..399 */
export function romanValue(text: string): number {
  if (text === '' || !ROMAN.test(text)) return 0;
  let sum = 0;
  let last = 0;
  for (const letter of [...text.toLowerCase()].reverse()) {
    const value = ROMAN_DIGITS[letter] ?? 0;
    sum += value < last ? -value : value;
    last = value;
  }
  return sum;
}

/** a = 1 ... z = 26, aa = 27, bb = 28 (the habit of contracts and of Word: letters repeat). */
export function letterValue(text: string): number {
  const lower = text.toLowerCase();
  const first = lower.charCodeAt(0);
  if (!(first >= 97 && first <= 122) || lower.length > 4) return 0;
  for (let index = 1; index < lower.length; index++) if (lower.charCodeAt(index) !== first) return 0;
  return (lower.length - 1) * 26 + first - 96;
}

/** ab = 28 ... az = 52: the habit of spreadsheets, whose aa is 27 too. Only the first row is read; in "(cd)" nobody counts. */
export function pairValue(text: string): number {
  const lower = text.toLowerCase();
  return /^a[b-z]$/.test(lower) ? 26 + lower.charCodeAt(1) - 96 : 0;
}

export function wordValue(text: string): number {
  return WORDS.indexOf(text.toLowerCase()) + 1;
}

export function ordinalValue(text: string): number {
  return ORDINALS.indexOf(text.toLowerCase()) + 1;
}

/** 一 .. 九千九百九十九 (the Civil Code has 1,260 articles), and plain digits. */
export function chineseValue(text: string): number {
  if (/^[0-9]+$/.test(text)) return Number(text);
  let sum = 0;
  let digit = 0;
  for (const sign of text.replaceAll('〇', '零').replaceAll('两', '二')) {
    const value = CHINESE_DIGITS.indexOf(sign);
    if (value >= 0) digit = value;
    else if (sign === '十') {
      sum += (digit === 0 ? 1 : digit) * 10;
      digit = 0;
    } else if (sign === '百' || sign === '千') {
      sum += (digit === 0 ? 1 : digit) * (sign === '百' ? 100 : 1000);
      digit = 0;
    } else return 0;
  }
  return sum + digit;
}

/** 1..99 as 一 .. 九十九. */
export function chineseNumeral(value: number): string {
  const [tens, ones] = [Math.floor(value / 10), value % 10];
  const digit = (figure: number): string => (figure === 0 ? '' : (CHINESE_DIGITS[figure] ?? ''));
  return tens === 0 ? digit(ones) : `${tens === 1 ? '' : digit(tens)}十${digit(ones)}`;
}
