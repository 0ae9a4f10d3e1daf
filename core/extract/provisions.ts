// Sentences that carry the provisions a reviewer asks for first: liability cap, termination, assignment, confidentiality, insurance, audit,
// non-compete, exclusivity, licence. The wording by which they are known is that of clause types; the value is the sentence itself.
import type { ClauseType } from '../contract/document.ts';
import type { FieldValue, SummaryField } from '../contract/summary.ts';
import { Typer, type Basis } from '../structure/types.ts';
import { findAmounts } from './amounts.ts';
import type { Source } from './source.ts';

const FIELDS: ReadonlyMap<ClauseType, SummaryField> = new Map([
  ['capOnLiability', 'liabilityCap'],
  ['terminationForConvenience', 'termination'],
  ['termAndTermination', 'termination'],
  ['antiAssignment', 'assignment'],
  ['confidentiality', 'confidentiality'],
  ['insurance', 'insurance'],
  ['auditRights', 'audit'],
  ['nonCompete', 'nonCompete'],
  ['exclusivity', 'exclusivity'],
  ['licenseGrant', 'license'],
]);
/** More sentences than this are the whole chapter, which the path already names. */
const MOST = 3;
/** Shorter than this a sentence is a number or a heading. */
const SHORTEST = 12;

/** How often a sentence is right that was told by heading and words, words alone, and a heading over weaker words. */
const CONFIDENCE: Readonly<Record<Basis, number>> = { both: 0.85, words: 0.65, weak: 0.5, heading: 0 };
/** A cap is a sum before it is a list of damages that are excluded. */
const NAMED_SUM = 0.1;

export function findProvisions(source: Source): Partial<Record<SummaryField, FieldValue[]>> {
  const found: Partial<Record<SummaryField, { value: FieldValue; score: number }[]>> = {};
  const typer = new Typer();
  for (const passage of source.passages) {
    if (passage.block.kind === 'heading') continue;
    for (const [from, to] of source.sentencesOf(passage.block)) {
      const text = passage.block.text.slice(from, to);
      if (text.length < SHORTEST) continue;
      for (const { type, basis } of typer.typesOf({ heading: passage.heading, text, above: '' })) {
        const field = FIELDS.get(type);
        if (field === undefined || basis === 'heading') continue;
        const amount = field === 'liabilityCap' ? (findAmounts(text)[0]?.normalized ?? null) : null;
        const score = CONFIDENCE[basis] + (amount === null ? 0 : NAMED_SUM);
        (found[field] ??= []).push({ value: source.value(passage, from, to, amount, score), score });
      }
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([field, list]) => [
      field,
      list
        .toSorted((x, y) => y.score - x.score)
        .slice(0, MOST)
        .map(({ value }) => value),
    ]),
  );
}
