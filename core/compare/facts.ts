// Amounts, rates, periods and laws that a clause names: what can be set against another contract's clause even where the wording is another's own.
// Sums and periods are found by core/extract, so that a comparison and a summary never read the same clause in two ways.
import type { CHANGE_TOPICS } from '../contract/comparison.ts';
import { findAmounts } from '../extract/amounts.ts';
import { findDurations } from '../extract/durations.ts';
import { HAN_NUMBER, hanToNumber } from '../structure/numberWords.ts';

type Topic = (typeof CHANGE_TOPICS)[number];

const RATE = /(?<![\d.])(\d+(?:\.\d+)?)\s?(?:%|％|percent\b|per\s+cent\b)/gi;
const HAN_RATE = new RegExp(`([百千万])分之(${HAN_NUMBER}|\\d+(?:\\.\\d+)?)`, 'g');
const LAW = /\b(?:laws? of|courts? (?:of|in|located in)) (?:the )?((?:(?:State|Commonwealth|Province|County|City) of )?[A-Z][a-z]+(?: [A-Z][a-z]+)*)/g;
const UNITS: Readonly<Record<string, string>> = { D: 'day', W: 'week', M: 'month', Y: 'year', H: 'hour' };

/** Facts of a topic: as shown, by the form under which two are one. */
type Facts = ReadonlyMap<string, string>;

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

function amounts(text: string): Facts {
  const sums = findAmounts(text).map(({ start, end, normalized }) => [normalized ?? plain(text.slice(start, end)), plain(text.slice(start, end))] as const);
  const rates = [...text.matchAll(RATE)].map(([written, value]) => [`${Number(value)} %`, plain(written)] as const);
  const shares = [...text.matchAll(HAN_RATE)].map(([written, base, value]) => {
    const number = /^\d/.test(value!) ? Number(value) : (hanToNumber(value!) ?? value!);
    return [base === '百' ? `${number} %` : written, written] as const;
  });
  return new Map([...sums, ...rates, ...shares]);
}

/** "thirty (30) days" and "30 days" are one; business days are not calendar days. */
function periods(text: string): Facts {
  return new Map(
    findDurations(text).map(({ start, end, normalized }) => {
      const written = plain(text.slice(start, end)).toLowerCase();
      const match = /^PT?([\d.]+)([DWMYH])$/.exec(normalized ?? '');
      if (match === null) return [written, written] as const;
      const shown = `${match[1]} ${UNITS[match[2]!]!}${match[1] === '1' ? '' : 's'}`;
      return [shown, shown] as const;
    }),
  );
}

const laws = (text: string): Facts =>
  new Map([...text.matchAll(LAW)].map(([, place]) => place!.replace(/^State of /, '')).map((place) => [place, place] as const));

const READERS: readonly (readonly [Topic, (text: string) => Facts])[] = [
  ['amount', amounts],
  ['period', periods],
  ['law', laws],
];

export interface FactDifference {
  readonly topic: Topic;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Topics on which the two texts do not name the same facts, with those that only one of them names. */
export function factDifferences(before: string, after: string): FactDifference[] {
  return READERS.flatMap(([topic, read]): FactDifference[] => {
    const [left, right] = [read(before), read(after)];
    const only = (facts: Facts, others: Facts): string[] => [...facts].filter(([key]) => !others.has(key)).map(([, shown]) => shown);
    const [onlyBefore, onlyAfter] = [only(left, right), only(right, left)];
    return onlyBefore.length + onlyAfter.length === 0 ? [] : [{ topic, before: onlyBefore, after: onlyAfter }];
  });
}
