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

const RENEWS = /\brenew(?:s|ed|al|able)?\b|\bextend(?:s|ed)?\b|extension|续约|续期|顺延|延长/i;

/** Notice that stops a renewal, not notice that asks for one. */
const STOPS_RENEWAL =
  /automatic|unless|successive|not\s+(?:to\s+)?(?:be\s+)?(?:renew|extend)|non-?renew|evergreen|year[\s-]to[\s-]year|month[\s-]to[\s-]month|自动|除非/i;

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
  }
  return { term: best(found.term.filter(({ score }) => score >= LEAST_TERM)), renewal: best(found.renewal), renewalNotice: best(found.renewalNotice) };
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
  const isNotice =
    /^[^.;]{0,40}(?:notice|before|prior|advance|in advance|前|通知)/i.test(after) ||
    /(?:notice|at least|not less than|提前)[^.;]{0,25}$/i.test(before.slice(-45));
  if (renews && isNotice)
    return STOPS_RENEWAL.test(text)
      ? { what: 'renewalNotice', score: (titled ? 0.2 : 0) + (/renew|extend/i.test(before + after) ? 0.7 : 0.5), confidence: 0.8 }
      : null;
  if (renews && /(?:renew|extend|successive|additional|续)[^.;]{0,110}$/i.test(before))
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
