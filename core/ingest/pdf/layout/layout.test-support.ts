// What the tests of PDF layout share: reading a page made for the test, its text and its furniture, columns of filler text.
import type { Block } from '../../../contract/document.ts';
import type { RawDocument } from '../../raw.ts';
import { readFile } from '../../read.ts';
import { makePdf, type DrawnLine, type DrawnPage } from '../makePdf.test-support.ts';

export const read = (...pages: DrawnPage[]): Promise<RawDocument> => readFile(makePdf(pages), 'test.pdf', {});
export const textOf = (blocks: readonly Block[]): string[] => blocks.filter((block) => block.kind !== 'furniture').map((block) => block.text);
export const furnitureOf = ({ blocks }: RawDocument): string[] => blocks.filter((block) => block.kind === 'furniture').map((block) => block.text);

const WORDS = 'the seller shall deliver all goods that are named in this order to the place of the buyer within ten days after the order was sent'.split(' ');

/** Lines of at most `width` characters that begin with `name` and go on with word `from`, one each `pitch` points. */
export function column(name: string, x: number, top: number, count: number, pitch = 12, width = 34, from = 0): DrawnLine[] {
  const lines: DrawnLine[] = [];
  let word = from;
  for (let index = 0; index < count; index++) {
    let text = index === 0 ? name : '';
    for (let next = WORDS[word % WORDS.length] as string; text.length + next.length < width; next = WORDS[++word % WORDS.length] as string)
      text += text === '' ? next : ` ${next}`;
    lines.push({ x, y: top + index * pitch, text });
  }
  return lines;
}

export function orderOf(text: string, names: readonly string[]): string[] {
  return [...names].sort((a, b) => text.indexOf(a) - text.indexOf(b));
}
