import { expect, it } from 'vitest';
import { chineseMentions } from './chineseReferences.ts';

it('fault: a range of articles over a hundred names every article between', () => {
  const numbers = chineseMentions('依照本合同第九十八条至第一百零三条的约定。', 0).map(({ number }) => number);
  expect(new Set(numbers)).toEqual(new Set(['第九十八条', '第九十九条', '第一百条', '第一百零一条', '第一百零二条', '第一百零三条']));
});
