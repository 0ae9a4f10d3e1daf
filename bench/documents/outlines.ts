// Numbered outlines with known paths: the nested lists of real Markdown agreements, written out in the numbering styles that contracts use.
//
// Owns: reading the nesting of a Markdown list (by indentation alone, apart from our reader), the styles, and the path a lawyer would cite.
// Rule: the truth never comes from the parser that is measured.
import { chineseNumeral } from '../../core/ingest/numerals.ts';

export interface Node {
  readonly text: string;
  readonly children: Node[];
}

/** Ordered items of a Markdown text as a tree; an item of bullets ends where it stands. */
export function readOutline(markdown: string): Node[] {
  const roots: Node[] = [];
  const open: { readonly indent: number; readonly node: Node }[] = [];
  for (const line of markdown.split('\n')) {
    const match = /^(\s*)\d{1,3}[.)]\s+(.*)$/.exec(line);
    if (!match) continue;
    const indent = (match[1] as string).replaceAll('\t', '    ').length;
    const node: Node = { text: plain(match[2] as string), children: [] };
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    (open.at(-1)?.node.children ?? roots).push(node);
    open.push({ indent, node });
  }
  return roots;
}

function plain(source: string): string {
  return source
    .replace(/<[^<>]*>/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_#`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const ROMANS = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'];
const roman = (value: number): string => `${'x'.repeat(Math.floor(value / 10))}${ROMANS[value % 10] ?? ''}`;
const letter = (value: number): string => String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.floor((value - 1) / 26) + 1);

export interface Style {
  readonly name: string;
  /** Number as printed, by the counts from the top. */
  readonly number: (counts: readonly number[]) => string;
  /** The path to be found. */
  readonly path: (counts: readonly number[]) => string;
  /** Between two clauses; one space writes the whole agreement as one paragraph. */
  readonly between: string;
}

const brackets = (counts: readonly number[], forms: readonly ((value: number) => string)[]): string =>
  counts.map((value, depth) => `(${(forms[depth] ?? String)(value)})`).join('');
const upper = (value: number): string => letter(value).toUpperCase();

export const STYLES: readonly Style[] = [
  { name: '1.1.1', number: (c) => (c.length === 1 ? `${c[0]}.` : c.join('.')), path: (c) => c.join('.'), between: '\n\n' },
  {
    name: '1.1(a)(i)',
    number: (c) => (c.length === 1 ? `${c[0]}.` : c.length === 2 ? `${c.join('.')}.` : `(${c.length === 3 ? letter(c.at(-1) ?? 0) : roman(c.at(-1) ?? 0)})`),
    path: (c) => c.slice(0, 2).join('.') + brackets(c.slice(2), [letter, roman]),
    between: '\n\n',
  },
  {
    name: '1(a)(i)(A)',
    number: (c) => (c.length === 1 ? `${c[0]}.` : `(${([letter, roman, upper][c.length - 2] ?? String)(c.at(-1) ?? 0)})`),
    path: (c) => `${c[0]}${brackets(c.slice(1), [letter, roman, upper])}`,
    between: '\n\n',
  },
  {
    name: 'Section 1(a)(i)',
    number: (c) => (c.length === 1 ? `Section ${c[0]}.` : `(${([letter, roman, upper][c.length - 2] ?? String)(c.at(-1) ?? 0)})`),
    path: (c) => `Section ${c[0]}${brackets(c.slice(1), [letter, roman, upper])}`,
    between: '\n\n',
  },
  {
    name: 'Article I, 1.01(a)',
    number: (c) =>
      c.length === 1
        ? `ARTICLE ${roman(c[0] ?? 0).toUpperCase()}.`
        : c.length === 2
          ? `Section ${c[0]}.${String(c[1]).padStart(2, '0')}`
          : `(${c.length === 3 ? letter(c.at(-1) ?? 0) : roman(c.at(-1) ?? 0)})`,
    path: (c) =>
      c.length === 1 ? `Article ${roman(c[0] ?? 0).toUpperCase()}` : `${c[0]}.${String(c[1]).padStart(2, '0')}${brackets(c.slice(2), [letter, roman])}`,
    between: '\n\n',
  },
  {
    name: 'Sec. 101(a)(1)(A)',
    number: (c) => (c.length === 1 ? `Sec. ${100 + (c[0] ?? 0)}.` : `(${([letter, String, upper][c.length - 2] ?? String)(c.at(-1) ?? 0)})`),
    path: (c) => `Sec. ${100 + (c[0] ?? 0)}${brackets(c.slice(1), [letter, String, upper])}`,
    between: '\n\n',
  },
  {
    name: 'I. A. 1. a.',
    number: (c) => `${([(value: number) => roman(value).toUpperCase(), upper, String, letter][c.length - 1] ?? String)(c.at(-1) ?? 0)}.`,
    path: (c) => c.join('/'),
    between: '\n\n',
  },
  { name: '1) a) i)', number: (c) => `${[String, letter, roman][Math.min(2, c.length - 1)]?.(c.at(-1) ?? 0)})`, path: (c) => c.join('/'), between: '\n\n' },
  {
    name: '第一条（一）1.',
    number: (c) =>
      c.length === 1 ? `第${chineseNumeral(c[0] ?? 0)}条` : c.length === 2 ? `（${chineseNumeral(c[1] ?? 0)}）` : c.length === 3 ? `${c[2]}、` : `（${c[3]}）`,
    path: (c) => c.join('/'),
    between: '\n\n',
  },
  {
    name: '1.1(a)(i) in one paragraph',
    number: (c) => (c.length === 1 ? `${c[0]}.` : c.length === 2 ? `${c.join('.')}.` : `(${c.length === 3 ? letter(c.at(-1) ?? 0) : roman(c.at(-1) ?? 0)})`),
    path: (c) => c.slice(0, 2).join('.') + brackets(c.slice(2), [letter, roman]),
    between: ' ',
  },
];

export interface Written {
  readonly text: string;
  /** The number and depth of every clause, in order, with its path. */
  readonly clauses: readonly { readonly number: string; readonly path: string; readonly depth: number }[];
}

/** The outline written out in a style; items below the fourth level are left out, no style goes deeper. */
export function writeOutline(roots: readonly Node[], style: Style): Written {
  const lines: string[] = [];
  const clauses: Written['clauses'][number][] = [];
  const visit = (nodes: readonly Node[], above: readonly number[]): void => {
    nodes.forEach((node, index) => {
      const counts = [...above, index + 1];
      const number = style.number(counts);
      lines.push(`${number} ${node.text}`);
      clauses.push({ number: number.replace(/[.、]$/, ''), path: style.path(counts), depth: above.length });
      if (counts.length < 4) visit(node.children, counts);
    });
  };
  visit(roots, []);
  return { text: lines.join(style.between), clauses };
}
