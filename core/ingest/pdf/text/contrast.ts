// Whether a reader of the rendered page can make out anything inside a box: the last word on white and covered text.
//
// The page is rendered once, in grey, and only when a text is under suspicion; the caller limits how many pages that is done for.
import type * as mupdf from 'mupdf';
import type { Box } from '../../../contract/document.ts';
import type { PageArea } from './glyphs.ts';
import type { Mupdf } from '../mupdf.ts';

/** Pixels per point: strokes of 6 point type are half a pixel wide and still leave a trace. */
const SCALE = 1;
/** Grey levels of 255 between the lightest and the darkest pixel of a box; print that differs less is not seen. */
const LEAST_CONTRAST = 14;
/** Longest side of a page in points that is rendered whole; plans of ships are larger and hold no hidden clauses. */
const LONGEST_SIDE = 3000;

/** Null where the page can not be rendered. */
export function renderContrast(library: Mupdf, page: mupdf.PDFPage, { size, origin }: PageArea): ((box: Box) => boolean) | null {
  if (Math.max(...size) > LONGEST_SIDE) return null;
  let pixmap: mupdf.Pixmap | null = null;
  try {
    const { Matrix } = library;
    pixmap = new library.Pixmap(library.ColorSpace.DeviceGray, [0, 0, Math.ceil(size[0] * SCALE), Math.ceil(size[1] * SCALE)], false);
    pixmap.clear(255);
    const device = new library.DrawDevice(Matrix.concat(Matrix.translate(-origin[0], -origin[1]), Matrix.scale(SCALE, SCALE)), pixmap);
    page.runPageContents(device, Matrix.identity);
    device.close();
    device.destroy();
    const [width, height, stride] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getStride()];
    const pixels = new Uint8Array(pixmap.getPixels());
    return (box) => spread(pixels, width, height, stride, box) >= LEAST_CONTRAST;
  } catch {
    return null; // A page whose drawing is damaged is judged by geometry alone.
  } finally {
    pixmap?.destroy();
  }
}

/** Lightest less darkest pixel of a box, its rim left out: borders of table cells and fills end there. */
function spread(pixels: Uint8Array, width: number, height: number, stride: number, box: Box): number {
  const rim = Math.min(1, (box.y1 - box.y0) / 6);
  const [x0, x1] = [Math.max(0, Math.floor((box.x0 + rim) * SCALE)), Math.min(width, Math.ceil((box.x1 - rim) * SCALE))];
  const [y0, y1] = [Math.max(0, Math.floor((box.y0 + rim) * SCALE)), Math.min(height, Math.ceil((box.y1 - rim) * SCALE))];
  let darkest = 255;
  let lightest = 0;
  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1; x++) {
      const level = pixels[y * stride + x] ?? 255;
      if (level < darkest) darkest = level;
      if (level > lightest) lightest = level;
    }
  return lightest - darkest;
}
