// Pictures of pages: grey pixels without gaps between rows, cut-outs, and the split into ink and ground.
//
// Owns: the one picture type of this folder. Everything that looks at pixels (skew, ink, boldness, the recogniser) reads it.

export interface GreyImage {
  readonly width: number;
  readonly height: number;
  /** 0 black to 255 white; height * width bytes, row by row. */
  readonly pixels: Uint8Array;
}

/** Rows [top, bottom) as a picture over the same memory. */
export function rowsOf(image: GreyImage, top: number, bottom: number): GreyImage {
  const from = Math.max(0, Math.min(image.height, Math.floor(top)));
  const to = Math.max(from, Math.min(image.height, Math.ceil(bottom)));
  return { width: image.width, height: to - from, pixels: image.pixels.subarray(from * image.width, to * image.width) };
}

/** Otsu's threshold (IEEE Trans. SMC 9, 1979): pixels at or below it are ink. A picture of one shade has no ink: -1. */
export function inkThreshold(image: GreyImage): number {
  const counts = new Float64Array(256);
  for (const value of image.pixels) counts[value] = (counts[value] ?? 0) + 1;
  let sum = 0;
  for (let value = 0; value < 256; value++) sum += value * (counts[value] ?? 0);
  const total = image.pixels.length;
  let [best, most] = [-1, 0];
  let [below, belowSum] = [0, 0];
  for (let value = 0; value < 255; value++) {
    below += counts[value] ?? 0;
    belowSum += value * (counts[value] ?? 0);
    if (below === 0 || below === total) continue;
    const apart = belowSum / below - (sum - belowSum) / (total - below);
    const between = below * (total - below) * apart * apart;
    // A tint, paper grain or JPEG noise is not ink: its two classes differ by less than a sixth of the scale.
    if (between > most && apart < -40) [best, most] = [value, between];
  }
  return best;
}
