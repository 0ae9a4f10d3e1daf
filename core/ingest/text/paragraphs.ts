// Plain text and Markdown -> paragraphs with what the notation declares: heading level, list depth, ordinal of a list item.
//
// Owns: block notation of Markdown as contracts use it (headings, ordered and bullet lists by indent, tables, quotes, rules, front matter), blank lines
// and numbered lines of plain text. Limit: reference links, footnotes and code fences are read as text.
import { readLabel, type Label } from '../labels.ts';

export interface TextParagraph {
  readonly source: string;
  /** Heading level from 1; null for text. */
  readonly level: number | null;
  /** Depth from 0 of a list item; null outside lists. */
  readonly depth: number | null;
  /** "3" for the ordered item "3."; null for bullets and text. */
  readonly ordinal: string | null;
  readonly bullet: boolean;
  /** Columns of white space before it. */
  readonly indent: number;
  /** Cells of a table row; null outside tables. */
  readonly cells: readonly string[] | null;
}

interface Item {
  readonly indent: number;
  /** Column where the item's text starts: deeper lines belong to it. */
  readonly content: number;
}

const HEADING = /^ {0,3}(#{1,6})\s/;
const LIST = /^([-*+]|\d{1,4}[.)])(\s+)(?=\S)/;
const RULE = /^ {0,3}(?:[-*_]\s*){3,}$/;

function widthOf(space: string): number {
  let width = 0;
  for (const character of space) width = character === '\t' ? width + 4 - (width % 4) : width + 1;
  return width;
}

/** Its closing signs are cut off by hand: a pattern with two open ends would go through a line of spaces once per space. */
function headingOf(line: string): { readonly level: number; readonly source: string } | null {
  const marks = HEADING.exec(line);
  if (!marks) return null;
  const source = line.slice(marks[0].length).trim();
  let end = source.length;
  while (source[end - 1] === '#') end--;
  const level = (marks[1] as string).length;
  // "## Title ##", often without the space; "# C#" ends in its own sign.
  const closed = /^(?:|\s)$/.test(source.charAt(end - 1)) || (level > 1 && source.length - end === level);
  return { level, source: closed ? source.slice(0, end).trimEnd() : source };
}

export function readMarkdown(text: string): TextParagraph[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const reader = new MarkdownReader(widthOfLines(lines.filter((line) => line.trim() !== '')));
  let start = 0;
  if (lines[0]?.trim() === '---') {
    const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
    if (end > 0) start = end + 1;
  }
  for (let index = start; index < lines.length; index++) reader.line(lines[index] as string);
  reader.flush();
  return reader.out;
}

class MarkdownReader {
  readonly out: TextParagraph[] = [];
  private open: TextParagraph | null = null;
  private items: Item[] = [];
  private before = '';
  private readonly width: number;

  constructor(width: number) {
    this.width = width;
  }

  flush(): void {
    if (this.open && this.open.source.trim() !== '') this.out.push(this.open);
    this.open = null;
  }

  line(raw: string): void {
    const line = raw.replace(/^(\s*>)+\s?/, '');
    this.read(line);
    this.before = line;
  }

  private read(line: string): void {
    if (line.trim() === '') {
      this.flush();
      return;
    }
    if (RULE.test(line)) return this.rule(line);
    const space = /^\s*/.exec(line)?.[0] ?? '';
    const indent = widthOf(space);
    const body = line.slice(space.length);
    const heading = headingOf(line);
    if (heading) return this.heading(heading.level, heading.source);
    if (/^\|.*\|\s*$/.test(body)) return this.tableRow(body, indent);
    const list = LIST.exec(body);
    if (list && !this.goesOn(body, Infinity)) return this.item(list, body, indent);
    this.text(body, indent);
  }

  private rule(line: string): void {
    // "Title" + "-----" is a heading of level 2 (setext) when it directly follows a line of text.
    if (this.open && /^ {0,3}-+\s*$/.test(line) && this.open.depth === null && this.open.source.length < 120) this.open = { ...this.open, level: 2 };
    this.flush();
    this.items = [];
  }

  private heading(level: number, source: string): void {
    this.flush();
    this.items = [];
    this.out.push({ source, level, depth: null, ordinal: null, bullet: false, indent: 0, cells: null });
  }

  private tableRow(body: string, indent: number): void {
    this.flush();
    if (/^\|[\s:|-]+\|\s*$/.test(body)) return;
    const cells = body
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    this.out.push({ source: body, level: null, depth: null, ordinal: null, bullet: false, indent, cells });
  }

  private item(list: RegExpExecArray, body: string, indent: number): void {
    this.flush();
    while (this.items.length > 0 && indent < (this.items.at(-1) as Item).content && indent <= (this.items.at(-1) as Item).indent + 1) this.items.pop();
    const mark = list[1] as string;
    const bullet = !/^\d/.test(mark);
    this.items.push({ indent, content: indent + mark.length + Math.min(4, widthOf(list[2] as string)) });
    const rest = body.slice(list[0].length);
    const heading = headingOf(rest);
    this.open = {
      source: heading?.source ?? rest,
      level: heading?.level ?? null,
      depth: this.items.length - 1,
      ordinal: bullet ? null : mark,
      bullet,
      indent,
      cells: null,
    };
  }

