// What a style says about an element, as far as it changes what a reader sees: hidden text, weight, capitals, list markers, lines struck through.
//
// Owns: inline styles, the few attributes that mean the same, and rules of style sheets with one plain selector (tag, .class, #id).
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

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

export function readStyleSheet(css: string): StyleSheet {
  const plain = withoutPrint(css.replace(/\/\*[\s\S]*?\*\//g, ''));
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

/** Why a reader does not see the element; null when nothing speaks against it. `onGround`: a background other than white lies behind it. */
export function hidingOf(element: Element, style: Declarations, onGround: boolean): Block['hidden'] {
  if (attribute(element, 'hidden') !== null || style.get('display') === 'none' || /^(hidden|collapse)$/.test(style.get('visibility') ?? '')) return 'invisible';
  const opacity = style.get('opacity');
  if (opacity !== undefined && Number(opacity) === 0) return 'invisible';
  const color = style.get('color') ?? (element.tagName === 'font' ? attribute(element, 'color')?.toLowerCase() : undefined);
  if (color === 'transparent') return 'invisible';
  if (!onGround && color !== undefined && isWhite(color)) return 'white';
  if (/^[01](?:\.\d+)?(?:px|pt)?$/.test(style.get('font-size') ?? '')) return 'tiny';
  if (
    FAR_OFF.test(style.get('text-indent') ?? '') ||
    (style.get('position') === 'absolute' && (FAR_OFF.test(style.get('left') ?? '') || FAR_OFF.test(style.get('top') ?? '')))
  )
    return 'offPage';
  return null;
}
/** Far enough that no screen shows it. */
const FAR_OFF = /^-\d{3,}(?:\.\d+)?(?:px|pt|em)$/;

export function hasGround(element: Element, style: Declarations): boolean {
  const ground = style.get('background-color') ?? style.get('background') ?? attribute(element, 'bgcolor')?.toLowerCase();
  return ground !== undefined && ground !== 'none' && ground !== 'transparent' && !isWhite(ground);
}

function isWhite(color: string): boolean {
  return /^(?:white|#fff(?:fff)?|rgba?\(\s*255\s*,\s*255\s*,\s*255\b.*)$/.test(color.trim());
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
