// Clauses found for a question by words: synonyms, defined terms, lead-ins, and that nothing is left out of the passages.
import { describe, expect, it } from 'vitest';
import { parse } from '../structure/structure.test-support.ts';
import { ClauseIndex, passagesOf } from './clauseSearch.ts';

const NDA = [
  '1. Definitions',
  '1.1 “Representatives” means the officers, employees and lawyers of a party.',
  '1.2 “Information” means all data that a party discloses in connection with the project.',
  `2. Use. The Recipient uses the Information for the project only. ${'It keeps records of the project. '.repeat(40)}`,
  `3. Disclosure. The Recipient shares it with its Representatives only. ${'They are bound in the same way. '.repeat(40)}`,
  `4. End. When the project is over, the Recipient shall redeliver or erase whatever it has. ${'The parties confirm this to each other. '.repeat(40)}`,
  `5. Law. This Agreement is governed by the laws of Ontario. ${'Courts there are competent. '.repeat(40)}`,
];

async function found(question: string): Promise<string[]> {
  const document = await parse(NDA);
  const path = new Map(document.clauses.map((clause) => [clause.id, clause.path]));
  return new ClauseIndex([document]).search(question, 2).map(({ passage }) => path.get(passage.clauseId) ?? '');
}

describe('ClauseIndex', () => {
  it('fault: a question in other words than the contract finds nothing', async () => {
    expect((await found('Must confidential material be destroyed or returned?'))[0]).toBe('4');
  });

  it('reaches a clause through the defined term that stands for the word asked for', async () => {
    const hits = await found('Can employees see it?');
    expect(hits).toContain('3');
    expect(hits).toContain('1');
  });

  it('ranks a clause of the type that is asked for first', async () => {
    expect((await found('Which law governs?'))[0]).toBe('5');
  });

  it('gives nothing for a question without a word of the document', async () => {
    expect(await found('zebra quagga')).toEqual([]);
  });

  it('puts every content block into a passage, and a lead-in into the passage of each of its items', async () => {
    const document = await parse(['1. Duties. Each party shall:', `(a) pay. ${'x y z '.repeat(250)}`, `(b) deliver. ${'x y z '.repeat(250)}`]);
    const passages = passagesOf(document);
    expect(new Set(passages.flatMap(({ spans }) => spans.map((span) => span.blockId)))).toEqual(new Set(document.blocks.map((block) => block.id)));
    expect(passages.filter(({ text }) => text.includes('Each party shall:'))).toHaveLength(3);
  });
});
