// Tables of PDF pages: what is one, what is none, and where its cells stand.
import { describe, expect, it } from 'vitest';
import type { RawDocument } from '../../raw.ts';
import { readFile } from '../../read.ts';
import { makePdf, paragraph, type DrawnLine, type DrawnPage, type DrawnRule } from '../makePdf.test-support.ts';

async function read(pages: readonly DrawnPage[]): Promise<RawDocument> {
  return await readFile(makePdf(pages), 'a.pdf', {});
}

/** "row,column text" of each cell, spans as "row,column+rows,columns text", headers with a leading "#". */
function cellsOf({ blocks }: RawDocument): string[] {
  return blocks.flatMap(({ cell, text }) => {
    if (!cell) return [];
    const spans = cell.rowSpan > 1 || cell.columnSpan > 1 ? `+${cell.rowSpan},${cell.columnSpan}` : '';
    return [`${cell.header ? '#' : ''}${cell.row},${cell.column}${spans} ${text}`];
  });
}

/** Helvetica's figures are 0.556 of the size wide, its comma and point 0.278. */
function rightAligned(text: string, right: number, y: number): DrawnLine {
  const width = [...text].reduce((sum, sign) => sum + (/\d/.test(sign) ? 5.56 : sign === '-' ? 3.33 : 2.78), 0);
  return { x: right - width, y, text };
}

function row(y: number, ...cells: readonly (readonly [number, string])[]): DrawnLine[] {
  return cells.map(([x, text]) => ({ x, y, text }));
}

function grid(xs: readonly number[], ys: readonly number[]): DrawnRule[] {
  const [left, right, top, bottom] = [xs[0] ?? 0, xs.at(-1) ?? 0, ys[0] ?? 0, ys.at(-1) ?? 0];
  return [...ys.map((y): DrawnRule => [left, y, right, y]), ...xs.map((x): DrawnRule => [x, top, x, bottom])];
}

const PROSE = [
  'The Supplier shall deliver the goods to the place that is',
  'named in the order and shall bear all costs and all risks',
  'until they have been received there by the Customer in a',
  'good state and without any delay that was not announced',
  'before the order was accepted by both of the parties and',
  'the invoice for them has been sent to the address of the',
  'Customer that is written on the first page of this deed.',
  'Payment is due within thirty days after the receipt of a',
  'correct invoice and bears interest from that day onward.',
  'Nothing in this clause limits the rights under the laws.',
];

