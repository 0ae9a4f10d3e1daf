// Everything that code alone can read out of a document for its summary, each value with its place and its normalised form.
//
// Owns: the list of extractors. Leaves out: deciding (found, conflicting, not found) and the Reader's part, which are core/ask's.
// Rule: a field without values is left out of the result; it never means "not in the document".
import type { Document } from '../contract/document.ts';
import type { FieldValue, SummaryField } from '../contract/summary.ts';
import { findAgreementDates } from './agreementDates.ts';
import { findGoverningLaw, findJurisdiction } from './law.ts';
import { findParties } from './parties.ts';
import { findProvisions } from './provisions.ts';
import { findAmounts } from './amounts.ts';
import { Source } from './source.ts';
import { findTerm } from './term.ts';

const TITLE_WORD =
  /agreement|contract|addendum|amendment|lease|licen[cs]e|\bnda\b|terms|policy|deed|indenture|certificate|note\b|warrant|plan|letter|合同|协议|章程/i;
/** More sums than this are a price list; the table speaks for itself. */
const MOST_AMOUNTS = 50;

export function extractFields(document: Document): Partial<Record<SummaryField, FieldValue[]>> {
  const source = new Source(document);
  const all: Partial<Record<SummaryField, FieldValue[]>> = {
    title: findTitle(source),
    parties: findParties(source),
    ...findAgreementDates(source),
    ...findTerm(source),
    governingLaw: findGoverningLaw(source),
    jurisdiction: findJurisdiction(source),
    amounts: findSums(source),
    ...findProvisions(source),
  };
  return Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0));
}

/** The first heading, or short line, that names a kind of document. */
function findTitle(source: Source): FieldValue[] {
  const first = source.passages.slice(0, 30);
  const named = first.find(
    ({ block }) => block.text.length <= 150 && TITLE_WORD.test(block.text) && !/[.;]$/.test(block.text) && !/^(?:exhibit|this)\b/i.test(block.text),
  );
  if (named !== undefined) return [source.value(named, 0, named.block.text.length, null, 0.9)];
  // In a text without line breaks the title is the run of capitals before "This Agreement".
  for (const passage of first) {
    const match = /(?:\p{Lu}[\p{Lu}&,'’/-]+\s+){0,8}(?:AGREEMENT|CONTRACT|LEASE|LICENSE|AMENDMENT|ADDENDUM|TERMS)\b/u.exec(passage.block.text.slice(0, 1_000));
    if (match !== null) return [source.value(passage, match.index, match.index + match[0].length, null, 0.7)];
  }
  const heading = first.find(({ block }) => block.kind === 'heading');
  return heading === undefined ? [] : [source.value(heading, 0, heading.block.text.length, null, 0.5)];
}

function findSums(source: Source): FieldValue[] {
  const found: FieldValue[] = [];
  const seen = new Set<string>();
  for (const passage of source.passages) {
    for (const { start, end, normalized } of findAmounts(passage.block.text)) {
      if (normalized === null || seen.has(normalized)) continue;
      seen.add(normalized);
      found.push(source.value(passage, start, end, normalized, 0.95));
      if (found.length === MOST_AMOUNTS) return found;
    }
  }
  return found;
}
