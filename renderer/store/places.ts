// From characters to places: the boxes of a span, the text of a clause, and which clause stands at a point of a page.
//
// Owns: the arithmetic over Block.lines. Exact to the character: a box ends where its first and last character end, not where the line does.
// Rule: pure functions over the document; what cannot be placed exactly falls back to the block's own place, never to a guess in between.
import type { Block, Clause, Document, Line, Place, Span } from '../../core/contract/document.ts';

const blockMaps = new WeakMap<Document, ReadonlyMap<string, Block>>();

export function blocksById(document: Document): ReadonlyMap<string, Block> {
  const known = blockMaps.get(document);
  if (known) return known;
  const map = new Map(document.blocks.map((block) => [block.id, block]));
  blockMaps.set(document, map);
  return map;
}

function linePlace(line: Line, start: number, end: number): Place | null {
  const from = Math.max(start, line.start);
  const to = Math.min(end, line.end);
  if (from >= to) return null;
  const first = line.edges[from - line.start];
  const last = line.edges[to - line.start];
  if (first === undefined || last === undefined) return { page: line.page, box: line.box };
  const [low, high] = first < last ? [first, last] : [last, first];
  const box = line.axis === 'x' ? { ...line.box, x0: low, x1: high } : { ...line.box, y0: low, y1: high };
  return { page: line.page, box };
}

/** One place per drawn line that the span touches. */
export function spanPlaces(document: Document, span: Span): readonly Place[] {
  const block = blocksById(document).get(span.blockId);
  if (!block) return [];
  const places = block.lines.map((line) => linePlace(line, span.start, span.end)).filter((place) => place !== null);
  return places.length > 0 ? places : block.at;
}

export function spanText(document: Document, span: Span): string {
  return blocksById(document).get(span.blockId)?.text.slice(span.start, span.end) ?? '';
}

export const clauseText = (document: Document, clause: Clause): string => clause.spans.map((span) => spanText(document, span)).join('\n');

export interface Anchor {
  readonly clauseId: string;
  readonly page: number;
  readonly y: number;
  readonly blockId: string;
}

const anchorLists = new WeakMap<Document, readonly Anchor[]>();

/** Where each clause begins, in reading order: the base of "current clause". */
export function clauseAnchors(document: Document): readonly Anchor[] {
  const known = anchorLists.get(document);
  if (known) return known;
  const anchors = document.clauses.flatMap((clause): Anchor[] => {
    const span = clause.spans[0];
    const place = span && spanPlaces(document, span)[0];
    return span && place ? [{ clauseId: clause.id, page: place.page, y: place.box?.y0 ?? 0, blockId: span.blockId }] : [];
  });
  anchorLists.set(document, anchors);
  return anchors;
}

/** The clause that holds most of a span (a block may belong to two); null for furniture and what stands before the first clause. */
export function clauseOfSpan(document: Document, { blockId, start, end }: Span): string | null {
  let found: string | null = null;
  let most = -1;
  for (const clause of document.clauses)
    for (const own of clause.spans) {
      const shared = own.blockId === blockId ? Math.max(0, Math.min(end, own.end) - Math.max(start, own.start)) : -1;
      if (shared > most) [found, most] = [clause.id, shared];
    }
  return found;
}

/** The last clause that begins at or above the point; null above the first. */
export function clauseAt(document: Document, page: number, y: number): string | null {
  let found: string | null = null;
  for (const anchor of clauseAnchors(document)) {
    if (anchor.page > page || (anchor.page === page && anchor.y > y)) break;
    found = anchor.clauseId;
  }
  return found;
}