describe('ruled tables', () => {
  it('reads a full grid cell by cell, with places for every character', async () => {
    const document = await read([
      {
        lines: [...row(114, [76, 'Item'], [206, 'Fee']), ...row(134, [76, 'Hosting'], [206, 'USD 100']), ...row(154, [76, 'Support'], [206, 'USD 200'])],
        rules: grid([72, 200, 330], [100, 120, 140, 160]),
      },
    ]);
    expect(cellsOf(document)).toEqual(
      ['#0,0 Item', '#0,1 Fee', '1,0 Hosting', '1,1 USD 100', '2,0 Support', '2,1 USD 200'].map((cell) => cell.replace('#', '')),
    );
    expect(document.tables).toEqual([{ id: 't0', rows: 3, columns: 2, places: [{ page: 0, box: expect.any(Object) as unknown }], captionId: null }]);
    for (const { text, lines } of document.blocks) for (const line of lines) expect(line.edges).toHaveLength(text.slice(line.start, line.end).length + 1);
  });

  it('fault: rules drawn under a scaled matrix are as thin as they look', async () => {
    const lines = [...row(114, [76, 'Item'], [206, 'Fee']), ...row(134, [76, 'Hosting'], [206, 'monthly']), ...row(154, [76, 'Support'], [206, 'yearly'])];
    const document = await read([{ lines, rules: grid([72, 200, 330], [100, 120, 140, 160]), scaled: true }]);
    expect(cellsOf(document)).toEqual(['0,0 Item', '0,1 Fee', '1,0 Hosting', '1,1 monthly', '2,0 Support', '2,1 yearly']);
  });

  it('fault: text that wraps inside a cell stays one cell, in reading order', async () => {
    const document = await read([
      {
        lines: [
          ...row(114, [76, 'Service'], [206, 'Description']),
          ...row(134, [76, 'Hosting of the'], [206, 'Servers in two']),
          ...row(146, [76, 'platform'], [206, 'places with daily']),
          ...row(158, [206, 'copies of all data']),
        ],
        rules: grid([72, 200, 330], [100, 120, 165]),
      },
    ]);
    expect(cellsOf(document).slice(2)).toEqual(['1,0 Hosting of the platform', '1,1 Servers in two places with daily copies of all data']);
  });

  it('fault: labels and texts in one ruled column are two columns under their header', async () => {
    const rows = ['RoHS', 'REACH', 'TSCA'].flatMap((label, index) => {
      const y = 134 + 40 * index;
      return row(y, [140, 'The product meets what the'], [400, 'Yes']).concat(
        row(y + 12, [76, label], [140, 'rule demands, as the maker']),
        row(y + 24, [140, 'has declared in writing.']),
      );
    });
    const document = await read([
      { lines: [...row(114, [76, 'Category and description'], [400, 'Met']), ...rows], rules: grid([72, 390, 450], [100, 120, 160, 200, 240]) },
    ]);
    expect(cellsOf(document).slice(0, 5)).toEqual([
      '0,0+1,2 Category and description',
      '0,2 Met',
      '1,0 RoHS',
      '1,1 The product meets what the rule demands, as the maker has declared in writing.',
      '1,2 Yes',
    ]);
  });

  it('fault: a list inside a cell keeps its items apart', async () => {
    const document = await read([
      {
        lines: [
          ...row(114, [76, 'Party'], [206, 'Duties']),
          ...row(134, [76, 'Supplier'], [206, '(a) to deliver the']),
          ...row(146, [206, 'goods in time;']),
          ...row(158, [206, '(b) to insure them']),
        ],
        rules: grid([72, 200, 330], [100, 120, 165]),
      },
    ]);
    expect(cellsOf(document).slice(2)).toEqual(['1,0 Supplier', '1,1 (a) to deliver the goods in time;', '1,1 (b) to insure them']);
  });

  it('fault: a missing border between cells is a span', async () => {
    const document = await read([
      {
        lines: [
          ...row(114, [76, 'Region'], [260, 'Fees']),
          ...row(134, [206, '2024'], [306, '2025']),
          ...row(154, [76, 'North'], [206, '100'], [306, '110']),
          ...row(174, [76, 'South'], [206, '200'], [306, '220']),
        ],
        rules: [
          ...grid([72, 200], [100, 140, 160, 180]),
          ...[100, 120, 140, 160, 180].map((y): DrawnRule => [200, y, 400, y]),
          [300, 120, 300, 180],
          [400, 100, 400, 180],
        ],
      },
    ]);
    expect(cellsOf(document)).toEqual([
      '#0,0+2,1 Region',
      '#0,1+1,2 Fees',
      '#1,1 2024',
      '#1,2 2025',
      '2,0 North',
      '2,1 100',
      '2,2 110',
      '3,0 South',
      '3,1 200',
      '3,2 220',
    ]);
  });

  it('fault: a chart is no table, for all its grid', async () => {
    const ticks = [100, 80, 60, 40, 20, 0].map((value, index) => ({ x: 60, y: 104 + 20 * index, text: String(value) }));
    const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'].map((text, index) => ({ x: 90 + 40 * index, y: 216, text }));
    const curve = [0, 1, 2, 3, 4].map((step): DrawnRule => [100 + 40 * step, 180 - 15 * step, 140 + 40 * step, 165 - 15 * step]);
    const document = await read([
      { lines: [...ticks, ...names], rules: [...grid([80, 120, 160, 200, 240, 280, 320], [100, 120, 140, 160, 180, 200]), ...curve] },
    ]);
    expect(document.tables).toEqual([]);
  });

  it('fault: clauses inside a frame stay clauses', async () => {
    const clauses = [
      '1. The Supplier delivers the goods to the Customer.',
      '2. The Customer pays the price within thirty days.',
      '3. Either party may end this agreement in writing.',
    ];
    const document = await read([{ lines: [...paragraph(clauses, 130, 160), ...row(118, [76, 'Terms'])], rules: grid([72, 150, 500], [106, 180]) }]);
    expect(document.tables).toEqual([]);
    expect(document.blocks.filter((block) => block.number !== null).map((block) => block.number)).toEqual(['1', '2', '3']);
  });
});

