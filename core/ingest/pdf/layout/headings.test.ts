// Kinds of blocks: what makes a heading, a caption, a signature line.
import * as mupdf from 'mupdf';
import { describe, expect, it } from 'vitest';
import { readFile } from '../../read.ts';
import { column, read } from './layout.test-support.ts';
import { makePdf, type DrawnLine } from '../makePdf.test-support.ts';

const kindsOf = async (lines: readonly DrawnLine[]): Promise<string[]> => (await read({ lines })).blocks.map((block) => block.kind);
const text = column('Text', 72, 200, 8, 12, 80);

describe('headings', () => {
  it('fault: a bookmark makes a heading of its own page only', async () => {
    const word = { x: 72, y: 150, text: 'Remuneration' };
    const document = mupdf.Document.openDocument(makePdf([{ lines: [word, ...text] }, { lines: text }, { lines: [word, ...text] }]), 'application/pdf');
    document.outlineIterator().insert({ title: 'Remuneration', uri: '#page=3', open: false });
    const { blocks } = await readFile(new Uint8Array((document as mupdf.PDFDocument).saveToBuffer('').asUint8Array()), 'test.pdf', {});
    expect(blocks.filter((block) => block.text === 'Remuneration').map((block) => [block.kind, block.level])).toEqual([
      ['paragraph', null],
      ['heading', 1],
    ]);
  });

  it('takes a section number with a title for a heading, and an entry of a list for none', async () => {
    expect(await kindsOf([{ x: 72, y: 100, text: '5.4 Delivery of the Goods' }, ...text])).toEqual(['heading', 'paragraph']);
    expect(await kindsOf([{ x: 72, y: 100, text: '(a) Delivery of the Goods' }, ...text])).toEqual(['listItem', 'paragraph']);
  });

  it('fault: a title built like a sentence is a heading', async () => {
    const title = { x: 72, y: 100, text: 'Corporate duties that a seller has and what is left of them today', size: 18 };
    expect(await kindsOf([title, ...text])).toEqual(['heading', 'paragraph']);
  });

  it('fault: the label of a logo is no heading', async () => {
    expect(await kindsOf([{ x: 500, y: 40, text: 'LOGO 1.0', size: 5, bold: true }, ...text])).not.toContain('heading');
  });
});
