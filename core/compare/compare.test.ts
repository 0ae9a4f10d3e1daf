// Fixtures are short excerpts: GitHub Balanced Employee IP Agreement (CC0 1.0), Series Seed Preferred Stock Investment Agreement (CC0 1.0),
// GitHub Corporate Terms of Service (CC0 1.0), Common Paper Cloud Service Agreement (CC BY 4.0, commonpaper.com).
import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { ComparisonSchema, type Change } from '../contract/comparison.ts';
import { compareDocuments } from './compare.ts';
import { makeDocument } from './makeDocument.test-support.ts';

function compare(before: string, after: string): ReturnType<typeof compareDocuments> {
  return compareDocuments(makeDocument(before, { id: 'aaa', kind: 'text' }), makeDocument(after, { id: 'bbb', kind: 'text' }));
}
const kinds = (changes: readonly Change[]): string[] => changes.map((change) => `${change.kind} ${change.before?.path ?? '-'}>${change.after?.path ?? '-'}`);
const shown = (change: Change): string =>
  change.diff.map((part) => (part.op === 'equal' ? '' : part.op === 'insert' ? `{+${part.text.trim()}+}` : `[-${part.text.trim()}-]`)).join('');

const HIRE =
  'All Company IP that you are involved with or create as part of your work for the Company is work made for hire under copyright law and compensated by your regular salary or pay.';
const OWNS =
  '1. What the Company owns. The Company owns any IP ("Company IP") that you create. You hereby grant and assign to the Company all rights and interests in all Company IP.';
const CONFLICTS = 'No conflicts. You agree that you do not have any outstanding agreements or obligations that conflict with those in this Agreement.';

