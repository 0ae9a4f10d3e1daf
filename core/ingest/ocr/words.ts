// Recognised words -> glyphs and segments, the same that digital text is made of, so that layout, furniture and clauses work on a scan as on its twin.
//
// Owns: pixels to upright points, the edges of letters inside a word, sizes made even over a page, what is dust and what is text.
// Rules: a glyph stands between ascender and descender of its line, as in digital text; words are kept however unsure, unless they are a drawing's.
import { isWideScript } from '../characters.ts';
import { boxOf, type Glyph, type Segment } from '../pdf/text/glyphs.ts';
import type { RecognisedLine, RecognisedWord } from './recogniser.ts';

export interface RecognisedText {
  readonly segments: readonly Segment[];
  /** Mean confidence of the words, 0 to 1, long words counting more; 0 without words. */
  readonly confidence: number;
  readonly words: number;
  /** Words with a confidence below DOUBTFUL. */
  readonly doubtful: number;
  /** Lines that were taken for drawings, as they were read: what is left out is told. */
  readonly leftOut: readonly string[];
}

/** Below this about every second word is wrong (measured on scans of known texts). */
const DOUBTFUL = 60;
/** Marks without a letter or digit (|, —, ~) are mostly dust, rules and edges when the recogniser itself is not sure. */
const DUST = 70;
/** Point size over tesseract's row height (descender to ascender), on Arial, Times and Calibri: 1.05 to 1.13. */
const SIZE_PER_ROW = 1.1;
/** mupdf breaks a line of digital text at about this many sizes of white; columns are told by such breaks. */
const BREAK = 1.6;
/** Share of the size above and below the baseline (Helvetica's own ascender and descender). */
const ASCENT = 0.78;
const DESCENT = 0.22;

export function readWords(lines: readonly RecognisedLine[], scale: number): RecognisedText {
  const texts = lines.map((line) => ({ ...line, words: line.words.filter(isText) })).filter((line) => line.words.length > 0);
  const overall = meanConfidence(texts.flatMap((line) => line.words));
  const heights = texts.map((line) => line.rowAttributes.rowHeight).sort((a, b) => a - b);
  const usual = heights[heights.length >> 1] ?? 0;
  const kept = texts.filter((line) => !isDrawing(line, overall, usual));
  const sizes = evenSizes(kept.map((line) => line.rowAttributes.rowHeight * scale * SIZE_PER_ROW));
  const segments = kept.flatMap((line, index) => segmentsOf(line, sizes[index] as number, scale));
  const words = kept.flatMap((line) => line.words);
  return {
    segments,
    confidence: meanConfidence(words) / 100,
    words: words.length,
    doubtful: words.filter((word) => word.confidence < DOUBTFUL).length,
    leftOut: texts.filter((line) => !kept.includes(line) && hasLetters(line)).map((line) => line.words.map((word) => word.text).join(' ')),
  };
}

/** By letters and digits: a rule to sign on is a long "word" that is read with certainty upside down as well. */
function meanConfidence(words: readonly RecognisedWord[]): number {
  let [weight, sum] = [0, 0];
  for (const word of words) {
    const letters = word.text.replace(/[^\p{L}\p{N}]/gu, '').length;
    weight += letters;
    sum += letters * word.confidence;
  }
  return weight === 0 ? 0 : sum / weight;
}

/** Logos, seals and drawings come out as short lines less sure than the page around them, often of an odd height; on a poor page nothing is left out. */
function isDrawing({ words, rowAttributes }: RecognisedLine, overall: number, usual: number): boolean {
  if (overall < 80) return false;
  const text = words.map((word) => word.text).join('');
  const letters = text.replace(/[^\p{L}\p{N}]/gu, '').length;
  // Rules to sign on and leader points have no letters and are text all the same.
  if (letters === 0) return !/[_.…]{3}/.test(text);
  const ratio = rowAttributes.rowHeight / Math.max(1, usual);
  const share = letters > 25 ? 0 : letters > 5 ? 0.68 : ratio < 0.6 || ratio > 1.8 ? 0.98 : 0.9;
  return meanConfidence(words) < share * overall;
}

function hasLetters({ words }: RecognisedLine): boolean {
  return words.some((word) => /[\p{L}\p{N}]/u.test(word.text));
}

function isText(word: RecognisedWord): boolean {
  if (word.text.trim() === '') return false;
  return /[\p{L}\p{N}]/u.test(word.text) || word.confidence >= DUST;
}

