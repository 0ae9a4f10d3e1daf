// Words at line ends: which hyphen was written and which was set by the program that broke the line.
import { describe, expect, it } from 'vitest';
import { readFile } from '../../read.ts';
import { makePdf, paragraph } from '../makePdf.test-support.ts';

describe('hyphens at line ends', () => {
  /** Text of a paragraph whose first line ends in `left` and whose second begins with `right`. */
  const joined = async (left: string, right: string, more = 'The parties agree on all of the terms of it.'): Promise<string> => {
    const lines = [`The supplier delivers the goods and all of the documents that belong to them in ${left}`, `${right} form, as set out in the order.`, more];
    const { blocks } = await readFile(makePdf([{ lines: paragraph(lines, 100) }]), 'test.pdf', {});
    return blocks.map((block) => block.text).join(' ');
  };

  it('fault: a real hyphen at a line end stays', async () => {
    for (const [left, right] of [
      ['machine-', 'readable'],
      ['non-', 'binding'],
      ['p-', 'valued'],
      ['a four-year-', 'old'],
      ['newly-', 'formed'],
    ] as const)
      expect(await joined(left, right)).toContain(`${left}${right} form`);
  });

  it('fault: a word that was broken is one word again', async () => {
    for (const [left, right] of [
      ['in-', 'teresting'],
      ['electro-', 'nic'],
      ['ex-', 'pected'],
      ['pre-', 'vious'],
    ] as const)
      expect(await joined(left, right)).toContain(` ${left.slice(0, -1)}${right} form`);
  });

  it('fault: what stands elsewhere in the document decides', async () => {
    expect(await joined('sub-', 'licence', 'Each sub-licence ends with the order.')).toContain('in sub-licence form');
    expect(await joined('co-', 'operation', 'The parties value cooperation.')).toContain('in cooperation form');
  });
});
