// Sums of money in running text, in minor units: "$10,000.00", "EUR 1.234,50", "US$5 million", "two million dollars", 人民币壹佰万元整, ￥3万元.
//
// Rule: a sum without a currency is no sum. Where words and figures stand side by side ("ten dollars ($10)") both are found and are equal or not;
// whether they agree is the linter's question. "$" alone is read as US dollars, "¥" as yuan, "kr" and "R" not at all: they are several currencies.
import { HAN_NUMBER, hanToNumber, NUMBER_WORDS, SCALES, wordsToNumber } from '../structure/numberWords.ts';
import type { Found } from './dates.ts';

/** ISO 4217 codes that contracts name; none of them is an English word in capitals. */
const CODES =
  'USD|EUR|GBP|CNY|RMB|CNH|JPY|CHF|CAD|AUD|NZD|HKD|SGD|TWD|INR|KRW|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|RUB|UAH|ILS|AED|SAR|QAR|KWD|ZAR|NGN|KES|EGP|BRL|MXN|ARS|CLP|COP|PEN|THB|IDR|MYR|PHP|VND|PKR|BDT|ISK';
/** Currencies without a minor unit, and those of three places. */
const WHOLE: ReadonlySet<string> = new Set(['JPY', 'KRW', 'CLP', 'VND', 'ISK']);
const THOUSANDTHS: ReadonlySet<string> = new Set(['KWD']);

const SYMBOLS: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  'U.S.$': 'USD',
  'U.S. $': 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'CNY',
  '￥': 'CNY',
  '₹': 'INR',
  '₩': 'KRW',
  '₽': 'RUB',
  '₪': 'ILS',
  '₫': 'VND',
  '฿': 'THB',
  '₦': 'NGN',
  '₺': 'TRY',
  '₱': 'PHP',
  C$: 'CAD',
  CA$: 'CAD',
  Cdn$: 'CAD',
  CDN$: 'CAD',
  A$: 'AUD',
  AU$: 'AUD',
  NZ$: 'NZD',
  HK$: 'HKD',
  S$: 'SGD',
  NT$: 'TWD',
  R$: 'BRL',
};
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:canadian)\s+dollars?$/i, 'CAD'],
  [/^(?:australian)\s+dollars?$/i, 'AUD'],
  [/^(?:hong\s+kong)\s+dollars?$/i, 'HKD'],
  [/^(?:singapore)\s+dollars?$/i, 'SGD'],
  [/^(?:new\s+zealand)\s+dollars?$/i, 'NZD'],
  [/dollars?(?:\s+us)?$/i, 'USD'],
  [/^euros?$/i, 'EUR'],
  [/^british\s+pounds?(?:\s+sterling)?$|^pounds?\s+sterling$/i, 'GBP'],
  [/^(?:japanese\s+)?yen$/i, 'JPY'],
  [/^swiss\s+francs?$/i, 'CHF'],
  [/^(?:chinese\s+)?(?:renminbi|yuan)$/i, 'CNY'],
  [/^(?:indian\s+)?rupees?$/i, 'INR'],
  [/^人民币元?$|^元$|^圆$/, 'CNY'],
  [/^美元$/, 'USD'],
  [/^欧元$/, 'EUR'],
  [/^港[元币]$/, 'HKD'],
  [/^日元$/, 'JPY'],
  [/^英镑$/, 'GBP'],
];

