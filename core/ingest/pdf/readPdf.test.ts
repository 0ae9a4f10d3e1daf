// Pages made by mupdf itself: paragraphs, columns, furniture, hyphens, turned pages, and a place for every character.
import { describe, expect, it } from 'vitest';
import type { Block } from '../../contract/document.ts';
import { Watch } from '../limits.ts';
import { makeChinesePdf, makePdf, paragraph, type DrawnPage } from './makePdf.test-support.ts';
import { readPdf } from './readPdf.ts';

async function blocksOf(pages: readonly DrawnPage[]): Promise<readonly Block[]> {
  return (await readPdf(makePdf(pages), 'test.pdf', {}, new Watch({}))).blocks;
}

const LONG = [
  'The quick agreement between the parties runs over the whole width of this line',
  'and goes on in the next one, so that both are one paragraph of the document.',
];

describe('readPdf', () => {
  it('joins wrapped lines into one block and keeps a box for every character', async () => {
    const [block] = await blocksOf([{ lines: paragraph(LONG, 100) }]);
    expect(block?.text).toBe(LONG.join(' '));
    expect(block?.lines).toHaveLength(2);
    for (const line of block?.lines ?? []) {
      expect(line.edges).toHaveLength(line.end - line.start + 1);
      expect([...line.edges].sort((a, b) => a - b)).toEqual(line.edges);
      expect(line.edges[0]).toBeCloseTo(72, 0);
    }
    expect(block?.lines[0]?.box.y1).toBeLessThan(block?.lines[1]?.box.y1 ?? 0);
  });

  it('begins a block at each number, in brackets or not, but not at a wrapped mention', async () => {
    const blocks = await blocksOf([
      {
        lines: [
          ...paragraph(
            [
              '1. Term. This agreement begins on the date above and ends as set out in Section',
              '5.2 of this agreement unless the parties agree in writing on something else.',
            ],
            100,
          ),
          ...paragraph(['2. Fees. The customer pays:', '(a) the licence fee, and', '(b) all taxes.'], 130),
        ],
      },
    ]);
    expect(blocks.map((block) => block.number)).toEqual(['1', '2', '(a)', '(b)']);
    expect(blocks[0]?.text).toContain('Section 5.2 of');
  });

  it('reads two columns one after the other', async () => {
    const left = [
      'Left one fills its own column',
      'left two fills its own column',
      'left three fills the column',
      'left four fills the column',
      'left five fills the column.',
    ];
    const right = left.map((line) => line.replace(/^[Ll]eft/, 'right'));
    const blocks = await blocksOf([
      {
        lines: left.flatMap((text, index) => [
          { x: 72, y: 100 + index * 12, text },
          { x: 320, y: 100 + index * 12, text: right[index] as string },
        ]),
      },
    ]);
    expect(blocks.map((block) => block.text).join(' ')).toBe(`${left.join(' ')} ${right.join(' ')}`);
  });

  it('keeps a label and its text in one row', async () => {
    const rows = ['Effective Date', 'Governing Law', 'Term', 'Courts'].map((label, index) => [label, `value number ${index} of the cover page`] as const);
    const blocks = await blocksOf([
      {
        lines: rows.flatMap(([label, value], index) => [
          { x: 72, y: 100 + index * 30, text: label },
          { x: 250, y: 100 + index * 30, text: value },
        ]),
      },
    ]);
    expect(blocks.map((block) => block.text)).toEqual(rows.map((row) => row.join(' ')));
  });

  it('puts a word together that a line end cut and keeps a real hyphen', async () => {
    const [block] = await blocksOf([
      {
        lines: paragraph(
          [
            'The obligations of confidentiality and non-disclosure bind each party; confiden-',
            'tiality ends with the term and so does the duty of mutual support and of non-',
            'disclosure that the parties have agreed on in this document.',
          ],
          100,
        ),
      },
    ]);
    expect(block?.text).toContain('; confidentiality ends');
    expect(block?.text).toContain('of non-disclosure that');
  });

  it('joins at a soft hyphen without a trace of it', async () => {
    const [block] = await blocksOf([
      { lines: paragraph(['A very long and well filled line of text that ends in the word transpor\u00AD', 'tation of goods.'], 100) },
    ]);
    expect(block?.text).toContain('transportation of goods');
  });

  it('marks running heads and page numbers as furniture and joins the paragraph around them', async () => {
    const page = (number: number, lines: readonly string[], top: number): DrawnPage => ({
      lines: [{ x: 72, y: 30, text: 'Master Agreement' }, ...paragraph(lines, top), { x: 300, y: 760, text: `Page ${number}` }],
    });
    const blocks = await blocksOf([
      page(
        1,
        [
          '1. Liability. The liability of the provider under this agreement is limited to the',
          'amount of all fees that the customer has paid to the provider in the last twelve',
        ],
        690,
      ),
      page(2, ['months before the claim arose, except where the law does not allow such a limit.'], 72),
      page(3, ['2. Law. The law of Ireland governs this agreement.'], 72),
    ]);
    const body = blocks.filter((block) => block.kind !== 'furniture');
    expect(body).toHaveLength(2);
    expect(body[0]?.at.map((place) => place.page)).toEqual([0, 1]);
    expect(body[0]?.text).toContain('last twelve months before');
    expect(blocks.filter((block) => block.kind === 'furniture')).toHaveLength(6);
  });

  it('gives coordinates as displayed on a turned page', async () => {
    const content = await readPdf(makePdf([{ rotate: 90, lines: [{ x: 72, y: 100, text: 'turned' }] }]), 'test.pdf', {}, new Watch({}));
    expect(content.pages[0]).toMatchObject({ width: 792, height: 612 });
    const line = content.blocks[0]?.lines[0];
    // 100 points below the top of the unturned page is 100 points left of the right edge after a quarter turn.
    expect(line?.box.x1).toBeGreaterThan(680);
    expect(line?.axis).toBe('y');
    expect(line?.edges).toHaveLength('turned'.length + 1);
  });

  it('reads a character that was drawn twice (fake bold) once', async () => {
    const [block] = await blocksOf([
      {
        lines: [
          { x: 72, y: 100, text: 'Bold by shadow' },
          { x: 72.3, y: 100, text: 'Bold by shadow' },
        ],
      },
    ]);
    expect(block?.text).toBe('Bold by shadow');
  });

  it('says that a page without text needs OCR or is empty', async () => {
    const content = await readPdf(makePdf([{ lines: [] }, { lines: [{ x: 72, y: 100, text: 'text' }] }]), 'test.pdf', {}, new Watch({}));
    expect(content.pages.map((page) => page.source)).toEqual(['empty', 'digital']);
    expect(content.warnings).toMatchObject([{ code: 'empty_page', page: 0 }]);
  });

  it('joins Chinese lines without spaces and begins a block at each article', async () => {
    const content = await readPdf(
      makeChinesePdf(['第一条 目的', '甲方委托乙方按照本合同约定提供技术服务，乙方同意按照本合同的约', '定向甲方提供上述服务并收取费用。', '第二条 费用']),
      'test.pdf',
      {},
      new Watch({}),
    );
    expect(content.blocks.map((block) => block.text)).toEqual([
      '第一条 目的',
      '甲方委托乙方按照本合同约定提供技术服务，乙方同意按照本合同的约定向甲方提供上述服务并收取费用。',
      '第二条 费用',
    ]);
  });

  it('takes a table of contents out of the text', async () => {
    const entries = ['1. Definitions', '2. Services', '3. Fees', '4. Liability', '5. Term', '6. Notices', '7. Law'];
    const blocks = await blocksOf([
      {
        lines: [
          { x: 250, y: 80, text: 'TABLE OF CONTENTS' },
          ...entries.map((text, index) => ({ x: 72, y: 100 + index * 14, text: `${text} ........ ${index + 1}` })),
          ...paragraph(['1. Definitions. Words have their meaning.'], 300),
        ],
      },
    ]);
    expect(blocks.filter((block) => block.kind !== 'furniture').map((block) => block.text)).toEqual(['1. Definitions. Words have their meaning.']);
  });
});