describe('tables by white space', () => {
  const amounts = [
    ['Licence fees', '1,250.00', '1,300.00'],
    ['Support', '90.00', '95.50'],
    ['Training', '1,000,000.00', '-12.00'],
    ['Travel', '7.25', '8.00'],
  ] as const;
  const body = amounts.flatMap(([label, first, second], index) => {
    const y = 140 + index * 14;
    return [{ x: 72, y, text: label }, rightAligned(first, 300, y), rightAligned(second, 400, y)];
  });

  it('fault: numbers set to the right stay in their columns, however long they are', async () => {
    const document = await read([{ lines: [...row(124, [72, 'Kind'], [278, '2024'], [378, '2025']), ...body] }]);
    expect(cellsOf(document)).toEqual([
      '#0,0 Kind',
      '#0,1 2024',
      '#0,2 2025',
      ...amounts.flatMap(([label, first, second], index) => [`${index + 1},0 ${label}`, `${index + 1},1 ${first}`, `${index + 1},2 ${second}`]),
    ]);
  });

  it('fault: a label of two lines is one cell beside its amount', async () => {
    const lines = [
      ...row(140, [72, 'Fees for the hosting of the platform and']),
      ...row(151, [72, 'of its copies'], [300, '1,000.00'], [400, '1,100.00']),
      ...row(170, [72, 'Support'], [300, '2,000.00'], [400, '2,100.00']),
      ...row(189, [72, 'Training'], [300, '3,000.00'], [400, '3,100.00']),
      ...row(208, [72, 'Travel'], [300, '4,000.00'], [400, '4,100.00']),
    ];
    const rules: DrawnRule[] = [
      [72, 126, 450, 126],
      [72, 214, 450, 214],
    ];
    expect(cellsOf(await read([{ lines, rules }])).slice(0, 4)).toEqual([
      '0,0 Fees for the hosting of the platform and of its copies',
      '0,1 1,000.00',
      '0,2 1,100.00',
      '1,0 Support',
    ]);
  });

  it('fault: names of columns that are written upwards head their columns', async () => {
    const names = ['Availability', 'Response', 'Resolution'].map((text, index): DrawnLine => ({ x: 212 + 60 * index, y: 190, text, angle: 90 }));
    const body = ['Critical', 'High', 'Medium', 'Low'].flatMap((label, index) =>
      row(214 + 14 * index, [72, label], [200, String(index + 1)], [260, String(4 * index + 4)], [320, String(24 * index + 8)]),
    );
    const rules = [120, 200, 262].map((y): DrawnRule => [70, y, 360, y]);
    const document = await read([{ lines: [...row(130, [72, 'Priority'], [260, 'Hours']), ...names, ...body], rules }]);
    expect(cellsOf(document).slice(0, 6)).toEqual([
      '#0,0+2,1 Priority',
      '#0,1+1,3 Hours',
      '#1,1 Availability',
      '#1,2 Response',
      '#1,3 Resolution',
      '2,0 Critical',
    ]);
  });

  it('fault: two tables one above the other stay two', async () => {
    const table = (top: number, unit: number): DrawnLine[] => [
      ...row(top, [72, 'Term'], [200, 'Monthly'], [300, 'Yearly']),
      ...[1, 2, 3].flatMap((step) => row(top + 16 * step, [72, `${step} users`], [200, String(unit * step)], [300, String(10 * unit * step)])),
    ];
    const rules = [104, 184].map((y): DrawnRule => [70, y, 360, y]);
    const document = await read([{ lines: [...table(100, 5), ...table(180, 7)], rules }]);
    expect(document.tables.map(({ rows, columns }) => [rows, columns])).toEqual([
      [4, 3],
      [4, 3],
    ]);
  });

  it('fault: two columns of prose are no table', async () => {
    const document = await read([{ lines: [...paragraph(PROSE, 100, 60), ...paragraph(PROSE, 100, 330)] }]);
    expect(document.tables).toEqual([]);
    expect(document.blocks.some((block) => block.cell !== null)).toBe(false);
  });

  it('fault: a table in one of two columns of prose takes nothing of the other', async () => {
    const table = ['Year Fee', '2021 100', '2022 110', '2023 120', '2024 130'].flatMap((text, index) => {
      const [year = '', fee = ''] = text.split(' ');
      return row(160 + 12 * index, [80, year], [200, fee]);
    });
    const left = [...paragraph(PROSE.slice(0, 4), 100, 60), ...table, ...paragraph(PROSE, 240, 60)];
    const right = paragraph([...PROSE, ...PROSE], 100, 330);
    const document = await read([
      {
        lines: [...left, ...right],
        rules: [
          [78, 150, 240, 150],
          [78, 164, 240, 164],
          [78, 214, 240, 214],
        ],
      },
    ]);
    expect(document.tables.map(({ rows, columns }) => [rows, columns])).toEqual([[5, 2]]);
    expect(cellsOf(document).join(' ')).not.toMatch(/Supplier|invoice/);
  });

  it('fault: contents, blocks of signatures, definitions and numbered clauses are no tables', async () => {
    const contents = ['Definitions', 'Delivery', 'Payment', 'Liability', 'Term'].flatMap((title, index) =>
      row(100 + 14 * index, [72, `${index + 1}.`], [100, title], [500, String(index * 3 + 1)]),
    );
    const signatures = ['By:', 'Name:', 'Title:', 'Date:'].flatMap((label, index) =>
      row(250 + 20 * index, [72, `${label} ____________`], [330, `${label} ____________`]),
    );
    const definitions = ['Agent', 'Buyer', 'Carrier', 'Debtor'].flatMap((term, index) =>
      row(400 + 14 * index, [72, term], [180, 'means the person who is named in the schedule below']),
    );
    const clauses = ['1.1', '1.2', '1.3', '1.4'].flatMap((number, index) =>
      row(520 + 14 * index, [72, number], [108, 'The parties shall act in good faith towards each other.']),
    );
    for (const lines of [contents, signatures, definitions, clauses]) expect((await read([{ lines }])).tables).toEqual([]);
    const framed = { lines: signatures, rules: grid([70, 320, 540], [236, 256, 276, 296, 316]) };
    expect((await read([framed])).tables).toEqual([]);
  });

  it('fault: two tables side by side stay two', async () => {
    const table = (left: number, unit: number): DrawnLine[] =>
      [1, 2, 3, 4].flatMap((step) => row(120 + 14 * step, [left, `Item ${step}`], [left + 90, String(unit * step)], [left + 150, String(unit * step + 1)]));
    const rules = [72, 330].flatMap((left): DrawnRule[] => [
      [left, 122, left + 180, 122],
      [left, 184, left + 180, 184],
    ]);
    const document = await read([{ lines: [...table(72, 100), ...table(330, 2000)], rules }]);
    expect(document.tables.map(({ rows, columns }) => [rows, columns])).toEqual([
      [4, 3],
      [4, 3],
    ]);
  });
});

