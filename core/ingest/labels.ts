// The grammar of clause numbers: what a block's first characters say about its number.
//
// Owns: every written form of a number and its value. Leaves to core/structure what a number means among its neighbours ((i): roman or letter?).
// Rule: linear time, no guess: a form that has two readings returns both.
import { chineseValue, decimalValue, letterValue, romanValue, wordValue } from './numerals.ts';

export interface Reading {
  /** Two numbers with one form belong to one sequence: "1", "(a)", "(i)", "a.", "article", "schedule", "条". */
  readonly form: string;
  /** [5, 2] for 5.2; one value for all other forms. */
  readonly values: readonly number[];
}

export interface Label {
  /** As printed, without a closing point, colon or dash: "5.2", "(a)", "Article IV". */
  readonly number: string;
  /** Offset of the first character after the number, its closing sign and spaces. */
  readonly rest: number;
  readonly readings: readonly Reading[];
  /** A form that is also ordinary text ("A. Smith", "1 Interpretation"): to be believed only in sequence. */
  readonly weak: boolean;
}

const KEYWORD =
  /^(article|section|sec\.|§|part|chapter|clause|schedule|exhibit|annex|appendix|attachment|addendum)(?:\s{1,3}|(?<=§)|(?<=\.))([0-9]{1,3}(?:\.[0-9]{1,3}){0,5}|[ivxlc]{1,7}(?:\.[0-9]{1,3})*|[a-z](?:[-.]?[0-9]{1,2})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![\p{L}\p{N}(]|-\d)/iu;
const DECIMAL = /^([0-9]{1,3}(?:\.[0-9]{1,3}){0,6})(\.(?=$|[\s“"‘'(\p{Lu}])|[、)）．](?!\d)|:(?=\s|$)|(?=\s|$))/u;
const MIXED = /^([0-9]{1,3}\.([A-Z]))\.?(?=\s)/;
const PAREN = /^[(（]\s?([0-9]{1,3}|[a-z]{1,6}|[A-Z]{1,6})\s?[)）]/;
const BARE = /^([a-z]{1,5}|[A-Z]{1,5})([.)])(?=\s|$)/;
const CJK_UNIT = /^第\s?([0-9]{1,4}|[一二三四五六七八九十百零〇两]{1,7})\s?(编|部分|章|节|条|款|项)(之[一二三四五六七八九十])?/;
/** After 第三条 at the start of a paragraph these make it a mention, not a number. */
const CJK_MENTION = /^\s?(的|之|所|规定|约定|项下|中|及|和|或|至|第|[、，。；）)])/;
const CJK_PAREN = /^[(（]([一二三四五六七八九十]{1,3})[)）]/;
const CJK_COMMA = /^([一二三四五六七八九十]{1,3})[、．.]/;
const CJK_ANNEX = /^(附件|附表|附录)\s?([0-9]{1,2}|[一二三四五六七八九十]{1,3}|[A-Z])?(?=$|[\s：:、.．《-])/;
const SCHEDULES = new Set(['schedule', 'exhibit', 'annex', 'appendix', 'attachment', 'addendum']);
const UNIT_AFTER =
  /^(%|percent|million|billion|thousand|days?\b|months?\b|years?\b|business\b|january|february|march|april|may\b|june|july|august|september|october|november|december)/i;

/** Number at the start of `text`, or null. `text` has no leading spaces. */
export function readLabel(text: string): Label | null {
  const first = text.charCodeAt(0);
  if (first >= 0x2000) return readChinese(text) ?? readParen(text) ?? (text.startsWith('§') ? readKeyword(text) : null);
  if (first >= 0x30 && first <= 0x39) return readDecimal(text);
  if (first === 0x28) return readChinese(text) ?? readParen(text);
  return readKeyword(text) ?? readBare(text);
}

function finish(text: string, number: string, readings: readonly Reading[], weak = false): Label {
  const closing = /^[.:、．：)）]?\s*(?:[-–—]\s+)?/.exec(text.slice(number.length, number.length + 12));
  return { number, rest: number.length + (closing?.[0].length ?? 0), readings, weak };
}

function readDecimal(text: string): Label | null {
  const mixed = MIXED.exec(text);
  if (mixed) return finish(text, mixed[1] as string, [{ form: '1', values: [parseInt(text, 10), letterValue(mixed[2] as string)] }]);
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const printed = match[1] as string;
  const sign = match[2] as string;
  const parts = printed.split('.').map(Number);
  // "2.0 Term" heads 2.1, 2.2: it counts as 2.
  const values = parts.length === 2 && parts[1] === 0 ? parts.slice(0, 1) : parts;
  const after = text.slice(match[0].length).trimStart();
  if (UNIT_AFTER.test(after)) return null;
  if (/^[)）]/.test(sign)) return finish(text, printed + sign, [{ form: '1)', values }]);
  const label = finish(text, printed, [{ form: '1', values }]);
  if (sign !== '' || values.length > 1) return label;
  // "1 Interpretation" (no point): only before a short capitalised line.
  return after.length > 0 && after.length <= 70 && /^\p{Lu}/u.test(after) && !/[.;,]$/.test(after) ? { ...label, weak: true } : null;
}

