// Blocks that stand beside the running text of a PDF and are put in after layout: hidden lines, form fields, free-text annotations.
//
// Rule: an aside comes after the last block of its page that ends above it, so that a filled-in value follows its label; hidden text ends its page.
import type { Block, Box, Line } from '../../../contract/document.ts';
import type { DrawnAside } from '../text/annotations.ts';
import type { Hiding } from '../text/hidden.ts';
import type { PdfLine } from './lines.ts';

export interface HiddenLine {
  readonly line: PdfLine;
  readonly hiding: Hiding;
}

export function hiddenBlock({ line, hiding }: HiddenLine, id: string): Block {
  return {
    ...plainBlock(id, 'paragraph', line.text, line.page, line.box, line.size),
    lines: [lineOf(line, 0)],
    font: { size: line.size, bold: line.bold, italic: line.italic },
    hidden: hiding,
  };
}

/** A form field's value or free text. Lines that the appearance draws carry the places of its letters. */
export function drawnBlock(aside: DrawnAside<PdfLine>, page: number, id: string): Block {
  const [first] = aside.lines;
  const text = first === undefined ? aside.text : aside.lines.map((line) => line.text).join(' ');
  const lines: Line[] = [];
  let start = 0;
  for (const line of aside.lines) {
    lines.push(lineOf(line, start));
    start += line.text.length + 1;
  }
  // 10 points where nothing is drawn: what viewers set an empty appearance in.
  return { ...plainBlock(id, aside.kind, text, page, aside.box, first?.size ?? 10), lines, hidden: aside.unseen ? 'invisible' : null };
}

function lineOf(line: PdfLine, start: number): Line {
  return { start, end: start + line.text.length, page: line.page, box: line.box, edges: line.edges, axis: line.axis };
}

export function plainBlock(id: string, kind: Block['kind'], text: string, page: number, box: Box, size: number): Block {
  const font = { size, bold: false, italic: false };
  return { id, kind, text, at: [{ page, box }], lines: [], number: null, level: null, indent: 0, font, cell: null, hidden: null };
}

/** `asides` in page order; each is on one page. */
export function placeAsides(blocks: readonly Block[], asides: readonly Block[]): readonly Block[] {
  if (asides.length === 0) return blocks;
  const ends = new BlockEnds(blocks);
  const after = Map.groupBy(asides, (aside) => ends.positionOf(aside));
  return [...(after.get(-1) ?? []), ...blocks.flatMap((block, index) => [block, ...(after.get(index) ?? [])])];
}

interface BlockEnd {
  readonly index: number;
  readonly middle: number;
}

/** Where blocks end, by page: a page of 20,000 hidden lines asks as often, so an answer must not look at every block. */
class BlockEnds {
  /** By page: index of the last block that ends there or before. */
  private readonly lastUpTo: number[] = [];
  /** By page: ends from the last block upwards, each higher on the page than those after it; others are never an answer. */
  private readonly rising = new Map<number, BlockEnd[]>();

  constructor(blocks: readonly Block[]) {
    for (const [index, block] of [...blocks.entries()].toReversed()) {
      const end = block.at.at(-1);
      if (end === undefined) continue;
      this.lastUpTo[end.page] ??= index;
      if (block.kind === 'furniture' || end.box === null) continue;
      const list = this.rising.get(end.page) ?? [];
      // The middle of the label's last line decides: boxes of fields reach a little above and below their line.
      const middle = lastMiddle(block, end.box);
      if (middle < (list.at(-1)?.middle ?? Infinity)) list.push({ index, middle });
      this.rising.set(end.page, list);
    }
    for (let page = 0; page < this.lastUpTo.length; page++) this.lastUpTo[page] = Math.max(this.lastUpTo[page] ?? -1, this.lastUpTo[page - 1] ?? -1);
  }

  /** Index of the block that an aside follows; -1 for the beginning. */
  positionOf(aside: Block): number {
    const page = aside.at[0]?.page ?? 0;
    return aside.hidden === null ? Math.max(this.upTo(page - 1), this.lastAbove(page, aside.at[0]?.box?.y1 ?? 0)) : this.upTo(page);
  }

  private upTo(page: number): number {
    return this.lastUpTo[Math.min(page, this.lastUpTo.length - 1)] ?? -1;
  }

  private lastAbove(page: number, bottom: number): number {
    const list = this.rising.get(page) ?? [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const half = (low + high) >> 1;
      if ((list[half] as BlockEnd).middle <= bottom) high = half;
      else low = half + 1;
    }
    return list[low]?.index ?? -1;
  }
}

function lastMiddle(block: Block, box: Box): number {
  const line = block.lines.at(-1)?.box ?? box;
  return (line.y0 + line.y1) / 2;
}
