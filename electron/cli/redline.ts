// A word diff as a redline in the terminal: deleted red and struck, inserted blue and underlined, long unchanged stretches shortened.
import type { DiffPart } from '../../core/contract/comparison.ts';
import { clean, type Terminal } from './terminal.ts';

/** Words of unchanged text that are shown around an edit. */
const CONTEXT_WORDS = 8;

export function redline(terminal: Terminal, parts: readonly DiffPart[]): string {
  return parts
    .map((part, i) => {
      const text = clean(part.text).replace(/\s+/g, ' ');
      if (part.op !== 'equal') return byWord(text, part.op === 'delete' ? terminal.deleted : terminal.inserted, terminal.colour);
      const words = text.split(' ');
      const first = i === 0;
      const last = i === parts.length - 1;
      if (words.length <= CONTEXT_WORDS * (first || last ? 1 : 2) + 2) return text;
      const head = first ? '' : words.slice(0, CONTEXT_WORDS).join(' ');
      const tail = last ? '' : words.slice(-CONTEXT_WORDS).join(' ');
      return `${head} ${terminal.dim('…')} ${tail}`;
    })
    .join('')
    .trim();
}

/** A style that ran over a line break would also paint the indent of the next line. */
const byWord = (text: string, style: (text: string) => string, colour: boolean): string =>
  colour ? text.replace(/\S+/g, style) : text.replace(/\S(?:.*\S)?/, style);