  private text(body: string, indent: number): void {
    if (this.open && (!readLabel(body) || this.goesOn(body, this.width))) {
      this.open = { ...this.open, source: withLine(this.open.source, body) };
      return;
    }
    this.flush();
    while (this.items.length > 0 && indent < Math.min((this.items.at(-1) as Item).content, (this.items.at(-1) as Item).indent + 2)) this.items.pop();
    this.open = { source: body, level: null, depth: null, ordinal: null, bullet: false, indent, cells: null };
  }

  private goesOn(body: string, width: number): boolean {
    return this.open !== null && this.before.trim() !== '' && goesOn({ item: this.open.source, before: this.before, body }, width);
  }
}

/** Plain text: blank lines end paragraphs; so do numbers, bullets and a clear change of indent. A text without blank lines has a paragraph per line. */
export function readPlain(text: string, isWrapped?: boolean): TextParagraph[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n|\f/);
  const filled = lines.filter((line) => line.trim() !== '');
  const wrapped = isWrapped ?? (filled.length < lines.length * 0.95 && filled.filter((line) => line.length > 110).length < filled.length * 0.1);
  const width = widthOfLines(filled);
  const out: TextParagraph[] = [];
  let open: TextParagraph | null = null;
  let before = '';
  const flush = (): void => {
    if (open) out.push(open);
    open = null;
  };
  // A function, because the compiler cannot see that flush() and this loop share the variable.
  const last = (): TextParagraph | null => open;
  for (const line of lines) {
    const body = line.trim();
    if (body === '') {
      flush();
      continue;
    }
    const indent = widthOf(/^\s*/.exec(line)?.[0] ?? '');
    const current = last();
    if (current && wrapped && (!startsItem(body) || goesOn({ item: current.source, before, body }, width)))
      open = { ...current, source: withLine(current.source, body) };
    else {
      flush();
      open = { source: body, level: null, depth: null, ordinal: null, bullet: /^[-*•]\s/.test(body), indent, cells: null };
    }
    before = line;
  }
  flush();
  return out;
}

/** A line behind the others of its paragraph. "Pre-" at a line's end goes on without a space; "pre- and post-" does not. */
function withLine(source: string, body: string): string {
  const goesOn = /\p{L}-$/u.test(source.slice(-2)) && /^\p{L}/u.test(body) && !/^(?:and|or|to|und|oder|et)\b/i.test(body);
  return goesOn ? source + body : `${source}\n${body}`;
}

function startsItem(body: string): boolean {
  return readLabel(body) !== null || /^[-*•]\s/.test(body);
}

/** Texts broken by hand have lines of this many characters; outside of it a line is a paragraph. */
const HAND_BROKEN = { least: 50, most: 110 } as const;

/** The width at which lines were broken by hand, Infinity where they were not; a few longer ones (tables, addresses of the web) do not widen it. */
function widthOfLines(filled: readonly string[]): number {
  const lengths = filled.map((line) => line.trimEnd().length).toSorted((a, b) => a - b);
  const width = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  return width >= HAND_BROKEN.least && width <= HAND_BROKEN.most ? width : Infinity;
}

/** Behind these words a number is a mention, however short the line. */
const ASKS_NUMBER = /(?:\b(?:sections?|articles?|clauses?|paragraphs?|exhibits?|schedules?|annex|appendix|sub-?clauses?|sub-?sections?)|§)\s*$/i;
/** A sentence that the line does not end: it stops at a word, a comma or an opening bracket. Headings stop at words with capitals. */
const UNFINISHED = /(?:(?<![\p{L}\p{N}])\p{Ll}[\p{L}’'-]*|,|\()$/u;
/** Characters at a line's end that say so; joined words without end would be gone through from each of their parts. */
const LONGEST_WORD = 80;

interface Lines {
  /** What is open, the line above, and the line that begins like a clause. */
  readonly item: string;
  readonly before: string;
  readonly body: string;
}

/**
 * Whether a line that begins like a clause goes on with the sentence above: "... as set out in Section / 6.2(a). The Buyer ...". A line is broken where its
 * next word does not fit, so a short one above was ended on purpose. A bracket or a letter is left an item: lists are written as sentences ("... and / (b) ...").
 */
function goesOn({ item, before, body }: Lines, width: number): boolean {
  const above = before.trimEnd();
  const label = readLabel(body);
  if (label === null) return false;
  if (ASKS_NUMBER.test(above) && /^\d|^[IVXL]+\b/.test(body)) return true;
  const word = /^\S+/.exec(body)?.[0] ?? '';
  const fits = above.length + 1 + word.length <= width;
  return (
    !fits && !label.weak && /^\d|^(?:section|article|clause|§)/i.test(body) && UNFINISHED.test(above.slice(-LONGEST_WORD)) && !isNext(readLabel(item), label)
  );
}

/** 3 behind 2, 2.1 behind 2: a list whose items have no point at their ends. */
function isNext(before: Label | null, after: Label): boolean {
  return after.readings.some((next) =>
    before?.readings.some(
      ({ form, values }) =>
        form === next.form &&
        (next.values.length === values.length
          ? (next.values.at(-1) ?? 0) - (values.at(-1) ?? 0) === 1
          : next.values.length > values.length && next.values.at(-1) === 1),
    ),
  );
}
