// A ranking of two searches: what both know comes first, and a place is the sentence in it that was asked for.
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../structure/document.ts';
import { ClauseIndex } from './clauseSearch.ts';
import { SentenceIndex, type SearchHit } from './evidence.ts';
import { fuse, hitsOf, narrowed } from './fusion.ts';

const hit = (blockId: string, score: number, start = 0): SearchHit => ({ span: { documentId: 'd', blockId, start, end: start + 9 }, score });
const order = (hits: readonly SearchHit[]): string[] => hits.map(({ span }) => span.blockId);

describe('fuse', () => {
  it('puts a place that both lists know before the first of each', () => {
    expect(order(fuse([hit('a', 9), hit('both', 8)], [hit('b', 0.3), hit('both', 0.2)]))).toEqual(['both', 'a', 'b']);
  });

  it('keeps two places of one block apart', () => {
    expect(fuse([hit('a', 1), hit('a', 1, 20)])).toHaveLength(2);
  });

  it('keeps the order of one list', () => {
    expect(order(fuse([hit('a', 3), hit('b', 2), hit('c', 1)], []))).toEqual(['a', 'b', 'c']);
  });
});

describe('narrowed', () => {
  it('finds the sentence of a clause by the words that stand for those of the question', async () => {
    const text = '1. Data. The provider stores the data. It must erase all copies within 60 days. The customer pays.\n\n2. Law. The laws of Ohio govern.';
    const document = await parseDocument(new TextEncoder().encode(text), 'a.txt');
    const index = new SentenceIndex([document]);
    const written = ({ blockId, start, end }: SearchHit['span']): string => document.blocks.find(({ id }) => id === blockId)!.text.slice(start, end);
    const [first] = hitsOf(new ClauseIndex([document]).search('When are copies destroyed?', 5), index, 'When are copies destroyed?');
    expect(written(first!.span)).toBe('It must erase all copies within 60 days.');
    expect(narrowed([first!.span], index, 'zebra')).toBeNull();
  });
});
