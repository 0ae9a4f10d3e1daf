// Dates that cannot be: days that no month has, an end before its beginning, two days on which one agreement takes effect.
//
// Owns: dates as they are written, existing or not; dates that exist are core/extract/dates.ts, and only those are set against each other.
// Rule: a date is a beginning or an end only where words beside it say so, and conflicts only inside one part of the document; all else may be meant.
import { findDates } from '../extract/dates.ts';
import { rootOf, type Draft, type Place, type Rule } from './context.ts';

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
/** February has 29 days where no year is given. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTH =
  '(?<month>January|February|March|April|May|June|July|August|September|October|November|December|Jan\\.|Feb\\.|Mar\\.|Apr\\.|Jun\\.|Jul\\.|Aug\\.|Sept?\\.|Oct\\.|Nov\\.|Dec\\.)';
const WRITTEN = [
  new RegExp(`\\b${MONTH}\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?(?:\\s*,?\\s+(?<year>(?:19|20)\\d\\d))?(?![\\d/:.]\\d|\\d)`, 'g'),
  new RegExp(`(?<![\\d.,/$])(?<day>\\d{1,2})(?:st|nd|rd|th)?\\s+(?:day\\s+of\\s+)?${MONTH}(?:\\s*,?\\s+(?<year>(?:19|20)\\d\\d))?\\b`, 'g'),
  /\b(?<year>(?:19|20)\d\d)-(?<month>0[1-9]|1[0-2])-(?<day>\d\d)\b(?!-)/g,
  /(?<year>(?:19|20)\d\d)\s?年\s?(?<month>\d{1,2})\s?月\s?(?<day>\d{1,2})\s?日/g,
];

export const impossibleDates: Rule = (context) =>
  context.blocks
    .filter(({ text }) => /\d/.test(text))
    .flatMap((block) =>
      WRITTEN.flatMap((pattern) =>
        [...block.text.matchAll(pattern)].flatMap((match): Draft[] => {
          const { day, month, year } = match.groups as { day: string; month: string; year?: string };
          const named = MONTHS.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3)));
          const number = named < 0 ? Number(month) : named + 1;
          const most = lastDay(number, year);
          // "May 75" is a page or a section; a person who slips writes a day that some month has. Article numbers stand before "March" by chance.
          if (most !== null && (Number(day) <= most || Number(day) > 31 || Number(day) === 0)) return [];
          const why =
            most === null
              ? `there is no month ${number}`
              : `${MONTHS[number - 1]![0]!.toUpperCase()}${MONTHS[number - 1]!.slice(1)} has ${most} days${number === 2 && year ? ` in ${year}` : ''}`;
          return [
            {
              rule: 'impossible-date',
              severity: 'error',
              message: `“${match[0]}” is no day: ${why}.`,
              blockId: block.id,
              start: match.index,
              end: match.index + match[0].length,
            },
          ];
        }),
      ),
    );

function lastDay(month: number, year: string | undefined): number | null {
  if (month < 1 || month > 12) return null;
  return year === undefined ? LONGEST[month - 1]! : new Date(Date.UTC(Number(year), month, 0)).getUTCDate();
}

interface Dated extends Place {
  readonly date: string;
  readonly text: string;
  readonly root: string;
}

const TIMED = /effective|expir|terminat|\bend\b|\bfrom\b|commenc|beginning|starting|[自从]|生效|终止|届满|到期/i;
const START_BEFORE =
  /(?:["“]Effective\s+Date["”]\s+(?:means|shall\s+mean|is)|^\W*(?:\d[\d.]*\s+)?Effective\s+Date\s*[:：]|生效日(?:期)?(?:为|是|：|:))\s*(?:the\s+)?$/i;
const START_AFTER = /^\s*,?\s*[(（](?:the\s+|hereinafter\s+|以下简称)*["“](?:Effective\s+Date|生效日期?)["”][)）]/i;
const END_BEFORE =
  /(?:["“](?:Expiration|Expiry|Termination|End)\s+Date["”]\s+(?:means|shall\s+mean|is)|^\W*(?:\d[\d.]*\s+)?(?:Expiration|Expiry|End)\s+Date\s*[:：]|\bthis\s+Agreement\s+(?:shall|will)\s+(?:automatically\s+)?(?:expire|terminate|end)\s+on|(?:终止日|届满日|到期日)(?:期)?(?:为|是|：|:))\s*(?:the\s+)?$/i;
const END_AFTER = /^\s*,?\s*[(（](?:the\s+|hereinafter\s+|以下简称)*["“](?:Expiration|Expiry|End)\s+Date["”][)）]/i;
const PERIOD_START =
  /\b(?:from|commenc\w+\s+(?:on|as\s+of)|beginning\s+(?:on|as\s+of)|starting\s+(?:on|as\s+of)|effective\s+(?:on|as\s+of)?)\s*(?:and\s+including\s+)?$|自\s?$|从\s?$/i;
const PERIOD_BETWEEN =
  /^\s*,?\s*(?:[(（][^()（）]{1,40}[)）]\s*,?\s*)?(?:起\s*)?(?:(?:and|to|until|till|through)\s*(?:and\s+)?(?:(?:shall\s+)?(?:ending|end|ends|expiring|expire|expires|terminating|continuing|continue|continues)\s+)?(?:on|through|until|to|up\s+to)?(?:\s+and\s+including)?|至|到)\s*$/i;

export const dateConflicts: Rule = (context) => {
  const starts: Dated[] = [];
  const ends: Dated[] = [];
  const drafts: Draft[] = [];
  for (const { id, text } of context.blocks) {
    // A conflict is told only where the words of a beginning or an end stand beside the date.
    if (!/(?:19|20)\d\d|年/.test(text) || !TIMED.test(text)) continue;
    const dates = findDates(text);
    for (const [index, { start, end, normalized }] of dates.entries()) {
      if (normalized === null) continue;
      const [before, after] = [text.slice(Math.max(0, start - 80), start), text.slice(end, end + 80)];
      const place = { blockId: id, start, end };
      const dated: Dated = { ...place, date: normalized, text: text.slice(start, end), root: rootOf(context, place) };
      if (START_BEFORE.test(before) || START_AFTER.test(after)) starts.push(dated);
      if (END_BEFORE.test(before) || END_AFTER.test(after)) ends.push(dated);
      const next = dates[index + 1];
      if (!next?.normalized || !PERIOD_START.test(before) || !PERIOD_BETWEEN.test(text.slice(end, next.start)) || next.normalized >= normalized) continue;
      drafts.push(
        conflict(`The period begins on ${dated.text} and ends before that, on ${text.slice(next.start, next.end)}.`, { ...dated, end: next.end }, []),
      );
    }
  }
  return [...drafts, ...twoStarts(starts), ...endsFirst(starts, ends)];
};

function conflict(message: string, { blockId, start, end }: Place, related: readonly Place[]): Draft {
  return {
    rule: 'date-conflict',
    severity: 'error',
    message,
    blockId,
    start,
    end,
    related: related.map((place) => ({ blockId: place.blockId, start: place.start, end: place.end })),
  };
}

/** One agreement takes effect on one day; an exhibit may have its own. */
function twoStarts(starts: readonly Dated[]): Draft[] {
  return [...Map.groupBy(starts, ({ root }) => root).values()].flatMap(([first, ...others]) =>
    others
      .filter(({ date }) => date !== first!.date)
      .map((other) => conflict(`The Effective Date is ${other.text} here and ${first!.text} before.`, other, [first!])),
  );
}

function endsFirst(starts: readonly Dated[], ends: readonly Dated[]): Draft[] {
  return ends.flatMap((end) => {
    const start = starts.find(({ root }) => root === end.root);
    return start && end.date < start.date ? [conflict(`The agreement ends on ${end.text}, before it takes effect on ${start.text}.`, end, [start])] : [];
  });
}