describe('moved and merged text', () => {
  it('says that a section became a sentence of section 1, and that the next ones were renumbered (BEIPA v046 to v047)', () => {
    const result = compare(`${OWNS}\n5. Works made for hire. ${HIRE}\n6. ${CONFLICTS}`, `${OWNS} ${HIRE}\n5. ${CONFLICTS}`);
    expect(kinds(result.changes)).toEqual(['merged 5>1', 'renumbered 6>5']);
    expect(result.changes[0]!.after!.text).toBe(HIRE);
    expect(shown(result.changes[0]!)).toBe('[-Works made for hire.-]');
    expect(result.changes[0]!.reason).toContain('5 became part of 1');
  });
  it('says the reverse for the reverse', () => {
    const result = compare(`${OWNS} ${HIRE}\n5. ${CONFLICTS}`, `${OWNS}\n5. Works made for hire. ${HIRE}\n6. ${CONFLICTS}`);
    expect(kinds(result.changes).toSorted()).toEqual(['renumbered 5>6', 'split 1>5']);
  });
  it('finds only the cross-reference (BEIPA 13c1710f)', () => {
    const text = (n: number): string =>
      `1. One. This is the first section of the agreement.\n2. Ownership. The Company does not own works that do not meet any of the conditions above in Section ${n}. This is true regardless of the computer you use.`;
    const [change, ...rest] = compare(text(2), text(1)).changes;
    expect(rest).toEqual([]);
    expect(shown(change!)).toBe('[-2-]{+1+}');
    expect(change).toMatchObject({ kind: 'changed', topics: ['crossReference'], severity: 'medium' });
  });
  it('calls a reference that follows the renumbering low', () => {
    const body = 'Confidentiality. Each party keeps the secrets of the other party for five years after the end.';
    const result = compare(
      `1. Start. The parties start work together on the first day.\n2. Costs. Each party bears its own costs and expenses always.\n3. ${body}\n4. Survival. Section 3 survives the end of this agreement for ever.`,
      `1. Start. The parties start work together on the first day.\n2. ${body}\n3. Survival. Section 2 survives the end of this agreement for ever.`,
    );
    const change = result.changes.find(({ kind }) => kind === 'changed')!;
    expect(change.severity).toBe('low');
    expect(change.reason).toContain('still points at the same clause');
  });
  it('follows a definition that moved into another clause and reads differently (Series Seed SPA 3.0 to 3.1)', () => {
    const drag = '5.3 Drag Along Right. In the event that the Board approves a Deemed Liquidation Event';
    const voting = '7.1 Voting. Subject to the rights of the stockholders of the Company to remove a director for cause';
    const result = compare(
      `${drag}, then each Holder and Key Holder hereby agrees to vote all shares in favor of it.\n${voting}, each Purchaser and each Key Holder (each a “Stockholder”) agrees to vote all shares of capital stock.`,
      `${drag}, then each Stockholder hereby agrees to vote all shares in favor of it. "Stockholder" shall mean each Holder and Key Holder, and any transferee thereof.\n${voting}, each Stockholder agrees to vote all shares of capital stock.`,
    );
    const moved = result.changes.find(({ kind }) => kind === 'movedChanged')!;
    expect([moved.before!.path, moved.after!.path, moved.topics]).toEqual(['7.1', '5.3', ['definedTerm']]);
    expect(moved.after!.text).toBe('"Stockholder" shall mean each Holder and Key Holder, and any transferee thereof.');
    expect(moved.reason).toContain('definition of “Stockholder” moved from 7.1 to 5.3');
  });
  it('marks an added sentence whole and words taken out (Series Seed 8.1, 4.2)', () => {
    const result = compare(
      '4.2 Additional Rights. The Company may grant contractual terms such as preemptive rights or registration rights.\n8.1 Successors. Nothing in this Agreement is intended to confer any rights upon others.',
      '4.2 Additional Rights. The Company may grant contractual terms such as registration rights.\n8.1 Successors. Nothing in this Agreement is intended to confer any rights upon others. No Stockholder may transfer Shares unless each transferee agrees to be bound by the terms of this Agreement.',
    );
    expect(result.changes.map(shown)).toEqual([
      '[-preemptive rights or-]',
      '{+No Stockholder may transfer Shares unless each transferee agrees to be bound by the terms of this Agreement.+}',
    ]);
  });
  it('reports two paragraphs that moved within a section (GitHub corporate terms v014 to v015)', () => {
    const term = (name: string, words: string): string => `“${name}” means ${words}.`;
    const [order, organization, machine, owner] = [
      term('Order Form', 'written or electronic documentation that the Parties may use to order the Products'),
      term('Organization', 'a shared workspace that may be associated with a single entity or with one or more Users'),
      term('Machine Account', 'an account registered by an individual human who accepts the applicable terms of service on behalf of the Machine Account'),
      term('Private Repository', 'a repository which allows a User to control access to Content'),
    ];
    const result = compare(
      `A. Definitions\n${order}\n${organization}\n${machine}\n${owner}`,
      `A. Definitions\n${machine}\n${order}\n${organization}\n${owner}`,
    );
    expect(kinds(result.changes)).toEqual(['moved A>A']);
    expect(result.changes[0]!.after!.text).toBe(machine);
    expect(result.changes[0]!.diff).toEqual([]);
  });
  it('finds a clause that moved and was edited', () => {
    const filler = [1, 2, 3].map((n) => `Filler ${n}. The ${n} provision speaks of things number ${n} and of nothing else at all in the world.`);
    const secret = (years: string): string =>
      `Secrets. The Recipient shall keep the Confidential Information of the Discloser secret for ${years} years after termination of this Agreement.`;
    const result = compare(
      `1. ${secret('two')}\n2. ${filler[0]}\n3. ${filler[1]}\n4. ${filler[2]}`,
      `1. ${filler[0]}\n2. ${filler[1]}\n3. ${filler[2]}\n4. ${secret('five')}`,
    );
    const moved = result.changes.filter(({ kind }) => kind.startsWith('moved'));
    expect(kinds(moved)).toEqual(['movedChanged 1>4']);
    expect(moved[0]).toMatchObject({ topics: ['period'], severity: 'high' });
    expect(result.counts.renumbered).toBe(3);
  });
  it('follows a sentence into another clause that both sides keep', () => {
    const sentence = 'Each party shall comply with all applicable export control laws of the United States.';
    const [one, two] = [
      '1. Delivery. The Seller delivers the Goods to the Buyer at the port of Rotterdam.',
      '2. Payment. The Buyer pays the price within thirty days after delivery of the Goods.',
    ];
    const result = compare(`${one} ${sentence}\n${two}`, `${one}\n${two} ${sentence}`);
    expect(kinds(result.changes)).toEqual(['moved 1>2']);
    expect(result.changes[0]!.before!.text).toBe(sentence);
  });
});

