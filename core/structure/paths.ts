// Paths of clauses as a lawyer cites them, and the keys by which references find them.
//
// "12.3(b)(ii)"; "Article IV Section 2(a)"; "Exhibit A 2.1"; "第三条第二款"; a sub-clause of an ordered list appends ".1".
import { chineseValue, letterValue, romanValue } from '../ingest/numerals.ts';

/** Forms cited by their own name wherever they stand; only the exhibit before them is said. */
const OWN_NAME: ReadonlySet<string> = new Set(['article', 'part', 'chapter', 'title', 'ordinal', '章', '编', '部分', '条']);
/** Forms whose number is set apart by a space: "Exhibit A 2", "Article IV 1". */
const SPACED: ReadonlySet<string> = new Set(['schedule', 'article', 'part', 'section', 'clause', 'chapter', 'title', 'ordinal']);

interface Ancestor {
  readonly path: string;
  readonly form: string;
}

/** `number` as printed, `form` its reading; `ancestors` are the open numbers above it, outermost first. */
export function pathOf(number: string, form: string, ancestors: readonly Ancestor[]): string {
  const printed = tidy(number);
  if (form === 'schedule') return printed;
  const parent = ancestors.at(-1);
  const parentPath = parent?.path ?? '';
  const schedule = ancestors.find((entry) => entry.form === 'schedule')?.path ?? '';
  if (OWN_NAME.has(form)) return joinWords(schedule, printed);
  if (form === 'section' || form === 'clause' || form === '节')
    return joinWords(ancestors.findLast((entry) => entry.form === 'article')?.path ?? schedule, printed);
  if (form === 'A.1' && SCHEDULE_LETTER.test(schedule) && schedule.endsWith(` ${printed.split('.')[0]}`)) return schedule + printed.slice(printed.indexOf('.'));
  if (parent?.form === '条' && form === '1' && /^[0-9]+$/.test(printed)) return `${parentPath}第${printed}款`;
  if (form === 'A.1' || (form === '1' && /[.(]/.test(printed)))
    return joinWords(containerOf(ancestors, schedule), printed.replace(/^(?:[a-z]+\.?|§)\s*(?=\S)/i, ''));
  if (/^[款项目①(（]/.test(form)) return parentPath + printed;
  if (parent === undefined || parentPath === '') return printed;
  // "a." below a number is cited in brackets: 5.3(a).
  if (/^[aAiI]\.$/.test(form) && /[\d)]$/.test(parentPath)) return `${parentPath}(${printed})`;
  return SPACED.has(parent.form) ? `${parentPath} ${printed}` : `${parentPath}.${printed}`;
}

const SCHEDULE_LETTER = /^(?:Appendix|Annex|Exhibit|Schedule|Attachment) /;

/** What must be said before "2.1" to know which: the exhibit, its part, the lettered part of a charter; never the article that has its number anyway. */
function containerOf(ancestors: readonly Ancestor[], schedule: string): string {
  const part = ancestors.findLast((entry) => entry.form === 'part' && schedule !== '' && entry.path.startsWith(schedule));
  if (part) return part.path;
  const ordinal = ancestors.some((entry) => entry.form === 'ordinal');
  return ordinal ? (ancestors.findLast((entry) => entry.form === 'A.' || entry.form === 'ordinal')?.path ?? schedule) : schedule;
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
