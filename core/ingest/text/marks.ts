// Texts under construction: a string with private marks for where emphasis and revisions begin and end, then plain text with ranges.
//
// Marks survive every repair of characters and spaces, offsets do not; so ranges are counted at the very end.
// Rule: U+E000..U+E004 of a source are taken out before marks are set (`withoutMarks`), so that a file can not forge them.
import type { Range } from '../raw.ts';

export const EMPHASIS = { on: '\uE000', off: '\uE001' } as const;
export const REVISION = { on: '\uE002', off: '\uE003' } as const;

/** An invisible sign inside a word was left out here. */
export const INVISIBLE = '\uE004';

const MARK = /([\uE000-\uE004])/;

export interface MarkedText {
  readonly text: string;
  readonly emphasis: readonly Range[];
  /** In the order in which they begin; one whose text was left out is empty. */
  readonly revisions: readonly Range[];
  /** Where invisible signs were left out. */
  readonly invisible: readonly number[];
}

export function withoutMarks(source: string): string {
  return source.replace(/[\uE000-\uE004]/g, '');
}

/** `marked` has repaired characters; runs of spaces that marks stood between become one. */
export function takeMarks(marked: string): MarkedText {
  const parts: string[] = [];
  let length = 0;
  // A space at the very beginning goes as well.
  let spaced = true;
  let depth = 0;
  let start = 0;
  const emphasis: Range[] = [];
  const revisions: { start: number; end: number }[] = [];
  const open: { start: number; end: number }[] = [];
  const invisible: number[] = [];
  for (const part of marked.split(MARK)) {
    if (part === EMPHASIS.on) {
      if (depth++ === 0) start = length;
    } else if (part === EMPHASIS.off) {
      if (depth > 0 && --depth === 0 && length > start) emphasis.push({ start, end: length });
    } else if (part === REVISION.on) {
      const range = { start: length, end: length };
      revisions.push(range);
      open.push(range);
    } else if (part === REVISION.off) {
      const range = open.pop();
      if (range) range.end = length;
    } else if (part === INVISIBLE) {
      invisible.push(length);
    } else {
      const words: string = spaced && part.startsWith(' ') ? part.slice(1) : part;
      if (words === '') continue;
      parts.push(words);
      length += words.length;
      spaced = words.endsWith(' ');
    }
  }
  const text = parts.join('');
  const trimmed = text.trimEnd();
  const inside = (range: Range): Range => ({ start: Math.min(range.start, trimmed.length), end: Math.min(range.end, trimmed.length) });
  return { text: trimmed, emphasis: emphasis.map(inside).filter((range) => range.end > range.start), revisions: revisions.map(inside), invisible };
}
