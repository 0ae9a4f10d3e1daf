// Text that the file holds and a reader does not see, and text that only looks like it.
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../contract/document.ts';
import { Watch } from '../../limits.ts';
import { makePage } from '../makePdf.test-support.ts';
import { readPdf } from '../readPdf.ts';

const SEEN = 'BT /F1 12 Tf 72 700 Td (Plain text of the page) Tj ET';
const IMAGE = 'q 612 0 0 792 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q';

async function read(content: string): Promise<{ readonly blocks: readonly Block[]; readonly codes: readonly string[] }> {
  const { blocks, warnings } = await readPdf(makePage(content), 'test.pdf', {}, new Watch({}));
  return { blocks, codes: warnings.map((warning) => warning.code) };
}

async function hidingOf(content: string): Promise<Block['hidden'] | undefined> {
  const { blocks, codes } = await read(`${SEEN}\n${content}`);
  const block = blocks.find((found) => found.text.includes('secret'));
  expect(codes.includes('hidden_text')).toBe(block?.hidden !== null);
  expect(blocks.find((found) => found.text.includes('Plain'))?.hidden).toBeNull();
  return block?.hidden;
}

describe('text that a reader does not see', () => {
  it('fault: text without ink is flagged, not read as part of the page', async () => {
    expect(await hidingOf('BT 3 Tr /F1 12 Tf 72 600 Td (a secret order) Tj ET')).toBe('invisible');
  });

  it('keeps the text layer of a scan as the text of the page and says where it comes from', async () => {
    const { blocks, codes } = await read(`${IMAGE} BT 3 Tr /F1 12 Tf 72 600 Td (recognised words of the scan) Tj ET`);
    expect(blocks.map((block) => [block.text, block.hidden])).toEqual([['recognised words of the scan', null]]);
    expect(codes).toContain('ocr_layer');
  });

  it('fault: white text on white paper is flagged', async () => {
    expect(await hidingOf('1 1 1 rg BT /F1 12 Tf 72 600 Td (a secret order) Tj ET')).toBe('white');
  });

  it('reads white text on a dark ground', async () => {
    expect(await hidingOf('0 0 0.5 rg 60 590 300 30 re f 1 1 1 rg BT /F1 12 Tf 72 600 Td (no secret here) Tj ET')).toBeNull();
  });

  it('fault: text under a black bar is flagged as covered', async () => {
    expect(await hidingOf('BT /F1 12 Tf 72 600 Td (a secret order) Tj ET 0 g 60 590 300 30 re f')).toBe('covered');
  });

  it('reads text under a highlight that multiplies', async () => {
    const marked = 'BT /F1 12 Tf 72 600 Td (no secret here) Tj ET /Multiply gs 1 1 0 rg 60 590 300 30 re f';
    expect(await hidingOf(marked)).toBeNull();
  });

  it('flags text beside the page and text too small to read', async () => {
    expect(await hidingOf('BT /F1 12 Tf 72 -60 Td (a secret order) Tj ET')).toBe('offPage');
    expect(await hidingOf('BT /F1 0.5 Tf 72 600 Td (a secret order) Tj ET')).toBe('tiny');
  });

  it('does not mix hidden words into the line they stand in', async () => {
    const { blocks } = await read('BT /F1 12 Tf 72 600 Td (The fee is ) Tj 1 1 1 rg (not ) Tj 0 g (due.) Tj ET');
    expect(blocks.find((block) => block.hidden === null)?.text).toBe('The fee is due.');
    expect(blocks.find((block) => block.hidden === 'white')?.text).toBe('not');
  });
});
