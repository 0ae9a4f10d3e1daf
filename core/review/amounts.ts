// Sums and counts that stand in words and in figures side by side, in either order, and differ: "thirty (45) days", "EUR 5,000 (six thousand euros)".
import { HAN_NUMBER, hanToNumber, NUMBER_WORDS, wordsToNumber } from '../structure/numberWords.ts';
import type { Draft, Rule } from './context.ts';

const SIGN = String.raw`(?:US\$|U\.S\.\s?\$|[$€£¥￥]|USD|EUR|GBP|RMB|CNY)`;
const CODE = String.raw`(?:USD|EUR|GBP|RMB|CNY)`;
const FIGURES = String.raw`(?<figures>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`;
const UNIT = String.raw`(?:percent|per\s?cent|(?:U\.?S\.?\s+|United States\s+)?dollars?|euros?|pounds(?:\s+sterling)?)`;
const YUAN = String.raw`(?:人民币|RMB|￥|¥)`;
const HAN = String.raw`(?:大写)?[:：]?\s?(?:人民币)?\s?(?<words>${HAN_NUMBER})(?:元|圆)整?`;

/** Each pattern names `words` and `figures`; the bracket may hold either. */
const PAIRS: readonly (readonly [RegExp, (words: string) => number | null])[] = [
  [
    new RegExp(String.raw`(?<![\p{L}\p{N}-])(?<words>${NUMBER_WORDS})\s*${UNIT}?\s*[(（]\s*${SIGN}?\s?${FIGURES}\s?%?\s*${CODE}?\s*[)）]`, 'giu'),
    wordsToNumber,
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}\p{N}.,-])${SIGN}?\s?(?<![\d.,])${FIGURES}\s?(?:%|${CODE})?\s*[(（]\s*(?<words>${NUMBER_WORDS})\s*${UNIT}?(?:\s+only)?\s*[)）]`,
      'giu',
    ),
    wordsToNumber,
  ],
  [
    new RegExp(String.raw`${YUAN}?\s?(?<words>${HAN_NUMBER})(?:元|圆)整?\s*[(（](?:小写[:：]?)?\s*${YUAN}?\s?${FIGURES}\s?(?<scale>万)?元?\s*[)）]`, 'gu'),
    hanToNumber,
  ],
  [new RegExp(String.raw`(?<![\d.,])${YUAN}?\s?${FIGURES}\s?(?<scale>万)?元?\s*[(（]${HAN}\s*[)）]`, 'gu'), hanToNumber],
];
/** A digit and a bracket near each other: most blocks have none and are not searched. */
const WORTH_SEARCHING = /[(（][^\d()（）]{0,12}\d|\d[^\d()（）]{0,6}[(（]/;
/** "twenty-one and 50/100" and "half" cannot be read: a fraction beside the words leaves the pair alone. */
const FRACTION = /(?:\/|\band|hundred|thousand|point|half|\d)\s*$|(?:half|quarter|thirds?|fifths?|tenths?|hundredths?|thousandths?)\s+of\s+(?:an?\s+)?$/i;
/** "Six (6,000,000) Million": the scale stands behind. */
const SCALE_BEHIND = /^\s*(?:hundred|thousand|million|billion)/i;
/** "Section 2 (one ...)": the figure is a name. */
const NAMES = /(?:sections?|clauses?|articles?|exhibits?|schedules?|annex|appendix|items?|nos?\.?|page|phase|part|step|year)\s*$/i;

export const amountMismatches: Rule = (context) => {
  const found: Draft[] = [];
  for (const block of context.blocks) {
    if (!WORTH_SEARCHING.test(block.text)) continue;
    for (const [pattern, read] of PAIRS) {
      for (const match of block.text.matchAll(pattern)) {
        const { words, figures, scale } = match.groups as { words: string; figures: string; scale?: string };
        const start = match.index + (match[0].length - match[0].trimStart().length);
        const end = match.index + match[0].length;
        const before = block.text.slice(Math.max(0, start - 24), start);
        if (FRACTION.test(before) || NAMES.test(before) || SCALE_BEHIND.test(block.text.slice(end))) continue;
        const value = read(words);
        const figure = Number(figures.replaceAll(',', '')) * (scale === undefined ? 1 : 1e4);
        if (value === null || value === figure) continue;
        found.push({
          rule: 'amount-mismatch',
          severity: 'error',
          message: `The words say ${value.toLocaleString('en-US')}, the figures say ${figure.toLocaleString('en-US')}.`,
          blockId: block.id,
          start,
          end,
        });
      }
    }
  }
  return found;
};
