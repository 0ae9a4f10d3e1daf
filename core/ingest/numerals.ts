// Values of written numerals: roman, letters (a..z, aa, bb ...), English words, Chinese. 0 means "not a numeral of this kind".
// And the reverse: values written in roman and in East Asian counting systems.

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

export interface Counting {
  /** Zero to nine. */
  readonly digits: string;
  /** Ten, hundred, thousand. */
  readonly units: string;
  /** Written between digits that are apart: 一百零五; '' where nothing is. */
  readonly gap: string;
  /** Whether ten and eleven begin with "one": 壹拾, against 十. */
  readonly leadingOne: boolean;
  /** Whether a hundred and a thousand of one do: 一百, against Japanese 百. */
  readonly oneHundred: boolean;
}

export const CHINESE_COUNTING: Counting = { digits: CHINESE_DIGITS, units: '十百千', gap: '零', leadingOne: false, oneHundred: true };

/** 1 to 9,999 in words of a counting system; figures outside. */
export function counted(value: number, counting: Counting): string {
  if (value === 0) return counting.digits.charAt(0);
  if (value < 0 || value > 9999) return String(value);
  let out = '';
  let gap = false;
  for (let power = 3; power >= 0; power--) {
    const digit = Math.floor(value / 10 ** power) % 10;
    if (digit === 0) {
      gap = out !== '';
      continue;
    }
    if (gap) out += counting.gap;
    gap = false;
    // 十二, not 一十二, for ten to nineteen; 一百一十 inside a larger number.
    const silent = digit === 1 && (power === 1 ? !counting.leadingOne && (out === '' || !counting.oneHundred) : power > 1 && !counting.oneHundred);
    out += (silent ? '' : counting.digits.charAt(digit)) + (power > 0 ? counting.units.charAt(power - 1) : '');
  }
  return out;
}

/** 一, 十一, 一百零一, 一千二百六十: as laws number their articles. */
export function chineseNumeral(value: number): string {
  return counted(value, CHINESE_COUNTING);
}

const ROMAN_NUMERALS: readonly (readonly [worth: number, sign: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** 1 to `most` in capitals; figures outside. */
export function romanNumeral(value: number, most: number): string {
  if (value < 1 || value > most) return String(value);
  let rest = value;
  let out = '';
  for (const [worth, sign] of ROMAN_NUMERALS) for (; rest >= worth; rest -= worth) out += sign;
  return out;
}
