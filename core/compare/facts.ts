// Amounts, periods and laws that a clause names: what can be set against another contract's clause even where the wording is another's own.
import type { CHANGE_TOPICS } from '../contract/comparison.ts';
import { NUMBER_WORDS, wordsToNumber } from '../structure/numberWords.ts';

type Topic = (typeof CHANGE_TOPICS)[number];

const FIGURES = '(?<!\\d[.,]?)(?:\\d{1,3}(?:,\\d{3})+|\\d{1,9})(?:\\.\\d{1,2})?';
/** 2024年5月1日, 5月1日, 2024年: a day, no period. */
const DATE =
  /(?:\d{4}|[〇零一二三四五六七八九]{4})\s?年(?:\s?[\d一二三四五六七八九十]{1,3}\s?月)?(?:\s?[\d一二三四五六七八九十]{1,3}\s?日)?|[\d一二三四五六七八九十]{1,3}\s?月\s?[\d一二三四五六七八九十]{1,3}\s?日/g;
const PATTERNS: readonly (readonly [Topic, RegExp])[] = [
  [
    'period',
    new RegExp(
      `\\b(${FIGURES}|${NUMBER_WORDS})(?:\\s?\\((\\d{1,9})\\))?[\\s-]{1,4}((?:business|calendar|consecutive)\\s+)?(day|week|month|year|hour)s?\\b`,
      'gi',
    ),
  ],
  ['period', /(?<![\d一二三四五六七八九十百])([\d一二三四五六七八九十百]{1,9})\s?(?:个)?(工作)?(日|天|周|月|年)内?/g],
  [
    'amount',
    /(?:US|C|A)?[$€£¥]\s?\d[\d,.]*(?<=\d)(?:\s?(?:million|billion|thousand))?|\b\d+(?:\.\d+)?\s?(?:%|percent)|(?:人民币)?(?<![\d.,一二三四五六七八九十百千万亿])[\d.,一二三四五六七八九十百千万亿]{1,24}元/g,
  ],
  ['law', /\b(?:laws? of|courts? (?:of|in|located in)) (?:the )?((?:(?:State|Commonwealth|Province|County|City) of )?[A-Z][a-z]+(?: [A-Z][a-z]+)*)/g],
];

/** Facts of a text by topic, each in one form: "thirty (30) days" and "30 days" are one. */
function factsOf(written: string): Map<Topic, Set<string>> {
  const text = written.replace(DATE, ' ');
  const facts = new Map<Topic, Set<string>>();
  for (const [topic, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const list = facts.get(topic) ?? new Set<string>();
      list.add(
        topic === 'period' && match[4] !== undefined ? periodOf(match) : topic === 'law' ? match[1]!.replace(/^State of /, '') : match[0].replace(/\s+/g, ' '),
      );
      facts.set(topic, list);
    }
  }
  return facts;
}

function periodOf([, words, digits, sort = '', unit]: RegExpMatchArray): string {
  const figures = digits ?? words!.replaceAll(',', '');
  const value = String(/^\d/.test(figures) ? Number(figures) : (wordsToNumber(figures) ?? figures));
  return `${value} ${sort.toLowerCase()}${unit!.toLowerCase()}${value === '1' ? '' : 's'}`;
}

export interface FactDifference {
  readonly topic: Topic;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Topics on which the two texts do not name the same facts, with those that only one of them names. */
export function factDifferences(before: string, after: string): FactDifference[] {
  const [left, right] = [factsOf(before), factsOf(after)];
  return (['amount', 'period', 'law'] as const).flatMap((topic): FactDifference[] => {
    const [x, y] = [left.get(topic) ?? new Set<string>(), right.get(topic) ?? new Set<string>()];
    const [onlyX, onlyY] = [[...x].filter((fact) => !y.has(fact)), [...y].filter((fact) => !x.has(fact))];
    return onlyX.length + onlyY.length === 0 ? [] : [{ topic, before: onlyX, after: onlyY }];
  });
}
