// Rules, boxes and fills of a page as it is displayed: what tables are ruled with and what text may lie under.
//
// They come with the structured text in one pass. A path of several rectangles or axis-parallel strokes comes as several vectors; any other path as its box.
import type { Box } from '../../../contract/document.ts';

export interface Vector {
  /** With half of the stroke's width on each side. A horizontal rule is a box of the rule's own thickness. */
  readonly box: Box;
  readonly stroked: boolean;
  /** One axis-parallel rectangle or straight line; otherwise only the bounds of a drawing are known. */
  readonly rectangle: boolean;
  /** 0xAARRGGBB. */
  readonly color: number;
  /** Place in the painting order of the page, comparable with that of text. */
  readonly order: number;
}

/** Text and rules are drawn in whole points mostly; a rule thicker than this is a bar. */
const RULE_POINTS = 3;

export interface Rule {
  readonly horizontal: boolean;
  /** Middle of the rule across its direction, and its two ends along it. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Thin rectangles and straight strokes, and the four sides of stroked boxes. White ones are drawn to separate, not to be seen, and count as rules too. */
export function rulesOf(vectors: readonly Vector[]): Rule[] {
  const rules: Rule[] = [];
  for (const { box, stroked, rectangle } of vectors) {
    if (!rectangle) continue;
    const { x0, y0, x1, y1 } = box;
    const [width, height] = [x1 - x0, y1 - y0];
    if (height <= RULE_POINTS && width > height) rules.push({ horizontal: true, at: (y0 + y1) / 2, from: x0, to: x1 });
    else if (width <= RULE_POINTS && height > width) rules.push({ horizontal: false, at: (x0 + x1) / 2, from: y0, to: y1 });
    else if (stroked)
      rules.push(
        { horizontal: true, at: y0, from: x0, to: x1 },
        { horizontal: true, at: y1, from: x0, to: x1 },
        { horizontal: false, at: x0, from: y0, to: y1 },
        { horizontal: false, at: x1, from: y0, to: y1 },
      );
  }
  return rules;
}
