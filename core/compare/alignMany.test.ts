import { describe, expect, it } from 'vitest';
import { ClauseTableSchema, type ClauseCell } from '../contract/clauseTable.ts';
import { alignClauses } from './alignMany.ts';
import { makeDocument } from './makeDocument.test-support.ts';

const LAW = (state: string): string =>
  `Governing Law. This Agreement is governed by the laws of ${state}, without regard to its rules on the conflict of laws.`;
const CAP =
  'Limitation of Liability. The total liability of either party under this Agreement does not exceed the fees paid in the 12 months before the claim.';
const TERM = 'Term. This Agreement starts on the Effective Date and lasts for two years unless it is terminated before.';
const AUDIT = 'Audit. The Customer may inspect the books and records of the Provider once in each calendar year on ten days notice.';
const make = (id: string, clauses: readonly string[]) => makeDocument(clauses.map((text, at) => `${at + 1}. ${text}`).join('\n'), { id });
const row = (table: ReturnType<typeof alignClauses>, label: string): readonly (ClauseCell | null)[] => table.rows.find((each) => each.label === label)!.cells;

describe('the same clause in many contracts', () => {
  const ours = make('ours', [TERM, LAW('Delaware'), CAP]);
  const theirs = make('theirs', [CAP.replace('12 months', '24 months'), AUDIT, TERM, LAW('California')]);
  const third = make('third', [
    LAW('Delaware'),
    'Liability Limits. Neither party owes the other more than $100,000 for all claims under this Agreement taken together.',
  ]);
  const table = alignClauses([ours, theirs, third]);

  it('fits the contract and has one cell for each document', () => {
    expect(ClauseTableSchema.safeParse(table).success).toBe(true);
    expect(table.rows.every(({ cells }) => cells.length === 3)).toBe(true);
  });
  it('fault: clauses are set beside each other by number', () => {
    expect(row(table, 'Governing Law').map((cell) => cell?.path)).toEqual(['2', '4', '1']);
    expect(row(table, 'Limitation of Liability').map((cell) => cell?.path)).toEqual(['3', '1', '2']);
  });
  it('shows a clause that a contract lacks as missing, and one that only others have after the rest', () => {
    expect(row(table, 'Term')[2]).toBeNull();
    expect(table.rows.at(-1)).toMatchObject({ label: 'Audit', cells: [null, { path: '2', deviation: 'extra' }, null] });
  });
  it('marks edited words and says what they concern', () => {
    const [, edited, same] = row(table, 'Governing Law');
    expect([edited!.deviation, edited!.topics, edited!.severity]).toEqual(['edited', ['law'], 'high']);
    expect(edited!.diff.filter(({ op }) => op !== 'equal').map(({ text }) => text.trim())).toEqual(['Delaware', 'California']);
    expect(same!.deviation).toBe('same');
    expect(row(table, 'Limitation of Liability')[1]!.topics).toEqual(['period']);
  });
  it('sets what a clause with its own words names against the baseline', () => {
    const own = row(table, 'Limitation of Liability')[2]!;
    expect([own.deviation, own.topics, own.diff]).toEqual(['own', ['amount', 'period'], []]);
    expect(own.reason).toContain('Amount: $100,000 (baseline: none).');
    expect(own.reason).toContain('Period: none (baseline: 12 months).');
  });
  it('takes another baseline, and gives every document its own place', () => {
    const other = alignClauses([ours, theirs, third], { baselineId: 'theirs' });
    expect(other.baselineId).toBe('theirs');
    expect(row(other, 'Governing Law').map((cell) => cell?.deviation)).toEqual(['edited', 'baseline', 'edited']);
  });
  it('uses a clause in one row only', () => {
    for (let at = 0; at < 3; at++) {
      const used = table.rows.flatMap(({ cells }) => cells[at]?.clauseId ?? []);
      expect(new Set(used).size).toBe(used.length);
    }
  });
  it('reads thirty (30) days and 30 days as one period', () => {
    const notice = (words: string, rest: string): string => `Notices. ${words}`.concat(rest);
    const one = make('one', [notice('A party gives notice of a breach within thirty (30) days after it has heard of it, in writing.', '')]);
    const two = make('two', [notice('Breaches are reported to the other side by registered mail no later than 30 days from their discovery.', '')]);
    expect(row(alignClauses([one, two]), 'Notices')[1]).toMatchObject({ deviation: 'own', topics: ['wording'] });
  });
});
