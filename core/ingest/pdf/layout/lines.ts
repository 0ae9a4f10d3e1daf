// Printed lines of a page in reading order.
//
// Owns: the line type that all of the layout works on, which way of writing is read first, where set-aside text comes. What the text of a line is stands in
// lineText.ts, what a row is in rows.ts, what is no line at all in margins.ts.
// Rule: `box`, `edges` and `axis` are places on the page; `frame` is the same box in the frame in which the line stands upright.
import type { Box } from '../../../contract/document.ts';
import type { Range } from '../../raw.ts';
import type { CellMark } from './cellMark.ts';
import { edgeOnPage, heightIn, segmentsIn, toPage, type Frame, type Turn } from './frames.ts';
import { isInked, type Glyph, type Segment } from '../text/glyphs.ts';
import { textOf, type InkLook } from './lineText.ts';
import { splitMargins } from './margins.ts';
import { readRows } from './rows.ts';
import type { Tag } from '../text/tags.ts';
import { asWritten } from './written.ts';

export interface PdfLine {
  readonly page: number;
  readonly region: number;
  readonly text: string;
  readonly edges: readonly number[];
  readonly axis: 'x' | 'y';
  readonly box: Box;
  /** Where the line stands for a reader who turns the page until the line is upright. */
  readonly frame: Box;
  /** Lower edge of most of its characters in that frame: a word in another font must not change the distance to the next line. */
  readonly base: number;
  /** Height of the page in that frame. */
  readonly frameHeight: number;
  readonly turn: Turn;
  readonly size: number;
  readonly bold: boolean;
  readonly italic: boolean;
  /** Bold or italic stretches where the line as a whole is not. */
  readonly emphasis: readonly Range[];
  /** The last character was a soft hyphen: the word goes on in the next line. */
  readonly softHyphen: boolean;
  /** Where invisible signs were left out of the text. */
  readonly invisible: readonly number[];
  readonly slanted: boolean;
  /** A margin number or a watermark: no part of the text around it. */
  readonly aside: boolean;
  /** Tag of its first segment that has one. */
  readonly tag: Tag | null;
  /** The cell that it stands in; null outside of tables. */
  readonly cell: CellMark | null;
}

const TURNS: readonly Turn[] = ['right', 'down', 'up', 'left'];

/** Lines of a page in reading order: the way of writing that most of its text has, then the others, then slanted text (stamps, watermarks). */
export function readLines(drawn: readonly Segment[], page: number, width: number, height: number): PdfLine[] {
  const segments = straightened(asWritten(drawn));
  const groups = TURNS.map((turn) => ({ turn, segments: segments.filter((segment) => segment.direction === turn) })).filter(
    (group) => group.segments.length > 0,
  );
  const weight = (group: { readonly segments: readonly Segment[] }): number => group.segments.reduce((sum, segment) => sum + segment.glyphs.length, 0);
  if (groups.length > 1) groups.sort((a, b) => weight(b) - weight(a));
  const lines: PdfLine[] = [];
  let regions = 0;
  for (const group of groups) {
    const reader = new LineReader(page, { turn: group.turn, width, height }, regions);
    lines.push(...reader.read(group.segments));
    regions = reader.regions;
  }
  const slanted = segments.filter((segment) => segment.direction === 'slanted');
  if (slanted.length > 0) {
    const reader = new LineReader(page, { turn: 'right', width, height }, regions + 1);
    lines.push(...reader.line(slanted, regions + 1, true).map((line) => ({ ...line, slanted: true })));
  }
  return lines;
}

/** A page whose text is all set at a slope is read as if it were level: then the slope is its writing and no stamp. */
function straightened(segments: readonly Segment[]): readonly Segment[] {
  const weightOf = (some: readonly Segment[]): number => some.reduce((sum, segment) => sum + segment.glyphs.length, 0);
  const slanted = segments.filter((segment) => segment.direction === 'slanted');
  // A stamp is a few words; five lines are text.
  if (slanted.length < 5 || weightOf(slanted) < 200 || weightOf(slanted) < 0.6 * weightOf(segments)) return segments;
  return segments.map((segment) => (segment.direction === 'slanted' ? { ...segment, direction: 'right' } : segment));
}

class LineReader {
  regions: number;
  private readonly page: number;
  private readonly frame: Frame;
  private readonly first: number;

