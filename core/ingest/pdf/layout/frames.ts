// Turned text in the frame of its reader: what is drawn sideways or upside down is laid out as if the page had been turned until it stands upright.
//
// Owns: the four frames and the way back to the page. Vertical Chinese and Japanese reads downwards, its columns from the right: the same frame as text that
// was turned by a quarter to the right. Rule: a frame only exchanges and mirrors axes, so that boxes stay boxes.
import type { Box } from '../../../contract/document.ts';
import type { Segment } from '../text/glyphs.ts';

export type Turn = Exclude<Segment['direction'], 'slanted'>;

export interface Frame {
  readonly turn: Turn;
  /** Of the page as displayed, in points. */
  readonly width: number;
  readonly height: number;
}

/** Height of the page in the frame: where its foot is. */
export function heightIn(frame: Frame): number {
  return frame.turn === 'right' || frame.turn === 'left' ? frame.height : frame.width;
}

export function toFrame<T extends Box>(part: T, { turn, width, height }: Frame): T {
  const { x0, y0, x1, y1 } = part;
  if (turn === 'right') return part;
  if (turn === 'left') return { ...part, x0: width - x1, y0: height - y1, x1: width - x0, y1: height - y0 };
  if (turn === 'down') return { ...part, x0: y0, y0: width - x1, x1: y1, y1: width - x0 };
  return { ...part, x0: height - y1, y0: x0, x1: height - y0, y1: x1 };
}

export function toPage({ x0, y0, x1, y1 }: Box, { turn, width, height }: Frame): Box {
  if (turn === 'right') return { x0, y0, x1, y1 };
  if (turn === 'left') return { x0: width - x1, y0: height - y1, x1: width - x0, y1: height - y0 };
  if (turn === 'down') return { x0: width - y1, y0: x0, x1: width - y0, y1: x1 };
  return { x0: y0, y0: height - x1, x1: y1, y1: height - x0 };
}

/** An edge along the line, in the frame, as x (upright and upside down) or y on the page. */
export function edgeOnPage(edge: number, { turn, width, height }: Frame): number {
  if (turn === 'left') return width - edge;
  return turn === 'up' ? height - edge : edge;
}

export function segmentsIn(segments: readonly Segment[], frame: Frame): readonly Segment[] {
  if (frame.turn === 'right') return segments;
  return segments.map((segment) => ({
    ...segment,
    glyphs: segment.glyphs.map((glyph) => toFrame(glyph, frame)),
    box: toFrame(segment.box, frame),
  }));
}
