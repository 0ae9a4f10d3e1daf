// Numbers written in words: English ("one hundred and twenty-five thousand") and Chinese (壹万贰仟), with their values.
// Shared by core/extract (sums, periods) and core/review (words against figures). Numerals of clause numbers are core/ingest/numerals.ts.

const ONES: Record<string, number> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fourty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
export const SCALES: Record<string, number> = { thousand: 1e3, million: 1e6, billion: 1e9 };
const WORD = `(?:${[...Object.keys(ONES), 'hundred', ...Object.keys(SCALES)].join('|')})`;
/** A number in words: "one hundred and twenty-five thousand". Bounded: a longer run of words is no number. */
export const NUMBER_WORDS = `${WORD}(?:(?:\\s+and\\s+|[\\s-]+)${WORD}){0,24}`;

/** Value of an English number in words; null if it is none. */
export function wordsToNumber(text: string): number | null {
  let [total, current, seen] = [0, 0, false];
  for (const word of text.toLowerCase().split(/[\s-]+/)) {
    if (word === 'and' || word === '') continue;
    const one = ONES[word];
    const scale = SCALES[word];
    if (one !== undefined) current += one;
    else if (word === 'hundred') current = (current === 0 ? 1 : current) * 100;
    else if (scale !== undefined) [total, current] = [total + (current === 0 ? 1 : current) * scale, 0];
    else return null;
    seen = true;
  }
  return seen ? total + current : null;
}

const HAN: Record<string, number> = {
  〇: 0,
  零: 0,
  一: 1,
  壹: 1,
  二: 2,
  贰: 2,
  两: 2,
  三: 3,
  叁: 3,
  四: 4,
  肆: 4,
  五: 5,
  伍: 5,
  六: 6,
  陆: 6,
  七: 7,
  柒: 7,
  八: 8,
  捌: 8,
  九: 9,
  玖: 9,
};
const HAN_SCALES: Record<string, number> = { 十: 10, 拾: 10, 百: 100, 佰: 100, 千: 1000, 仟: 1000 };
/** A number in Chinese characters, capital forms too. */
export const HAN_NUMBER = '[〇零一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟]{1,24}';

/** Value of a Chinese number; null if a character is none. */
export function hanToNumber(text: string): number | null {
  let [total, section, digit] = [0, 0, 0];
  for (const character of text) {
    const value = HAN[character];
    const scale = HAN_SCALES[character];
    if (value !== undefined) digit = value;
    else if (scale !== undefined) [section, digit] = [section + (digit === 0 ? 1 : digit) * scale, 0];
    else if (character === '万') [total, section, digit] = [total + (section + digit) * 1e4, 0, 0];
    else if (character === '亿') [total, section, digit] = [(total + section + digit) * 1e8, 0, 0];
    else return null;
  }
  return total + section + digit;
}
