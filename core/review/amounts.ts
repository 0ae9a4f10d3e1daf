// Sums and counts that stand in words and in figures side by side and differ.
import { HAN_NUMBER, hanToNumber, NUMBER_WORDS, wordsToNumber } from '../structure/numberWords.ts';
import type { Draft, Rule } from './context.ts';

const WORDS_AND_FIGURES = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?<words>${NUMBER_WORDS})\\s*(?:percent|per\\s?cent|(?:U\\.?S\\.?\\s+|United States\\s+)?dollars|euros|pounds)?\\s*[(（]\\s*(?:US\\$|U\\.S\\.\\s?\\$|[$€£¥￥]|USD|EUR|GBP|RMB|CNY)?\\s?(?<figures>\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)\\s?%?\\s*(?:USD|EUR|GBP|RMB|CNY)?\\s*[)）]`,
  'giu',
);
const HAN_AND_FIGURES = new RegExp(
  `(?:人民币|RMB|￥|¥)?\\s?(?<words>${HAN_NUMBER})(?:元|圆)整?\\s*[(（](?:小写[:：]?)?\\s*(?:人民币|RMB|￥|¥)?\\s?(?<figures>\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)\\s?元?\\s*[)）]`,
  'gu',
);

export const amountMismatches: Rule = (context) => {
  const found: Draft[] = [];
  for (const block of context.blocks) {
    if (!/[(（][^\d()（）]{0,12}\d/.test(block.text)) continue;
    for (const [pattern, read] of [
      [WORDS_AND_FIGURES, wordsToNumber],
      [HAN_AND_FIGURES, hanToNumber],
    ] as const) {
      for (const match of block.text.matchAll(pattern)) {
        const { words, figures } = match.groups as { words: string; figures: string };
        // "twenty-one and 50/100" and "half" cannot be read here: a fraction beside the words leaves the pair alone.
        const before = block.text.slice(Math.max(0, match.index - 24), match.index);
        if (
          /(?:\/|\band|hundred|thousand|point|half|\d)\s*$|(?:half|quarter|thirds?|fifths?|tenths?|hundredths?|thousandths?)\s+of\s+(?:an?\s+)?$/i.test(before)
        )
          continue;
        // "Six (6,000,000) Million": the scale stands behind.
        if (/^\s*(?:hundred|thousand|million|billion)/i.test(block.text.slice(match.index + match[0].length))) continue;
        const value = read(words);
        const figure = Number(figures.replaceAll(',', ''));
        if (value === null || value === figure) continue;
        found.push({
          rule: 'amount-mismatch',
          severity: 'error',
          message: `The words say ${value.toLocaleString('en-US')}, the figures say ${figure.toLocaleString('en-US')}.`,
          blockId: block.id,
          start: match.index,
          end: match.index + match[0].length,
        });
      }
    }
  }
  return found;
};