const SIGN = String.raw`(?:(?:U\.S\.\s?|US|CA|[Cc][Dd][Nn]|C|AU|A|NZ|HK|S|NT|R)?\$|[€£¥￥₹₩₽₪₫฿₦₺₱]|人民币|美元|港币|(?<![A-Za-z])(?:${CODES})\s?\$?)`;
/** 1,234,567.89 or 1.234.567,89 or 1'234.50 or plain figures; lakhs ("12,34,567") too. Bounded at what minor units can hold. */
const FIGURES = String.raw`\d{1,3}(?:,\d{2,3}){1,7}(?:\.\d{1,4})?|\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,2})?(?![.,]?\d)|\d{1,3}(?:['’ ]\d{3}){1,5}(?:[.,]\d{1,2})?|\d{1,16}(?:\.\d{1,16})?|\d{1,16},\d{2}(?!\d)`;
const NAMES = String.raw`(?:(?:U\.?S\.?A?\.?|United\s+States|Canadian|Australian|Hong\s+Kong|Singapore|New\s+Zealand)\s+)?[Dd](?:ollars?|OLLARS?)(?:\s+US\b)?|[Ee]uros?|EUROS?|British\s+[Pp]ounds?(?:\s+[Ss]terling)?|[Pp]ounds?\s+[Ss]terling|POUNDS?\s+STERLING|(?:Japanese\s+)?[Yy]en|Swiss\s+[Ff]rancs?|(?:Chinese\s+)?(?:[Rr]enminbi|[Yy]uan)|(?:Indian\s+)?[Rr]upees?`;
const SCALE = String.raw`thousand|million|billion|[Tt]housand|[Mm]illion|[Bb]illion|trillion|[mM]{1,2}(?![\p{L}\d])|bn(?![\p{L}])|[kK](?![\p{L}\d])|万|亿`;
const MONEY = new RegExp(
  String.raw`(?<sign>${SIGN})\s{0,2}(?<value>${FIGURES})(?:\s?(?<scale>${SCALE}))?(?:元整?)?|(?<!\d[.,]?)(?<value2>${FIGURES})(?:\s(?<scale2>thousand|million|billion|Thousand|Million|Billion)|(?<scale3>万|亿))?\s?(?<name>(?:${CODES})(?![A-Za-z])|(?:${NAMES})(?![A-Za-z])|€|£|美元|欧元|港[元币]|日元|英镑|元)`,
  'gu',
);
/** "One Million and No/100 Dollars", "twenty-five thousand euros". */
const SPELLED = new RegExp(String.raw`\b(?<words>${NUMBER_WORDS})(?:\s+and\s+(?<cents>\d{1,2}|[Nn]o|NO|xx)\/100)?\s+(?<name>${NAMES})(?![A-Za-z])`, 'giu');
/** 人民币壹佰万元整, 叁仟伍佰元, 壹拾万美元; with 角 and 分 behind it. */
const CHINESE = new RegExp(
  String.raw`(?<lead>人民币|RMB|港币)?\s?[(（]?(?:大写)?[)）]?[:：]?\s?(?<han>${HAN_NUMBER})(?<unit>元|圆|美元|欧元|港元|日元|英镑)(?:(?<jiao>[一二三四五六七八九壹贰叁肆伍陆柒捌玖])角)?(?:零?(?<fen>[一二三四五六七八九壹贰叁肆伍陆柒捌玖])分)?[整正]?`,
  'gu',
);

