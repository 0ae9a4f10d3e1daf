// Paragraph groups -> blocks: one text with its lines and edges, its number, and what kind of block it is.
//
// Owns: joining lines, headings by outline, size, boldness and capitals, list items, signature lines.
// Rule: every character of a block's text that was printed lies in exactly one line; joints (spaces at line ends) lie in none.
import type { Block, Line, Place } from '../../contract/document.ts';
import { bulletLength, readLabel } from '../labels.ts';
import type { OutlineEntry, Range } from '../raw.ts';
import { isSentence } from '../titles.ts';
import { boxOf } from './glyphs.ts';
import { jointOf } from './hyphens.ts';
import type { PdfLine } from './lines.ts';

export interface BuiltBlock {
  readonly block: Block;
  readonly emphasis: readonly Range[];
}

interface Joined {
  text: string;
  lines: Line[];
  emphasis: Range[];
}

const SIGNATURE = /^(?:(?:by|name|title|date|signature|signed|its|签字|签章|盖章|法定代表人|日期)\s*[:：]|[_\s]{6,}$|x?_{5,})/i;

export class BlockBuilder {
  private readonly words: ReadonlySet<string>;
  private readonly bodySize: number;
  private readonly lefts: ReadonlyMap<string, number>;
  private readonly outline: ReadonlyMap<string, OutlineEntry>;
  constructor(lines: readonly PdfLine[], words: ReadonlySet<string>, outline: readonly OutlineEntry[]) {
    this.words = words;
    this.bodySize = bodySizeOf(lines);
    this.lefts = leftsOf(lines);
    this.outline = new Map(outline.map((entry) => [foldTitle(entry.title), entry]));
  }

  build(group: readonly PdfLine[], id: string, furniture: boolean): BuiltBlock {
    const bullet = furniture ? 0 : bulletLength((group[0] as PdfLine).text);
    const first = bullet > 0 && (group[0] as PdfLine).text.length > bullet ? dropStart(group[0] as PdfLine, bullet) : (group[0] as PdfLine);
    const bulleted = first !== group[0];
    const lines = [first, ...group.slice(1)];
    const joined = this.join(lines);
    const label = furniture ? null : readLabel(joined.text);
    const bold = lines.every((line) => line.bold);
    const size = first.size;
    const entry = furniture ? undefined : this.outlineOf(joined.text, label?.rest ?? 0);
    const heading = entry !== undefined || isHeading(joined.text, label?.rest ?? 0, lines, bold, size > 1.12 * this.bodySize);
    const kind = furniture
      ? 'furniture'
      : heading
        ? 'heading'
        : SIGNATURE.test(joined.text)
          ? 'signature'
          : bulleted || isListNumber(label?.number)
            ? 'listItem'
            : 'paragraph';
    const block: Block = {
      id,
      kind,
      text: joined.text,
      at: placesOf(joined.lines),
      lines: joined.lines,
      number: label?.number ?? null,
      level: entry?.depth ?? null,
      indent: Math.round((first.frame.x0 - (this.lefts.get(`${first.page}:${first.region}`) ?? first.frame.x0)) * 10) / 10,
      font: { size, bold, italic: lines.every((line) => line.italic) },
      cell: null,
      hidden: null,
    };
    return { block, emphasis: joined.emphasis };
  }

  private outlineOf(text: string, rest: number): OutlineEntry | undefined {
    if (text.length > 200) return undefined;
    return this.outline.get(foldTitle(text)) ?? (rest > 0 ? this.outline.get(foldTitle(text.slice(rest))) : undefined);
  }

  private join(group: readonly PdfLine[]): Joined {
    const joined: Joined = { text: '', lines: [], emphasis: [] };
    group.forEach((line, index) => {
      const next = group[index + 1];
      const joint = next ? jointOf(line, next, this.words) : { remove: 0, between: '' };
      const text = line.text.slice(0, line.text.length - joint.remove);
      const start = joined.text.length;
      joined.lines.push({ start, end: start + text.length, page: line.page, box: line.box, edges: line.edges.slice(0, text.length + 1), axis: line.axis });
      for (const range of line.emphasis) addRange(joined.emphasis, start + range.start, start + Math.min(range.end, text.length));
      joined.text += text + joint.between;
    });
    return joined;
  }
}

function addRange(ranges: Range[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last && start - last.end <= 1) ranges[ranges.length - 1] = { start: last.start, end };
  else if (end > start) ranges.push({ start, end });
}

function dropStart(line: PdfLine, count: number): PdfLine {
  const emphasis = line.emphasis
    .map((range) => ({ start: Math.max(0, range.start - count), end: range.end - count }))
    .filter((range) => range.end > range.start);
  const edges = line.edges.slice(count);
  return {
    ...line,
    text: line.text.slice(count),
    edges,
    emphasis,
    box: line.axis === 'x' ? { ...line.box, x0: Math.min(edges[0] ?? line.box.x0, line.box.x1) } : line.box,
  };
}

function placesOf(lines: readonly Line[]): Place[] {
  const pages = [...new Set(lines.map((line) => line.page))];
  return pages.map((page) => ({ page, box: boxOf(lines.filter((line) => line.page === page).map((line) => line.box)) }));
}

/** Size of most characters. */
function bodySizeOf(lines: readonly PdfLine[]): number {
  const weights = new Map<number, number>();
  for (const line of lines) weights.set(line.size, (weights.get(line.size) ?? 0) + line.text.length);
  return [...weights].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Left margin of each region. Full-width pages share the document's margin: a page of indented text only is still indented. */
function leftsOf(lines: readonly PdfLine[]): Map<string, number> {
  const spans = new Map<string, { left: number; right: number }>();
  let right = 0;
  for (const line of lines) {
    const key = `${line.page}:${line.region}`;
    const span = spans.get(key) ?? { left: Infinity, right: 0 };
    spans.set(key, { left: Math.min(span.left, line.frame.x0), right: Math.max(span.right, line.frame.x1) });
    right = Math.max(right, line.frame.x1);
  }
  const wide = [...spans.values()]
    .filter((span) => span.right - span.left > 0.5 * right)
    .map((span) => span.left)
    .sort((a, b) => a - b);
  const margin = wide[Math.floor(wide.length * 0.1)] ?? Infinity;
  // 90 points: more than any list indent of a page that has lost its margin, less than a second column.
  return new Map([...spans].map(([key, span]) => [key, span.left - margin > 0 && span.left - margin < 90 ? margin : span.left]));
}

export function foldTitle(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function isListNumber(number: string | undefined): boolean {
  return number !== undefined && /^[(（]|[)）]$/.test(number);
}

function isHeading(text: string, rest: number, lines: readonly PdfLine[], bold: boolean, large: boolean): boolean {
  const title = text.slice(rest);
  const words = title.split(' ').length;
  if (words > 14 || title.length > 110 || !/\p{L}{2}/u.test(text) || /[,;:，；]$/.test(title)) return false;
  if (/[_…]{3}|\.{4}/.test(title) || isSentence(title)) return false;
  const capitals = title === title.toUpperCase() && /\p{Lu}{3}/u.test(title);
  if (large) return !/[.。]$/.test(title) || bold;
  if (bold || (rest > 0 && title !== '' && lines.length === 1 && (lines[0] as PdfLine).bold)) return lines.length <= 3;
  return capitals && lines.length <= 3;
}
