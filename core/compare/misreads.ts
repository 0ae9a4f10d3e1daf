// Differences that a scan makes and no person: letters taken for others, words joined or torn, specks read as marks.
//
// Owns: which edits between a scanned and another document are misreadings. They are no changes, but they are counted and shown as examples, since a
// misread word may hide a change.
// Rule: a figure that reads as another figure is never a misreading.
import type { Document } from '../contract/document.ts';
import type { Hunk } from './myers.ts';
import type { Side } from './units.ts';
import { textOf, type Token } from './tokens.ts';

export interface Misread {
  readonly scanned: string;
  readonly digital: string;
}

/** Letters and figures that have one shape to a recogniser; longer ones first. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/ii|li|il/g, 'u'],
  [/[il|!1j]/g, 'l'],
  [/[o0q]/g, 'o'],
  [/[s5]/g, 's'],
  [/[b8]/g, 'b'],
  [/[z2]/g, 'z'],
  [/[ceé]/g, 'c'],
  [/[uv]/g, 'u'],
];
/** Of a word of four letters or more, this share may be misread. */
const SHARE = 0.3;

/** Letters of what may be misread in one piece: two or three words. */
const LONGEST = 40;

const isScanned = ({ pages }: Document): boolean => pages.some(({ source }) => source === 'ocr');
const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
const shape = (text: string): string => SHAPES.reduce((word, [pattern, by]) => word.replace(pattern, by), letters(text));
const figures = (text: string): string => text.replace(/[^\p{N}]+/gu, '');

export class Misreads {
  private readonly scanned: 'a' | 'b' | null;
  /** Words of the document that is no scan: a scanned word that stands among them was read as it is. */
  private readonly known: ReadonlySet<string>;
  private readonly list: Misread[] = [];

  constructor(a: Side, b: Side) {
    const [left, right] = [isScanned(a.document), isScanned(b.document)];
    // Two scans are misread each in its own way: then only shapes count.
    this.scanned = left ? 'a' : right ? 'b' : null;
    this.known = new Set(this.scanned === null || (left && right) ? [] : wordsOf(left ? b : a));
  }

  get found(): readonly Misread[] {
    return this.list;
  }

  /** The edits that a person made. */
  sift(a: readonly Token[], b: readonly Token[], hunks: readonly Hunk[]): readonly Hunk[] {
    if (this.scanned === null) return hunks;
    const unread = (hunk: Hunk): boolean => this.note(textOf(a.slice(hunk.a0, hunk.a1)), textOf(b.slice(hunk.b0, hunk.b1)));
    return hunks.flatMap((hunk) => {
      if (unread(hunk)) return [];
      // As many words on either side: those in it that were misread are taken out one by one.
      const length = hunk.a1 - hunk.a0;
      if (length !== hunk.b1 - hunk.b0 || length === 1) return [hunk];
      return Array.from({ length }, (_, at): Hunk => ({ a0: hunk.a0 + at, a1: hunk.a0 + at + 1, b0: hunk.b0 + at, b1: hunk.b0 + at + 1 })).filter(
        (word) => !unread(word),
      );
    });
  }

  private note(x: string, y: string): boolean {
    const [scanned, digital] = this.scanned === 'a' ? [x, y] : [y, x];
    if (!this.isMisread(scanned, digital)) return false;
    this.list.push({ scanned, digital });
    return true;
  }

  /** A piece that only the scan has, or only the other, and that has nothing to read: specks, rules, a lone letter. */
  isSpeck(tokens: readonly Token[]): boolean {
    return this.scanned !== null && letters(textOf(tokens)).length <= 2 && figures(textOf(tokens)) === '';
  }

  private isMisread(scanned: string, digital: string): boolean {
    const [x, y] = [letters(scanned), letters(digital)];
    if (x === y) return true;
    const [given, wanted] = [figures(scanned), figures(digital)];
    // A number read as another number: 1 for l is a shape, 15 for 16 is not.
    if (given !== wanted && /^[\p{N}.,$%()\s-]*$/u.test(scanned) && wanted !== '') return false;
    if (shape(scanned) === shape(digital)) return true;
    if (given !== wanted || x.length === 0 || y.length === 0) return false;
    // A run of many words that differ is no misreading.
    if (y.length > LONGEST) return false;
    return (
      this.known.size > 0 &&
      !scanned.split(/\s+/).every((word) => this.known.has(letters(word))) &&
      y.length >= 4 &&
      distance(x, y) <= Math.max(1, SHARE * y.length)
    );
  }
}

/** What a reader is told about them; null if there are none. */
export function misreadNote(found: readonly Misread[]): string | null {
  if (found.length === 0) return null;
  const examples = [...new Set(found.map(({ scanned, digital }) => `“${scanned}” for “${digital}”`))].slice(0, 5).join(', ');
  return `${found.length === 1 ? 'One place differs' : `${found.length} places differ`} only as a scan is misread (${examples}); they are not among the changes. Check them on the page where it matters.`;
}

function wordsOf(side: Side): string[] {
  return side.units.flatMap(({ tokens }) => tokens.map(({ text }) => letters(text)));
}

/** Levenshtein distance; both are words or short runs of words. */
function distance(x: string, y: string): number {
  let row = Array.from({ length: y.length + 1 }, (_, at) => at);
  for (let i = 1; i <= x.length; i++) {
    const next = [i];
    for (let j = 1; j <= y.length; j++) next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (x[i - 1] === y[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[y.length]!;
}
