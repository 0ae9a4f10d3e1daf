// When an agreement was made, begins and ends, how long it lasts, how it renews and how one stops that.
import type { FieldValue } from '../contract/summary.ts';
import { findDates } from './dates.ts';
import { findDurations } from './quantities.ts';
import { sentences, type Passage, type Source } from './source.ts';

interface Sentence {
  readonly passage: Passage;
  readonly from: number;
  readonly text: string;
  /** Characters of the document before it. */
  readonly offset: number;
}

/** Dates of an agreement stand before this many characters (a table of contents may come first). */
const BEGINNING = 15_000;

function* everySentence(source: Source): Generator<Sentence> {
  let offset = 0;
  for (const passage of source.passages) {
    for (const [from, to] of sentences(passage.block.text)) yield { passage, from, text: passage.block.text.slice(from, to), offset: offset + from };
    offset += passage.block.text.length;
  }
}

interface Scored {
  readonly value: FieldValue;
  readonly score: number;
}

/** The best scored value; a second one with another meaning and the same score too, so that a conflict is seen. */
function best(found: readonly Scored[], most = 1): FieldValue[] {
  const sorted = found.toSorted((x, y) => y.score - x.score);
  const top = sorted.filter((entry) => entry.score >= (sorted[0]?.score ?? 0) - 1e-9);
  const seen = new Set<string>();
  return top
    .filter(({ value }) => !seen.has(value.normalized ?? value.value) && seen.add(value.normalized ?? value.value))
    .slice(0, most)
    .map(({ value }) => value);
}

function nearEnd(text: string, at: number, characters: number): string {
  return text.slice(Math.max(0, at - characters), at);
}

export interface AgreementDates {
  readonly agreementDate: FieldValue[];
  readonly effectiveDate: FieldValue[];
  readonly expirationDate: FieldValue[];
}

