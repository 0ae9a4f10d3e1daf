// One stem for all searches by words: forms of a word that a question and a contract use for each other must meet.
import { describe, expect, it } from 'vitest';
import { contentWords } from './labels.ts';
import { questionTerms, stem, termsOf } from './terms.ts';

describe('stem', () => {
  it.each([
    ['invoices', 'invoice'],
    ['terminated', 'terminates', 'terminate'],
    ['disclosure', 'disclosing', 'disclosed'],
    ['payments', 'payment', 'pay', 'pays'],
    ['fees', 'fee'],
    ['parties', 'party'],
  ])('of %s and %s is one', (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it('never cuts a word to one letter', () => {
    for (const word of ['fee', 'fees', 'ions', 'see', 'ally']) expect(stem(word).length).toBeGreaterThan(1);
  });

  it('is the same for the words of a question, of a text and of the sweep', () => {
    const [word] = contentWords('payments');
    expect([...termsOf('payment').keys()]).toEqual([word]);
    expect(questionTerms('payment').get(word!)).toBe(1);
  });
});
