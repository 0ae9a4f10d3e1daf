import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, locate, missingNumbers } from './citations.ts';
import { documentOf } from './fakes.test-support.ts';

const TEXTS = [
  '8.1. Liability Cap. Each party’s entire liability arising out of or related to this Agreement will not exceed the General Cap of $100,000.',
  '8.2. Consequential Damages Waiver. Neither party will have any liability for loss of use, lost data, lost profits or in-\u00ADdirect damages.',
  '10. Governing Law and Courts. The Governing Law governs this NDA and all claims; the State of California.',
];
const document = documentOf(TEXTS);
const cut = (span: { blockId: string; start: number; end: number }): string =>
  document.blocks.find((block) => block.id === span.blockId)!.text.slice(span.start, span.end);

describe('locate', () => {
  it('verifies a literal quote and returns exactly its characters', () => {
    const found = locate('will not exceed the General Cap', document);
    expect(found.state).toBe('verified');
    expect(found.spans.map(cut)).toEqual(['will not exceed the General Cap']);
  });

  it('sees through quote marks, dashes, white space, case and soft hyphens', () => {
    expect(locate("EACH PARTY'S   entire\nliability", document).state).toBe('verified');
    expect(locate('lost profits or in‐direct damages', document).state).toBe('verified');
  });

  it('repairs a quote with a wrong beginning and highlights only what stands there', () => {
    const found = locate('The entire liability arising out of or related to this Agreement will not exceed the General Cap', document);
    expect(found.state).toBe('repaired');
    expect(found.spans.map(cut)).toEqual([' entire liability arising out of or related to this Agreement will not exceed the General Cap']);
  });

  it('does not verify what is not there', () => {
    expect(locate('Provider will pay all damages without limit', document)).toEqual({ state: 'unverified', spans: [] });
    expect(locate('', document).state).toBe('unverified');
    expect(locate('the General Cap of $200,000', document).state).not.toBe('verified');
  });

  it('prefers the hinted page', () => {
    const twice = documentOf(['same words here', 'same words here']);
    const moved = { ...twice, blocks: twice.blocks.map((block, i) => ({ ...block, at: [{ page: i * 5, box: null }] })) };
    expect(locate('same words here', moved, 5).spans[0]?.blockId).toBe('b1');
  });

  it('never calls a quote verified or repaired unless the document literally says it at that place', () => {
    const edits = fc.array(fc.record({ at: fc.nat(), remove: fc.nat(6), insert: fc.string({ maxLength: 6 }) }), { maxLength: 4 });
    const property = fc.property(fc.nat(TEXTS.length - 1), fc.nat(), fc.integer({ min: 1, max: 140 }), edits, (which, from, length, changes) => {
      const text = TEXTS[which]!;
      const start = from % text.length;
      let quote = text.slice(start, start + length);
      for (const { at, remove, insert } of changes) {
        const place = quote.length === 0 ? 0 : at % quote.length;
        quote = quote.slice(0, place) + insert + quote.slice(place + remove);
      }
      const found = locate(quote, document);
      const needle = fold(quote.normalize('NFC')).text;
      const said = document.blocks.some((block) => fold(block.text).text.includes(needle));
      expect(found.state === 'verified').toBe(said && needle !== '');
      for (const span of found.spans) {
        const there = fold(cut(span)).text;
        if (found.state === 'verified') expect(there).toBe(needle);
        else {
          expect(needle).toContain(there.trim());
          expect(there.length).toBeGreaterThanOrEqual(Math.min(needle.length, 12) - 2);
        }
      }
    });
    fc.assert(property, { numRuns: 5000 });
  });
});

describe('missingNumbers', () => {
  it('finds a number that no quote holds', () => {
    expect(missingNumbers('The cap is $200,000 and 30 days.', ['a cap of $100,000', 'within 30 days'])).toEqual(['200,000']);
  });
});