export function findAgreementDates(source: Source): AgreementDates {
  const [agreement, effective, expiration]: [Scored[], Scored[], Scored[]] = [[], [], []];
  for (const sentence of everySentence(source)) {
    for (const date of findDates(sentence.text)) {
      const before = nearEnd(sentence.text, date.start, 140);
      const after = sentence.text.slice(date.end, date.end + 60);
      const value = (confidence: number): FieldValue =>
        source.value(sentence.passage, sentence.from + date.start, sentence.from + date.end, date.normalized, confidence);
      const early = sentence.offset < BEGINNING;
      const made = agreementScore(sentence, before, after, early);
      if (made > 0) agreement.push({ value: value(made), score: made - sentence.offset * 1e-9 });
      const starts = effectiveScore(before, after, early);
      if (starts > 0) effective.push({ value: value(starts), score: starts - sentence.offset * 1e-9 });
      if (
        /(?:expir\w*|terminat\w*|end(?:s|ing)?|until|through|up to|continue\w*|remain\w*|no later than|Expiration Date["”)]*(?:\s+(?:is|shall be|means))?)[^.;]{0,60}$/i.test(
          nearEnd(sentence.text, date.start, 80),
        ) &&
        /\bterm\b|expir|agreement|remain|effect|terminat|period/i.test(sentence.text)
      ) {
        const score = /expir|Expiration Date|remain|continue|\bterm\b/i.test(sentence.text) ? 0.7 : 0.5;
        if (/term|expir|durat|period|期限/i.test(sentence.passage.heading) || score >= 0.7)
          expiration.push({ value: value(score), score: score + (/term|durat|expir/i.test(sentence.passage.heading) ? 0.2 : 0) });
      }
    }
  }
  return {
    agreementDate: best(agreement.length > 0 ? agreement : fallbackDates(source, effective)),
    effectiveDate: best(effective),
    expirationDate: best(expiration),
  };
}

/** Without a date in its preamble an agreement is of the day its effective date names, else of the last signature. */
function fallbackDates(source: Source, effective: readonly Scored[]): Scored[] {
  if (effective.some(({ score }) => score >= 0.85))
    return effective.filter(({ score }) => score >= 0.85).map(({ value, score }) => ({ value: { ...value, confidence: 0.6 }, score }));
  const signed: Scored[] = [];
  for (const { passage, from, text } of everySentence(source)) {
    for (const date of findDates(text)) {
      if (/(?:^|\s)dated?\s*[:：]?\s*$/i.test(text.slice(Math.max(0, date.start - 12), date.start)))
        signed.push({
          value: source.value(passage, from + date.start, from + date.end, date.normalized, 0.5),
          score: Number(date.normalized!.replaceAll('-', '')),
        });
    }
  }
  return signed;
}

function agreementScore(sentence: Sentence, before: string, after: string, early: boolean): number {
  if (/(?:amend|supersed|prior|previous|original|certain|registration|Act of|Rule)[^.;]{0,60}$/i.test(before.slice(-70)) && !/\bthis\b/i.test(before)) return 0;
  const title = /agreement|contract|lease|amendment|deed|合同|协议/i.test(sentence.text);
  if (early && /(?:made|entered(?:\s+into)?|dated|executed|effective|签订|签署)[^.;]{0,90}$/i.test(before) && title)
    return /this\b[^.;]{0,120}$/i.test(before) ? 0.95 : 0.85;
  if (early && /^\s*[)）]?\s*,?\s*[(（]?[^()]{0,30}["“](?:Effective Date|Agreement Date|Execution Date|Signing Date|Date)/i.test(after)) return 0.85;
  if (early && /(?:dated|date|as of|签订日期)\s*[:：]?\s*(?:this\s*)?(?:the\s*)?$/i.test(before)) return 0.7;
  if (early && sentence.offset < 1_500 && title) return 0.55;
  if (/in witness|executed|signed/i.test(sentence.text) && /(?:as of|on|this|dated)\s*(?:the\s*)?$/i.test(before)) return 0.5;
  return 0;
}

function effectiveScore(before: string, after: string, early: boolean): number {
  if (/^[^.;]{0,12}[(（][^()]{0,40}["“](?:the\s+)?(?:Effective|Commencement|Start)\s*Date/i.test(after)) return 0.95;
  if (
    /["“]?(?:Effective|Commencement|Start)\s+Date["”]?\s*(?:[:：)]|is|shall be|means|of this Agreement is|\(["“][^)]*\)\s*is)*\s*(?:as of\s*)?$/i.test(before)
  )
    return 0.9;
  if (/(?:effective|commenc\w+|begin\w*|into\s+force|take\s+effect|in\s+effect|生效)[^.;]{0,25}$/i.test(before.slice(-50)) && early) return 0.8;
  return 0;
}

export interface TermValues {
  readonly term: FieldValue[];
  readonly renewal: FieldValue[];
  readonly renewalNotice: FieldValue[];
}

const RENEWS = /\brenew(?:s|ed|al|able)?\b|\bextend(?:s|ed)?\b|extension|续约|续期|顺延|延长/i;

/** Notice that stops a renewal, not notice that asks for one. */
const STOPS_RENEWAL =
  /automatic|unless|successive|not\s+(?:to\s+)?(?:be\s+)?(?:renew|extend)|non-?renew|evergreen|year[\s-]to[\s-]year|month[\s-]to[\s-]month|自动|除非/i;

export function findTerm(source: Source): TermValues {
  const [term, renewal, notice]: [Scored[], Scored[], Scored[]] = [[], [], []];
  for (const sentence of everySentence(source)) {
    const durations = findDurations(sentence.text);
    if (durations.length === 0) continue;
    const titled = /\bterm\b|durat|renew|period|期限/i.test(sentence.passage.heading);
    const renews = RENEWS.test(sentence.text) && /agreement|term|contract|licen[cs]e|period|合同|协议/i.test(sentence.text);
    for (const { start, end, normalized } of durations) {
      const before = nearEnd(sentence.text, start, 120);
      const after = sentence.text.slice(end, end + 90);
      const make = (confidence: number): FieldValue => source.value(sentence.passage, sentence.from + start, sentence.from + end, normalized, confidence);
      const isNotice =
        /^[^.;]{0,40}(?:notice|before|prior|advance|in advance|前)/i.test(after) ||
        /(?:notice|at least|not less than|提前)[^.;]{0,25}$/i.test(before.slice(-45));
      if (renews && isNotice && STOPS_RENEWAL.test(sentence.text))
        notice.push({ value: make(0.8), score: (titled ? 0.2 : 0) + (/renew|extend/i.test(before + after) ? 0.7 : 0.5) });
      else if (renews && isNotice) continue;
      else if (renews && /(?:renew|extend|successive|additional|续)[^.;]{0,110}$/i.test(before))
        renewal.push({ value: make(0.8), score: (titled ? 0.2 : 0) + (/automatic|successive/i.test(sentence.text) ? 0.8 : 0.6) });
      else if (
        /(?:term of this|initial term|the term|this (?:\w+ )?agreement|shall (?:commence|begin|remain|continue)|in (?:full )?(?:force and )?effect|for a (?:period|term) of|有效期)[^.;]{0,120}$/i.test(
          before,
        ) &&
        !isNotice &&
        /term|effect|continu|expire|commenc|有效期/i.test(sentence.text) &&
        !/terminat|cure|breach|surviv|after the/i.test(before.slice(-60))
      ) {
        term.push({
          value: make(titled ? 0.85 : 0.6),
          score:
            (titled ? 0.5 : 0.2) + (/initial term|term of this agreement|有效期/i.test(sentence.text) ? 0.4 : 0.1) + (/[YM]$/.test(normalized ?? '') ? 0.1 : 0),
        });
      }
    }
  }
  return { term: best(term.filter(({ score }) => score >= 0.4)), renewal: best(renewal), renewalNotice: best(notice) };
}
