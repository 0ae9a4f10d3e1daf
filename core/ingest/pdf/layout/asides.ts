// Blocks that stand beside the running text of a PDF and are put in after layout: hidden lines, form fields, free-text annotations.
//
// Rule: an aside comes after the last block of its page that ends above it, so that a filled-in value follows its label; hidden text ends its page.
import type { Block, Box, Line } from '../../../contract/document.ts';
import type { DrawnAside } from '../text/annotations.ts';
import type { PdfLine } from './lines.ts';
import type { HiddenLine } from '../readPage.ts';

export function hiddenBlock({ line, hiding }: HiddenLine, id: string): Block {
  return {
    ...plainBlock(id, 'paragraph', line.text, line.page, line.box, line.size),
    lines: [lineOf(line, 0)],
    font: { size: line.size, bold: line.bold, italic: line.italic },
    hidden: hiding,
  };
}

/** A form field's value or free text. Lines that the appearance draws carry the places of its letters. */
export function drawnBlock(aside: DrawnAside, page: number, id: string): Block {
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
  const after = new Map<number, Block[]>();
  const ends = blocks.map((block) => block.at.at(-1));
  for (const aside of asides) {
    const place = positionOf(aside, blocks, ends);
    const list = after.get(place);
    if (list) list.push(aside);
    else after.set(place, [aside]);
  }
  const placed: Block[] = [...(after.get(-1) ?? [])];
  blocks.forEach((block, index) => placed.push(block, ...(after.get(index) ?? [])));
  return placed;
}

/** Index of the block that an aside follows; -1 for the beginning. */
function positionOf(aside: Block, blocks: readonly Block[], ends: readonly (Block['at'][number] | undefined)[]): number {
  const page = aside.at[0]?.page ?? 0;
  const bottom = aside.at[0]?.box?.y1 ?? 0;
  let last = -1;
  let best = -1;
  ends.forEach((end, index) => {
    if (end === undefined || end.page > page) return;
    last = index;
    if (end.page < page) best = index;
    // The middle of the label's last line decides: boxes of fields reach a little above and below their line.
    else if (blocks[index]?.kind !== 'furniture' && end.box !== null && lastMiddle(blocks[index], end.box) <= bottom) best = index;
  });
  return aside.hidden === null ? best : last;
}

function lastMiddle(block: Block | undefined, box: Box): number {
  const line = block?.lines.at(-1)?.box ?? box;
  return (line.y0 + line.y1) / 2;
}
