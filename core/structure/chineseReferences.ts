// Chinese references: 第三条第二款第（一）项, 第三条至第五条, 第三、四条, 本条第一款, 第3.2条, 附件一. Mentions of statutes (《民法典》第五百条) are left out.
import type { Mention } from './references.ts';
import { chineseNumeral, chineseValue } from '../ingest/numerals.ts';

const HAN = '一二三四五六七八九十百千零〇两';
const DIGITS = String.raw`(?:[${HAN}]{1,9}|[0-9０-９]{1,4}(?:[.．][0-9]{1,3}){0,3})`;
const BELOW = String.raw`(?:\s?第\s?${DIGITS}\s?款)?(?:\s?第?\s?[（(][${HAN}0-9０-９]{1,4}[)）]\s?(?:项|款|目)?)?(?:\s?第\s?${DIGITS}\s?目)?`;
const MENTION = new RegExp(
  String.raw`第\s?${DIGITS}(?:、${DIGITS}){0,6}\s?[条條]${BELOW}|(?:本条|前条|上条)(?:第\s?${DIGITS}\s?款)(?:\s?第?\s?[（(][${HAN}0-9]{1,3}[)）]\s?项?)?|第\s?[${HAN}0-9]{1,4}\s?[章节編编節]|附[件表录錄]\s?(?:[一二三四五六七八九十]{1,3}|[0-9]{1,2}|[A-Z])(?![0-9])`,
  'g',
);
/** 《…法》第X条, 本法第X条 of another text, 条例第X条. */
const LAW_BEFORE = /(?:》|(?<!本)(?:法|条例|规定|办法|细则|解释|章程|守则))\s?(?:的|之|中|项下)?$/;
const RANGE = new RegExp(String.raw`^(?:\s?(?:至|到|-|—|～|~)\s?)(第\s?${DIGITS}\s?[条條]${BELOW})`);
const MOST_IN_RANGE = 60;

export function chineseMentions(text: string, from: number): Mention[] {
  const out: Mention[] = [];
  MENTION.lastIndex = from;
  let law = -1;
  for (let match = MENTION.exec(text); match; match = MENTION.exec(text)) {
    const before = text.slice(Math.max(0, match.index - 8), match.index);
    const end = match.index + match[0].length;
    // 《民法典》第五百条、第五百零一条: what hangs on a mention of a statute is one too.
    if (LAW_BEFORE.test(before) || (law >= 0 && /^[、和及或至到与]{1,2}$/.test(text.slice(law, match.index)))) {
      law = end;
      continue;
    }
    const list = /^第\s?([^条條]+)([条條].*)$/s.exec(match[0]);
    const members = list?.[1]?.includes('、') ? list[1].split('、').map((digits) => `第${digits}${list[2] as string}`) : [match[0]];
    for (const number of members) out.push({ text: match[0], word: '', number, start: match.index, end });
    const range = RANGE.exec(text.slice(end, end + 30));
    if (range)
      for (const number of between(match[0], range[1] as string))
        out.push({ text: range[1] as string, word: '', number, start: end + range[0].length - (range[1] as string).length, end: end + range[0].length });
  }
  return out;
}

/** Articles strictly between the two ends of a range. */
function between(first: string, last: string): string[] {
  const valueOf = (mention: string): number => chineseValue(/^第\s?([^条條]+)/.exec(mention)?.[1] ?? '');
  const [from, to] = [valueOf(first), valueOf(last)];
  if (from <= 0 || to <= from || to - from > MOST_IN_RANGE) return [];
  return Array.from({ length: to - from - 1 }, (_unused, step) => `第${chineseNumeral(from + step + 1)}条`);
}
