// Numbers in words and in East Asian digits, as Word's list formats write them (ISO/IEC 29500-1, 17.18.59 ST_NumberFormat).
//
// Owns: English cardinals and ordinals, Chinese, Japanese and Korean counting systems, the cycles of stems and branches.
// Limit: words are English whatever the language of the list; Word would write "Premier" in a French one.
import { CHINESE_COUNTING, chineseNumeral, counted, type Counting } from '../numerals.ts';

const ONES = [
  '',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** "Twenty-one", "One hundred five": capital at the start only. */
export function cardinalText(value: number): string {
  return capital(cardinal(value));
}

/** "Twenty-first". */
export function ordinalText(value: number): string {
  const text = cardinal(value);
  const last = /[a-z]+$/.exec(text)?.[0] ?? '';
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return capital(text.slice(0, text.length - last.length) + ordinal);
}

/** "1st", "2nd", "11th". */
export function ordinal(value: number): string {
  const tens = value % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return value + suffix;
}

function cardinal(value: number): string {
  if (value === 0) return 'zero';
  const parts: string[] = [];
  const thousands = Math.floor(value / 1000);
  const hundreds = Math.floor(value / 100) % 10;
  const rest = value % 100;
  if (thousands > 0) parts.push(`${cardinal(thousands)} thousand`);
  if (hundreds > 0) parts.push(`${ONES[hundreds] ?? ''} hundred`);
  if (rest > 0) parts.push(rest < 20 ? (ONES[rest] ?? '') : `${TENS[Math.floor(rest / 10)] ?? ''}${rest % 10 > 0 ? `-${ONES[rest % 10] ?? ''}` : ''}`);
  return parts.join(' ');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const COUNTINGS: Readonly<Record<string, Counting>> = {
  chineseCountingThousand: CHINESE_COUNTING,
  taiwaneseCountingThousand: CHINESE_COUNTING,
  chineseLegalSimplified: { digits: '零壹贰叁肆伍陆柒捌玖', units: '拾佰仟', gap: '零', leadingOne: true, oneHundred: true },
  ideographLegalTraditional: { digits: '零壹貳參肆伍陸柒捌玖', units: '拾佰仟', gap: '零', leadingOne: true, oneHundred: true },
  japaneseCounting: { digits: '〇一二三四五六七八九', units: '十百千', gap: '', leadingOne: false, oneHundred: false },
  japaneseLegal: { digits: '〇壱弐参四伍六七八九', units: '拾百阡', gap: '', leadingOne: true, oneHundred: true },
  koreanCounting: { digits: '영일이삼사오육칠팔구', units: '십백천', gap: '', leadingOne: false, oneHundred: false },
};
/** Formats that write the decimal digits of a number one by one. */
const DIGITWISE: Readonly<Record<string, string>> = {
  ideographDigital: '〇一二三四五六七八九',
  japaneseDigitalTenThousand: '〇一二三四五六七八九',
  taiwaneseDigital: '○一二三四五六七八九',
  koreanDigital: '영일이삼사오육칠팔구',
  koreanDigital2: '零一二三四五六七八九',
};
const CYCLES: Readonly<Record<string, string>> = {
  ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
  ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
  ganada: '가나다라마바사아자차카타파하',
  chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
  aiueo: 'ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ',
  aiueoFullWidth: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  iroha: 'ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ',
  irohaFullWidth: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  russianUpper: 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ',
  russianLower: 'абвгдежзиклмнопрстуфхцчшщыэюя',
};

/** The value in an East Asian or other script's format; null where `format` is none of them. */
export function scriptNumber(value: number, format: string): string | null {
  const digits = DIGITWISE[format];
  if (digits !== undefined) return String(value).replace(/\d/g, (digit) => digits.charAt(Number(digit)));
  // Below a hundred these count with ten (十一), above they write digits.
  if (format === 'chineseCounting' || format === 'taiwaneseCounting')
    return value < 100 ? chineseNumeral(value) : String(value).replace(/\d/g, (digit) => '○一二三四五六七八九'.charAt(Number(digit)));
  const counting = COUNTINGS[format];
  if (counting) return counted(value, counting);
  const cycle = CYCLES[format];
  if (cycle === undefined) return null;
  return value >= 1 && value <= cycle.length ? cycle.charAt(value - 1) : String(value);
}
