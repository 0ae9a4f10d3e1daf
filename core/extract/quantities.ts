// Numbers with a unit in running text: sums of money in minor units, and spans of time as ISO 8601 durations.
//
// Rule: where words and figures stand side by side ("thirty (30) days") the figures are read; whether the two agree is the linter's question.
// A business day is no ISO unit: such a period is found, its normalised form is null.
import { HAN_NUMBER, hanToNumber, NUMBER_WORDS, SCALES, wordsToNumber } from '../structure/numberWords.ts';
import type { Found } from './dates.ts';

const SYMBOLS: Record<string, string> = {
  $: 'USD',
  US$: 'USD',
  'U.S.$': 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'CNY',
  '￥': 'CNY',
  C$: 'CAD',
  CA$: 'CAD',
  A$: 'AUD',
  HK$: 'HKD',
  S$: 'SGD',
  人民币: 'CNY',
  RMB: 'CNY',
  元: 'CNY',
  美元: 'USD',
  欧元: 'EUR',
  港元: 'HKD',
  dollars: 'USD',
  dollar: 'USD',
  euros: 'EUR',
  euro: 'EUR',
  pounds: 'GBP',
  'us dollars': 'USD',
  'u.s. dollars': 'USD',
  'united states dollars': 'USD',
  'pounds sterling': 'GBP',
  renminbi: 'CNY',
};
const CODES = 'USD|EUR|GBP|CNY|RMB|JPY|CHF|CAD|AUD|HKD|SGD|INR';
const SIGN = `(?:(?:U\\.S\\.|US|CA|C|A|HK|S)?\\$|[€£¥￥]|人民币|(?:${CODES})\\s?\\$?)`;
const FIGURES = '\\d{1,3}(?:,\\d{3})+(?:\\.\\d{1,2})?|\\d+(?:\\.\\d+)?';
const MONEY = new RegExp(
  `(?<sign>${SIGN})\\s?(?<value>${FIGURES})(?:\\s?(?<scale>thousand|million|billion|[mM]{1,2}(?![\\w])|万|亿))?元?|(?<value2>${FIGURES})(?:\\s(?<scale2>thousand|million|billion)|(?<scale3>万|亿))?\\s?(?<code>${CODES}|(?:U\\.?S\\.? |United States )?[Dd]ollars?|[Ee]uros?|[Pp]ounds(?: [Ss]terling)?|[Rr]enminbi|美元|欧元|港元|元)(?![A-Za-z])`,
  'g',
);
/** Currencies without a minor unit. */
const WHOLE = new Set(['JPY']);

function currencyOf(mark: string): string | null {
  const plain = mark.trim();
  const code = new RegExp(`^(${CODES})`).exec(plain)?.[1];
  if (code !== undefined) return code === 'RMB' ? 'CNY' : code;
  return SYMBOLS[plain] ?? SYMBOLS[plain.toLowerCase()] ?? null;
}

/** Sums of money; normalised to "USD 1000000" with minor units (10,000.00 dollars). "$" alone is read as US dollars. */
export function findAmounts(text: string): Found[] {
  return [...text.matchAll(MONEY)].map((match) => {
    const groups = match.groups as Record<string, string | undefined>;
    const currency = currencyOf(groups['sign'] ?? groups['code'] ?? '');
    const figures = groups['value'] ?? groups['value2'] ?? '';
    const scale = (groups['scale'] ?? groups['scale2'] ?? groups['scale3'] ?? '').toLowerCase();
    const factor = scale === '' ? 1 : scale.startsWith('m') ? 1e6 : scale === '万' ? 1e4 : scale === '亿' ? 1e8 : (SCALES[scale] ?? 1);
    const minor = Math.round(Number(figures.replaceAll(',', '')) * factor * (currency !== null && WHOLE.has(currency) ? 1 : 100));
    return {
      start: match.index,
      end: match.index + match[0].length,
      normalized: currency === null || !Number.isSafeInteger(minor) ? null : `${currency} ${minor}`,
    };
  });
}

const UNITS: Record<string, string> = { day: 'D', week: 'W', month: 'M', year: 'Y', 天: 'D', 日: 'D', 周: 'W', 个月: 'M', 月: 'M', 年: 'Y' };
const DURATION = new RegExp(
  `\\b(?:(?<words>${NUMBER_WORDS})\\s*)?(?:\\(\\s*(?<paren>\\d{1,4})\\s*\\)|(?<plain>\\d{1,4}))?[\\s-]*(?<business>business|working|calendar|consecutive|full)?[\\s-]*(?<unit>day|week|month|year)s?(?:['’])?\\b|(?<han>\\d{1,4}|${HAN_NUMBER})\\s*(?<work>个工作)?(?<hanUnit>天|日|个月|周|年)(?!\\s*[\\d〇零一二三四五六七八九十]+\\s*月)`,
  'gi',
);

/** Spans of time; normalised to P30D, P1Y, P6M, P2W. */
export function findDurations(text: string): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(DURATION)) {
    const groups = match.groups as Record<string, string | undefined>;
    const figures = groups['paren'] ?? groups['plain'];
    const count =
      groups['han'] !== undefined
        ? /^\d/.test(groups['han'])
          ? Number(groups['han'])
          : hanToNumber(groups['han'])
        : figures !== undefined
          ? Number(figures)
          : groups['words'] !== undefined
            ? wordsToNumber(groups['words'])
            : null;
    // A year ("2019年") and a day of a month ("5月8日") are no spans of time; 三十日内 is one.
    const day =
      groups['hanUnit'] === '日' &&
      groups['work'] === undefined &&
      !(/^(?:内|以内|之内|前|后|的)/.test(text.slice(match.index + match[0].length)) && !/月\s*$/.test(text.slice(0, match.index)));
    if (count === null || (groups['hanUnit'] === '年' && count >= 1000) || day) continue;
    const unit = UNITS[(groups['unit'] ?? groups['hanUnit'] ?? '').toLowerCase()]!;
    const business = groups['work'] !== undefined || /^(?:business|working)$/i.test(groups['business'] ?? '');
    const lead = /^[\s-]*/.exec(match[0])![0].length;
    found.push({ start: match.index + lead, end: match.index + match[0].length, normalized: business ? null : `P${count}${unit}` });
  }
  return found;
}
