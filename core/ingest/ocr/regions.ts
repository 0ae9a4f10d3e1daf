// The columns of a scanned page: rectangles that are recognised one by one, each as a single column of lines.
//
// tesseract's own page analysis takes a narrow column of clause numbers for noise and drops it (measured: 15 of 17 numbers of a page of definitions);
// told that it sees one column it reads them in their lines. So columns are cut here, by gutters that stay white over many lines, and lines stay whole.
// Rules: a cut goes through white only; a side that is too narrow for text stays with its neighbour; every inked pixel lies in exactly one region.
import { inkThreshold, type GreyImage } from './greyImage.ts';

/** In pixels of the picture, end exclusive. */
export interface Region {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Inches. Gutters of newspapers are a seventh of an inch; wide word spaces of justified text do not stay white over ten lines. */
const GUTTER = 0.13;
/** A narrower side is a column of numbers, bullets or line numbers: it belongs to the lines beside it. */
const SIDE = 0.95;
/** Eight lines of small print. */
const RUN = 1;
/** Headline over columns over footnotes over columns: more nesting is no page. */
const DEEPEST = 8;

export function findRegions(image: GreyImage, dpi: number): readonly Region[] {
  const ink = new InkMap(image, Math.max(1, Math.round(dpi / 75)));
  const found: Region[] = [];
  cut(ink, { x0: 0, y0: 0, x1: ink.width, y1: ink.height }, dpi / ink.scale, 0, found);
  return found.map(({ x0, y0, x1, y1 }) => ({
    x0: x0 * ink.scale,
    y0: y0 * ink.scale,
    x1: Math.min(image.width, x1 * ink.scale),
    y1: Math.min(image.height, y1 * ink.scale),
  }));
}

/** The picture at about 75 dpi: for every row how many inked cells lie left of each column. */
class InkMap {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  private readonly sums: Uint16Array;

  constructor(image: GreyImage, scale: number) {
    this.scale = scale;
    this.width = Math.ceil(image.width / scale);
    this.height = Math.ceil(image.height / scale);
    const threshold = inkThreshold(image);
    const cells = new Uint8Array(this.width * this.height);
    for (let y = 0; y < image.height; y++) {
      const row = Math.floor(y / scale) * this.width;
      for (let x = 0; x < image.width; x++) if ((image.pixels[y * image.width + x] as number) <= threshold) cells[row + Math.floor(x / scale)] = 1;
    }
    this.sums = new Uint16Array((this.width + 1) * this.height);
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++) {
        const at = y * (this.width + 1) + x;
        this.sums[at + 1] = (this.sums[at] as number) + (cells[y * this.width + x] as number);
      }
  }

  /** Inked cells of a row in [from, to). */
  count(y: number, from: number, to: number): number {
    const row = y * (this.width + 1);
    return (this.sums[row + to] as number) - (this.sums[row + from] as number);
  }
}

function cut(ink: InkMap, region: Region, perInch: number, depth: number, out: Region[]): void {
  const gutter = depth < DEEPEST ? bestGutter(ink, region, perInch) : null;
  if (!gutter) {
    out.push(region);
    return;
  }
  const { x, top, bottom } = gutter;
  if (top > region.y0) cut(ink, { ...region, y1: top }, perInch, depth + 1, out);
  cut(ink, { ...region, x1: x, y0: top, y1: bottom }, perInch, depth + 1, out);
  cut(ink, { ...region, x0: x, y0: top, y1: bottom }, perInch, depth + 1, out);
  if (bottom < region.y1) cut(ink, { ...region, y0: bottom }, perInch, depth + 1, out);
}

interface Gutter {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  /** Rows with ink on the emptier side. */
  readonly rows: number;
}

function bestGutter(ink: InkMap, region: Region, perInch: number): Gutter | null {
  const half = Math.max(1, Math.round((GUTTER * perInch) / 2));
  const side = Math.round(SIDE * perInch);
  let best: Gutter | null = null;
  for (let x = region.x0 + side; x <= region.x1 - side; x += 2)
    for (const { top, bottom } of whiteRuns(ink, region, x, half, RUN * perInch)) {
      const left = inkedRows(ink, top, bottom, Math.max(region.x0, x - 3 * side), x);
      const right = inkedRows(ink, top, bottom, x, Math.min(region.x1, x + 3 * side));
      const rows = Math.min(left, right);
      if (rows < 0.4 * RUN * perInch || rows < 0.3 * (bottom - top) || (best !== null && rows <= best.rows)) continue;
      if (widthOf(ink, top, bottom, region.x0, x) < side || widthOf(ink, top, bottom, x, region.x1) < side) continue;
      best = { x, top, bottom, rows };
    }
  return best && { ...best, top: whiteRow(ink, region, best.top, 1, perInch), bottom: whiteRow(ink, region, best.bottom, -1, perInch) };
}

/** A run ends inside the line that closes it: the cut goes back to the white above or below that line, at most half an inch. */
function whiteRow(ink: InkMap, region: Region, from: number, step: 1 | -1, perInch: number): number {
  if (from <= region.y0 || from >= region.y1) return from;
  let [best, least] = [from, Infinity];
  for (let y = from, far = 0; far < perInch / 2 && y > region.y0 && y < region.y1; y += step, far++) {
    const count = ink.count(y, region.x0, region.x1);
    if (count < least) [best, least] = [y, count];
    if (count === 0) break;
  }
  return best;
}

function whiteRuns(ink: InkMap, region: Region, x: number, half: number, least: number): { readonly top: number; readonly bottom: number }[] {
  const runs: { top: number; bottom: number }[] = [];
  let top = region.y0;
  for (let y = region.y0; y <= region.y1; y++) {
    if (y < region.y1 && ink.count(y, x - half, x + half) === 0) continue;
    if (y - top >= least) runs.push({ top, bottom: y });
    top = y + 1;
  }
  return runs;
}

function inkedRows(ink: InkMap, top: number, bottom: number, from: number, to: number): number {
  let rows = 0;
  for (let y = top; y < bottom; y++) if (ink.count(y, from, to) > 0) rows++;
  return rows;
}

/** From the first to the last inked column of a side, that of its longer rows: a row through the tips of letters is narrower than its line. */
function widthOf(ink: InkMap, top: number, bottom: number, from: number, to: number): number {
  const widths: number[] = [];
  for (let y = top; y < bottom; y++) {
    const total = ink.count(y, from, to);
    if (total === 0) continue;
    let [first, last] = [from, to];
    while (first < to && ink.count(y, first, first + 1) === 0) first++;
    while (last > first && ink.count(y, last - 1, last) === 0) last--;
    widths.push(last - first);
  }
  return widths.sort((a, b) => a - b)[Math.floor(widths.length * 0.8)] ?? 0;
}

/** The region as a picture of its own, with a white rim: letters that touch the edge of a picture are misread. */
export function cropRegion(image: GreyImage, region: Region, rim: number): GreyImage {
  const width = region.x1 - region.x0 + 2 * rim;
  const height = region.y1 - region.y0 + 2 * rim;
  const pixels = new Uint8Array(width * height).fill(255);
  for (let y = region.y0; y < region.y1; y++) {
    const row = image.pixels.subarray(y * image.width + region.x0, y * image.width + region.x1);
    pixels.set(row, (y - region.y0 + rim) * width + rim);
  }
  return { width, height, pixels };
}
