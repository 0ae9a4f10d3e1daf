// The text of single lines and paragraphs: words, spaces, super- and subscripts, quotes.
import { describe, expect, it } from 'vitest';
import { column, orderOf, read, textOf } from './layout.test-support.ts';
import type { DrawnLine } from '../makePdf.test-support.ts';

describe('words and lines', () => {
  const words = async (lines: readonly DrawnLine[]): Promise<string> => textOf((await read({ lines })).blocks).join(' ');

  it('fault: a drop capital begins its word and does not disturb the lines beside it', async () => {
    const lines = [
      { x: 72, y: 122, text: 'T', size: 36 },
      ...['he seller delivers all goods that are', 'named in this order to the place that', 'the buyer has named.'].map((text, index) => ({
        x: 96,
        y: 100 + index * 12,
        text,
      })),
    ];
    expect(await words([...lines, ...column('Then', 72, 136, 8, 12, 40)])).toMatch(
      /^The seller delivers all goods that are named in this order to the place that the buyer has named\. Then/,
    );
  });

  it('fault: letter-spaced headings are words', async () => {
    const spaced = 'SALES  AGREEMENT'.split('').join(' ');
    const { blocks } = await read({ lines: [{ x: 200, y: 80, text: spaced, size: 14, bold: true }, ...column('Text', 72, 120, 6, 12, 80)] });
    expect(blocks[0]).toMatchObject({ text: 'SALES AGREEMENT', kind: 'heading' });
  });

  it('fault: marks in a form are no letter-spaced word', async () => {
    expect(await words([{ x: 72, y: 80, text: 'A B C D E F' }])).toBe('A B C D E F');
  });

  it('fault: two single quotes are one double quote', async () => {
    expect(await words([{ x: 72, y: 80, text: "``Goods'' means all goods of this order." }])).toBe('“Goods” means all goods of this order.');
  });

  it('fault: a sub-item that begins a wrapped line stays in its paragraph', async () => {
    const lines = [
      { x: 63, y: 100, text: '7.5.' },
      { x: 91, y: 100, text: 'No Harmful Code. The provider warrants that the services are free of any (a) viruses or' },
      { x: 91, y: 112, text: '(b) features that enable disabling or remote monitoring of the systems of the customer.' },
    ];
    expect((await read({ lines })).blocks).toHaveLength(1);
  });

  it('fault: a subscript stands at its letter, not in a line of its own', async () => {
    const lines = [
      { x: 72, y: 100, text: 'The rate is T  for each of the lots that the buyer takes.' },
      { x: 72 + 56.3, y: 103, text: '2', size: 6 },
    ];
    expect(await words(lines)).toBe('The rate is T2 for each of the lots that the buyer takes.');
  });

  it('fault: columns that a typewriter set with spaces are columns', async () => {
    const lines = [
      ['SELLER LIMITED', 'BUYER LIMITED'],
      ['By: __________', 'By: __________'],
      ['Name: first', 'Name: second'],
      ['Title: Director', 'Title: Manager'],
    ];
    const text = await words(lines.map((sides, index) => ({ x: 72, y: 100 + index * 14, text: sides.join(' '.repeat(36)) })));
    expect(orderOf(text, ['second', 'BUYER', 'first', 'SELLER'])).toEqual(['SELLER', 'first', 'BUYER', 'second']);
  });

  it('fault: double-spaced lines are one paragraph', async () => {
    const single = column('Single', 72, 80, 12, 12, 80);
    const double = column('Double', 72, 300, 6, 24, 80);
    const { blocks } = await read({ lines: [...single, ...double] });
    expect(blocks.map((block) => block.text.split(' ')[0])).toEqual(['Single', 'Double']);
  });

  it('fault: an exponent is not glued to its number', async () => {
    const lines = [
      { x: 72, y: 100, text: 'The limit is 10' },
      { x: 72 + 61.8, y: 96, text: '6', size: 6 },
      { x: 72 + 68, y: 100, text: 'euro for each claim.' },
    ];
    expect(await words(lines)).toBe('The limit is 10⁶ euro for each claim.');
  });

  it('names captions and signature lines', async () => {
    const { blocks } = await read({
      lines: [
        ...column('Text', 72, 80, 6, 12, 80),
        { x: 72, y: 200, text: 'Table 2: Prices of all goods', size: 9 },
        { x: 72, y: 300, text: 'Signature: ____________' },
      ],
    });
    expect(blocks.map((block) => block.kind)).toEqual(['paragraph', 'caption', 'signature']);
  });
});
