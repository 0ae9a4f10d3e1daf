// How long an agreement lasts, how it renews and how one stops that.
//
// Owns: what the words around a period say about it. Finding periods is durations.ts; the days it begins and ends on are agreementDates.ts.
// Rule: a score only orders rivals: the verb beside the period counts most, the name of the term next, the heading above it least.
import type { FieldValue } from '../contract/summary.ts';
import { best, everySentence, nearEnd, type Scored, type Sentence } from './candidates.ts';
import type { Found } from './dates.ts';
import { findDurations } from './durations.ts';
import type { Source } from './source.ts';

export interface TermValues {
  readonly term: FieldValue[];
  readonly renewal: FieldValue[];
  readonly renewalNotice: FieldValue[];
}

/** "shall extend until" tells how far the term reaches; what is extended, or extends itself once more, renews. */
const RENEWED = String.raw`\brenew(?:s|ed|als?|able)?\b|\bprolong(?:ed|ation)?\b|\bextended\b|\bextend(?:s)?\s+(?:the|this|it|its|such|for\s+(?:an?\s+)?(?:additional|successive|further|another))|automatically\s+extend|extensions?\b|续约|续期|续签|续展|顺延|延长`;
const RENEWS = new RegExp(RENEWED, 'i');
const RENEWED_BEFORE = new RegExp(String.raw`(?:${RENEWED}|successive|additional|续)[^.;]{0,110}$`, 'i');
/** A period by the name of its length: "renewed for annual periods", "yearly renewals", "continue from year to year". */
const RENEWED_BY_NAME = [
  /(?:\brenew(?:s|ed|als?)?|\bprolonged|\bextended|续[约期签展])[^.;。]{0,60}?(?<length>\b(?:annual(?:ly)?(?!\s+(?:meeting|report|fee|general|budget|plan))|yearly|monthly|(?:each|every)\s+(?:successive\s+)?(?:year|month))\b|每年|逐年)/i,
  /\b(?<length>annual|yearly|monthly)\s+(?:renewals?|extensions?)\b/i,
  /\b(?:renew\w*|extend\w*|continu\w+|effect|force)\b[^.;]{0,140}?\b(?<length>(?:year|month)[\s-]to[\s-](?:year|month))\b/i,
];

/** Notice that stops a renewal, not notice that asks for one. */
const STOPS_RENEWAL =
  /automatic|unless|successive|not\s+(?:to\s+)?(?:be\s+)?(?:renew|extend)|不再?续|异议|non-?renew|evergreen|year[\s-]to[\s-]year|month[\s-]to[\s-]month|自动|除非/i;

/** Below this a period only stands near a word like "term". */
const LEAST_TERM = 0.4;

export function findTerm(source: Source): TermValues {
  const found: Record<keyof TermValues, Scored[]> = { term: [], renewal: [], renewalNotice: [] };
  for (const sentence of everySentence(source)) {
    for (const duration of findDurations(sentence.text)) {
      const judged = judgePeriod(sentence, duration);
      if (judged === null) continue;
      const { what, score, confidence } = judged;
      const value = source.value(sentence.passage, sentence.from + duration.start, sentence.from + duration.end, duration.normalized, confidence);
      found[what].push({ value, score });
    }
    const named = renewalByName(source, sentence);
    if (named !== null) found.renewal.push(named);
  }
  return { term: best(found.term.filter(({ score }) => score >= LEAST_TERM)), renewal: best(found.renewal), renewalNotice: best(found.renewalNotice) };
}

/** How long it renews for where no number says it; null where the agreement is not what renews. */
function renewalByName(source: Source, { passage, from, text }: Sentence): Scored | null {
  if (!/agreement|term|contract|合同|协议/i.test(text)) return null;
  const match = RENEWED_BY_NAME.map((pattern) => pattern.exec(text)).find((found) => found !== null);
  if (!match) return null;
  const length = match.groups!['length']!;
  const start = from + match.index + match[0].indexOf(length);
  return { value: source.value(passage, start, start + length.length, /month/i.test(length) ? 'P1M' : 'P1Y', 0.6), score: 0.55 };
}

interface Judged {
  readonly what: keyof TermValues;
  readonly score: number;
  readonly confidence: number;
}

/** What a period in a sentence is: a notice against renewal, a renewal, the term, or none of them. A heading that says so adds to each. */
function judgePeriod({ passage, text }: Sentence, { start, end, normalized }: Found): Judged | null {
  const titled = /\bterm\b|durat|renew|period|期限/i.test(passage.heading);
  const renews = RENEWS.test(text) && /agreement|term|contract|licen[cs]e|period|合同|协议/i.test(text);
  const before = nearEnd(text, start, 120);
  const after = text.slice(end, end + 90);
  // "for successive one-year periods unless notice is given": the period is the renewal's, the notice is another.
  const ofRenewal = /^['’]?\s*(?:\([^)]{0,20}\)\s*)?(?:(?:renewal|extension|extended)\s+)?(?:periods?|terms?|extensions?|renewals?)\b/i.test(after);
  const isNotice =
    (!ofRenewal && /^[^.;]{0,40}(?:notice|before|prior|advance|in advance|前|通知)/i.test(after.replace(/\bunless\b.*$/is, ''))) ||
    /(?:notice|at least|not less than|no(?:t)? (?:fewer|later) than|提前|(?:届满|期满|到期|终止|满)(?:日|之日)?(?:的)?前(?:至少|不少于)?)[^.;。]{0,25}$/i.test(
      before.slice(-45),
    );
  if (renews && isNotice)
    return STOPS_RENEWAL.test(text)
      ? { what: 'renewalNotice', score: (titled ? 0.2 : 0) + (/renew|extend/i.test(before + after) ? 0.7 : 0.5), confidence: 0.8 }
      : null;
  if (renews && RENEWED_BEFORE.test(before))
    return { what: 'renewal', score: (titled ? 0.2 : 0) + (/automatic|successive/i.test(text) ? 0.8 : 0.6), confidence: 0.8 };
  if (
    isNotice ||
    !OF_TERM.test(before) ||
    !/term|effect|continu|expire|commenc|有效期/i.test(text) ||
    /terminat|cure|breach|surviv|after the/i.test(before.slice(-60))
  )
    return null;
  // Years and months are a term sooner than days are.
  const score = (titled ? 0.5 : 0.2) + (/initial term|term of this agreement|有效期/i.test(text) ? 0.4 : 0.1) + (/[YM]$/.test(normalized ?? '') ? 0.1 : 0);
  return { what: 'term', score, confidence: titled ? 0.85 : 0.6 };
}

/** The agreement or its term is what lasts. */
const OF_TERM =
  /(?:term of this|initial term|the term|this (?:\w+ )?agreement|shall (?:commence|begin|remain|continue)|in (?:full )?(?:force and )?effect|for a (?:period|term) of|有效期)[^.;]{0,120}$/i;
