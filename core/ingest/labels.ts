// The grammar of clause numbers: what a block's first characters say about its number.
//
// Owns: every written form of a number and its value. Leaves to core/structure what a number means among its neighbours ((i): roman or letter?).
// Rule: linear time, no guess: a form that has two readings returns both.
import { chineseValue, letterValue, ordinalValue, pairValue, romanValue, wordValue } from './numerals.ts';

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

/** One part of a dotted number: figures, one letter, or a roman numeral ("1.A.ii"). */
const PART = '(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,5}|[IVX]{2,5})';
/** Brackets that stand behind a number: "(a)", "(ii)", "(2)". */
const BRACKETS = String.raw`(?:\s?\((?:[0-9]{1,2}|[a-z]{1,5}|[A-Z]{1,4})\)){1,5}`;
const KEYWORD = new RegExp(
  String.raw`^(article|section|sec\.|§|art\.|part|chapter|title|clause|schedule|exhibit|annex|annexure|appendix|attachment|addendum)(?:\s{1,3}|(?<=§)|(?<=\.))["“”']?([0-9]{1,4}[a-z]?(?:[.-][0-9]{1,3}){0,5}|[ivxlc]{1,7}(?:\.[0-9]{1,3})*|[a-z](?:[-.]?[0-9]{1,2})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)["”']?(${BRACKETS})?(?![\p{L}\p{N}(]|-\d)`,
  'iu',
);
/** "Section 8.1 (Liability Caps) does not apply" and "Section 5 of" go on with a sentence. */
const KEYWORD_MENTION = /^\s*\(?(?:of|to|and|or|above|below|hereof)\b|^\s+\([^()]{2,80}\)\s+\p{Ll}/u;
/** A part of a bound document that is the only one of its kind carries no number. */
const LONE_SCHEDULE = /^(?:THE\s+)?(?:SCHEDULE|ANNEX|APPENDIX)$/;
const DECIMAL =
  /^([0-9]{1,3}[A-Z]?(?:\.[0-9]{1,3}){0,6})(\.(?=$|[\s“"‘'([（《\p{Lu}\p{Lo}])|[、)]|:(?=\s|$)|(?=\s|$)|(?<=\.[0-9]{1,3})(?=[\p{Script=Han}“《]))/u;
const MIXED = new RegExp(String.raw`^([0-9]{1,3}(?:\.${PART}){1,6})\.?(?=\s)`);
/** "A.1", "IV.B.2": appendices of standards, outlines that keep their roman number. */
const LETTERED = /^((?:[A-Z]|[IVX]{2,5})(?:\.[0-9]{1,3}|(?<=[IVX]{1,5})\.[A-Z](?![a-z.]))(?:\.[0-9]{1,3}){0,4})\.?(?=\s)/;
const COMPOUND = new RegExp(String.raw`^([0-9]{1,3}(?:\.[0-9]{1,3}){0,5})(${BRACKETS})(?=[\s:.;,]|$)`);
const PAREN = /^\(\s?([0-9]{1,3}[A-Z]?|[a-z]{1,6}|[A-Z]{1,6}|[a-z]{1,2}-[0-9]{1,2})\s?\)/;
const BARE = /^([a-z]{1,5}|[A-Z]{1,5})([.)])(?=\s|$)/;
/** Charters count their articles in words: "FIRST: The name of the corporation". */
const ORDINAL = /^(FIRST|SECOND|THIRD|FOURTH|FIFTH|SIXTH|SEVENTH|EIGHTH|NINTH|TENTH|ELEVENTH|TWELFTH|THIRTEENTH|FOURTEENTH|FIFTEENTH)(?=[:.]\s)/i;
const CIRCLED = /^[\u2460-\u2473]/;
const HAN = '一二三四五六七八九十百千零〇两';
const CJK_UNIT = new RegExp(
  String.raw`^第\s?([0-9]{1,4}(?:\.[0-9]{1,3}){0,3}|[${HAN}]{1,9}|\([${HAN}0-9]{1,4}\))\s?(编|編|分编|部分|章|节|節|条|條|款|项|項|目)(之[一二三四五六七八九十]{1,2})?`,
);
/** After 第三条 at the start of a paragraph these make it a mention, not a number. */
const CJK_MENTION = /^\s?(的|之|所|规定|約定|约定|规则|项下|中|及|和|或|至|到|与|以|第|内|、|，|,|。|；|;|\))/;
const CJK_PAREN = new RegExp(String.raw`^\(([${HAN}]{1,4})\)`);
const CJK_COMMA = new RegExp(String.raw`^([${HAN}]{1,4})[、.](?!\d)`);
const CJK_ANNEX = /^(附件|附表|附录|附錄|附則|附则)\s?([0-9]{1,2}(?:[-.][0-9]{1,2})?|[一二三四五六七八九十]{1,3}|[A-Z])?(?=$|[\s:、.《\-(])/;
const TRADITIONAL: Readonly<Record<string, string>> = { 編: '编', 分编: '编', 節: '节', 條: '条', 項: '项' };
const SCHEDULES = new Set(['schedule', 'exhibit', 'annex', 'annexure', 'appendix', 'attachment', 'addendum']);
const UNIT_AFTER =
  /^(%|percent|million|billion|thousand|days?\b|months?\b|years?\b|business\b|january|february|march|april|may\b|june|july|august|september|october|november|december)/i;
/** Five brackets of two readings each would be 32; two in doubt are all that drafts have. */
const MOST_READINGS = 8;
/** Longest label, with room for the signs behind it: all that is looked at of a paragraph. */
const SEEN = 160;

/** Figures, letters, brackets and points of full width as their plain forms, character for character, so that offsets stay. */
function narrow(text: string): string {
  return /[\u3000\uFF01-\uFF5E]/.test(text)
    ? text.replace(/[\uFF01-\uFF5E]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0)).replaceAll('\u3000', ' ')
    : text;
}

/** Number at the start of `text`, or null. `text` has no leading spaces. */
export function readLabel(text: string): Label | null {
  const head = narrow(text.slice(0, SEEN));
  const label = readNarrow(head);
  // As printed: the signs of full width come back.
  return label === null ? null : { ...label, number: text.slice(0, label.number.length) };
}

function readNarrow(text: string): Label | null {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return readDecimal(text);
  if (first === 0x28) return readChinese(text) ?? readParen(text);
  if (CIRCLED.test(text)) return finish(text, text.slice(0, 1), [{ form: '①', values: [first - 0x245f] }]);
  if (first >= 0x2000) return readChinese(text);
  return readKeyword(text) ?? readLettered(text) ?? readOrdinal(text) ?? readBare(text);
}

function finish(text: string, number: string, readings: readonly Reading[], weak = false): Label {
  const closing = /^[.:、)]?\s*(?:[-–—]\s+)?/.exec(text.slice(number.length, number.length + 12));
  return { number, rest: number.length + (closing?.[0].length ?? 0), readings, weak };
}

/** 10A stands between 10 and 11. */
function figureValue(part: string): number {
  const letter = /[A-Za-z]$/.test(part) ? letterValue(part.slice(-1)) / 100 : 0;
  return parseInt(part, 10) + letter;
}

function readDecimal(text: string): Label | null {
  const compound = COMPOUND.exec(text);
  if (compound) return readCompound(text, compound[1] as string, compound[2] as string);
  const match = DECIMAL.exec(text);
  const mixed = MIXED.exec(text);
  if (mixed && (!match || (mixed[1] as string).length > (match[1] as string).length)) return readMixed(text, mixed[1] as string);
  if (!match) return null;
  const printed = match[1] as string;
  const sign = match[2] as string;
  // "3D printing", "10K filings": a letter behind a figure counts only before a point.
  if (/[A-Z]/.test(printed) && sign !== '.') return null;
  const parts = printed.split('.').map(figureValue);
  // "2.0 Term" heads 2.1, 2.2: it counts as 2.
  const values = parts.length === 2 && parts[1] === 0 ? parts.slice(0, 1) : parts;
  const after = text.slice(match[0].length).trimStart();
  // "30 business days" is a period, "1. Business Day" a clause.
  if (sign === '' && UNIT_AFTER.test(after)) return null;
  if (sign === ')') return finish(text, printed + sign, [{ form: '1)', values }]);
  const label = finish(text, printed, [{ form: '1', values }]);
  if (sign !== '' || values.length > 1) return label;
  // "1 Interpretation" (no point): only before a short capitalised line.
  return after.length > 0 && after.length <= 70 && /^[\p{Lu}\p{Script=Han}]/u.test(after) && !/[.;,。；，]$/.test(after) ? { ...label, weak: true } : null;
}

/** "1.1(a)(ii)": the way down to one place, written out. */
function readCompound(text: string, decimal: string, brackets: string): Label | null {
  const readings = bracketed(decimal.split('.').map(Number), brackets);
  return readings.length === 0 ? null : finish(text, decimal + brackets, readings);
}

/** Every way to read the brackets behind a number: (i) is a letter or a roman figure in each of them, and the numbers before it tell which. */
function bracketed(head: readonly number[], brackets: string): Reading[] {
  let ways: readonly (readonly number[])[] = [head];
  for (const part of brackets.match(/[A-Za-z0-9]+/g) ?? []) {
    const values = innerValues(part);
    ways = ways.flatMap((before) => values.map((value) => [...before, value])).slice(0, MOST_READINGS);
  }
  return ways.map((values) => ({ form: '1', values }));
}

function readMixed(text: string, printed: string): Label | null {
  const parts = printed.split('.');
  const tails = innerValues(parts.at(-1) as string);
  const before = parts.slice(0, -1).map((part) => innerValues(part)[0] ?? 0);
  const after = text.slice(printed.length).replace(/^\.?\s+/, '');
  if (tails.length === 0 || before.includes(0) || !/^[“"‘'([\p{Lu}]/u.test(after)) return null;
  return finish(
    text,
    printed,
    tails.map((tail) => ({ form: '1', values: [...before, tail] })),
  );
}

/** Values of one part: its letter first, then its roman reading. */
function innerValues(part: string): number[] {
  if (/^[0-9]/.test(part)) return [Number(part)];
  return [letterValue(part), romanValue(part)].filter((value) => value > 0);
}

function readLettered(text: string): Label | null {
  const match = LETTERED.exec(text);
  if (!match) return null;
  const [head, ...parts] = (match[1] as string).split('.') as [string, ...string[]];
  const tail = parts.map((part) => innerValues(part)[0] ?? 0);
  const readings = innerValues(head).map((value) => ({ form: 'A.1', values: [value, ...tail] }));
  return readings.length > 0 ? finish(text, match[1] as string, readings) : null;
}

function readOrdinal(text: string): Label | null {
  const match = ORDINAL.exec(text);
  if (!match) return null;
  return finish(text, match[0], [{ form: 'ordinal', values: [ordinalValue(match[0])] }], match[0] !== match[0].toUpperCase());
}

function readParen(text: string): Label | null {
  const match = PAREN.exec(text);
  if (!match) return null;
  const readings = readInner(match[1] as string, '(', ')');
  return readings.length > 0 ? finish(text, match[0], readings) : null;
}

function readInner(inner: string, open: string, close: string): Reading[] {
  if (/^[0-9]/.test(inner)) return [{ form: `${open}1${close}`, values: [figureValue(inner)] }];
  const dashed = /^([a-z]{1,2})-([0-9]+)$/.exec(inner);
  if (dashed) return [{ form: `${open}a${close}`, values: [letterValue(dashed[1] as string) + Number(dashed[2]) / 100] }];
  const upper = inner === inner.toUpperCase();
  const readings: Reading[] = [];
  const roman = romanValue(inner);
  const letter = letterValue(inner) || pairValue(inner);
  if (letter > 0) readings.push({ form: open + (upper ? 'A' : 'a') + close, values: [letter] });
  // (aa), (bb): what follows (z), or a level of its own.
  if (letter > 26 && letterValue(inner) > 0) readings.push({ form: open + (upper ? 'AA' : 'aa') + close, values: [letter - 26] });
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
  const line = text.trimEnd();
  if (LONE_SCHEDULE.test(line)) return finish(text, line, [{ form: 'schedule', values: [1] }]);
  const match = KEYWORD.exec(text);
  if (!match) return null;
  const printedWord = match[1] as string;
  const word = printedWord.toLowerCase();
  if (printedWord[0] === printedWord[0]?.toLowerCase() && word !== '§') return null;
  const after = text.slice(match[0].length);
  if (!/^(\s*$|\s*[.:–—-]|\s+["“‘'([\p{Lu}\p{Lo}])/u.test(after) || KEYWORD_MENTION.test(after)) return null;
  const values = keywordValues(match[2] as string);
  const number = match[0].trimEnd();
  if (match[3] !== undefined)
    return SCHEDULES.has(word)
      ? word === 'exhibit'
        ? null
        : finish(text, number, [{ form: 'schedule', values }])
      : withBrackets(text, number, values, match[3]);
  // "Exhibit 10.1" is a filing number of the SEC, not an exhibit of the agreement.
  if (values.length === 0 || (word === 'exhibit' && values.length > 1)) return null;
  if (SCHEDULES.has(word)) return finish(text, number, [{ form: 'schedule', values }]);
  const form = word === '§' || word === 'sec.' ? 'section' : word === 'art.' ? 'article' : word;
  const dotted = form === 'section' || form === 'clause' || form === 'article';
  return finish(text, number, [{ form: dotted && values.length > 1 ? '1' : form, values }]);
}

function withBrackets(text: string, number: string, values: readonly number[], brackets: string): Label | null {
  const readings = bracketed(values, brackets);
  return readings.length === 0 || values.length === 0 ? null : finish(text, number, readings);
}

function keywordValues(printed: string): readonly number[] {
  if (/^[0-9]/.test(printed)) return printed.split(/[.-]/).map(figureValue);
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
    const printed = (unit[1] as string).replace(/[()]/g, '');
    const values = printed.includes('.') ? printed.split('.').map(Number) : [chineseValue(printed) + chineseValue(unit[3]?.slice(1) ?? '') / 100];
    return finish(text, unit[0], [{ form: TRADITIONAL[unit[2] as string] ?? (unit[2] as string), values }]);
  }
  const paren = CJK_PAREN.exec(text);
  if (paren) return finish(text, paren[0], [{ form: '（一）', values: [chineseValue(paren[1] as string)] }]);
  const comma = CJK_COMMA.exec(text);
  if (comma) return finish(text, comma[1] as string, [{ form: '一、', values: [chineseValue(comma[1] as string)] }]);
  const annex = CJK_ANNEX.exec(text);
  if (!annex) return null;
  const printed = annex[2];
  return finish(text, annex[0], [{ form: 'schedule', values: [printed === undefined ? 1 : chineseValue(printed) || letterValue(printed.toLowerCase()) || 1] }]);
}

/** A bullet sign and the spaces after it, at the start of a line. Symbol fonts put bullets into the private use area. */
const BULLET = /^(?:[•●○◦▪▫■□◆◇❖➢➤►‣⁃∙·\uE000-\uF8FF]\s*|[o§Øü–—*-]\s+(?=\S))/u;

export function bulletLength(text: string): number {
  return BULLET.exec(text)?.[0].length ?? 0;
}

/**
 * A line of a table of contents: leader points and a page number. Such a line repeats a number, it does not begin a clause.
 * Points alone are an ellipsis or a blank to fill in.
 */
const LEADER = /(?:\.\s?){4,}\s*(?:\d{1,4}|[ivxl]{1,6}|[A-Z](?:-\d{1,3})?)\s*$|(?:…\s?){2,}\s*\d{1,4}\s*$|_{4,}\s*\d{1,4}\s*$/i;
const CONTENTS_TITLE = /^(?:table\s+of\s+(?:contents|exhibits|schedules)|contents|index|目\s*录)[\s:：]*$/i;

export function isContentsLine(text: string): boolean {
  return LEADER.test(text);
}

export function isContentsTitle(text: string): boolean {
  return text.length < 40 && CONTENTS_TITLE.test(text);
}
