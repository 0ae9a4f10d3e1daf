// The text of a printed line: glyphs -> normalised characters, each with its two edges.
//
// Owns: ligatures, combining marks, spaces (repaired from gaps), soft hyphens inside lines, the edge list of the contract.
// Rule: edges.length === text.length + 1, always.
import type { Box } from '../../contract/document.ts';
import { isMark, isWideScript, repairCharacter } from '../characters.ts';
import type { Range } from '../raw.ts';
import { boxOf, type Glyph, type Segment } from './glyphs.ts';
import { readRows } from './rows.ts';

export interface PdfLine {
  readonly page: number;
  readonly region: number;
  readonly text: string;
  readonly edges: readonly number[];
  readonly axis: 'x' | 'y';
  readonly box: Box;
  readonly size: number;
  readonly bold: boolean;
  readonly italic: boolean;
  /** Bold or italic stretches where the line as a whole is not. */
  readonly emphasis: readonly Range[];
  /** The last character was a soft hyphen: the word goes on in the next line. */
  readonly softHyphen: boolean;
  readonly slanted: boolean;
}

/** Lines of a page in reading order: upright text by columns, then turned text, then slanted text (stamps, watermarks). */
export function readLines(segments: readonly Segment[], page: number): PdfLine[] {
  const upright = segments.filter((segment) => segment.direction === 'right' || segment.direction === 'left');
  const lines: PdfLine[] = [];
  for (const row of readRows(upright)) lines.push(...lineOf(row.segments, page, row.region, 'x'));
  const turned = segments.filter((segment) => segment.direction === 'down' || segment.direction === 'up');
  // Text that runs downwards (vertical CJK, turned right) is read from the right, text that runs upwards from the left.
  const down = turned.filter((segment) => segment.direction === 'down').sort((a, b) => b.box.x0 - a.box.x0 || a.box.y0 - b.box.y0);
  const up = turned.filter((segment) => segment.direction === 'up').sort((a, b) => a.box.x0 - b.box.x0 || b.box.y1 - a.box.y1);
  for (const segment of down) lines.push(...lineOf([segment], page, -1, 'y'));
  for (const segment of up) lines.push(...lineOf([segment], page, -2, 'y'));
  const slanted = segments.filter((segment) => segment.direction === 'slanted');
  if (slanted.length > 0) lines.push(...lineOf(slanted, page, -3, 'x').map((line) => ({ ...line, slanted: true })));
  return lines;
}

interface Builder {
  text: string;
  edges: number[];
  marks: boolean[];
  end: number;
}

function lineOf(segments: readonly Segment[], page: number, region: number, axis: 'x' | 'y'): PdfLine[] {
  const builder: Builder = { text: '', edges: [], marks: [], end: 0 };
  let soft = false;
  let last: Glyph | null = null;
  for (const segment of segments) {
    for (const glyph of segment.glyphs) {
      soft = glyph.text === '\u00AD';
      const text = repairCharacter(glyph.text);
      if (text === '') continue;
      const [from, to] = ends(glyph, segment.direction);
      if (last && text !== ' ' && needsSpace(last, glyph, axis, builder.text)) push(builder, ' ', builder.end, from, false);
      if (text === ' ' && (builder.text === '' || builder.text.endsWith(' '))) continue;
      push(builder, text, from, to, glyph.bold || glyph.italic);
      if (text !== ' ') last = glyph;
    }
  }
  while (builder.text.endsWith(' ')) drop(builder);
  if (builder.text === '') return [];
  const inked = segments.flatMap((segment) => segment.glyphs.filter((glyph) => glyph.text.trim() !== ''));
  const count = (test: (glyph: Glyph) => boolean): number => inked.filter(test).length;
  const sizes = inked.map((glyph) => glyph.size).sort((a, b) => a - b);
  const bold = count((glyph) => glyph.bold) > 0.85 * inked.length;
  const italic = count((glyph) => glyph.italic) > 0.85 * inked.length;
  return [
    {
      page,
      region,
      axis,
      text: builder.text,
      edges: [...builder.edges, builder.end].map((edge) => Math.round(edge * 100) / 100),
      box: roundBox(boxOf(inked)),
      size: Math.round((sizes[sizes.length >> 1] ?? 0) * 10) / 10,
      bold,
      italic,
      emphasis: rangesOf(builder.marks, builder.text),
      softHyphen: soft,
      slanted: false,
    },
  ];
}

function roundBox(box: Box): Box {
  const round = (value: number): number => Math.round(value * 100) / 100;
  return { x0: round(box.x0), y0: round(box.y0), x1: round(box.x1), y1: round(box.y1) };
}

function ends(glyph: Glyph, direction: Segment['direction']): [number, number] {
  if (direction === 'down') return [glyph.y0, glyph.y1];
  if (direction === 'up') return [glyph.y1, glyph.y0];
  return direction === 'left' ? [glyph.x1, glyph.x0] : [glyph.x0, glyph.x1];
}

/** A gap of a fifth of the size is a word space (a space glyph is 0.25; kerning stays under 0.1). Korean sets narrower spaces. */
function needsSpace(last: Glyph, glyph: Glyph, axis: 'x' | 'y', text: string): boolean {
  if (text.endsWith(' ')) return false;
  const gap = axis === 'x' ? Math.max(glyph.x0 - last.x1, last.x0 - glyph.x1) : Math.max(glyph.y0 - last.y1, last.y0 - glyph.y1);
  const size = Math.min(last.size, glyph.size);
  if (isWideScript(last.text) && isWideScript(glyph.text)) return gap > 0.8 * size;
  return gap > (/[\uAC00-\uD7AF]/.test(last.text) ? 0.14 : 0.2) * size;
}

function push(builder: Builder, text: string, from: number, to: number, mark: boolean): void {
  if (isMark(text) && builder.text !== '') {
    const composed = (builder.text.at(-1) + text).normalize('NFC');
    if (composed.length === 1) {
      builder.text = builder.text.slice(0, -1) + composed;
      builder.end = to;
      return;
    }
  }
  for (let index = 0; index < text.length; index++) {
    builder.edges.push(from + ((to - from) * index) / text.length);
    builder.marks.push(mark);
  }
  builder.text += text;
  builder.end = to;
}

function drop(builder: Builder): void {
  builder.text = builder.text.slice(0, -1);
  builder.end = builder.edges.pop() ?? builder.end;
  builder.marks.pop();
}

function rangesOf(marks: readonly boolean[], text: string): Range[] {
  const ranges: Range[] = [];
  let start = -1;
  for (let index = 0; index <= text.length; index++) {
    const on = index < text.length && (marks[index] === true || (start >= 0 && text[index] === ' '));
    if (on && start < 0) start = index;
    if (!on && start >= 0) {
      const end = start + text.slice(start, index).trimEnd().length;
      ranges.push({ start, end });
      start = -1;
    }
  }
  return ranges;
}
