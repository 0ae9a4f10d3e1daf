import { expect, it } from 'vitest';
import { parse } from './structure.test-support.ts';

async function termsOf(...lines: string[]): Promise<string[]> {
  const document = await parse(lines);
  for (const definition of document.definitions) {
    const block = document.blocks.find((entry) => entry.id === definition.span.blockId);
    expect(block?.text.slice(definition.span.start, definition.span.end)).toBe(definition.term);
  }
  return document.definitions.map((definition) => definition.term);
}

it.each([
  ['“Affiliate” means a company.', ['Affiliate']],
  ['“SLA” or “Service Level Agreement” is defined in Section 7.', ['SLA', 'Service Level Agreement']],
  ['Acme Corp (the “Company”) and Bolt (“Supplier”) agree.', ['Company', 'Supplier']],
  ['each, a “Party” and not (each a "Holder" and together, the "Holders") of shares', ['Holder', 'Holders']],
  ['**Order** means an order form.', ['Order']],
  ['甲方：某公司（以下简称“甲方”）', ['甲方']],
  ['“保密信息”是指任何信息。', ['保密信息']],
  ['marked as “confidential” or (as “used” there) in the list.', []],
  ['He said “Yes” and left.', []],
])('reads the terms of: %s', async (line, terms) => {
  expect(await termsOf(line)).toEqual(terms);
});

it('names the clause a term is defined in', async () => {
  const document = await parse(['1. Definitions', '(a) “X Term” means y.']);
  const clause = document.clauses.find((entry) => entry.id === document.definitions[0]?.clauseId);
  expect(clause?.path).toBe('1(a)');
});

it('fault: a bracket of commas before a quoted word costs no time', async () => {
  const before = process.cpuUsage().user;
  expect(
    await termsOf(`Acme (the${',the'.repeat(4)}${','.repeat(60)}x “Company”) agrees.`, 'Bolt (each, a “Party” and,, together, the “Parties”) agrees.'),
  ).toEqual(['Party', 'Parties']);
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(2);
});
