// Footnotes and endnotes: kept apart from the text, tied to their marks.
import { describe, expect, it } from 'vitest';
import { column, read, textOf } from './layout.test-support.ts';
import { paragraph, type DrawnLine, type DrawnPage } from '../makePdf.test-support.ts';

describe('notes', () => {
  const body = (mark: string): DrawnLine[] => [
    { x: 72, y: 600, text: 'The buyer pays the price that is set out in Section 5' },
    { x: 72 + 227.5, y: 596, text: mark, size: 6 },
    { x: 72 + 233.5, y: 600, text: 'of this order and no other sum at' },
    { x: 72, y: 612, text: 'any time, unless the parties have agreed on something else in writing.' },
  ];

  it('fault: the mark of a footnote is not glued to a number', async () => {
    const { blocks, notes } = await read({
      lines: [...body('1'), { x: 72, y: 700, text: '1', size: 5 }, { x: 77, y: 703, text: 'Net of all taxes.', size: 8 }],
    });
    const text = blocks[0]?.text ?? '';
    expect(text).toContain('Section 5¹ of this order');
    expect(blocks.at(-1)).toMatchObject({ kind: 'footnote', text: expect.stringContaining('Net of all taxes.') as string });
    const [note] = notes;
    expect(note).toMatchObject({ kind: 'footnote', blockIds: [blocks.at(-1)?.id] });
    expect(text.slice(note?.mark.start, note?.mark.end)).toBe('¹');
  });

  it('fault: a footnote does not break the sentence that runs over the page', async () => {
    const first: DrawnPage = {
      lines: [
        ...column('Text', 72, 80, 40, 13, 80),
        { x: 72, y: 600, text: 'The buyer shall not be liable for any delay in the delivery of goods*, where that' },
        { x: 72, y: 700, text: '* Goods are those named in Annex A of this order.', size: 8 },
      ],
    };
    const { blocks, notes } = await read(first, { lines: paragraph(['delay was not caused by the buyer.'], 80) });
    expect(textOf(blocks).join('\n')).toContain(
      'The buyer shall not be liable for any delay in the delivery of goods*, where that delay was not caused by the buyer.',
    );
    expect(notes).toHaveLength(1);
  });

  it('ties notes under a heading "Notes" to marks anywhere before it', async () => {
    const end = [...paragraph(['1. Net of all taxes.', '2. As of the date of the order.'], 120)];
    const { notes, blocks } = await read(
      { lines: [...body('1'), ...body('2').map((line) => ({ ...line, y: line.y + 60 }))] },
      { lines: [{ x: 72, y: 90, text: 'Notes', bold: true, size: 12 }, ...end] },
    );
    expect(notes.map((note) => note.kind)).toEqual(['endnote', 'endnote']);
    expect(notes[1]?.blockIds).toEqual([blocks.find((block) => block.text.startsWith('2. As'))?.id]);
  });
});
