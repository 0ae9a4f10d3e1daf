// Faults that people report of programs that read PDFs: reading order, and what belongs to the page instead of the text.
import { describe, expect, it } from 'vitest';
import { readFile } from '../../read.ts';
import { column, furnitureOf, orderOf, read, textOf } from './layout.test-support.ts';
import { makeChinesePdf, paragraph, type DrawnLine, type DrawnPage } from '../makePdf.test-support.ts';

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

  it('fault: a grid whose numbers run across is read across', async () => {
    const card = (number: number, x: number, top: number): DrawnLine[] => [
      { x, y: top, text: `${number}. Card`, bold: true },
      ...column('Text', x, top + 20 + number * 3, 4, 12, 40),
    ];
    const grid = (numbers: readonly number[]): DrawnLine[] =>
      numbers.flatMap((number, index) => card(number, index % 2 === 0 ? 60 : 320, index < 2 ? 100 : 190));
    const numbersOf = async (lines: DrawnLine[]): Promise<string[]> => (await read({ lines })).blocks.flatMap((block) => block.number ?? []);
    expect(await numbersOf(grid([1, 2, 3, 4]))).toEqual(['1', '2', '3', '4']);
    expect(await numbersOf(grid([1, 3, 2, 4]))).toEqual(['1', '2', '3', '4']);
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

  it('fault: numbers that count paragraphs in a margin are not glued into a line', async () => {
    const lines = column('URTEIL', 72, 100, 16, 12, 80).map((line) => ({ ...line, text: line.text.padEnd(80, 'm').slice(0, 80) }));
    for (const [x, size] of [
      [560, 10],
      [48, 8],
    ] as const) {
      const document = await read({ lines: [...lines, { x, y: 112, text: '17', size }, { x, y: 196, text: '18', size }] });
      expect(textOf(document.blocks).join(' ')).not.toMatch(/17|18/);
      expect(furnitureOf(document)).toEqual(['17', '18']);
    }
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

  it('fault: schedules that begin pages are no running head', async () => {
    const pages = ['SCHEDULE 1', 'SCHEDULE 2', 'SCHEDULE 3'].map((text): DrawnPage => ({
      lines: [{ x: 250, y: 60, text }, ...column(`In ${text}`, 72, 100, 6, 12, 80)],
    }));
    expect(furnitureOf(await read(...pages))).toEqual([]);
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
