// Dates in running text, with their ISO form: "May 8, 2014", "8th day of May, 2014", "31 December 1996", "the first day of May, 2014", "7/1/98", "3-14-18", "1.4.2011", "2014-05-08", 2014年5月8日.
//
// Rule: a date is normalised only if it can be read in one way. 7/1/98 and 3-14-18 are read as month, day, year unless the first number is over 12
// (contracts in English that use slashes are American), 1.4.2011 as day, month, year; a date with a blank ("September ___, 2019") is not a date.

export interface Found {
  readonly start: number;
  readonly end: number;
  readonly normalized: string | null;
}

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const MONTH =
  '(?<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?';
const DAY = `(?<day>[0-3]?\\d)(?:\\s*(?:s\\s?t|n\\s?d|r\\s?d|t\\s?h)\\b)?`;
/** "first", "twenty-first (21st)": days of a month in words. */
const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const DAY_WORDS = `(?<day>(?:twenty|thirty)[\\s-]?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|${ORDINALS.join('|')})(?:\\s*\\(\\s*\\d{1,2}\\s*(?:st|nd|rd|th)?\\s*\\))?`;
const YEAR = '(?<year>(?:19|20)\\d\\d)';
/** Blanks and leaders before the year; bounded, so that a line of dashes costs nothing. */
const DASHES = '[\\s-]{0,40}';
const PATTERNS = [
  new RegExp(`(?<![A-Za-z0-9])${MONTH}\\s+(?:the\\s+)?${DAY}\\s{0,8},?${DASHES}${YEAR}\\b`, 'gi'),
  new RegExp(`\\b(?:the\\s+)?${DAY}\\s+(?:day\\s+)?(?:of\\s+)?(?:[A-Z][a-z]+day,?\\s+)?${MONTH}\\s{0,8},?${DASHES}${YEAR}\\b`, 'gi'),
  new RegExp(`\\b(?:the\\s+)?${DAY_WORDS}\\s+day\\s+of\\s+${MONTH}\\s{0,8},?${DASHES}${YEAR}\\b`, 'gi'),
  /(?<![\d.])(?<day>[0-3]?\d)\.(?<month>[01]?\d)\.(?<year>(?:19|20)\d\d)(?![\d.]?\d)/g,
  /(?<![\d/-])(?<month>\d{1,2})-(?<day>\d{1,2})-(?<year>(?:19|20)?\d\d)(?![\d/-])/g,
  new RegExp(`\\b${DAY}[-/.]${MONTH}[-/.]${YEAR}\\b`, 'gi'),
  /\b(?<year>(?:19|20)\d\d)(?<sign>[-/.])(?<month>0?[1-9]|1[0-2])\k<sign>(?<day>[0-3]?\d)(?![\d.]?\d)/g,
  /\b(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>(?:19|20)?\d\d)\b/g,
  /(?<year>(?:19|20)\d\d|[〇零一二三四五六七八九]{4})\s*年\s*(?<month>\d{1,2}|[一二三四五六七八九十]{1,3})\s*月\s*(?<day>\d{1,2}|[一二三四五六七八九十]{1,3})\s*日/g,
];
const HAN_DIGITS = '零一二三四五六七八九';

function hanNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const plain = text.replaceAll('〇', '零');
  if (!plain.includes('十')) return Number([...plain].map((digit) => HAN_DIGITS.indexOf(digit)).join(''));
  const [tens, ones] = plain.split('十');
  return (tens === '' ? 1 : HAN_DIGITS.indexOf(tens!)) * 10 + (ones === '' ? 0 : HAN_DIGITS.indexOf(ones!));
}

function dayNumber(day: string): number {
  if (!/^[a-z]/i.test(day)) return hanNumber(day);
  const word = day.toLowerCase();
  const ten = word.startsWith('twenty') ? 20 : word.startsWith('thirt') && !word.startsWith('thirteen') ? 30 : 0;
  return ten + ORDINALS.findIndex((ordinal) => word.endsWith(ordinal) && (ten > 0 || word === ordinal)) + 1;
}

/** ISO form of a year, month and day, or null if there is no such day. */
function iso(year: number, month: number, day: number): string | null {
  const full = year < 100 ? year + (year < 50 ? 2000 : 1900) : year;
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(full, month, 0)).getUTCDate()) return null;
  return `${full}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Every date in the text that exists in the calendar, in order. */
export function findDates(text: string): Found[] {
  const found: Found[] = [];
  for (const pattern of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const { year, month, day } = match.groups as { year: string; month: string; day: string };
      const name = MONTHS.findIndex((candidate) => candidate.startsWith(month.toLowerCase().slice(0, 3)));
      let [m, d] = [name === -1 ? hanNumber(month) : name + 1, dayNumber(day)];
      if (m > 12 && /[/-]/.test(match[0])) [m, d] = [d, m];
      const normalized = iso(hanNumber(year), m, d);
      if (normalized !== null) found.push({ start: match.index, end: match.index + match[0].length, normalized });
    }
  }
  found.sort((x, y) => x.start - y.start || y.end - x.end);
  // Patterns overlap by a few dates at most: a look at the ones just before is enough, and keeps the pass linear.
  return found.filter(
    (date, index) => !found.slice(Math.max(0, index - PATTERNS.length), index).some((other) => other.start <= date.start && date.end <= other.end),
  );
}
