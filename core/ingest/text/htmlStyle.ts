// What a style says about an element, as far as it changes what a reader sees: hidden text, weight, capitals, list markers, lines struck through.
//
// Owns: a browser's own styles, inline styles, the few attributes that mean the same, and rules of style sheets with one plain selector (tag, .class, #id).
// Limit: no cascade beyond that order and no combined selectors; media rules for print are left out, other at-rules are read as if they held.
import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { Block } from '../../contract/document.ts';

export type Element = Tree.Element;
type Declarations = ReadonlyMap<string, string>;
export interface StyleSheet {
  /** By "td", ".note", "#top". */
  readonly rules: ReadonlyMap<string, Declarations>;
  /** Lists number their items "1.1" by `counters(name, ".")`. */
  readonly nestedNumbers: boolean;
}

/** Tags that a browser's own style sheet never shows, and those it sets as blocks. */
export const NEVER_SHOWN = new Set(
  'head script style template noscript noframes iframe object embed svg math canvas audio video map datalist rp title meta link base param source track'.split(
    ' ',
  ),
);
export const BLOCKS = new Set(
  'html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup hr legend li main menu nav ol p pre search section summary table ul h1 h2 h3 h4 h5 h6 option optgroup caption tr td th thead tbody tfoot'.split(
    ' ',
  ),
);

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

