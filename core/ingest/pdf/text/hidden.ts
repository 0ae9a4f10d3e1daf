// Which text of a page a reader does not see, and why: drawn without ink, white on white, too small, beside the page, under a fill.
//
// Owns: the verdict per segment. Geometry accuses, the rendered page decides (contrast.ts), because fills may be transparent, blended or masked.
// Rule: hidden text is kept and named, never dropped; the text layer of a scan is invisible by design and is not hidden.
import type { Block, Box } from '../../../contract/document.ts';
import type { Glyph, PageGlyphs, PlacedImage, Segment } from './glyphs.ts';
import type { Vector } from './vectors.ts';

export type Hiding = NonNullable<Block['hidden']>;

export interface HiddenSegment {
  readonly segment: Segment;
  readonly hiding: Hiding;
}

export interface Sight {
  readonly visible: readonly Segment[];
  readonly hidden: readonly HiddenSegment[];
  /** Characters without ink that lie on a picture: what another program recognised in a scan. */
  readonly recognised: number;
}

/** Tells whether anything can be made out inside a box of the rendered page; null when the page is not to be rendered. */
export type ShowsInk = ((box: Box) => boolean) | null;

/** A ground or a fill lies under or over a text when it covers this much of it; descenders reach out of tight fills. */
const COVERED_SHARE = 0.8;
/** A scan fills its page; text without ink needs this much picture under it to be that picture's text. */
const PICTURE_SHARE = 0.6;

/** `showsInk` is called only for segments under suspicion. */
export function lookAt(glyphs: PageGlyphs, [width, height]: readonly [number, number], showsInk: () => ShowsInk): Sight {
  const visible: Segment[] = [];
  const hidden: HiddenSegment[] = [];
  let recognised = 0;
  const fills = glyphs.vectors.filter((vector) => !vector.stroked && vector.color >>> 24 === 255);
  // mupdf judges by the bounds of a glyph what a clip cuts away, and those are wrong in some fonts: ink where no other text stands is that glyph.
  const isDrawn = ({ box }: Segment): boolean => box.x0 >= 0 && box.y0 >= 0 && box.x1 <= width && box.y1 <= height && coverage(box, others(box)) < 0.5;
  const others = (box: Box): readonly Glyph[] =>
    glyphs.segments.filter((other) => other.paint !== 'offPage' && share(other.box, box) > 0).flatMap((other) => other.glyphs);
  const isSeen = (segment: Segment, hiding: Hiding): boolean => {
    // The painting order of tagged pages is that of their structure: without the rendered page nothing is called covered.
    if (hiding === 'covered') return showsInk()?.(segment.box) !== false;
    return (hiding === 'white' || (hiding === 'offPage' && isDrawn(segment))) && showsInk()?.(segment.box) === true;
  };
  for (const segment of glyphs.segments) {
    const layer = segment.paint === 'invisible' && isOnPicture(segment, glyphs.images, glyphs.vectors);
    if (layer) recognised += segment.glyphs.length;
    const hiding = layer ? null : suspicionOf(segment, fills, glyphs.images);
    if (hiding === null || isSeen(segment, hiding)) visible.push(segment);
    else hidden.push({ segment, hiding });
  }
  return { visible, hidden, recognised };
}

function suspicionOf(segment: Segment, fills: readonly Vector[], images: readonly PlacedImage[]): Hiding | null {
  if (segment.paint === 'invisible' || segment.paint === 'tiny' || segment.paint === 'offPage') return segment.paint;
  if (fills.some((fill) => fill.order > segment.order && fill.rectangle && share(segment.box, fill.box) > COVERED_SHARE)) return 'covered';
  if (segment.paint !== 'white') return null;
  const onGround = fills.some((fill) => !isWhite(fill.color) && share(segment.box, fill.box) > COVERED_SHARE);
  return onGround || images.some((image) => share(segment.box, image.box) > COVERED_SHARE) ? null : 'white';
}

/** Scans come as images, or as outlines that were traced from them. */
function isOnPicture(segment: Segment, images: readonly PlacedImage[], vectors: readonly Vector[]): boolean {
  const boxes = (pieces: readonly { readonly box: Box }[]): Box[] => pieces.map((piece) => piece.box);
  if (coverage(segment.box, boxes(images)) >= PICTURE_SHARE) return true;
  return coverage(segment.box, boxes(vectors.filter((vector) => !vector.rectangle))) >= PICTURE_SHARE;
}

/** Share of a box that pieces cover together; pieces that overlap each other count twice, which is rare and harmless here. */
function coverage(box: Box, pieces: readonly Box[]): number {
  let sum = 0;
  for (const piece of pieces) sum += share(box, piece);
  return sum;
}

function share(box: Box, cover: Box): number {
  const width = Math.min(box.x1, cover.x1) - Math.max(box.x0, cover.x0);
  const height = Math.min(box.y1, cover.y1) - Math.max(box.y0, cover.y0);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.max(1e-6, (box.x1 - box.x0) * (box.y1 - box.y0));
}

function isWhite(color: number): boolean {
  return (color & 0xf0f0f0) === 0xf0f0f0;
}
