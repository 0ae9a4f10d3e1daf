// Sentences that carry the provisions a reviewer asks for first: liability cap, termination, assignment, confidentiality, insurance, audit,
// non-compete, exclusivity, licence. The wording by which they are known is that of clause types; the value is the sentence itself.
import type { ClauseType } from '../contract/document.ts';
import type { FieldValue, SummaryField } from '../contract/summary.ts';
import { Typer, type Basis } from '../structure/types.ts';
import { findAmounts } from './amounts.ts';
import type { Passage, Source } from './source.ts';

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
/** Who may end the agreement, and that it may be ended, under any heading: a right to terminate needs no special words. */
const ENDS =
  /\b(?:may|can|(?:shall\s+have|has|have)\s+the\s+(?:right|option)\s+to|(?:is|are|shall\s+be)\s+entitled\s+to)\s+(?:[\w,-]+\s+){0,6}?(?:terminate|cancel|rescind)\b(?!\s+(?:the\s+|any\s+|such\s+|its\s+|all\s+|an?\s+)?(?:[\w-]+\s+){0,2}?(?:employment|employees?|licen[cs]es?|orders?|access|accounts?|services?|meetings?|shipments?)\b)|\bthis\s+(?:[\w-]+\s+){0,4}?(?:agreement|contract|lease)\s+(?:may|can|shall|will)\s+(?:[\w,-]+\s+){0,3}?(?:be\s+(?:terminated|cancelled|canceled)|terminate)\b|(?:有权|可以?|方可)[^。；]{0,14}(?:解除|终止)(?:本|合同|协议)/i;
const ENDS_CONFIDENCE = 0.6;
/** A cap is a sum before it is a list of damages that are excluded. */
const NAMED_SUM = 0.1;

export function findProvisions(source: Source): Partial<Record<SummaryField, FieldValue[]>> {
  const found: Partial<Record<SummaryField, { value: FieldValue; score: number }[]>> = {};
  const typer = new Typer();
  for (const passage of source.passages) {
    if (passage.block.kind === 'heading') continue;
    for (const [from, to] of source.sentencesOf(passage.block)) {
      const text = passage.block.text.slice(from, to);
      if (text.length < SHORTEST || isHeading(passage, text)) continue;
      if (ENDS.test(text)) (found.termination ??= []).push({ value: source.value(passage, from, to, null, ENDS_CONFIDENCE), score: ENDS_CONFIDENCE });
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
        .filter(({ value }, index, all) => all.findIndex((other) => samePlace(other.value, value)) === index)
        .slice(0, MOST)
        .map(({ value }) => value),
    ]),
  );
}

/** "第四章 违约责任与合同解除", "9. Term and Termination": the number and heading of a clause name a subject and say nothing about it. */
function isHeading({ clause }: Passage, text: string): boolean {
  return (
    clause !== null &&
    clause.heading !== '' &&
    text.trimEnd().endsWith(clause.heading) &&
    text.length <= clause.number.length + clause.heading.length + NUMBER_SIGNS
  );
}

/** Point, colon and spaces around a number. */
const NUMBER_SIGNS = 6;

const samePlace = ({ span }: FieldValue, { span: other }: FieldValue): boolean => span.blockId === other.blockId && span.start === other.start;
