// Remarks of a PDF -> comments of the document: the text that a highlight covers becomes the comment's span, answers find what they answer.
import type { Block, Box, Comment, Line, Span } from '../../../contract/document.ts';
import type { Remark } from './annotations.ts';

export interface PlacedRemark {
  readonly page: number;
  readonly remark: Remark;
}

/** Spans lack the document's id, as everywhere in a reader. */
export function commentsOf(remarks: readonly PlacedRemark[], blocks: readonly Block[]): Comment[] {
  const settled = new Set(remarks.flatMap(({ remark }) => (remark.settles && remark.parent !== null ? [remark.parent] : [])));
  const kept = remarks.filter(({ remark }) => !remark.settles);
  const known = new Set(kept.map(({ remark }) => remark.object));
  const pages = new Set(kept.map((entry) => entry.page));
  const linesOf = new Map<number, { readonly block: Block; readonly line: Line }[]>([...pages].map((page) => [page, []]));
  for (const block of blocks) for (const line of block.lines) linesOf.get(line.page)?.push({ block, line });
  return kept.map(({ page, remark }) => ({
    id: `a${remark.object}`,
    author: remark.author,
    date: remark.date,
    text: remark.text,
    span: spanUnder(remark.marked, linesOf.get(page) ?? []),
    parentId: remark.parent !== null && known.has(remark.parent) ? `a${remark.parent}` : null,
    resolved: settled.has(remark.object),
  }));
}

/** The characters whose middle lies in one of the boxes; of the block that has most of them, because a span is in one block. */
function spanUnder(boxes: readonly Box[], lines: readonly { readonly block: Block; readonly line: Line }[]): Span | null {
  const found = new Map<Block, { start: number; end: number }>();
  for (const { block, line } of lines)
    for (const box of boxes) {
      const range = rangeUnder(box, line);
      if (range === null) continue;
      const before = found.get(block);
      found.set(block, before ? { start: Math.min(before.start, range.start), end: Math.max(before.end, range.end) } : range);
    }
  const best = [...found].toSorted((a, b) => b[1].end - b[1].start - (a[1].end - a[1].start))[0];
  return best === undefined ? null : { documentId: '', blockId: best[0].id, ...best[1] };
}

function rangeUnder(box: Box, line: Line): { start: number; end: number } | null {
  const along = line.axis === 'x';
  const middle = along ? (line.box.y0 + line.box.y1) / 2 : (line.box.x0 + line.box.x1) / 2;
  if (middle < (along ? box.y0 : box.x0) || middle > (along ? box.y1 : box.x1)) return null;
  const [from, to] = along ? [box.x0, box.x1] : [box.y0, box.y1];
  let start = -1;
  let end = -1;
  for (let index = 0; index + 1 < line.edges.length; index++) {
    const center = ((line.edges[index] as number) + (line.edges[index + 1] as number)) / 2;
    if (center < from || center > to) continue;
    if (start < 0) start = index;
    end = index + 1;
  }
  return start < 0 ? null : { start: line.start + start, end: line.start + end };
}
