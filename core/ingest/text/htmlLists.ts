// The number that a browser shows before an item of an ordered list (HTML standard, 4.4.5 to 4.4.8; CSS Counter Styles 3).
//
// Owns: start, reversed, value, type and list-style-type, counters of nested lists. Rule: what the page shows is what the block's text begins with.
import { chineseNumeral, romanNumeral } from '../numerals.ts';
import type { Marker } from './flow.ts';
import { attribute, styleOf, type Element, type StyleSheet } from './htmlStyle.ts';

export interface OpenList {
  readonly ordered: boolean;
  readonly style: string;
  readonly step: 1 | -1;
  readonly depth: number;
  next: number;
  /** Number of the item that is open, without its point; '' for bullets. */
  current: string;
}

const TYPES: Readonly<Record<string, string>> = { '1': 'decimal', a: 'lower-alpha', A: 'upper-alpha', i: 'lower-roman', I: 'upper-roman' };

export function openList(element: Element, sheet: StyleSheet, depth: number): OpenList {
  const ordered = element.tagName === 'ol';
  const named = listStyle(element, sheet) ?? TYPES[attribute(element, 'type') ?? ''];
  const reversed = ordered && attribute(element, 'reversed') !== null;
  const items = element.childNodes.filter((node) => node.nodeName === 'li').length;
  const start = integer(attribute(element, 'start')) ?? (reversed ? items : 1);
  return { ordered, style: named ?? (ordered ? 'decimal' : 'disc'), step: reversed ? -1 : 1, depth, next: start, current: '' };
}

function listStyle(element: Element, sheet: StyleSheet): string | undefined {
  const style = styleOf(element, sheet);
  const short = style.get('list-style')?.split(/\s+/) ?? [];
  return style.get('list-style-type') ?? short.find((word) => word === 'none' || word in FORMATS);
}

/** The marker of the next item; null for an item that shows none. `outer` are the lists around this one. */
export function nextMarker(list: OpenList, item: Element, sheet: StyleSheet, outer: readonly OpenList[]): Marker | null {
  const value = integer(attribute(item, 'value')) ?? list.next;
  list.next = value + list.step;
  const style = listStyle(item, sheet) ?? TYPES[attribute(item, 'type') ?? ''] ?? list.style;
  // Numbers by counters() stand in ::before, beside a list-style of none.
  if (list.ordered && sheet.nestedNumbers && (style === 'none' || style === 'decimal')) {
    list.current = [...outer.map((open) => open.current).filter((number) => number !== ''), String(value)].join('.');
    return { text: `${list.current}.`, depth: list.depth };
  }
  list.current = '';
  if (style === 'none') return null;
  const format = FORMATS[style];
  if (!format) return { text: '', depth: list.depth };
  list.current = format(value);
  return { text: /^(?:cjk|simp-chinese|trad-chinese)/.test(style) ? `${list.current}、` : `${list.current}.`, depth: list.depth };
}

function integer(text: string | null): number | null {
  const found = /^\s*([+-]?\d{1,9})/.exec(text ?? '');
  return found ? Number(found[1]) : null;
}

/** CSS Counter Styles 3, 6.2. */
const MOST_ROMAN = 3999;

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  decimal: String,
  'decimal-leading-zero': (value) => (value >= 0 && value < 10 ? `0${value}` : String(value)),
  'lower-alpha': letters,
  'lower-latin': letters,
  'upper-alpha': (value) => letters(value).toUpperCase(),
  'upper-latin': (value) => letters(value).toUpperCase(),
  'lower-roman': (value) => romanNumeral(value, MOST_ROMAN).toLowerCase(),
  'upper-roman': (value) => romanNumeral(value, MOST_ROMAN),
  'cjk-ideographic': chineseNumeral,
  'cjk-decimal': chineseNumeral,
  'simp-chinese-informal': chineseNumeral,
  'trad-chinese-informal': chineseNumeral,
};

/** a ... z, aa, ab ...; outside its range an alphabetic counter falls back to figures. */
function letters(value: number): string {
  if (value < 1) return String(value);
  let out = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26)) out = String.fromCharCode(97 + ((rest - 1) % 26)) + out;
  return out;
}
