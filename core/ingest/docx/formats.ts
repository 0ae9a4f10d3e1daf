// Number formats of WordprocessingML (ECMA-376 part 1, 17.18.59 ST_NumberFormat) for the values a list counts.
// A format that is not known counts in decimal digits, as Word does for formats of a missing language pack.

const ONES = [
  '',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
  'Thirteen',
  'Fourteen',
  'Fifteen',
  'Sixteen',
  'Seventeen',
  'Eighteen',
  'Nineteen',
];
const TENS = ['', '', 'Twenty', 'Thirty', 'Forty', 'Fifty', 'Sixty', 'Seventy', 'Eighty', 'Ninety'];
const ORDINALS: Readonly<Record<string, string>> = {
  One: 'First',
  Two: 'Second',
  Three: 'Third',
  Five: 'Fifth',
  Eight: 'Eighth',
  Nine: 'Ninth',
  Twelve: 'Twelfth',
};
const ROMAN: readonly (readonly [number, string])[] = [
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
const STEMS = '甲乙丙丁戊己庚辛壬癸';
const BRANCHES = '子丑寅卯辰巳午未申酉戌亥';

export function formatNumber(value: number, format: string): string {
  switch (format) {
    case 'none':
      return '';
    case 'upperRoman':
      return roman(value);
    case 'lowerRoman':
      return roman(value).toLowerCase();
    case 'upperLetter':
      return letters(value);
    case 'lowerLetter':
      return letters(value).toLowerCase();
    case 'ordinal':
      return value + suffix(value);
    case 'cardinalText':
      return cardinal(value);
    case 'ordinalText':
      return ordinalText(value);
    case 'decimalZero':
      return value < 10 && value >= 0 ? `0${value}` : String(value);
    case 'decimalFullWidth':
      return String(value).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return value >= 1 && value <= 20 ? String.fromCharCode(0x245f + value) : String(value);
    case 'decimalEnclosedParen':
      return value >= 1 && value <= 20 ? String.fromCharCode(0x2473 + value) : String(value);
    case 'decimalEnclosedFullstop':
      return value >= 1 && value <= 20 ? String.fromCharCode(0x2487 + value) : String(value);
    case 'numberInDash':
      return `- ${value} -`;
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'ideographDigital':
    case 'japaneseCounting':
    case 'taiwaneseCounting':
    case 'taiwaneseCountingThousand':
      return chinese(value, '〇一二三四五六七八九', '十百千');
    case 'chineseLegalSimplified':
      return chinese(value, '零壹贰叁肆伍陆柒捌玖', '拾佰仟', true);
    case 'ideographTraditional':
      return STEMS[value - 1] ?? String(value);
    case 'ideographZodiac':
      return BRANCHES[value - 1] ?? String(value);
    default:
      return String(value);
  }
}

function roman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let rest = value;
  let out = '';
  for (const [worth, sign] of ROMAN)
    while (rest >= worth) {
      out += sign;
      rest -= worth;
    }
  return out;
}

/** A..Z, then AA, BB, CC: Word repeats the letter. */
function letters(value: number): string {
  if (value < 1 || value > 780) return String(value);
  return String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

function suffix(value: number): string {
  const tens = value % 100;
  if (tens >= 11 && tens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][value % 10] ?? 'th';
}

function cardinal(value: number): string {
  if (value < 1 || value > 999) return String(value);
  if (value >= 100) return `${ONES[Math.floor(value / 100)] ?? ''} Hundred${value % 100 ? ` ${cardinal(value % 100)}` : ''}`;
  if (value < 20) return ONES[value] ?? String(value);
  return `${TENS[Math.floor(value / 10)] ?? ''}${value % 10 ? `-${ONES[value % 10] ?? ''}` : ''}`;
}

function ordinalText(value: number): string {
  const text = cardinal(value);
  const last = /[A-Za-z]+$/.exec(text)?.[0];
  if (last === undefined) return value + suffix(value);
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return text.slice(0, -last.length) + ordinal;
}

function chinese(value: number, digits: string, units: string, full = false): string {
  if (value < 1 || value > 9999) return String(value);
  let out = '';
  let zero = false;
  for (let power = 3; power >= 0; power--) {
    const digit = Math.floor(value / 10 ** power) % 10;
    if (digit === 0) {
      zero = out !== '';
      continue;
    }
    if (zero) out += digits[0] === '〇' ? '零' : (digits[0] as string);
    zero = false;
    // 十二, not 一十二, for ten to nineteen.
    const lead = digit === 1 && power === 1 && out === '' && !full ? '' : (digits[digit] as string);
    out += lead + (power > 0 ? (units[power - 1] as string) : '');
  }
  return out;
}
