// Faults that people report of programs that read PDFs: each a page made for the test, and what must come out of it.
import { describe, expect, it } from 'vitest';
import type { Block } from '../../contract/document.ts';
import type { RawDocument } from '../raw.ts';
import { readFile } from '../read.ts';
import { makeChinesePdf, makePdf, paragraph, type DrawnLine, type DrawnPage } from './makePdf.test-support.ts';

const read = (...pages: DrawnPage[]): Promise<RawDocument> => readFile(makePdf(pages), 'test.pdf', {});
const textOf = (blocks: readonly Block[]): string[] => blocks.filter((block) => block.kind !== 'furniture').map((block) => block.text);
const furnitureOf = ({ blocks }: RawDocument): string[] => blocks.filter((block) => block.kind === 'furniture').map((block) => block.text);

const WORDS = 'the seller shall deliver all goods that are named in this order to the place of the buyer within ten days after the order was sent'.split(' ');

/** Lines of at most `width` characters that begin with `name` and go on with word `from`, one each `pitch` points. */
function column(name: string, x: number, top: number, count: number, pitch = 12, width = 34, from = 0): DrawnLine[] {
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

function orderOf(text: string, names: readonly string[]): string[] {
  return [...names].sort((a, b) => text.indexOf(a) - text.indexOf(b));
}

describe('reading order', () => {
  it('fault: columns whose lines stand at different heights are not merged', async () => {
    const { blocks } = await read({ lines: [...column('LEFT', 60, 100, 12, 12), ...column('RIGHT', 320, 103, 10, 14)] });
    const text = textOf(blocks).join(' ');
    expect(text.indexOf('RIGHT')).toBeGreaterThan(text.length / 2 - 60);
    expect(orderOf(text, ['RIGHT', 'LEFT'])).toEqual(['LEFT', 'RIGHT']);
  });

  it('fault: three columns under a title across them are read one after the other', async () => {
    const names = ['ALPHA', 'BETA', 'GAMMA'];
    const title = { x: 60, y: 70, text: 'A title of some length that runs across all three of the columns', size: 16 };
    const { blocks } = await read({ lines: [title, ...names.flatMap((name, index) => column(name, 50 + index * 180, 100, 14, 12, 32))] });
    const text = textOf(blocks).join(' ');
    expect(text.startsWith(title.text)).toBe(true);
    expect(orderOf(text, names)).toEqual(names);
    const [alpha, beta] = names.map((name) => text.indexOf(name)) as [number, number];
    expect(text.slice(alpha, beta).split(' ').length).toBeGreaterThan(60);
  });

  it('fault: a footnote below two columns comes after both', async () => {
    const note = { x: 60, y: 700, text: '* Prices are net of all taxes of the place of delivery and are stated in euro for each of the goods', size: 8 };
    const { blocks } = await read({ lines: [...column('LEFT', 60, 100, 12), ...column('RIGHT', 320, 100, 12), note] });
    expect(blocks.at(-1)?.kind).toBe('footnote');
    expect(orderOf(textOf(blocks).join(' '), ['* Prices', 'RIGHT', 'LEFT'])).toEqual(['LEFT', 'RIGHT', '* Prices']);
  });

  it('fault: two parties that sign beside each other are read one after the other', async () => {
    const party = (name: string, x: number): DrawnLine[] =>
      [name, 'By: ________________', `Name: ${name.toLowerCase()} officer`, 'Title: Director', 'Date: ______'].map((text, index) => ({
        x,
        y: 400 + index * 16,
        text,
      }));
    const { blocks } = await read({
      lines: [...paragraph(['The parties have signed this agreement on the dates below.'], 350), ...party('SELLER', 72), ...party('BUYER', 320)],
    });
    const text = textOf(blocks).join('\n');
    expect(orderOf(text, ['Name: buyer', 'BUYER', 'Name: seller', 'SELLER'])).toEqual(['SELLER', 'Name: seller', 'BUYER', 'Name: buyer']);
    expect(blocks.some((block) => block.text.includes('Director Title'))).toBe(false);
  });

  it('fault: text drawn sideways on an upright page is read as its lines run', async () => {
    const lines = column('SIDEWAYS', 0, 0, 6, 14, 70).map(({ text }, index) => ({ x: 100 + index * 14, y: 700, text, angle: 90 }));
    const [block] = (await read({ lines })).blocks;
    expect(block?.text).toBe(lines.map((line) => line.text).join(' '));
    expect(block?.lines[0]?.axis).toBe('y');
    expect(block?.lines[0]?.edges[0]).toBeGreaterThan(block?.lines[0]?.edges.at(-1) ?? Infinity);
  });

  it('fault: a page turned by half is read from its first line', async () => {
    const lines = column('FIRST', 0, 0, 5, 14, 60).map(({ text }, index) => ({ x: 540, y: 600 - index * 14, text, angle: 180 }));
    expect((await read({ lines })).blocks[0]?.text).toBe(lines.map((line) => line.text).join(' '));
  });

  it('fault: vertical Chinese columns are read from the right', async () => {
    const { blocks } = await readFile(makeChinesePdf(['甲方委托乙方提供技术服务并', '按照约定向乙方支付费用。'], true), 'test.pdf', {});
    expect(blocks.map((block) => block.text).join('')).toBe('甲方委托乙方提供技术服务并按照约定向乙方支付费用。');
  });
});

describe('what belongs to the page', () => {
  it('fault: head and foot of two pages are not glued into the sentence that runs over the break', async () => {
    const page = (number: number, lines: readonly string[], top: number): DrawnPage => ({
      lines: [{ x: 72, y: 40, text: 'Confidential' }, ...paragraph(lines, top), { x: 72, y: 745, text: `Supply Agreement 2024 - ${number} -` }],
    });
    const document = await read(
      page(1, ['The seller shall deliver all goods that are named in this order to the place that'], 700),
      page(2, ['the buyer has named, within ten days.'], 72),
    );
    expect(textOf(document.blocks)).toEqual([
      'The seller shall deliver all goods that are named in this order to the place that the buyer has named, within ten days.',
    ]);
    expect(furnitureOf(document)).toHaveLength(4);
  });

  it('fault: line numbers of pleading paper are no part of the text', async () => {
    const lines = column('PLAINTIFF', 108, 100, 25, 24, 80);
    const numbers = lines.map((line, index) => ({ x: index < 9 ? 66 : 60, y: line.y, text: String(index + 1) }));
    const document = await read({ lines: [...numbers, ...lines] });
    expect(textOf(document.blocks).join(' ')).not.toMatch(/\d/);
    expect(furnitureOf(document)).toHaveLength(25);
  });

  it('fault: the numbers of a list of short entries are no line numbers', async () => {
    const names = ['Definitions', 'Delivery', 'Prices', 'Payment', 'Warranties', 'Liability', 'Term', 'Law', 'Courts', 'Notices', 'Costs'];
    const list = names.flatMap((text, index) => [
      { x: 60, y: 100 + index * 14, text: String(index + 1) },
      { x: 90, y: 100 + index * 14, text },
    ]);
    expect(furnitureOf(await read({ lines: list }))).toEqual([]);
  });

  it('fault: numbers that count paragraphs in the right margin are not glued into a line', async () => {
    const lines = column('URTEIL', 72, 100, 16, 12, 80).map((line) => ({ ...line, text: line.text.padEnd(80, 'm').slice(0, 80) }));
    const document = await read({ lines: [...lines, { x: 560, y: 112, text: '17' }, { x: 560, y: 196, text: '18' }] });
    expect(textOf(document.blocks).join(' ')).not.toMatch(/17|18/);
    expect(furnitureOf(document)).toEqual(['17', '18']);
  });

  it('fault: a hanging clause number is no margin number', async () => {
    const clause = (number: number, top: number): DrawnLine[] => [{ x: 60, y: top, text: `${number}.` }, ...column('Clause', 96, top, 3, 12, 80)];
    const { blocks } = await read({ lines: [1, 2, 3, 4, 5].flatMap((number) => clause(number, 60 + number * 60)) });
    expect(blocks.filter((block) => block.number !== null).map((block) => block.number)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('fault: a watermark across the text is no word of it', async () => {
    const lines = column('TEXT', 72, 300, 12, 12, 80);
    for (const mark of [
      { x: 150, y: 380, text: 'DRAFT', size: 100 },
      { x: 150, y: 500, text: 'DRAFT', size: 100, angle: 45 },
    ]) {
      const document = await read({ lines: [...lines, mark] });
      expect(textOf(document.blocks).join(' ')).toBe(lines.map((line) => line.text).join(' '));
      expect(furnitureOf(document)).toEqual(['DRAFT']);
    }
  });

  it('fault: envelope ids, court stamps and production numbers are no text', async () => {
    const stamps = [
      'DocuSign Envelope ID: 3F2504E0-4F89-11D3-9A0C-0305E82C3301',
      'ACME-0001234',
      'Case 1:20-cv-01234-ABC Document 12 Filed 01/02/20 Page 3 of 9',
    ];
    for (const [index, text] of stamps.entries()) {
      const document = await read({ lines: [{ x: 72, y: index === 1 ? 760 : 30, text }, ...column('Text', 72, 60, 50, 13, 80)] });
      expect(furnitureOf(document)).toEqual([text]);
    }
  });

  it('fault: a running head that names each chapter is known by its place', async () => {
    const titles = ['Definitions', 'Delivery of Goods', 'Prices and Payment', 'Warranties', 'Liability', 'Term'];
    const document = await read(
      ...titles.map((title, page): DrawnPage => ({
        lines: [{ x: 200, y: 50, text: title, size: 9 }, ...column(`Page ${title}`, 72, 90, 45, 13, 80 + page, page)],
      })),
    );
    expect(furnitureOf(document)).toEqual(titles);
  });

  it('fault: figures that look alike on every page are no running head', async () => {
    const page = (year: number): DrawnPage => ({
      lines: [...column('Text', 72, 60, 20, 13, 80), { x: 72, y: 700, text: `${year}-10-01 to ${year}-12-31 at 12,000.00` }],
    });
    expect(furnitureOf(await read(page(2021), page(2022))).filter((text) => text.includes('12,000'))).toHaveLength(2);
    const single = await read({ lines: [...column('Text', 72, 60, 20, 13, 80), { x: 72, y: 350, text: '1,250.00' }, { x: 72, y: 364, text: '9,870.00' }] });
    expect(furnitureOf(single)).toEqual([]);
  });
});

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
