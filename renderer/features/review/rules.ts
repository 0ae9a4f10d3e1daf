import type { Finding } from '../../../core/contract/review.ts';

export const RULES: Readonly<Record<Finding['rule'], string>> = {
  'undefined-term': 'Undefined term',
  'unused-definition': 'Unused definition',
  'duplicate-definition': 'Defined twice',
  'broken-reference': 'Broken reference',
  'missing-exhibit': 'Missing exhibit',
  'numbering-gap': 'Gap in numbers',
  'amount-mismatch': 'Words and figures differ',
  placeholder: 'Left blank',
};
