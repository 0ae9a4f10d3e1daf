// Paths of clauses as a lawyer cites them, and the keys by which references find them.
//
// "12.3(b)(ii)"; "Article IV Section 2(a)"; "Exhibit A 2.1"; "第三条第二款"; a sub-clause of an ordered list appends ".1".
import { chineseValue, letterValue, romanValue } from '../ingest/numerals.ts';

/** `number` as printed, `form` its reading; `containers` are the forms of the open ancestors with their paths, outermost first. */
export function pathOf(number: string, form: string, ancestors: readonly { readonly path: string; readonly form: string }[]): string {
  const parent = ancestors.at(-1);
  const parentPath = parent?.path ?? '';
  const schedule = ancestors.find((entry) => entry.form === 'schedule')?.path ?? '';
  const printed = tidy(number);
  if (form === 'schedule') return printed;
  if (
    form === 'article' ||
    form === 'part' ||
    form === 'chapter' ||
    form === 'title' ||
    form === 'ordinal' ||
    form === '章' ||
    form === '编' ||
    form === '部分' ||
    form === '条'
  )
    return joinWords(schedule, printed);
  if (form === 'section' || form === 'clause' || form === '节') {
    const article = ancestors.findLast((entry) => entry.form === 'article')?.path;
    return joinWords(article ?? schedule, printed);
  }
  if (form === 'A.1' && /^(?:Appendix|Annex|Exhibit|Schedule|Attachment) /.test(schedule) && schedule.endsWith(` ${printed.split('.')[0]}`))
    return schedule + printed.slice(printed.indexOf('.'));
  if (parent?.form === '条' && form === '1' && /^[0-9]+$/.test(printed)) return `${parentPath}第${printed}款`;
  if (form === 'A.1' || (form === '1' && /[.(]/.test(printed))) return joinWords(schedule, printed.replace(/^(?:[a-z]+\.?|§)\s*(?=\S)/i, ''));
  if (form === '款' || form === '项' || form === '目' || form === '①' || form.startsWith('(') || form === '（一）') return parentPath + printed;
  if (parent === undefined || parentPath === '') return printed;
  // "a." below a number is cited in brackets: 5.3(a).
  if (/^[aAiI]\.$/.test(form) && /[\d)]$/.test(parentPath)) return `${parentPath}(${printed})`;
  if (/\p{L}$/u.test(parentPath) && /^(article|section|clause|part|chapter|schedule)$/.test(parent.form)) return `${parentPath} ${printed}`;
  return parent.form === 'schedule' || parent.form === 'article' || parent.form === 'part' || parent.form === 'section'
    ? `${parentPath} ${printed}`
    : `${parentPath}.${printed}`;
}

function joinWords(left: string, right: string): string {
  if (left === '') return right;
  return /\p{Script=Han}$/u.test(left) ? left + right : `${left} ${right}`;
}

/** "ARTICLE  IV" -> "Article IV"; "SECTION 2" -> "Section 2"; figures of full width become plain ones, brackets stay. */
function tidy(number: string): string {
  return number
    .replace(/^([A-Za-z])([A-Za-z]+)(?=[\s.])/, (_all, first: string, tail: string) => first.toUpperCase() + tail.toLowerCase())
    .replace(/[０-９．]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/["“”']/g, '')
    .replace(/\s+/g, ' ');
}

/** Key of a path: spaces out, lower case, article and schedule numerals as values, so that "Article 4" finds "ARTICLE IV". */
export function keyOf(path: string): string {
  return path
    .toLowerCase()
    .replace(/[（]/g, '(')
    .replace(/[）]/g, ')')
    .replace(/\b(article|part|chapter)\s+([ivxlc]+)\b/g, (_all, word: string, roman: string) => `${word} ${romanValue(roman) || roman}`)
    .replace(
      /第\s?([一二三四五六七八九十百千零〇两]+|[\d.]+)\s?(编|部分|章|节|条|款|项|目)/g,
      (_all, digits: string, unit: string) => `第${chineseValue(digits) || digits}${unit}`,
    )
    .replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
    .replaceAll('．', '.')
    .replace(/\(([一二三四五六七八九十]+)\)/g, (_all, digits: string) => `(${chineseValue(digits)})`)
    .replace(
      /(附件|附表|附录)\s?([一二三四五六七八九十]+|\d+|[a-z])?/g,
      (_all, word: string, digits: string | undefined) => word + (digits === undefined ? '' : chineseValue(digits) || letterValue(digits)),
    )
    .replace(/[\s"“”']+/g, '');
}
