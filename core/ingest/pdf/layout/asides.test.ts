// Where asides stand among the blocks of their page, with blocks made by hand.
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../contract/document.ts';
import { placeAsides, plainBlock } from './asides.ts';

const at = (id: string, page: number, y: number, kind: Block['kind'] = 'paragraph'): Block =>
  plainBlock(id, kind, id, page, { x0: 72, x1: 500, y0: y, y1: y + 10 }, 10);
const hidden = (id: string, page: number): Block => ({ ...at(id, page, 0), hidden: 'white' });
const order = (blocks: readonly Block[], asides: readonly Block[]): string =>
  placeAsides(blocks, asides)
    .map(({ id }) => id)
    .join(' ');

describe('an aside', () => {
  const blocks = [at('a', 0, 100), at('b', 0, 300), at('c', 0, 200), at('foot', 0, 50, 'furniture'), at('d', 2, 100)];

  it('follows the last block that ends above it, never furniture', () => {
    expect(order(blocks, [at('x', 0, 200), at('y', 0, 250), at('z', 0, 20)])).toBe('z a b c x y foot d');
    expect(order(blocks, [at('x', 0, 120)])).toBe('a x b c foot d');
  });

  it('begins its page when nothing stands above it, and follows what came before on a page without blocks', () => {
    expect(order(blocks, [at('x', 1, 10), at('y', 2, 10), at('z', 9, 10)])).toBe('a b c foot x y d z');
  });

  it('ends its page when it is hidden', () => {
    expect(order(blocks, [hidden('x', 0), hidden('y', 2)])).toBe('a b c foot x d y');
    expect(order([at('a', 3, 0)], [hidden('x', 0)])).toBe('x a');
  });

  it('fault: thousands of hidden lines or fields on a long document take the square of their number', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => at(`b${index}`, 0, 20 * index));
    const asides = many.flatMap((block, index) => [{ ...block, id: `f${index}` }, hidden(`h${index}`, 0)]);
    const started = process.cpuUsage().user;
    const placed = placeAsides(many, asides);
    expect(placed.slice(0, 4).map(({ id }) => id)).toEqual(['b0', 'f0', 'b1', 'f1']);
    // 40,000 asides take 50 ms; every one against every block took fourteen seconds.
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(1500);
  });
});
