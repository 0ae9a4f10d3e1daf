// Texts and Markdown as blocks: numbers as a reader sees them, lines broken by hand, encodings.
//
// Owns: the faults that people report of readers of plain text; each is the smallest text that shows it.
import { describe, expect, it } from 'vitest';
import { Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import { readText } from './readText.ts';

function read(text: string, markdown = true): RawContent {
  return readText(new TextEncoder().encode(text), 'test', markdown, new Watch({}));
}

describe('Markdown', () => {
  it('numbers nested ordered items as they are shown', () => {
    const { blocks } = read('1. Service\n    1. <span class="header_3">Access.</span> Use it.\n    2. Support.\n2. Fees');
    expect(blocks.map((block) => [block.number, block.text])).toEqual([
      ['1', '1. Service'],
      ['1.1', '1.1. Access. Use it.'],
      ['1.2', '1.2. Support.'],
      ['2', '2. Fees'],
    ]);
  });

  it('keeps typed numbers and drops emphasis marks but remembers them', () => {
    const content = read('**1. The Agreement**. The terms (“**Agreement**”) apply.');
    expect(content.blocks[0]).toMatchObject({ number: '1', text: '1. The Agreement. The terms (“Agreement”) apply.' });
    expect(content.emphasis.get('b0')).toEqual([
      { start: 0, end: 16 },
      { start: 30, end: 39 },
    ]);
  });

  it('reads headings with their level, front matter left out', () => {
    const { blocks } = read('---\ntitle: x\n---\n# Terms\n\n## A. Definitions\n\ntext\nwrapped');
    expect(blocks.map((block) => [block.kind, block.level, block.text])).toEqual([
      ['heading', 1, 'Terms'],
      ['heading', 2, 'A. Definitions'],
      ['paragraph', null, 'text wrapped'],
    ]);
  });

  it('cuts the closing signs of a heading, not a sign of its own', () => {
    expect(read('# Terms ##\n\n## C#\n\n### #\n\n### Fees###').blocks.map((block) => [block.level, block.text])).toEqual([
      [1, 'Terms'],
      [2, 'C#'],
      [3, 'Fees'],
    ]);
  });

  it('reads links, pictures, comments and bold text over two lines', () => {
    const content = read('See [the [first] page](https://x.example/a_(b) "Title") <!-- no\nnot --> and **two\nlines**. ![Seal](a.png)');
    expect(content.blocks[0]?.text).toBe('See the [first] page and two lines. Seal');
    expect(content.emphasis.get('b0')).toEqual([{ start: 25, end: 34 }]);
  });

  it('counts rows and columns of each table', () => {
    const { tables, blocks } = read('| A | B |\n|---|---|\n| 1 | 2 |\n\ntext\n\n| C |\n|---|');
    expect(tables?.map(({ id, rows, columns }) => [id, rows, columns])).toEqual([
      ['t0', 2, 2],
      ['t1', 1, 1],
    ]);
    expect(blocks.at(-1)?.cell?.table).toBe('t1');
  });

  it('makes items of paragraphs with a bullet of any form', () => {
    expect(read('The Seller shall\n\n· pay;\n\n• deliver.', false).blocks.map((block) => [block.kind, block.text])).toEqual([
      ['paragraph', 'The Seller shall'],
      ['listItem', 'pay;'],
      ['listItem', 'deliver.'],
    ]);
  });

  it('takes spans for emphasis whose class says heading or term, to their own end', () => {
    const content = read('<span class="section-title">Fees for <span class="link">use</span> only</span> and <span class="determination">so</span> <b>on</b>');
    expect(content.blocks[0]?.text).toBe('Fees for use only and so on');
    expect(content.emphasis.get('b0')).toEqual([
      { start: 0, end: 17 },
      { start: 25, end: 27 },
    ]);
  });

  it('fault: a line of openings without an end holds the reader up', () => {
    const before = process.cpuUsage();
    for (const line of [
      `# a${' '.repeat(20_000)}x`,
      ...['<!--', '![', '[a](', '**a ', '__a ', '*a ', '<span class="', '</span>'].map((part) => `x ${part.repeat(15_000)}`),
    ])
      expect(read(line).blocks).toHaveLength(1);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(4);
  });

  it('makes cells of a table', () => {
    const { blocks } = read('| A | B |\n|---|---|\n| 1 | 2 |');
    expect(blocks.map((block) => [block.text, block.cell?.row, block.cell?.column])).toEqual([
      ['A', 0, 0],
      ['B', 0, 1],
      ['1', 1, 0],
      ['2', 1, 1],
    ]);
  });

  it('fault: an item that begins with its first sub-item keeps its own number', () => {
    const numbers = (text: string): (string | null)[] => read(text).blocks.map((block) => block.number);
    expect(read('1. Fees.\n2. (a) The fee is due.\n\n   (b) It is small.\n3. Term.').blocks.map((block) => block.text)).toEqual([
      '1. Fees.',
      '2. (a) The fee is due.',
      '(b) It is small.',
      '3. Term.',
    ]);
    expect(numbers('1. (a) One.\n   (b) Two.\n2. (a) Three.\n   (b) Four.')).toEqual(['1', '(b)', '2', '(b)']);
    // Here the ordinals are only the notation of the list.
    expect(numbers('1. (a) One.\n2. (b) Two.\n3. (c) Three.')).toEqual(['(a)', '(b)', '(c)']);
    expect(numbers('1. 1.1 One.\n2. 1.2 Two.')).toEqual(['1.1', '1.2']);
  });

  it('is not changed by spaces at line ends', () => {
    expect(read('1. One  \n2. Two\t\n').blocks).toEqual(read('1. One\n2. Two\n').blocks);
  });
});

describe('plain text', () => {
  it('joins wrapped lines and begins a block at a number', () => {
    const lines = ['1. Term. This agreement lasts', 'for one year.', '(a) It may be renewed.', '', 'Signed by both.'];
    expect(read(lines.join('\n'), false).blocks.map((block) => block.text)).toEqual([
      '1. Term. This agreement lasts for one year.',
      '(a) It may be renewed.',
      'Signed by both.',
    ]);
  });

  it('fault: a line that begins with a mention of a clause goes on with its sentence', () => {
    const lines = [
      '6.1. Scope. The Seller delivers the goods as they are named in Section',
      '6.2(a). The Buyer pays for them within the time, and only subject to',
      'Section 7.1. What is not paid for in time goes back to the Seller.',
      '6.2. Payment. Payment is made by the Buyer in the manner set out below',
      '(a) in cash; and',
      '(b) on time.',
      '7. Lists of words that have no point at their end are lists all the same',
      '7.1. the first of them is long enough to reach the end of the whole line',
      '7.2. the second',
    ];
    expect(read(lines.join('\n\n').replace(/\n\n(?=6\.2\(a|Section|\(|7)/g, '\n'), false).blocks.map((block) => block.text)).toEqual([
      lines.slice(0, 3).join(' '),
      ...lines.slice(3),
    ]);
    expect(read('A short line as in Section\n6.2(a). And on.').blocks).toHaveLength(1);
  });

  it('leaves a number at the start of a line a clause where the line above was ended on purpose', () => {
    const lines = [
      'This agreement is made between the parties that are named on its cover',
      '',
      'the parties agree',
      '1. Term. It lasts.',
      'DEFINITIONS',
      '2. Words.',
    ];
    expect(read(lines.join('\n'), false).blocks.map((block) => block.number)).toEqual([null, null, '1', '2']);
  });

  it('reads UTF-16, Windows-1252 and GB 18030', () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...[...'Größe'].flatMap((sign) => [sign.charCodeAt(0) & 255, sign.charCodeAt(0) >> 8])]);
    expect(readText(utf16, 'x', false, new Watch({})).blocks[0]?.text).toBe('Größe');
    expect(readText(new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65]), 'x', false, new Watch({})).blocks[0]?.text).toBe('Größe');
    // 甲方乙方合同 in GB 2312.
    const chinese = new Uint8Array([0xbc, 0xd7, 0xb7, 0xbd, 0xd2, 0xd2, 0xb7, 0xbd, 0xba, 0xcf, 0xcd, 0xac]);
    const content = readText(chinese, 'x', false, new Watch({}));
    expect(content.blocks[0]?.text).toBe('甲方乙方合同');
    expect(content.warnings[0]?.code).toBe('encoding_guessed');
  });

  it('opens ligatures, composes accents and drops invisible signs', () => {
    expect(read('e\u0301 o\uFB03ce\u200B so\u00ADft\u00A0 x', false).blocks[0]?.text).toBe('é office soft x');
  });

  it('fault: a word with a hyphen that a line breaks becomes two', () => {
    const read = (text: string, markdown: boolean): readonly string[] =>
      readText(new TextEncoder().encode(text), 'a', markdown, new Watch({})).blocks.map((block) => block.text);
    const text = 'All Pre-\nExisting Materials of the Provider, and its pre-\nand post-closing duties.';
    expect(read(text, true)).toEqual(['All Pre-Existing Materials of the Provider, and its pre- and post-closing duties.']);
  });
});
