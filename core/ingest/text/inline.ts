// Inline Markdown -> plain text with marks (marks.ts) where it was emphasised. HTML tags inside Markdown (spans, anchors, breaks) go, their text stays.
// Rule: what lies between two signs is bounded or can not hold the sign again, so that a line of openings without an end is read in one pass.
import { EMPHASIS, withoutMarks } from './marks.ts';

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

/** At most 2,000 characters, as long as a paragraph set in bold gets: a disclaimer of warranties. */
const BOLD = /(?<!\\)(\*\*\*|\*\*|__)(?=\S)([^]{1,2000}?)(?<=\S)\1/g;
/** The text of a link or picture and its address, both with brackets in pairs, and its title. */
const LINK = /!?\[((?:[^\][]|\[[^\][]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g;
/**
 * Templates of contracts are written for a style sheet, which Markdown has no notation for: headings and defined terms are spans, and the class says which.
 * These are the words that such classes are made of ("header_2", "keyterm", "defined-term", "section-title").
 */
const EMPHATIC = /\bclass\s*=\s*["']?[^"'>]*(?<![a-z])(?:header|heading|title|(?:key|defined)?[-_]?terms?|definition|bold|strong)(?![a-z])/i;

export function readInline(source: string): string {
  return withoutSpans(withoutComments(withoutMarks(source)))
    .replace(/<(?:strong|b|u|em|i)>/gi, ON)
    .replace(/<\/(?:strong|b|u|em|i)>/gi, OFF)
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/<\/?[a-z][^<>]{0,300}>/gi, '')
    .replace(LINK, '$1')
    .replace(BOLD, `${ON}$2${OFF}`)
    .replace(/(?<![\\*\w])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![*\w])/g, `${ON}$1${OFF}`)
    .replace(/(?<![\\\w_])_(?=[^\s_])([^_]+?)(?<=[^\s_])_(?![\w_])/g, `${ON}$1${OFF}`)
    .replace(/`([^`]+)`/g, '$1')
    .replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,6});/gi, entity)
    .replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, '$1');
}

function withoutComments(source: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const start = source.indexOf('<!--', at);
    const end = start < 0 ? -1 : source.indexOf('-->', start + 4);
    if (end < 0) return out + source.slice(at);
    out += source.slice(at, start);
    at = end + 3;
  }
}

function withoutSpans(source: string): string {
  const open: boolean[] = [];
  return source.replace(/<(?:span\b([^<>]{0,300})|\/span\s?)>/gi, (tag, attributes: string | undefined) => {
    if (tag.startsWith('</')) return open.pop() ? OFF : '';
    const emphatic = EMPHATIC.test(attributes ?? '');
    open.push(emphatic);
    return emphatic ? ON : '';
  });
}

function entity(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
}