function currencyOf(mark: string): string | null {
  const plain = mark.trim();
  const code = new RegExp(`^(${CODES})(?![A-Za-z])`).exec(plain)?.[1];
  if (code !== undefined) return code === 'RMB' || code === 'CNH' ? 'CNY' : code;
  if (plain.startsWith('人民币')) return 'CNY';
  if (plain.startsWith('港币')) return 'HKD';
  return SYMBOLS[plain] ?? SYMBOLS[plain.replace(/\s/g, '')] ?? WORDS.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

/** Points part thousands only where they stand twice or a comma parts the minor unit (1.234.567, 1.234,50); $0.125 and $1.125 are prices of a share. */
const POINTS_PART_THOUSANDS = /^[1-9]\d{0,2}(?:(?:\.\d{3}){2,}|(?:\.\d{3})+,\d{1,2})$/;

/** Value of written figures; a comma with three figures behind it parts thousands, with two at the end it parts the minor unit. */
function figuresValue(written: string, currency: string | null): number {
  const plain = written.replace(/['’ ]/g, '');
  if (currency !== null && THOUSANDTHS.has(currency)) return Number(plain.replaceAll(',', ''));
  if (POINTS_PART_THOUSANDS.test(plain)) return Number(plain.replaceAll('.', '').replace(',', '.'));
  if (/^\d+,\d{2}$/.test(plain)) return Number(plain.replace(',', '.'));
  return Number(plain.replaceAll(',', ''));
}

function factorOf(scale: string): number {
  const lower = scale.toLowerCase();
  if (lower === '') return 1;
  if (lower === '万') return 1e4;
  if (lower === '亿') return 1e8;
  if (lower === 'k') return 1e3;
  if (lower === 'bn') return 1e9;
  if (lower === 'trillion') return 1e12;
  return lower === 'm' || lower === 'mm' ? 1e6 : (SCALES[lower] ?? 1);
}

/** What binary fractions lose of a decimal one. */
const ROUNDING = 1e-9;

function minorUnits(currency: string | null, amount: number | null): string | null {
  if (currency === null || amount === null) return null;
  const exact = amount * (WHOLE.has(currency) ? 1 : THOUSANDTHS.has(currency) ? 1000 : 100);
  const minor = Math.round(exact);
  // A tenth of a cent has no form in minor units: rounding it would invent a sum.
  const whole = Math.abs(exact - minor) <= ROUNDING * Math.max(1, minor);
  return whole && Number.isSafeInteger(minor) ? `${currency} ${minor}` : null;
}

/** Sums of money in order; normalised to "USD 1000000" with minor units (10,000.00 dollars). */
export function findAmounts(text: string): Found[] {
  const found = [...inFigures(text), ...inWords(text), ...inChinese(text)].sort((a, b) => a.start - b.start || b.end - a.end);
  return found.filter((sum, index) => !found.slice(Math.max(0, index - 3), index).some((other) => other.start <= sum.start && sum.end <= other.end));
}

function inFigures(text: string): Found[] {
  return [...text.matchAll(MONEY)].map((match) => {
    const groups = match.groups as Record<string, string | undefined>;
    const currency = currencyOf(groups['sign'] ?? groups['name'] ?? '');
    const amount = figuresValue(groups['value'] ?? groups['value2'] ?? '', currency) * factorOf(groups['scale'] ?? groups['scale2'] ?? groups['scale3'] ?? '');
    return { start: match.index, end: match.index + match[0].length, normalized: minorUnits(currency, amount) };
  });
}

function inWords(text: string): Found[] {
  return [...text.matchAll(SPELLED)].map((match) => {
    const groups = match.groups as Record<string, string | undefined>;
    const whole = wordsToNumber(groups['words'] ?? '');
    const cents = /^\d/.test(groups['cents'] ?? '') ? Number(groups['cents']) / 100 : 0;
    return {
      start: match.index,
      end: match.index + match[0].length,
      normalized: minorUnits(currencyOf(groups['name'] ?? ''), whole === null ? null : whole + cents),
    };
  });
}

function inChinese(text: string): Found[] {
  return [...text.matchAll(CHINESE)].flatMap((match) => {
    const groups = match.groups as Record<string, string | undefined>;
    const whole = hanToNumber(groups['han'] ?? '');
    const digit = (name: string): number => hanToNumber(groups[name] ?? '') ?? 0;
    const lead = groups['lead'];
    const currency = currencyOf(lead ?? groups['unit'] ?? '');
    // 一元 in running prose is no sum without its currency or a number of some size ("一元化").
    if (whole === null || (lead === undefined && whole < 10)) return [];
    const start = match.index + (/^[\s:：()（）]*/.exec(match[0])?.[0].length ?? 0);
    return [{ start, end: match.index + match[0].length, normalized: minorUnits(currency, whole + digit('jiao') / 10 + digit('fen') / 100) }];
  });
}
