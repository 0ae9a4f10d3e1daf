import { describe, expect, it } from 'vitest';
import { Watch } from '../limits.ts';
import { readText, type TextContent } from './readText.ts';

function read(text: string, markdown = true): TextContent {
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

  it('makes cells of a table', () => {
    const { blocks } = read('| A | B |\n|---|---|\n| 1 | 2 |');
    expect(blocks.map((block) => [block.text, block.cell?.row, block.cell?.column])).toEqual([
      ['A', 0, 0],
      ['B', 0, 1],
      ['1', 1, 0],
      ['2', 1, 1],
    ]);
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
});