  constructor(page: number, frame: Frame, first: number) {
    this.page = page;
    this.frame = frame;
    this.first = first;
    this.regions = first;
  }

  read(segments: readonly Segment[]): PdfLine[] {
    const { text, aside } = splitMargins(segmentsIn(segments, this.frame));
    const lines: PdfLine[] = [];
    for (const row of readRows(text, isRightToLeft(text))) {
      lines.push(...this.line(row.segments, this.first + row.region, false));
      this.regions = Math.max(this.regions, this.first + row.region);
    }
    for (const segment of aside) lines.push(...this.line([segment], this.regions + 1, true));
    if (aside.length > 0) this.regions++;
    return lines;
  }

  /** None, where nothing of the segments can be read. */
  line(segments: readonly Segment[], region: number, aside: boolean): PdfLine[] {
    const inked: Glyph[] = [];
    for (const segment of segments) for (const glyph of segment.glyphs) if (isInked(glyph)) inked.push(glyph);
    const look = lookOver(inked);
    const read = textOf(segments, inked, look);
    if (read === null) return [];
    const { size } = look;
    const frame = roundBox(look.box);
    const upright = this.frame.turn === 'right' || this.frame.turn === 'left';
    return [
      {
        page: this.page,
        region,
        axis: upright ? 'x' : 'y',
        text: read.text,
        edges: this.frame.turn === 'right' || this.frame.turn === 'down' ? read.edges : read.edges.map((edge) => round(edgeOnPage(edge, this.frame))),
        box: this.frame.turn === 'right' ? frame : roundBox(toPage(frame, this.frame)),
        frame,
        base: round(look.base),
        frameHeight: heightIn(this.frame),
        turn: this.frame.turn,
        size: Math.round(size * 10) / 10,
        bold: look.bold > MOSTLY,
        italic: look.italic > MOSTLY,
        emphasis: read.emphasis,
        softHyphen: read.softHyphen,
        invisible: read.invisible,
        slanted: false,
        aside,
        tag: segments.find((segment) => segment.tag !== null)?.tag ?? null,
        cell: null,
      },
    ];
  }
}

/** A bold line may hold a number or a sign in another font. */
const MOSTLY = 0.85;

interface LineLook extends InkLook {
  readonly box: Box;
  /** Lower edge of most glyphs. */
  readonly base: number;
  /** Shares of the glyphs. */
  readonly bold: number;
  readonly italic: number;
}

/** All that a line has to know of its inked glyphs, in one pass: most lines have one size and one baseline. */
function lookOver(inked: readonly Glyph[]): LineLook {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  let [bold, italic] = [0, 0];
  let [sameSize, sameBase, level] = [true, true, true];
  const first = inked[0];
  const [size, top, base] = [first?.size ?? 0, first?.y0 ?? 0, first?.y1 ?? 0];
  for (const glyph of inked) {
    if (glyph.x0 < x0) x0 = glyph.x0;
    if (glyph.y0 < y0) y0 = glyph.y0;
    if (glyph.x1 > x1) x1 = glyph.x1;
    if (glyph.y1 > y1) y1 = glyph.y1;
    if (glyph.bold) bold++;
    if (glyph.italic) italic++;
    if (glyph.size !== size) sameSize = false;
    if (glyph.y1 !== base) sameBase = false;
    if (glyph.y0 !== top) level = false;
  }
  const count = Math.max(1, inked.length);
  return {
    box: { x0, y0, x1, y1 },
    size: sameSize ? size : middleOf(inked.map((glyph) => glyph.size)),
    base: sameBase ? base : middleOf(inked.map((glyph) => glyph.y1)),
    bold: bold / count,
    italic: italic / count,
    level: level && sameSize,
  };
}

function middleOf(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** More Hebrew and Arabic letters than others. */
function isRightToLeft(segments: readonly Segment[]): boolean {
  let right = 0;
  let left = 0;
  // Two letters of each segment tell enough.
  for (const { glyphs } of segments)
    for (const glyph of [glyphs[0], glyphs[glyphs.length >> 1]]) {
      const code = glyph?.text.charCodeAt(0) ?? 0;
      if ((code >= 0x590 && code <= 0x8ff) || (code >= 0xfb1d && code <= 0xfefc)) right++;
      else if (code >= 0x41) left++;
    }
  return right > left;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function roundBox(box: Box): Box {
  return { x0: round(box.x0), y0: round(box.y0), x1: round(box.x1), y1: round(box.y1) };
}
