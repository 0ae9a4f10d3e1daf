// Paragraph groups -> blocks: one text with its lines and edges, its number and its indent.
//
// Owns: joining lines, bullets, indents. Leaves to headings.ts what kind of block it is.
// Rule: every character of a block's text that was printed lies in exactly one line; joints (spaces at line ends) lie in none.
import type { Block, Line, Place } from '../../../contract/document.ts';
import { bulletLength, readLabel } from '../../labels.ts';
import type { OutlineEntry, Range } from '../../raw.ts';
import { NOTE_MARK } from './footnotes.ts';
import { boxOf } from '../text/glyphs.ts';
import { KindReader } from './headings.ts';
import { jointOf } from './hyphens.ts';
import type { PdfLine } from './lines.ts';

export interface BuiltBlock {
  readonly block: Block;
  readonly emphasis: readonly Range[];
  /** Where invisible signs were left out of the text. */
  readonly invisible: readonly number[];
}

interface Joined {
  text: string;
  lines: Line[];
  emphasis: Range[];
  invisible: number[];
}

export class BlockBuilder {
  private readonly words: ReadonlySet<string>;
  private readonly kinds: KindReader;
  private readonly lefts: ReadonlyMap<string, number>;

  constructor(lines: readonly PdfLine[], words: ReadonlySet<string>, outline: readonly OutlineEntry[]) {
    this.words = words;
    this.kinds = new KindReader(lines, outline);
    this.lefts = leftsOf(lines);
  }

  /** `set`: what the lines are known to be already; null for text of the document. */
  build(group: readonly PdfLine[], id: string, set: 'furniture' | 'footnote' | null): BuiltBlock {
    const top = group[0] as PdfLine;
    const bullet = set === null ? bulletLength(top.text) : 0;
    const bulleted = bullet > 0 && top.text.length > bullet;
    const first = bulleted ? dropStart(top, bullet) : top;
    const lines = [first, ...group.slice(1)];
    const joined = this.join(lines);
    const { kind, level } = set === null ? this.kinds.kindOf(joined.text, lines, bulleted) : { kind: set, level: null };
    const block: Block = {
      id,
      kind,
      text: joined.text,
      at: placesOf(joined.lines),
      lines: joined.lines,
      number: numberOf(joined.text, set),
      level,
      indent: Math.round((first.frame.x0 - (this.lefts.get(`${first.page}:${first.region}`) ?? first.frame.x0)) * 10) / 10,
      font: { size: first.size, bold: lines.every((line) => line.bold), italic: lines.every((line) => line.italic) },
      cell: null,
      hidden: null,
    };
    return { block, emphasis: joined.emphasis, invisible: joined.invisible };
  }

  private join(group: readonly PdfLine[]): Joined {
    const joined: Joined = { text: '', lines: [], emphasis: [], invisible: [] };
    group.forEach((line, index) => {
      const next = group[index + 1];
      const joint = next ? jointOf(line, next, this.words) : { remove: 0, between: '' };
      const text = line.text.slice(0, line.text.length - joint.remove);
      const start = joined.text.length;
      joined.lines.push({
        start,
        end: start + text.length,
        page: line.page,
        box: line.box,
        edges: joint.remove === 0 ? line.edges : line.edges.slice(0, text.length + 1),
        axis: line.axis,
      });
      for (const range of line.emphasis) addRange(joined.emphasis, start + range.start, start + Math.min(range.end, text.length));
      for (const at of line.invisible) joined.invisible.push(start + at);
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
    invisible: line.invisible.map((at) => at - count),
    box: line.axis === 'x' ? { ...line.box, x0: Math.min(edges[0] ?? line.box.x0, line.box.x1) } : line.box,
  };
}

function placesOf(lines: readonly Line[]): Place[] {
  const pages = [...new Set(lines.map((line) => line.page))];
  return pages.map((page) => ({ page, box: boxOf(lines.filter((line) => line.page === page).map((line) => line.box)) }));
}

function numberOf(text: string, set: 'furniture' | 'footnote' | null): string | null {
  if (set === 'furniture') return null;
  return set === 'footnote' ? (NOTE_MARK.exec(text)?.[1] ?? null) : (readLabel(text)?.number ?? null);
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