export function readStyleSheet(css: string): StyleSheet {
  // A comment that nothing closes goes to the end.
  const plain = withoutPrint(css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ''));
  const rules = new Map<string, Map<string, string>>();
  for (const [, selectors = '', body = ''] of plain.matchAll(/([^{}]{1,500})\{([^{}]*)\}/g))
    for (const selector of selectors.split(',').map((part) => part.trim().toLowerCase())) {
      if (!/^[.#]?[a-z][\w-]*$/.test(selector)) continue;
      const known = rules.get(selector) ?? new Map<string, string>();
      for (const [name, value] of declarationsOf(body)) known.set(name, value);
      rules.set(selector, known);
    }
  return { rules, nestedNumbers: /counters\(\s*[\w-]+\s*,\s*["']\.["']/.test(plain) };
}

/** `@media print { ... }` with its nested braces. */
function withoutPrint(css: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const found = css.slice(at).search(/@media[^{}]{0,200}\bprint\b[^{}]{0,200}\{/i);
    if (found < 0) return out + css.slice(at);
    out += css.slice(at, at + found);
    let depth = 0;
    let index = css.indexOf('{', at + found);
    for (; index < css.length; index++) {
      if (css[index] === '{') depth++;
      else if (css[index] === '}' && --depth === 0) break;
    }
    at = index + 1;
  }
}

function* declarationsOf(body: string): Generator<readonly [string, string]> {
  for (const part of body.split(';')) {
    const colon = part.indexOf(':');
    if (colon > 0)
      yield [
        part.slice(0, colon).trim().toLowerCase(),
        part
          .slice(colon + 1)
          .replace(/!important/i, '')
          .trim()
          .toLowerCase(),
      ];
  }
}

export function styleOf(element: Element, sheet: StyleSheet): Declarations {
  const own = attribute(element, 'style');
  if (own === null && sheet.rules.size === 0) return NO_STYLE;
  const id = attribute(element, 'id');
  const names = [element.tagName, ...(attribute(element, 'class') ?? '').split(/\s+/).map((name) => `.${name}`), ...(id === null ? [] : [`#${id}`])];
  const style = new Map<string, string>();
  for (const name of names) for (const [key, value] of sheet.rules.get(name.toLowerCase()) ?? []) style.set(key, value);
  for (const [key, value] of declarationsOf(own ?? '')) style.set(key, value);
  return style;
}
const NO_STYLE: Declarations = new Map();

/** Why a reader sees neither the element nor anything in it; null when nothing speaks against it. */
function hidingOf(element: Element, style: Declarations): Block['hidden'] {
  if (attribute(element, 'hidden') !== null || style.get('display') === 'none' || /^(hidden|collapse)$/.test(style.get('visibility') ?? '')) return 'invisible';
  if (Number.parseFloat(style.get('opacity') ?? '1') === 0) return 'invisible';
  if (
    FAR_OFF.test(style.get('text-indent') ?? '') ||
    (style.get('position') === 'absolute' && (FAR_OFF.test(style.get('left') ?? '') || FAR_OFF.test(style.get('top') ?? '')))
  )
    return 'offPage';
  return null;
}
/** Far enough that no screen shows it. */
const FAR_OFF = /^-\d{3,}(?:\.\d+)?(?:px|pt|em)$/;

/** What text takes over from the elements around it, until one of them says otherwise. */
export interface Paint {
  readonly ink: 'seen' | 'white' | 'clear';
  readonly ground: 'white' | 'other';
  readonly tiny: boolean;
  /** Why one of them is not seen with all that is in it. */
  readonly hiding: Block['hidden'];
}
export const PAPER: Paint = { ink: 'seen', ground: 'white', tiny: false, hiding: null };

export function paintOf(element: Element, style: Declarations, outer: Paint): Paint {
  const color = style.get('color') ?? (element.tagName === 'font' ? attribute(element, 'color')?.toLowerCase() : undefined);
  const ground = style.get('background-color') ?? style.get('background') ?? attribute(element, 'bgcolor')?.toLowerCase();
  const size = style.get('font-size');
  const hiding = outer.hiding ?? hidingOf(element, style);
  return { ink: color === undefined ? outer.ink : inkOf(color, outer.ink), ground: groundOf(ground, outer.ground), tiny: isTiny(size, outer.tiny), hiding };
}

export function concealment({ ink, ground, tiny, hiding }: Paint): Block['hidden'] {
  if (hiding !== null) return hiding;
  if (ink === 'clear') return 'invisible';
  if (ink === 'white' && ground === 'white') return 'white';
  return tiny ? 'tiny' : null;
}

function inkOf(color: string, outer: Paint['ink']): Paint['ink'] {
  if (AS_OUTSIDE.test(color)) return outer;
  return CLEAR.test(color) ? 'clear' : WHITE.test(color) ? 'white' : 'seen';
}

/** A picture or a gradient counts as dark: what cannot be known must not hide text. */
function groundOf(value: string | undefined, outer: Paint['ground']): Paint['ground'] {
  if (value === undefined || value === 'none' || AS_OUTSIDE.test(value) || CLEAR.test(value)) return outer;
  return WHITE.test(value) && !value.includes('url(') && !value.includes('gradient(') ? 'white' : 'other';
}

const AS_OUTSIDE = /^(?:inherit|unset|currentcolor)$/;
/** Alpha of nought in each of the notations of CSS Color 4. */
const CLEAR = /^(?:transparent|#[\da-f]{3}0|#[\da-f]{6}00|(?:rgb|hsl)a?\((?:[^,()]{1,20},){3}\s*[0.]+%?\s*\)|(?:rgb|hsl)a?\([^,()/]{1,40}\/\s*[0.]+%?\s*\))$/;
/** Alone or as the first word of `background`. */
const WHITE = /^(?:white|#f{3,4}|#f{6}|#f{8}|rgba?\(\s*255[\s,]+255[\s,]+255\b[^()]*\)|hsla?\([^,()]{1,20}[\s,]+[^,()]{1,20}[\s,]+100%[^()]*\))(?:\s|$)/;

/** CSS pixels of each unit; lengths relative to a font are taken from a browser's 16 pixels. */
const PIXELS: Readonly<Record<string, number>> = { '': 1, px: 1, pt: 1, em: 16, rem: 16, '%': 0.16, ex: 8, ch: 8, mm: 3.8, cm: 38, in: 96, pc: 16 };
/** Below this many pixels letters are dots. */
const SMALLEST = 2;

/** Sizes that are parts of the outer size stay tiny in tiny text; "small" and the like are readable. */
function isTiny(size: string | undefined, outer: boolean): boolean {
  const found = /^\+?(\d{0,6}(?:\.\d{1,9})?)(px|pt|r?em|%|ex|ch|mm|cm|in|pc)?$/.exec(size ?? '');
  if (!found || found[1] === '') return outer && !/^(?:x{0,3}-?(?:small|large)|medium)$/.test(size ?? '');
  const [, number, unit = ''] = found;
  return Number(number) * (PIXELS[unit] as number) < SMALLEST || (outer && /^(?:em|%|ex|ch)$/.test(unit));
}

const STRONG = new Set(['b', 'strong', 'em', 'i', 'u', 'dfn', 'th']);

export function isEmphasised(element: Element, style: Declarations): boolean {
  if (STRONG.has(element.tagName)) return true;
  const weight = style.get('font-weight') ?? '';
  if (/^(?:bold|bolder|[6-9]00)$/.test(weight) || style.get('font-style') === 'italic') return true;
  return /\bunderline\b/.test(`${style.get('text-decoration') ?? ''} ${style.get('text-decoration-line') ?? ''}`);
}

export function isStruck(element: Element, style: Declarations): boolean {
  if (['del', 's', 'strike'].includes(element.tagName)) return true;
  return /\bline-through\b/.test(`${style.get('text-decoration') ?? ''} ${style.get('text-decoration-line') ?? ''}`);
}

/** Lengths in points and pixels; percentages and em of an unknown width count nothing. */
export function pointsOf(length: string | undefined): number {
  const found = /^(\d{1,4}(?:\.\d+)?)(pt|px|in)$/.exec(length ?? '');
  if (!found) return 0;
  const value = Number(found[1]);
  return found[2] === 'pt' ? value : found[2] === 'px' ? value * 0.75 : value * 72;
}