describe('tables over page breaks', () => {
  const page = (header: readonly string[], rows: readonly (readonly [string, string])[], top: number): DrawnPage => {
    const ys = Array.from({ length: rows.length + (header.length > 0 ? 2 : 1) }, (_entry, index) => top + 20 * index);
    const all = header.length > 0 ? [header, ...rows] : rows;
    return {
      lines: all.flatMap((cells, index) =>
        row(top + 14 + 20 * index, [76, cells[0] ?? ''], [206, cells[1] ?? '']).map((line) => ({ ...line, bold: header.length > 0 && index === 0 })),
      ),
      rules: grid([72, 200, 330], ys),
    };
  };
  const first = page(
    ['Item', 'Price'],
    [
      ['Hosting', '100'],
      ['Support', '200'],
    ],
    680,
  );

  it('fault: a table that goes on over a page is one table, its repeated header no row', async () => {
    const second = page(
      ['Item', 'Price'],
      [
        ['Training', '300'],
        ['Travel', '400'],
      ],
      60,
    );
    const document = await read([
      { ...first, lines: [...paragraph(PROSE, 100), ...first.lines] },
      { ...second, lines: [...second.lines, ...paragraph(PROSE, 300)] },
    ]);
    expect(document.tables.map(({ rows, columns, places }) => [rows, columns, places.map((place) => place.page)])).toEqual([[5, 2, [0, 1]]]);
    expect(cellsOf(document)).toEqual([
      '#0,0 Item',
      '#0,1 Price',
      '1,0 Hosting',
      '1,1 100',
      '2,0 Support',
      '2,1 200',
      '3,0 Training',
      '3,1 300',
      '4,0 Travel',
      '4,1 400',
    ]);
    expect(document.blocks.filter((block) => block.text === 'Price').map((block) => block.kind)).toEqual(['tableCell', 'furniture']);
  });

  it('fault: the next page goes on without a header', async () => {
    const second = page(
      [],
      [
        ['Training', '300'],
        ['Travel', '400'],
      ],
      60,
    );
    const document = await read([{ ...first, lines: [...paragraph(PROSE, 100), ...first.lines] }, second]);
    expect(document.tables).toHaveLength(1);
    expect(cellsOf(document).at(-1)).toBe('4,1 400');
  });

  it('keeps a table of another shape, or after text, on its own', async () => {
    const other = page(
      ['Country', 'Rate'],
      [
        ['France', '20'],
        ['Spain', '21'],
      ],
      60,
    );
    const document = await read([first, other]);
    expect(document.tables).toHaveLength(2);
    const second = page(
      [],
      [
        ['Training', '300'],
        ['Travel', '400'],
      ],
      160,
    );
    const apart = await read([first, { ...second, lines: [...paragraph(PROSE.slice(0, 5), 80), ...second.lines] }]);
    expect(apart.tables).toHaveLength(2);
  });

  it('fault: the caption of a table is tied to it', async () => {
    const pdf = page(
      ['Item', 'Price'],
      [
        ['Hosting', '100'],
        ['Support', '200'],
      ],
      160,
    );
    const document = await read([{ ...pdf, lines: [...paragraph(['Table 3. Prices of the services'], 150), ...pdf.lines] }]);
    const caption = document.blocks.find((block) => block.id === document.tables[0]?.captionId);
    expect(caption?.text).toBe('Table 3. Prices of the services');
    expect(caption?.kind).toBe('caption');
  });

  it('fault: a table on a page that is turned reads as on an upright one', async () => {
    const document = await read([{ ...first, rotate: 90 }]);
    expect(cellsOf(document).slice(0, 4)).toEqual(['#0,0 Item', '#0,1 Price', '1,0 Hosting', '1,1 100']);
  });
});
