// How a page lies: the angle of its lines, and whether they run across or up the picture.
//
// Owns: the projection profile (Postl 1986): lower edges of ink, counted per row of the page turned by an angle, pile up on the baselines when the angle is right.
// Edges instead of ink, so that black borders and photographs count only by their outline. Works on a picture of about 100 dpi.
import { inkThreshold, type GreyImage } from './greyImage.ts';

export interface Lie {
  /** Degrees that the lines slope, clockwise as seen; 0 when no angle is clearly better than none. */
  readonly degrees: number;
  /** How much sharper the profile is than that of evenly spread ink. */
  readonly sharpness: number;
}

export interface Layout {
  readonly across: Lie;
  /** The same after a quarter turn: large for a page that lies on its side. */
  readonly upward: Lie;
  /** Share of the pixels that are ink. */
  readonly ink: number;
}

/** Scanner feeders slip by a few degrees; photographs by more, and their perspective is lost here anyway. */
const MOST_DEGREES = 12;
const COARSE = 0.5;
const FINE = 0.05;
/** A profile that gains less than this by turning is not about skew. */
const GAIN = 1.03;

export function measureLayout(image: GreyImage): Layout {
  const threshold = inkThreshold(image);
  const below: number[] = [];
  const beside: number[] = [];
  let ink = 0;
  const { width, height, pixels } = image;
  for (let y = 0; y < height - 1; y++)
    for (let x = 0; x < width - 1; x++) {
      const at = y * width + x;
      if ((pixels[at] as number) > threshold) continue;
      ink++;
      if ((pixels[at + width] as number) > threshold) below.push(x, y);
      // Turned a quarter to the left: what was to the right is above; (x, y) becomes (y, width - x).
      if ((pixels[at + 1] as number) > threshold) beside.push(y, width - x);
    }
  return { across: lieOf(below, width, height), upward: lieOf(beside, height, width), ink: ink / Math.max(1, pixels.length) };
}

function lieOf(points: readonly number[], width: number, height: number): Lie {
  if (points.length < 200) return { degrees: 0, sharpness: 0 };
  const flat = sharpnessAt(points, 0, width, height);
  let best = { degrees: 0, sharpness: flat };
  const scan = (from: number, to: number, step: number): void => {
    for (let degrees = from; degrees <= to + step / 2; degrees += step) {
      const sharpness = sharpnessAt(points, degrees, width, height);
      if (sharpness > best.sharpness) best = { degrees, sharpness };
    }
  };
  scan(-MOST_DEGREES, MOST_DEGREES, COARSE);
  scan(best.degrees - COARSE, best.degrees + COARSE, FINE);
  if (best.sharpness < GAIN * flat) return { degrees: 0, sharpness: flat };
  return { degrees: Math.round(best.degrees * 100) / 100, sharpness: best.sharpness };
}

/** Sum of squared row counts over that of an even spread: 1 for noise, about 10 for a page of text lines. */
function sharpnessAt(points: readonly number[], degrees: number, width: number, height: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const offset = Math.ceil(Math.abs(slope) * width) + 1;
  const counts = new Float64Array(height + 2 * offset + 1);
  for (let index = 0; index < points.length; index += 2) {
    const row = Math.round((points[index + 1] as number) - slope * (points[index] as number)) + offset;
    counts[row] = (counts[row] ?? 0) + 1;
  }
  let squares = 0;
  for (const count of counts) squares += count * count;
  const total = points.length / 2;
  return (squares * height) / (total * total);
}
