// Inline Markdown -> plain text with the stretches that were emphasised. HTML tags inside Markdown (spans, anchors, breaks) go, their text stays.
import { repairText } from '../characters.ts';
import type { Range } from '../raw.ts';
import { EMPHASIS, takeMarks, withoutMarks } from './marks.ts';

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
const { on: ON, off: OFF } = EMPHASIS;

export function readInline(source: string): Inline {
  const plain = repairText(
    withoutMarks(source)
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