describe('noise', () => {
  const text = '# Agreement\n1. Fees. The Client pays “Fees” — in full — within thirty (30) days.\n2. Term. This Agreement lasts ____ years.';
  it('gives no change for identical documents', () => {
    expect(compare(text, text).changes).toEqual([]);
    expect(compare(text, text).unchangedClauses).toBe(3);
  });
  it('gives no change for spaces, quotes, dashes, emphasis, blanks and paragraph breaks', () => {
    const other =
      '# Agreement  \n1.  **Fees.** The Client pays "Fees" – in   full – within\nthirty (30) days.  \n2. _Term._ This Agreement lasts __________ years.';
    expect(compare(text, other).changes).toEqual([]);
  });
  it('ignores furniture and, beside a PDF, hyphens inside words', () => {
    const pdf = makeDocument('1. Scope. The nondisclosure duty binds sub-contractors too.\nPage 1 of 2', { id: 'aaa', kind: 'pdf' });
    const blocks = pdf.blocks.map((block) => (block.text.startsWith('Page') ? { ...block, kind: 'furniture' as const } : block));
    expect(compareDocuments({ ...pdf, blocks }, makeDocument('1. Scope. The non-disclosure duty binds subcontractors too.', { id: 'bbb' })).changes).toEqual(
      [],
    );
  });
});

describe('meaning', () => {
  const topics = (before: string, after: string): unknown => {
    const { changes } = compare(`1. Rule. ${before}`, `1. Rule. ${after}`);
    expect(changes).toHaveLength(1);
    return [changes[0]!.topics, changes[0]!.severity];
  };
  it.each([
    ['The cap is $1,000,000 in total.', 'The cap is $2,000,000 in total.', ['amount'], 'high'],
    ['Interest runs at 5% a year.', 'Interest runs at 8% a year.', ['amount'], 'high'],
    ['It starts on July 2, 2019 at noon.', 'It starts on November 13, 2019 at noon.', ['date'], 'high'],
    ['Notice of thirty (30) days is needed.', 'Notice of sixty (60) days is needed.', ['period'], 'high'],
    ['Provider shall indemnify Customer.', 'Provider may indemnify Customer.', ['modal'], 'high'],
    ['Provider shall indemnify Customer.', 'Provider will indemnify Customer.', ['modal'], 'low'],
    ['The licence is transferable to others.', 'The licence is not transferable to others.', ['negation'], 'high'],
    ['The laws of Delaware govern this contract.', 'The laws of California govern this contract.', ['law'], 'high'],
    ['See Section 12 (Confidentiality) for this.', 'See Section 10 (Confidentiality) for this.', ['crossReference'], 'medium'],
    ['The quick fox jumps over it.', 'The brown fox jumps over it.', ['wording'], 'low'],
    ['The quick fox jumps, over it.', 'The quick fox jumps over it.', ['wording'], 'low'],
  ])('of %j to %j is %j', (before, after, expected, severity) => {
    expect(topics(before, after)).toEqual([expected, severity]);
  });
  it('names a defined term and a party', () => {
    const preamble = 'This agreement is between Acme (“Provider”) and Beta (“Customer”). “Fees” means all sums.';
    const { changes } = compare(
      `${preamble}\n1. Pay. Customer pays the Fees in time.\n2. Work. Provider does the work.`,
      `${preamble}\n1. Pay. Customer pays the sums in time.\n2. Work. Customer does the work.`,
    );
    expect(changes.map((change) => change.topics)).toEqual([['definedTerm'], ['party']]);
  });
});