/** Row heights of one font differ by a pixel or two from line to line; a run of sizes without a gap becomes its median. */
function evenSizes(sizes: readonly number[]): number[] {
  const order = sizes.map((_size, index) => index).sort((a, b) => (sizes[a] as number) - (sizes[b] as number));
  const sizeAt = (place: number): number => sizes[order[place] as number] as number;
  const even = [...sizes];
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    // A gap of 4 % parts two fonts; a run without gaps ends where its last size is a fifth over its first.
    while (end < order.length && sizeAt(end) <= 1.04 * sizeAt(end - 1) && sizeAt(end) <= 1.2 * sizeAt(start)) end++;
    const middle = Math.round(sizeAt((start + end) >> 1) * 2) / 2;
    for (; start < end; start++) even[order[start] as number] = middle;
  }
  return even;
}

function segmentsOf(line: RecognisedLine, size: number, scale: number): Segment[] {
  const segments: Segment[] = [];
  let glyphs: Glyph[] = [];
  let last: RecognisedWord | null = null;
  const flush = (): void => {
    if (glyphs.length > 0) segments.push({ glyphs, box: boxOf(glyphs), size, direction: 'right', paint: 'ink', order: 0, tag: null });
    glyphs = [];
  };
  for (const word of repairNumber(
    [...line.words].sort((a, b) => a.bbox.x0 - b.bbox.x0),
    size / scale,
  )) {
    if (last && (word.bbox.x0 - last.bbox.x1) * scale > BREAK * size) flush();
    else if (last && !(isWideScript(last.text.at(-1)) && isWideScript(word.text[0]))) glyphs.push(spaceBetween(glyphs.at(-1) as Glyph, word.bbox.x0 * scale));
    glyphs.push(...glyphsOf(word, line, size, scale));
    last = word;
  }
  flush();
  return segments;
}

/** Sure of a point or a colon: above this the recogniser is right (measured on numbers at 200 dpi). */
const SURE_OF_POINT = 92;

/** "2:1;" apart from its text: at the head of a line, before a gap wider than a word space, the doubtful signs of a number are points. */
function repairNumber(words: readonly RecognisedWord[], size: number): readonly RecognisedWord[] {
  const [first, second] = words;
  if (!first || !second || first.confidence >= SURE_OF_POINT || second.bbox.x0 - first.bbox.x1 < 0.7 * size) return words;
  if (!/^\d{1,2}(?:[.:;,]\d{1,2}){1,3}[.:;,]{0,2}$/.test(first.text) || /^[ap]\.?m/i.test(second.text)) return words;
  const repair = (text: string): string => text.replace(/[:;,]/g, '.');
  const text = repair(first.text).replace(/\.+$/, '.');
  const symbols = first.symbols.slice(0, text.length).map((symbol) => ({ ...symbol, text: repair(symbol.text) }));
  // Symbols and text disagree where two letters make one symbol: then the word is left as it is.
  return symbols.map((symbol) => symbol.text).join('') === text ? [{ ...first, text, symbols }, ...words.slice(1)] : words;
}

function spaceBetween(glyph: Glyph, to: number): Glyph {
  return { ...glyph, text: ' ', x0: glyph.x1, x1: Math.max(glyph.x1, to) };
}

function glyphsOf(word: RecognisedWord, line: RecognisedLine, size: number, scale: number): Glyph[] {
  const base = baselineAt(line, (word.bbox.x0 + word.bbox.x1) / 2) * scale;
  const symbols = word.symbols.length > 0 ? word.symbols : [{ text: word.text, bbox: word.bbox }];
  const edges = edgesOf(
    symbols.map((symbol) => symbol.bbox.x0),
    word.bbox.x0,
    word.bbox.x1,
  );
  return symbols.map((symbol, index) => ({
    text: symbol.text,
    x0: (edges[index] as number) * scale,
    y0: base - ASCENT * size,
    x1: (edges[index + 1] as number) * scale,
    y1: base + DESCENT * size,
    size,
    bold: false,
    italic: false,
    font: 0,
    cid: -1,
  }));
}

function baselineAt({ baseline }: RecognisedLine, x: number): number {
  const width = baseline.x1 - baseline.x0;
  if (width <= 0) return baseline.y1;
  return baseline.y0 + ((baseline.y1 - baseline.y0) * (x - baseline.x0)) / width;
}

/** The LSTM tells where a letter begins only to about half a letter: begins are taken, kept in order and inside the word. */
function edgesOf(starts: readonly number[], from: number, to: number): number[] {
  const least = (0.3 * (to - from)) / Math.max(1, starts.length);
  const edges = [from];
  for (let index = 1; index < starts.length; index++) {
    const room = to - least * (starts.length - index);
    edges.push(Math.min(room, Math.max((edges[index - 1] as number) + least, starts[index] as number)));
  }
  edges.push(to);
  return edges;
}
