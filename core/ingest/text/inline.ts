// Inline Markdown -> plain text with the stretches that were emphasised. HTML tags inside Markdown (spans, anchors, breaks) go, their text stays.
import { repairText } from '../characters.ts';
import type { Range } from '../raw.ts';

export interface Inline {
  readonly text: string;
  readonly emphasis: readonly Range[];
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  sect: '§',
  mdash: '—',
  ndash: '–',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  copy: '©',
};
/** Private marks for the borders of emphasis; they can not stand in repaired text of a source (U+E000 area is kept out below). */
const ON = '\uE000';
const OFF = '\uE001';

export function readInline(source: string): Inline {
  const plain = repairText(
    source
      .replace(/[\uE000\uE001]/g, '')
      .replace(/<!--.*?-->/gs, '')
      .replace(/<(?:strong|b|u|em|i)>|<span class="(?:header|keyterm)[^"]*"[^>]*>/gi, ON)
      .replace(/<\/(?:strong|b|u|em|i)>/gi, OFF)
      .replace(/<br\s*\/?>/gi, ' ')
      .replace(/<\/span>/gi, (_tag, at: number, whole: string) => (whole.lastIndexOf(ON, at) > whole.lastIndexOf('</span>', at - 1) ? OFF : ''))
      .replace(/<\/?[a-z][^<>]{0,300}>/gi, '')
      .replace(/!\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
      .replace(/\[([^\]]+)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
      .replace(/(?<!\\)(\*\*\*|\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, `${ON}$2${OFF}`)
      .replace(/(?<![\\*\w])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![*\w])/g, `${ON}$1${OFF}`)
      .replace(/(?<![\\\w_])_(?=[^\s_])([^_]+?)(?<=[^\s_])_(?![\w_])/g, `${ON}$1${OFF}`)
      .replace(/`([^`]+)`/g, '$1')
      .replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,6});/gi, entity)
      .replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, '$1'),
  );
  return takeMarks(plain);
}

function entity(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
}

function takeMarks(marked: string): Inline {
  let text = '';
  let depth = 0;
  let start = 0;
  const emphasis: Range[] = [];
  for (const character of marked) {
    if (character === ON) {
      if (depth++ === 0) start = text.length;
    } else if (character === OFF) {
      if (depth > 0 && --depth === 0 && text.length > start) emphasis.push({ start, end: text.length });
    } else if (character !== ' ' || (text !== '' && !text.endsWith(' '))) text += character;
  }
  const trimmed = text.trimEnd();
  return {
    text: trimmed,
    emphasis: emphasis.map((range) => ({ start: range.start, end: Math.min(range.end, trimmed.length) })).filter((range) => range.end > range.start),
  };
}
