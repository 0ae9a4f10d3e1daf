// Blocks as a plain body: tables over page breaks, and sizes that real schedules have.
import { describe, expect, it } from 'vitest';
import type { Block } from '../../contract/document.ts';
import { bodyOf } from './plain.ts';
import { elements, findAll, textIn } from './xml.ts';

const FONT = { size: 10, bold: false, italic: false };
const block = (id: number, text: string, more: Partial<Block> = {}): Block => ({
  id: `b${id}`,
  kind: 'paragraph',
  text,
  number: null,
  level: null,
  indent: 0,
  at: [],
  lines: [],
  font: FONT,
  cell: null,
  hidden: null,
  ...more,
});
const cell = (id: number, text: string, row: number, column: number): Block =>
  block(id, text, { kind: 'tableCell', cell: { table: 't0', row, column, rowSpan: 1, columnSpan: 1, header: false } });

describe('a body of blocks', () => {
  it('fault: a table over a page break stays one table, whatever stands between its cells', () => {
    const blocks = [
      cell(0, 'Fee', 0, 0),
      block(1, 'Page 1 of 2', { kind: 'furniture' }),
      block(2, '1 Net of tax.', { kind: 'footnote' }),
      cell(3, '10', 0, 1),
      cell(4, 'Cap', 1, 0),
    ];
    const body = bodyOf(blocks);
    expect(elements(body).map((node) => node.name)).toEqual(['w:tbl', 'w:p', 'w:p']);
    const rows = findAll(body, (node) => node.name === 'w:tr').map((row) => findAll(row, (node) => node.name === 'w:tc').map(textIn));
    expect(rows).toEqual([
      ['Fee', '10'],
      ['Cap', ''],
    ]);
  });

  it('fault: 200,000 paragraphs are no RangeError', () => {
    const blocks = Array.from({ length: 200_000 }, (_unused, index) => block(index, 'x', { indent: 20 + (index % 2) * 10 }));
    const indents = bodyOf(blocks).children.map((node) => findAll(node as never, ({ name }) => name === 'w:ind')[0]?.attributes['w:left']);
    expect(indents.slice(0, 2)).toEqual([undefined, '200']);
    expect(indents).toHaveLength(200_000);
  });

  it('fault: the time of a long table grows with its cells, not with their square', () => {
    const blocks = Array.from({ length: 20_000 }, (_unused, index) => cell(index, String(index), Math.floor(index / 5), index % 5));
    const before = process.cpuUsage().user;
    const body = bodyOf(blocks);
    // A filter of all blocks for each cell took a hundred times as long.
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(2);
    expect(textIn(findAll(body, (node) => node.name === 'w:tr')[3999]!)).toBe('1999519996199971999819999');
  });
});
