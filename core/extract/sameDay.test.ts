import { describe, expect, it } from 'vitest';
import { takesEffectWhenMade } from './sameDay.ts';

describe('an agreement that takes effect on the day it is made', () => {
  it.each([
    'This Agreement shall become effective upon execution by both parties.',
    'This Second Amended and Restated Supply Agreement is effective as of the date first above written.',
    'The initial term shall commence on the date hereof and continue for three years.',
    'It shall take effect on the date of its signature.',
    '“Effective Date” means the date on which the last party signs this Agreement.',
    'IN WITNESS WHEREOF, the parties have executed this Agreement effective as of the day and year first written above.',
    'This Agreement shall remain in effect for five (5) years from the date of this Agreement.',
    '本合同自双方签字盖章之日起生效。',
    '本协议经双方法定代表人签字并加盖公章后生效。',
  ])('is known by its wording: %s', (sentence) => {
    expect(takesEffectWhenMade(sentence)).toBe(true);
  });

  it.each([
    'No amendment of this Agreement shall be effective until the date of its execution by both parties.',
    '“Construction Commencement Date” means the date set out in the Addendum.',
    'WHEREAS, the parties have entered into the Agreement effective as of the date of the Agreement dated 1 May 2001.',
    'Fees accrue after the Effective Date of this Agreement.',
    'Seller shall deliver the goods within thirty days from the date of the order.',
  ])('is not taken from what else begins or is signed: %s', (sentence) => {
    expect(takesEffectWhenMade(sentence)).toBe(false);
  });
});