const sentences = [
  'The Seller delivers the Goods to the port named in the order.',
  'The Buyer shall pay $500 within 30 days after receipt of the invoice.',
  'Neither party is liable for delay caused by events beyond its control.',
  'This Agreement is governed by the laws of England and Wales.',
  'Notices are sent in writing to the address given in Section 1.',
  'Fees',
];
const documentText = fc
  .array(fc.tuple(fc.boolean(), fc.constantFrom(...sentences), fc.constantFrom('', ' It may be changed in writing only.', ' shall')), {
    minLength: 1,
    maxLength: 12,
  })
  .map((lines) => lines.map(([numbered, sentence, tail], index) => `${numbered ? `${index + 1}. ` : ''}${sentence}${tail}`).join('\n'));
const mirrorKind: Record<string, string> = { inserted: 'deleted', deleted: 'inserted', split: 'merged', merged: 'split' };
const signature = (change: Change, mirrored: boolean): string => {
  const [before, after] = mirrored ? [change.after, change.before] : [change.before, change.after];
  const removed = change.diff.filter((part) => part.op === (mirrored ? 'insert' : 'delete')).map((part) => part.text.trim());
  const added = change.diff.filter((part) => part.op === (mirrored ? 'delete' : 'insert')).map((part) => part.text.trim());
  return JSON.stringify([mirrored ? (mirrorKind[change.kind] ?? change.kind) : change.kind, before, after, removed, added, change.topics, change.severity]);
};

describe('properties', { timeout: 60_000 }, () => {
  it('mirrors when the documents are exchanged, and fits the contract', () => {
    fc.assert(
      fc.property(documentText, documentText, (x, y) => {
        const [a, b] = [makeDocument(x, { id: 'aaa' }), makeDocument(y, { id: 'bbb' })];
        const [forward, backward] = [compareDocuments(a, b), compareDocuments(b, a)];
        expect(forward.changes.map((change) => signature(change, false)).toSorted()).toEqual(
          backward.changes.map((change) => signature(change, true)).toSorted(),
        );
        expect(ComparisonSchema.safeParse(forward).success).toBe(true);
        expect(new Set(forward.changes.map(({ id }) => id)).size).toBe(forward.changes.length);
      }),
      { numRuns: 300 },
    );
  });
  it('gives nothing for a document against itself under another id', () => {
    fc.assert(
      fc.property(documentText, (x) => {
        expect(compareDocuments(makeDocument(x, { id: 'aaa' }), makeDocument(x, { id: 'bbb' })).changes).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
  it('loses no word: every word of the newer text is unchanged, moved or in some change', () => {
    fc.assert(
      fc.property(documentText, documentText, (x, y) => {
        const { changes } = compareDocuments(makeDocument(x, { id: 'aaa' }), makeDocument(y, { id: 'bbb' }));
        for (const change of changes) {
          const side = (op: string): string =>
            change.diff
              .filter((part) => part.op === 'equal' || part.op === op)
              .map((part) => part.text)
              .join('')
              .replace(/\s+/g, '');
          if (change.diff.length === 0) continue;
          if (change.before !== null) expect(side('delete')).toBe(change.before.text.replace(/\s+/g, ''));
          if (change.after !== null) expect(side('insert')).toBe(change.after.text.replace(/\s+/g, ''));
        }
      }),
      { numRuns: 200 },
    );
  });
  it('compares two times 300 pages within two seconds', { timeout: 60_000 }, () => {
    // 300 pages of 500 words: 3,000 numbered paragraphs of 50 words from a vocabulary of 4,000.
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const paragraph = (): string => Array.from({ length: 50 }, () => `w${random(random(2) === 0 ? 100 : 4000)}`).join(' ');
    const lines = Array.from({ length: 3000 }, (_, index) => `${index + 1}. ${paragraph()}`);
    const edited = lines.map((line, index) => (index % 7 === 0 ? line.replace(/w\d+ w\d+$/, 'other words') : line)).filter((_, index) => index % 31 !== 0);
    edited.push(...edited.splice(100, 20));
    const [a, b] = [makeDocument(lines.join('\n'), { id: 'aaa' }), makeDocument(edited.join('\n'), { id: 'bbb' })];
    const start = process.cpuUsage();
    const result = compareDocuments(a, b);
    const { user, system } = process.cpuUsage(start);
    expect(result.counts.deleted).toBeGreaterThan(90);
    // Processor time: what one core does, whatever else the machine is doing.
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
