// Number formats of WordprocessingML (ISO/IEC 29500-1, 17.18.59 ST_NumberFormat) for the values that a list counts.
//
// A format that is not known counts in decimal digits, as Word does for formats of a missing language pack.
import { romanNumeral } from '../numerals.ts';
import { cardinalText, ordinal, ordinalText, scriptNumber } from './words.ts';

/** Word's largest list number. */
const MOST_ROMAN = 32_767;
/** Lists of decimalZero and its wider kin: digits at least. */
const PADDED: Readonly<Record<string, number>> = { decimalZero: 2 };
const CHICAGO = '*†‡§';

/** `custom` is w:format of the format `custom`: "001, 002, 003, ..." says how many digits are written. */
export function formatNumber(value: number, format: string, custom?: string): string {
  switch (format) {
    case 'none':
      return '';
    case 'upperRoman':
      return romanNumeral(value, MOST_ROMAN);
    case 'lowerRoman':
      return romanNumeral(value, MOST_ROMAN).toLowerCase();
    case 'upperLetter':
      return letters(value);
    case 'lowerLetter':
      return letters(value).toLowerCase();
    case 'ordinal':
      return ordinal(value);
    case 'cardinalText':
      return cardinalText(value);
    case 'ordinalText':
      return ordinalText(value);
    case 'hex':
      return value.toString(16).toUpperCase();
    case 'chicago':
      return value < 1 ? String(value) : CHICAGO.charAt((value - 1) % CHICAGO.length).repeat(Math.ceil(value / CHICAGO.length));
    case 'numberInDash':
      return `- ${value} -`;
    case 'custom':
      return padded(value, /^\s*(0*\d)/.exec(custom ?? '')?.[1]?.length ?? 1);
    default:
      return enclosed(value, format) ?? scriptNumber(value, format) ?? padded(value, PADDED[format] ?? 1);
  }
}

function padded(value: number, digits: number): string {
  return value < 0 ? String(value) : String(value).padStart(digits, '0');
}

function enclosed(value: number, format: string): string | null {
  const upTo20 = (first: number): string => (value >= 1 && value <= 20 ? String.fromCharCode(first + value - 1) : String(value));
  switch (format) {
    case 'decimalFullWidth':
    case 'decimalFullWidth2':
      return String(value).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return upTo20(0x2460);
    case 'decimalEnclosedParen':
      return upTo20(0x2474);
    case 'decimalEnclosedFullstop':
      return upTo20(0x2488);
    case 'ideographEnclosedCircle':
      return value >= 1 && value <= 10 ? String.fromCharCode(0x327f + value) : String(value);
    default:
      return null;
  }
}

/** A..Z, then AA, BB, CC: Word repeats the letter, up to 30 times (780). */
function letters(value: number): string {
  if (value < 1 || value > 780) return String(value);
  return String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}
