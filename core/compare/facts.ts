// Amounts, periods and laws that a clause names: what can be set against another contract's clause even where the wording is another's own.
import type { CHANGE_TOPICS } from '../contract/comparison.ts';

type Topic = (typeof CHANGE_TOPICS)[number];

const SMALL = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS: Readonly<Record<string, number>> = { twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 };
const NUMBER = `(?:\\d+|(?:${Object.keys(TENS).join('|')})(?:-(?:${SMALL.slice(0, 9).join('|')}))?|${SMALL.join('|')})`;
const PATTERNS: readonly (readonly [Topic, RegExp])[] = [
  ['period', new RegExp(`\\b(${NUMBER})(?:\\s*\\((\\d+)\\))?[\\s-]+((?:business|calendar|consecutive)\\s+)?(day|week|month|year|hour)s?\\b`, 'gi')],
  ['period', /([\d一二三四五六七八九十百]+)\s*(?:个)?(工作)?(日|天|周|月|年)内?/g],
  [
    'amount',
    /(?:US|C|A)?[$€£¥]\s?\d[\d,.]*\d(?:\s?(?:million|billion|thousand))?|\b\d+(?:\.\d+)?\s?(?:%|percent)|(?:人民币)?[\d.,一二三四五六七八九十百千万亿]+元/g,
  ],
  ['law', /\b(?:laws? of|courts? (?:of|in|located in)) (?:the )?((?:(?:State|Commonwealth|Province|County|City) of )?[A-Z][a-z]+(?: [A-Z][a-z]+)*)/g],
];

/** Facts of a text by topic, each in one form: "thirty (30) days" and "30 days" are one. */
function factsOf(text: string): Map<Topic, Set<string>> {
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
  const [tens, ones] = words!.toLowerCase().split('-') as [string, string?];
  const value = digits ?? (/^\d/.test(words!) ? words! : String((TENS[tens] ?? SMALL.indexOf(tens) + 1) + (ones === undefined ? 0 : SMALL.indexOf(ones) + 1)));
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
