// Values that stand beside their name: "Governing Law: Delaware", a row of a cover page "Effective Date | March 1, 2026", a label on a line of its own.
//
// Rule: the label is the whole line, cell or the words before its colon; a sentence that begins with the same words is no label.
import type { Passage, Source } from './source.ts';

export interface Labelled {
  readonly label: string;
  readonly passage: Passage;
  /** Characters [start, end) of the passage's block. */
  readonly start: number;
  readonly end: number;
}

/** Cover pages stand at the beginning. */
const PASSAGES = 120;
const LONGEST = 160;

/** Every value beside a label that `wanted` matches whole. */
export function labelledValues(source: Source, wanted: RegExp): Labelled[] {
  const whole = new RegExp(`^(?:[\\d.()]{0,6}\\s*)?(${wanted.source})\\s*(?:[:：]|$)\\s*`, wanted.flags.replace('g', ''));
  const out: Labelled[] = [];
  const passages = source.passages.slice(0, PASSAGES);
  for (const passage of passages) {
    const { text } = passage.block;
    const match = whole.exec(text);
    if (!match) continue;
    const label = match[1] as string;
    if (match[0].length < text.length) {
      const end = match[0].length + lineLength(text.slice(match[0].length));
      if (end > match[0].length) out.push({ label, passage, start: match[0].length, end });
      continue;
    }
    // The label alone: the next cell of its row, or the next line.
    const next = source.passages[passage.index + 1];
    if (next === undefined || next.block.text.length > LONGEST || (passage.block.cell !== null && next.block.cell?.row !== passage.block.cell.row)) continue;
    const start = /^[\s:：]*/.exec(next.block.text)?.[0].length ?? 0;
    if (start < next.block.text.length) out.push({ label, passage: next, start, end: start + lineLength(next.block.text.slice(start)) });
  }
  return out;
}

/** A value ends at its line or sentence; blanks ("____", "[●]") are none. */
function lineLength(rest: string): number {
  if (/^[\s_[.…（(]*(?:$|_|\[|…)/.test(rest)) return 0;
  return /^[^\n;；。]{1,160}/.exec(rest)?.[0].trimEnd().length ?? 0;
}
