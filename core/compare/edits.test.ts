// Comparison against generated edits whose truth is known, and what has to hold whatever was edited.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ComparisonSchema, type Change } from '../contract/comparison.ts';
import { compareDocuments } from './compare.ts';
import { editDocument } from './edits.test-support.ts';
import { makeDocument } from './makeDocument.test-support.ts';
import { addScore, emptyScore, precision, recall } from './score.test-support.ts';
import { TRUTH_KINDS } from './truth.test-support.ts';

/** Sentences of a contract, each clause with a heading and words of its own. */
const MATTERS = [
  ['Delivery', 'goods', 'The Supplier shall deliver the Goods to the warehouse of the Purchaser at the agreed time. Late delivery entitles the Purchaser to a discount of two percent for each week.'],
  ['Inspection', 'quality', 'The Purchaser may inspect every consignment within ten days after arrival. A consignment that is not rejected within that time counts as accepted by the Purchaser.'],
  ['Payment', 'invoices', 'Invoices fall due thirty days after receipt. The Purchaser shall pay interest of five percent a year on any overdue amount from the due date.'],
  ['Taxes', 'duties', 'All prices exclude value added tax and customs duties. Each party bears the taxes that the law of its own seat imposes on its income.'],
  ['Warranty', 'defects', 'The Supplier warrants that the Goods are free from defects in design and material for two years. The warranty ends where the Goods were altered by others.'],
  ['Recall', 'safety', 'If a defect endangers persons, the Supplier shall recall the affected series without delay. The costs of a recall are borne by the party that caused the defect.'],
  ['Confidentiality', 'secrets', 'Neither party may disclose drawings or samples of the other to third parties. This duty survives the end of the contract by five years.'],
  ['Liability', 'damages', 'The liability of either party is limited to the value of the order concerned. The limit does not apply to injury of persons or to wilful conduct.'],
  ['Insurance', 'cover', 'The Supplier maintains product liability insurance with cover of one million euros for each event. It shows the policy to the Purchaser once a year.'],
  ['Term', 'duration', 'The contract runs for three years from its signature. It is renewed by one year each time unless a party objects six months before its end.'],
  ['Assignment', 'transfer', 'No party may assign claims under this contract without the consent of the other. Consent may be refused only for an important reason.'],
  ['Records', 'books', 'The Supplier keeps records of each production lot for ten years. The Purchaser may look into these records during usual business hours.'],
  ['Subcontractors', 'third parties', 'The Supplier may use subcontractors named in the annex. It answers for their acts and omissions as for its own towards the Purchaser.'],
  ['Disputes', 'courts', 'The parties try to settle disputes by negotiation between their boards. If no settlement is found within sixty days the courts of Vienna decide.'],
  ['Notices', 'letters', 'Notices are sent by registered letter to the addresses on the first page. A notice takes effect on the day on which it arrives there.'],
  ['Force Majeure', 'events', 'Strikes, floods and acts of authorities free the affected party from performance while they last. The other party may withdraw after three months.'],
] as const; // prettier-ignore

function contract(order: readonly number[]): string {
  const articles = order.map((index, at) => {
    const [heading, matter, text] = MATTERS[index]!;
    const [first, second] = text.split(/(?<=\.) /) as [string, string];
    return `${at + 1}. ${heading}\n${at + 1}.1 General. ${text}\n${at + 1}.2 Details on ${matter}. ${second} In questions of ${matter} the annex to this article prevails over other documents.\n(a) for ${matter} of the first kind, ${first.toLowerCase()}\n(b) for ${matter} of the second kind, as set out in Section ${(at % order.length) + 1}.1 and in the annex of the Supplier;`;
  });
  return `This contract is made between Alpha (“Supplier”) and Beta (“Purchaser”).\n${articles.join('\n')}`;
}

const documents = fc.shuffledSubarray([...MATTERS.keys()], { minLength: 8 }).map((order) => makeDocument(contract(order), { id: 'contract' }));
const DONORS = [
  'Publicity. Neither party may use the marks or the name of the other in advertising or press releases unless the other has agreed to the wording in advance.',
];
const MIRRORED: Record<string, string> = { inserted: 'deleted', deleted: 'inserted', split: 'merged', merged: 'split' };
const texts = (change: Change, op: string): string =>
  change.diff
    .filter((part) => part.op === op)
    .map(({ text }) => text.trim())
    .join('|');

function signature(change: Change, mirrored: boolean): string {
  const [before, after] = mirrored ? [change.after, change.before] : [change.before, change.after];
  const [removed, added] = [texts(change, mirrored ? 'insert' : 'delete'), texts(change, mirrored ? 'delete' : 'insert')];
  return JSON.stringify([
    mirrored ? (MIRRORED[change.kind] ?? change.kind) : change.kind,
    before,
    after,
    removed,
    added,
    change.topics,
    change.severity,
    change.groupId !== null,
  ]);
}

describe('generated edits', { timeout: 120_000 }, () => {
  const edited = fc.tuple(documents, fc.integer({ min: 1, max: 1e6 })).map(([document, seed]) => editDocument(document, DONORS, seed)!);

  it('are found under their kind', () => {
    const score = emptyScore();
    fc.assert(
      fc.property(edited, (pair) => {
        addScore(score, '', pair, compareDocuments(pair.before, pair.after));
      }),
      { numRuns: 80, seed: 7 },
    );
    const missed = TRUTH_KINDS.filter((kind) => Math.min(precision(score.kinds[kind]), recall(score.kinds[kind])) < 0.97 || score.kinds[kind].hits === 0);
    expect({ missed, why: missed.length === 0 ? [] : score.failures }).toEqual({ missed: [], why: [] });
  });
  it('mirror when the documents are exchanged, groups included', () => {
    fc.assert(
      fc.property(edited, ({ before, after }) => {
        const [forward, backward] = [compareDocuments(before, after), compareDocuments(after, before)];
        expect(forward.changes.map((change) => signature(change, false)).toSorted()).toEqual(
          backward.changes.map((change) => signature(change, true)).toSorted(),
        );
        expect(forward.groups.map(({ kind, before: x, after: y, places }) => [kind, x, y, places].join()).toSorted()).toEqual(
          backward.groups.map(({ kind, before: x, after: y, places }) => [kind, y, x, places].join()).toSorted(),
        );
      }),
      { numRuns: 50 },
    );
  });
  it('give a comparison that fits its schema, and every group has its changes', () => {
    fc.assert(
      fc.property(edited, ({ before, after }) => {
        const comparison = compareDocuments(before, after);
        expect(ComparisonSchema.safeParse(comparison).success).toBe(true);
        for (const { id, changeIds } of comparison.groups)
          expect(comparison.changes.filter(({ groupId }) => groupId === id).map((change) => change.id)).toEqual(changeIds);
        expect(compareDocuments(after, { ...after, id: 'again' }).changes).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
