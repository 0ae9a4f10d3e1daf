// Highlights must end at the character, whatever the direction of the writing; a wrong highlight is worse than none.
import { describe, expect, it } from 'vitest';
import type { Block, Clause, Document, Line } from '../../core/contract/document.ts';
import { plainBlock, plainClause, plainDocument } from '../../core/contract/make.test-support.ts';
import { clauseAt, clauseOfSpan, spanPlaces, spanText } from './places.ts';

const line = (start: number, end: number, part: Partial<Line> = {}): Line => ({
  start,
  end,
  page: 0,
  box: { x0: 10, y0: 20, x1: 10 + (end - start) * 5, y1: 30 },
  axis: 'x',
  edges: Array.from({ length: end - start + 1 }, (_, at) => 10 + at * 5),
  ...part,
});
const block = (id: string, text: string, lines: readonly Line[]): Block =>
  plainBlock({ id, text, lines, at: [{ page: 0, box: { x0: 10, y0: 20, x1: 200, y1: 60 } }] });
const clause = (id: string, blockId: string, end: number): Clause =>
  plainClause({ id, path: id, number: id, spans: [{ documentId: 'd', blockId, start: 0, end }] });
const document = (blocks: readonly Block[], clauses: readonly Clause[] = []): Document =>
  plainDocument({ name: 'd.pdf', kind: 'pdf', pages: [{ width: 600, height: 800, label: '1', source: 'digital', confidence: null }], blocks, clauses });
const span = (blockId: string, start: number, end: number) => ({ documentId: 'd', blockId, start, end });

describe('the places of a span', () => {
  it('begins and ends at its characters, on each line that it touches', () => {
    const lower = line(10, 20, { box: { x0: 10, y0: 40, x1: 60, y1: 50 } });
    const places = spanPlaces(document([block('b', 'abcdefghi jklmnopqrs', [line(0, 10), lower])]), span('b', 4, 12));
    expect(places).toEqual([
      { page: 0, box: { x0: 30, y0: 20, x1: 60, y1: 30 } },
      { page: 0, box: { x0: 10, y0: 40, x1: 20, y1: 50 } },
    ]);
  });

  it('follows writing from right to left and from top to bottom', () => {
    const leftwards = line(0, 4, { edges: [30, 25, 20, 15, 10] });
    expect(spanPlaces(document([block('b', 'abcd', [leftwards])]), span('b', 1, 3))[0]!.box).toMatchObject({ x0: 15, x1: 25 });
    const downwards = line(0, 4, { axis: 'y', edges: [20, 30, 40, 50, 60], box: { x0: 5, y0: 20, x1: 15, y1: 60 } });
    expect(spanPlaces(document([block('b', 'abcd', [downwards])]), span('b', 1, 3))[0]!.box).toEqual({ x0: 5, y0: 30, x1: 15, y1: 50 });
  });

  it('falls back to the place of the block where it has no lines, and to nothing where there is no block', () => {
    const flow = document([block('b', 'abcd', [])]);
    expect(spanPlaces(flow, span('b', 0, 2))).toEqual([{ page: 0, box: { x0: 10, y0: 20, x1: 200, y1: 60 } }]);
    expect(spanPlaces(flow, span('gone', 0, 2))).toEqual([]);
    expect(spanText(flow, span('b', 1, 3))).toBe('bc');
  });
});

describe('the clause in view', () => {
  const upper = block('u', 'upper', [line(0, 5, { box: { x0: 10, y0: 100, x1: 60, y1: 110 } })]);
  const lower = block('l', 'lower', [line(0, 5, { box: { x0: 10, y0: 300, x1: 60, y1: 310 } })]);
  const both = document([upper, lower], [clause('1', 'u', 5), clause('2', 'l', 5)]);

  it('is the last one that begins above the point', () => {
    expect(clauseAt(both, 0, 50)).toBeNull();
    expect(clauseAt(both, 0, 100)).toBe('1');
    expect(clauseAt(both, 0, 299)).toBe('1');
    expect(clauseAt(both, 1, 0)).toBe('2');
  });

  it('is known for a span by its clause', () => {
    expect(clauseOfSpan(both, span('l', 0, 5))).toBe('2');
    expect(clauseOfSpan(both, span('nowhere', 0, 5))).toBeNull();
  });

  it('is the one in which a highlight stands where a block carries two numbers', () => {
    const [outer, inner] = [clause('2', 'b', 3), { ...clause('2(a)', 'b', 0), spans: [span('b', 3, 20)] }];
    const shared = document([block('b', '2. (a) words of it.', [])], [outer, inner]);
    expect(clauseOfSpan(shared, span('b', 0, 2))).toBe('2');
    expect(clauseOfSpan(shared, span('b', 7, 12))).toBe('2(a)');
    // The whole line: most of it is the inner clause.
    expect(clauseOfSpan(shared, span('b', 0, 19))).toBe('2(a)');
  });
});
