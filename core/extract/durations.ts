// Spans of time in running text as ISO 8601 durations: "thirty (30) days", "one (1) year", "a three-year term", 三十日内.
//
// Rule: where words and figures stand side by side the figures are read; whether the two agree is the linter's question.
// A business day is no ISO unit: such a period is found, its normalised form is null. Nothing is computed: "12 months" stays P12M.
import { HAN_NUMBER, hanToNumber, NUMBER_WORDS, wordsToNumber } from '../structure/numberWords.ts';
import type { Found } from './dates.ts';

const UNITS: Record<string, string> = {
  day: 'D',
  week: 'W',
  month: 'M',
  year: 'Y',
  hour: 'H',
  小时: 'H',
  天: 'D',
  日: 'D',
  周: 'W',
  个月: 'M',
  月: 'M',
  年: 'Y',
};
/** 30, 1,000 or 1.5: whole, never the tail of a longer figure. */
const FIGURES = '(?<!\\d[.,]?)(?:\\d{1,3}(?:,\\d{3})+|\\d{1,4})(?:\\.\\d{1,2})?(?![.,]?\\d)';
/** Between a number and its unit; a longer run of blanks or dashes is a gap to fill in. */
const GAP = '[\\s-]{0,4}';
const DURATION = new RegExp(
  `\\b(?:(?<words>${NUMBER_WORDS})\\s{0,4})?(?:\\(\\s?(?<paren>${FIGURES})\\s?\\)|(?<plain>${FIGURES}))?(?:${GAP}(?<business>business|working|calendar|consecutive|full))?${GAP}(?<unit>day|week|month|year|hour)s?(?:['’])?\\b|(?<han>${FIGURES}|${HAN_NUMBER})\\s{0,4}(?<work>个工作)?(?<hanUnit>天|日|个月|周|年|小时)(?!\\s*[\\d〇零一二三四五六七八九十]+\\s*月)`,
  'gi',
);

const figuresValue = (figures: string): number => Number(figures.replaceAll(',', ''));

/** 二〇二五 is read figure by figure, as years are: no number of years. */
function hanCount(written: string): number | null {
  if (/^\d/.test(written)) return figuresValue(written);
  return written.length > 1 && !/[十百千万亿拾佰仟]/.test(written) ? null : hanToNumber(written);
}

/** Spans of time; normalised to P30D, P1Y, P6M, P2W. */
export function findDurations(text: string): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(DURATION)) {
    const groups = match.groups as Record<string, string | undefined>;
    const figures = groups['paren'] ?? groups['plain'];
    const count =
      groups['han'] !== undefined
        ? hanCount(groups['han'])
        : figures !== undefined
          ? figuresValue(figures)
          : groups['words'] !== undefined
            ? wordsToNumber(groups['words'])
            : null;
    // A year ("2019年") and a day of a month ("5月8日") are no spans of time; 三十日内 is one.
    const day =
      groups['hanUnit'] === '日' &&
      groups['work'] === undefined &&
      !(/^(?:内|以内|之内|前|后|的|书面|通知)/.test(text.slice(match.index + match[0].length)) && !/月\s*$/.test(text.slice(0, match.index)));
    if (count === null || (groups['hanUnit'] === '年' && count >= 1000) || day) continue;
    const unit = UNITS[(groups['unit'] ?? groups['hanUnit'] ?? '').toLowerCase()]!;
    const business = groups['work'] !== undefined || /^(?:business|working)$/i.test(groups['business'] ?? '');
    const lead = /^[\s-]*/.exec(match[0])![0].length;
    found.push({
      start: match.index + lead,
      end: match.index + match[0].length,
      normalized: business ? null : unit === 'H' ? `PT${count}H` : `P${count}${unit}`,
    });
  }
  return found;
}
