import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { Vocabulary, sentenceEnds, textOf, tokenize } from './tokens.ts';
import { diffParts, mirrorParts, wordHunks } from './wordDiff.ts';

const options = { markup: true, hyphens: false };

function diff(before: string, after: string): string {
  const vocabulary = new Vocabulary();
  const [a, b] = [before, after].map((text) => tokenize(text, 0, text.length, vocabulary, options));
  const parts = diffParts(a!, b!, wordHunks(a!, b!));
  return parts.map((part) => (part.op === 'equal' ? part.text : part.op === 'insert' ? `{+${part.text}+}` : `[-${part.text}-]`)).join('');
}

describe('word diff', () => {
  it('marks an added sentence as a whole, not from the middle of its neighbour', () => {
    expect(diff('The Company owns all Company IP.', 'The Company owns all Company IP. You keep all Company IP.')).toBe(
      'The Company owns all Company IP.{+ You keep all Company IP.+}',
    );
  });
  it('shows which digits of a long number differ and replaces a short one whole', () => {
    expect(diff('pay $1,000,000 now', 'pay $1,500,000 now')).toBe('pay $1,[-0-]{+5+}00,000 now');
    expect(diff('within 30 days', 'within 60 days')).toBe('within[- 30-]{+ 60+} days');
  });
  it('joins edits with only a stop word between them', () => {
    expect(diff('the red house of brick stands', 'the blue tower of stone stands')).toBe('the[- red house of brick-]{+ blue tower of stone+} stands');
  });
  it('keeps unrelated edits apart', () => {
    expect(diff('Customer may copy the Software and must pay the Fees.', 'Client may copy the Software and must pay the Charges.')).toBe(
      '[-Customer-]{+Client+} may copy the Software and must pay the[- Fees-]{+ Charges+}.',
    );
  });
  it('sees no difference in quotes, dashes, spaces, emphasis and blanks', () => {
    expect(diff('“Fees” – the  **amounts** due_ ______.', '"Fees" - the amounts due __________.')).toBe('"Fees" - the amounts due __________.');
  });
  it('rebuilds both texts and mirrors exactly', () => {
    const words = fc
      .array(fc.constantFrom('the', 'Fees', 'shall', 'not', '1,000,000', '1,000,500', 'pay', '.', ',', '(a)', 'of'), { maxLength: 30 })
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(words, words, (before, after) => {
        const vocabulary = new Vocabulary();
        const [a, b] = [before, after].map((text) => tokenize(text, 0, text.length, vocabulary, options));
        const parts = diffParts(a!, b!, wordHunks(a!, b!));
        const side = (op: string): string =>
          parts
            .filter((part) => part.op === 'equal' || part.op === op)
            .map((part) => part.text)
            .join('')
            .replace(/\s+/g, '');
        expect(side('delete')).toBe(textOf(a!).replace(/\s+/g, ''));
        expect(side('insert')).toBe(textOf(b!).replace(/\s+/g, ''));
        expect(mirrorParts(mirrorParts(parts))).toEqual(parts);
      }),
      { numRuns: 500 },
    );
  });
});

describe('sentences', () => {
  const split = (text: string): string[] => {
    const vocabulary = new Vocabulary();
    const tokens = tokenize(text, 0, text.length, vocabulary, options);
    let from = 0;
    return sentenceEnds(tokens, vocabulary).map((end) => textOf(tokens.slice(from, (from = end))));
  };
  it('end at a full stop before a capital, not after an abbreviation', () => {
    expect(split('Acme Inc. shall pay. It may not wait.')).toEqual(['Acme Inc. shall pay.', 'It may not wait.']);
    expect(split('See Section 1.2. Then go.')).toEqual(['See Section 1.2.', 'Then go.']);
    expect(split('甲方应付款。乙方应交货。')).toEqual(['甲方应付款。', '乙方应交货。']);
  });
});