function readParen(text: string): Label | null {
  const match = PAREN.exec(text);
  if (!match) return null;
  const inner = match[1] as string;
  const readings = readInner(inner, '(', ')');
  return readings.length > 0 ? finish(text, match[0], readings) : null;
}

function readInner(inner: string, open: string, close: string): Reading[] {
  if (/^[0-9]/.test(inner)) return [{ form: `${open}1${close}`, values: [decimalValue(inner)] }];
  const upper = inner === inner.toUpperCase();
  const readings: Reading[] = [];
  const roman = romanValue(inner);
  const letter = letterValue(inner);
  if (letter > 0) readings.push({ form: open + (upper ? 'A' : 'a') + close, values: [letter] });
  if (roman > 0) readings.push({ form: open + (upper ? 'I' : 'i') + close, values: [roman] });
  return readings;
}

function readBare(text: string): Label | null {
  const match = BARE.exec(text);
  if (!match) return null;
  const close = match[2] as string;
  const readings = readInner(match[1] as string, '', close);
  if (readings.length === 0) return null;
  return finish(text, close === ')' ? match[0] : (match[1] as string), readings, true);
}

function readKeyword(text: string): Label | null {
  const match = KEYWORD.exec(text);
  if (!match) return null;
  const printedWord = match[1] as string;
  const word = printedWord.toLowerCase();
  if (printedWord[0] === printedWord[0]?.toLowerCase() && word !== '§') return null;
  const after = text.slice(match[0].length);
  if (!/^(\s*$|\s*[.:–—-]|\s+["“‘'([\p{Lu}\p{Lo}])/u.test(after) || /^\s*\(?(of|to|and|or|above|below|hereof)\b/.test(after)) return null;
  const values = keywordValues(match[2] as string);
  // "Exhibit 10.1" is a filing number of the SEC, not an exhibit of the agreement.
  if (values.length === 0 || (SCHEDULES.has(word) && values.length > 1)) return null;
  const form = SCHEDULES.has(word) ? 'schedule' : word === '§' || word === 'sec.' ? 'section' : word;
  const dotted = form === 'section' || form === 'clause';
  return finish(text, match[0].trimEnd(), [{ form: dotted && values.length > 1 ? '1' : form, values }]);
}

function keywordValues(printed: string): readonly number[] {
  if (/^[0-9]/.test(printed)) return printed.split('.').map(Number);
  if (printed.includes('.') && romanValue(printed.slice(0, printed.indexOf('.'))) > 0)
    return [romanValue(printed.slice(0, printed.indexOf('.'))), ...printed.split('.').slice(1).map(Number)];
  const word = wordValue(printed);
  if (word > 0) return [word];
  const dashed = /^([a-z])[-.]?([0-9]+)$/i.exec(printed);
  if (dashed) return [letterValue((dashed[1] as string).toLowerCase()) * 100 + Number(dashed[2])];
  const roman = romanValue(printed);
  if (roman > 0 && (printed.length > 1 || /^[ivx]$/i.test(printed))) return [roman];
  const letter = letterValue(printed);
  return letter > 0 ? [letter] : [];
}

function readChinese(text: string): Label | null {
  const unit = CJK_UNIT.exec(text);
  if (unit) {
    if (CJK_MENTION.test(text.slice(unit[0].length))) return null;
    return finish(text, unit[0], [{ form: unit[2] as string, values: [chineseValue(unit[1] as string)] }]);
  }
  const paren = CJK_PAREN.exec(text);
  if (paren) return finish(text, paren[0], [{ form: '（一）', values: [chineseValue(paren[1] as string)] }]);
  const comma = CJK_COMMA.exec(text);
  if (comma) return finish(text, comma[1] as string, [{ form: '一、', values: [chineseValue(comma[1] as string)] }]);
  const annex = CJK_ANNEX.exec(text);
  if (!annex) return null;
  const printed = annex[2];
  return finish(text, annex[0], [{ form: 'schedule', values: [printed === undefined ? 1 : chineseValue(printed) || letterValue(printed.toLowerCase())] }]);
}

/** A bullet sign and the spaces after it, at the start of a line. Symbol fonts put bullets into the private use area. */
const BULLET = /^(?:[•●○◦▪▫■□◆◇❖➢➤►‣⁃∙·\uE000-\uF8FF]\s*|[o§Øü–—*-]\s+(?=\S))/u;

export function bulletLength(text: string): number {
  return BULLET.exec(text)?.[0].length ?? 0;
}

/** A line of a table of contents: leader points and a page number. Such a line repeats a number, it does not begin a clause. */
const LEADER = /(?:\.\s?){4,}\s*(?:\d{1,4}|[ivxl]{1,6}|[A-Z](?:-\d{1,3})?)?\s*$|(?:…\s?){2,}\s*\d{0,4}\s*$|_{4,}\s*\d{1,4}\s*$/i;
const CONTENTS_TITLE = /^(?:table\s+of\s+(?:contents|exhibits|schedules)|contents|index|目\s*录)[\s:：]*$/i;

export function isContentsLine(text: string): boolean {
  return LEADER.test(text);
}

export function isContentsTitle(text: string): boolean {
  return text.length < 40 && CONTENTS_TITLE.test(text);
}
