import { expect, it } from 'vitest';
import { factDifferences } from './facts.ts';

it.each([
  ['within one hundred twenty days', 'within 20 days', [{ topic: 'period', before: ['120 days'], after: ['20 days'] }]],
  ['within one hundred twenty (120) days', 'within 120 days', []],
  ['within 1,000 days', 'within one thousand days', []],
  ['for 1.5 years', 'for 5 years', [{ topic: 'period', before: ['1.5 years'], after: ['5 years'] }]],
  ['2024年5月1日起三十日内', '2025年6月2日起三十日内', []],
  ['a fee of $5', 'a fee of $6', [{ topic: 'amount', before: ['$5'], after: ['$6'] }]],
  ['a fee of $5,000', 'a fee of USD 5,000.00', []],
  ['合同总价款的百分之三十', '合同总价款的40%', [{ topic: 'amount', before: ['百分之三十'], after: ['40%'] }]],
  ['within ten business days', 'within ten days', [{ topic: 'period', before: ['ten business days'], after: ['10 days'] }]],
  ['laws of the State of New York', 'laws of Delaware', [{ topic: 'law', before: ['New York'], after: ['Delaware'] }]],
])('fault: the facts of %j and %j are read whole', (before, after, expected) => {
  expect(factDifferences(before, after)).toEqual(expected);
});
