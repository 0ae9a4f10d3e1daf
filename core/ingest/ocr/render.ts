// A page of mupdf -> an upright grey picture of it, and the way back from the picture to the page as displayed.
//
// Owns: the turn by which a page is brought upright before recognition (quarter turns and skew in one matrix, so that pixels are resampled once).
// Upright points: 1/72 inch, origin at the top left of the turned page's bounding box, y downwards.
import type * as mupdf from 'mupdf';
import type { GreyImage } from './greyImage.ts';

export type QuarterTurn = 0 | 90 | 180 | 270;

/** [a, b, c, d, e, f]: x' = a x + c y + e, y' = b x + d y + f (ISO 32000-1, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number];

export interface Upright {
  readonly width: number;
  readonly height: number;
  /** From upright points to points of the page as displayed. */
  readonly toPage: Matrix;
}

/** Largest picture in pixels: A3 at 300 dpi. Larger sheets are drawn coarser; tesseract needs about 10 bytes for each pixel. */
const MOST_PIXELS = 18_000_000;

export interface Drawn {
  readonly image: GreyImage;
  readonly upright: Upright;
  /** Upright points per pixel. */
  readonly scale: number;
}

/** Draws the page turned clockwise by `degrees` (any angle), at most at `dpi`. */
export function drawUpright(library: typeof mupdf, page: mupdf.Page, dpi: number, degrees: number): Drawn {
  const [left, top, right, bottom] = page.getBounds();
  const [width, height] = [right - left, bottom - top];
  const [cos, sin] = turnOf(degrees);
  // The bounding box of the turned page, as offsets from the turned origin.
  const x0 = Math.min(0, cos * width, -sin * height, cos * width - sin * height);
  const y0 = Math.min(0, sin * width, cos * height, sin * width + cos * height);
  const upright: Upright = {
    width: Math.abs(cos) * width + Math.abs(sin) * height,
    height: Math.abs(sin) * width + Math.abs(cos) * height,
    toPage: [cos, -sin, sin, cos, cos * x0 + sin * y0, -sin * x0 + cos * y0],
  };
  const pixelsPerPoint = Math.min(dpi / 72, Math.sqrt(MOST_PIXELS / Math.max(1, upright.width * upright.height)));
  const s = pixelsPerPoint;
  const forward: mupdf.Matrix = [s * cos, s * sin, -s * sin, s * cos, s * (-cos * left + sin * top - x0), s * (-sin * left - cos * top - y0)];
  const drawn = page.toPixmap(forward, library.ColorSpace.DeviceGray, false, false);
  try {
    return { image: packed(drawn), upright, scale: 1 / s };
  } finally {
    drawn.destroy();
  }
}

/** Cosine and sine, exact for quarter turns. */
function turnOf(degrees: number): readonly [number, number] {
  const quarter = ((degrees % 360) + 360) % 360;
  if (quarter === 0) return [1, 0];
  if (quarter === 90) return [0, 1];
  if (quarter === 180) return [-1, 0];
  if (quarter === 270) return [0, -1];
  const radians = (degrees * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
}

/** The pixmap begins at whole pixels near the origin of the upright frame; its rows may be padded. */
function packed(pixmap: mupdf.Pixmap): GreyImage {
  const [width, height, stride] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getStride()];
  const source = pixmap.getPixels();
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) pixels.set(source.subarray(y * stride, y * stride + width), y * width);
  return { width, height, pixels };
}

export function isIdentity({ toPage: [a, b, c, d, e, f] }: Upright): boolean {
  return a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0;
}
