// When an agreement was made, begins and ends, how long it lasts, how it renews and how one stops that.
import type { FieldValue } from '../contract/summary.ts';
import { findDates } from './dates.ts';
import { findDurations } from './durations.ts';
import { labelledValues } from './labelled.ts';
import { sentences, type Passage, type Source } from './source.ts';

interface Sentence {
  readonly passage: Passage;
  readonly from: number;
  readonly text: string;
  /** Characters of the document before it. */
  readonly offset: number;
  /** Title, preamble and recitals: no numbered clause has begun, and it is not far in. */
  readonly opening: boolean;
}

/** Dates of an agreement stand before this many characters (a table of contents may come first). */
const BEGINNING = 15_000;
/** Of a longer sentence (a table in one line) only what stands around a date is looked at. */
const LONG_SENTENCE = 4_000;
/** Title, preamble and recitals of the corpora end before it. */
const OPENING = 4_000;

function* everySentence(source: Source): Generator<Sentence> {
  let offset = 0;
  let numbered = false;
  for (const passage of source.passages) {
    numbered ||= (passage.clause?.number ?? '') !== '';
    for (const [from, to] of sentences(passage.block.text))
      yield { passage, from, text: passage.block.text.slice(from, to), offset: offset + from, opening: !numbered && offset + from < OPENING };
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
  let sameDay = false;
  for (const sentence of everySentence(source)) {
    sameDay ||= SAME_DAY.test(sentence.text);
    for (const date of findDates(sentence.text)) {
      const before = nearEnd(sentence.text, date.start, 160);
      const after = sentence.text.slice(date.end, date.end + 70);
      const value = (confidence: number): FieldValue =>
        source.value(sentence.passage, sentence.from + date.start, sentence.from + date.end, date.normalized, confidence);
      const push = (list: Scored[], score: number): void => {
        // Of equal scores the first in the document.
        if (score > 0) list.push({ value: value(Math.min(score, 0.95)), score: score - sentence.offset * 1e-9 });
      };
      const early = sentence.offset < BEGINNING;
      const near =
        sentence.text.length <= LONG_SENTENCE
          ? sentence
          : { ...sentence, text: sentence.text.slice(Math.max(0, date.start - LONG_SENTENCE / 2), date.end + LONG_SENTENCE / 2) };
      push(agreement, agreementScore(near, before, after, early));
      push(effective, effectiveScore(near, before, after, early));
      push(expiration, expirationScore(near, before));
    }
  }
  for (const { list, label, score } of [
    { list: agreement, label: AGREEMENT_LABEL, score: 0.8 },
    { list: effective, label: EFFECTIVE_LABEL, score: 0.92 },
    { list: expiration, label: EXPIRATION_LABEL, score: 0.95 },
  ])
    for (const { passage, start, end } of labelledValues(source, label)) {
      const date = findDates(passage.block.text.slice(start, end))[0];
      if (date) list.push({ value: source.value(passage, start + date.start, start + date.end, date.normalized, score), score });
    }
  const signed = [...signatureDates(source), ...datelines(source)];
  const made = agreement.some(({ score }) => score > SIGNED - 0.01) ? agreement : [...agreement, ...signed, ...adopted(effective, 0.85)];
  const agreementDate = best(made);
  const starts =
    effective.length > 0 || !sameDay
      ? effective
      : adopted(
          made.filter(({ score }) => score >= ADOPTED),
          0.5,
        );
  return { agreementDate, effectiveDate: best(starts), expirationDate: best(expiration) };
}

const AGREEMENT_LABEL = /(?:Agreement|Contract|Signing|Execution)\s+Date|Date\s+of\s+(?:this\s+)?(?:Agreement|Contract)|签订日期|签署日期/i;
const EFFECTIVE_LABEL = /Effective\s+Date|Commencement\s+Date|Start\s+Date|生效日期?/i;
const EXPIRATION_LABEL = /(?:Expiration|Expiry|End|Termination)\s+Date|终止日期|到期日/i;

/** "... shall become effective on the date first above written": the day the agreement was made, signed or closed is its effective date too. */
const SAME_DAY =
  /\b(?:this\s+(?:[\w&-]+\s+){0,4}?(?:agreement|contract|addendum|amendment|lease)|term|agreement\s+is)\b[^.;]{0,90}?\b(?:effective|commenc\w+|begin\w*|in(?:to)?\s+force|takes?\s+effect)\b[^.;]{0,50}?\b(?:date\s+(?:first\s+(?:above\s+)?(?:written|listed|set\s+forth|mentioned)|hereof|of\s+(?:this|the)\s+agreement|of\s+(?:its\s+)?(?:execution|signature|signing))|signing\s+date|date\s+(?:set\s+(?:forth|out)|stated|shown|written|indicated|appearing)\s+(?:above|below|herein)|date\s+(?:on\s+which\s+|when\s+|that\s+)?(?:it|both|all|the\s+parties|each|this\s+agreement)[^.;]{0,30}?\bsign|date\s+(?:last\s+)?signed|(?:last|final)\s+signature|later\s+of\s+the|last\s+(?:date|signature)|date\s+and\s+year\s+first|upon\s+(?:(?:its|the|full|due)\s+)*(?:execution|signature|signing)|when\s+(?:signed|executed)|day\s+and\s+(?:date|year)\s+first)|\b(?:effective|commencement)\s+date["”]?\s*(?:of\s+this\s+agreement\s*)?(?:means|shall\s+mean|shall\s+be|is)\b[^.;]{0,40}?\b(?:date\s+(?:first|hereof|of\s+(?:this|the|its)|(?:on\s+which\s+)?(?:the\s+)?last)|later\s+of)|\bdate\s+(?:first|of\s+(?:the\s+)?last|hereof)[^.;]{0,60}["“]Effective\s+Date|\blater\s+of\b[^.;]{0,60}["“]Effective\s+Date|(?:自|于)[^。]{0,12}签(?:订|署|字)[^。]{0,8}(?:之日)?(?:起)?生效/i;

/** Below this the date is only near words like "as of". */
const ADOPTED = 0.55 - 1e-4;

/** Values of one list under the confidence of another question. */
function adopted(found: readonly Scored[], confidence: number): Scored[] {
  const top = best(found, 1)[0];
  return top === undefined ? [] : [{ value: { ...top, confidence: Math.min(top.confidence, confidence) }, score: confidence - 0.3 }];
}

/** A date on a signature page speaks where no sentence does; it is the last of them that makes the agreement. */
const SIGNED = 0.6;

function signatureDates(source: Source): Scored[] {
  let last: Scored | null = null;
  for (const { passage, from, text } of everySentence(source)) {
    for (const date of findDates(text)) {
      if (
        !/(?:^|\s)(?:dated?|on|日期)\s*[:：.]*\s*$/i.test(text.slice(Math.max(0, date.start - 14), date.start)) ||
        !/dated?|日期/i.test(text.slice(Math.max(0, date.start - 14), date.start))
      )
        continue;
      if (!/\b(?:By|Name|Title|Its|Signature|Signed)\b\s*:|\/s\/|签字|盖章/i.test(text) && text.length > 60) continue;
      const day = date.normalized ?? '';
      if (last === null || day > (last.value.normalized ?? ''))
        last = { value: source.value(passage, from + date.start, from + date.end, day, 0.5), score: SIGNED };
    }
  }
  return last === null ? [] : [last];
}

/** "Geneva, 2 April 2020" at the head of a paragraph, as letters and continental contracts are dated. */
const DATELINE = /^(?:\p{Lu}[\p{L}.'’-]*[\s/,]{1,2}){1,4}$/u;

function datelines(source: Source): Scored[] {
  const found: Scored[] = [];
  for (const { passage, from, text, opening } of everySentence(source)) {
    if (from > 0 || (!opening && text.length > LONGEST_DATELINE)) continue;
    const date = findDates(text)[0];
    if (!date || !DATELINE.test(text.slice(0, date.start)) || !/[,\s]$/.test(text.slice(0, date.start))) continue;
    found.push({ value: source.value(passage, date.start, date.end, date.normalized, 0.5), score: SIGNED - found.length * 1e-9 });
  }
  return found.slice(0, 1);
}

/** Behind the opening a dateline stands alone, above the signatures. */
const LONGEST_DATELINE = 60;

/** Words that say another agreement's date comes. */
const OTHER_AGREEMENT =
  /\b(?:that\s+certain|a\s+certain|those\s+certain|pursuant\s+to|amend(?:s|ed|ing|ment\s+to)?|supersed\w*|prior|previous|original(?:ly)?|existing|registration|Act\s+of|Rule|filed|entered\s+into\s+(?:an?|that|the|several|various|certain)|parties\s+to\s+(?:an?|that|the)|letter\s+dated|statements?|since|amended\s+as\s+of|memorandum)\b[^.;]{0,110}$/i;

function agreementScore(sentence: Sentence, before: string, after: string, early: boolean): number {
  const here = /\b(?:this|the\s+present)\b[^.;]{0,140}$/i.test(before) || /^\W*(?:this|the\s+present)\b/i.test(sentence.text.slice(0, 60));
  if (OTHER_AGREEMENT.test(before) && !/\bthis\b[^.;]{0,60}$/i.test(before)) return 0;
  if (/\bWHEREAS\b|\bW\s?H\s?E\s?R\s?E\s?A\s?S\b|["“][^"”]{2,60}["”]\s+(?:means|shall\s+mean)/i.test(sentence.text.slice(0, 120)) && !here) return 0;
  const title = /agreement|contract|lease|amendment|deed|合同|协议/i.test(sentence.text);
  if (early && /(?:made|entered(?:\s+into)?|dated|executed|effective|签订|签署)[^.;]{0,90}$/i.test(before) && title)
    return here ? 0.95 : sentence.opening ? 0.85 : 0.54;
  if (early && /^\s*[)）]?\s*,?\s*[(（]?[^()]{0,30}["“](?:Effective Date|Agreement Date|Execution Date|Signing Date|Date)/i.test(after)) return 0.85;
  if (early && /(?:dated|date|as of|签订日期|签署日期)\s*[:：]?\s*(?:this\s*)?(?:the\s*)?$/i.test(before)) return sentence.opening ? 0.7 : 0.52;
  if (/in\s+witness|executed|signed/i.test(sentence.text) && /(?:as of|on|this|dated)\s*(?:this\s*)?(?:the\s*)?$/i.test(before)) return 0.65;
  if (early && sentence.offset < 1_500 && title) return 0.55;
  return 0;
}

function effectiveScore(sentence: Sentence, before: string, after: string, early: boolean): number {
  if (OTHERS.test(before)) return 0;
  if (
    /^[^.;]{0,14}[(（,]\s*(?:(?:the|hereinafter|herein|called|referred\s+to\s+as)\s+)*["“‘']?(?:the\s+)?(?:(?:Agreement|Contract)\s+)?(?:Effective|Commencement|Start|Launch)\s*Date/i.test(
      after,
    )
  )
    return 0.95;
  if (
    /["“]?\b(?:Effective|Commencement|Start)\s+Dates?["”]?(?:\s*(?:[:：)]|is|shall (?:be|mean)|means|(?:of|for) (?:this|the) \w+|\(["“][^)]*\)|will be|deemed(?: to be)?))*\s*(?:[^.;]{0,60}\bi\.e\.,?\s*)?(?:(?:on|as of)\s*)?(?:the\s*)?$/i.test(
      before,
    )
  )
    return 0.9;
  if (/\b(?:term|duration|validity)\b[^.;]{0,40}\bfrom\s*$/i.test(before.slice(-60)) && /^\s*,?\s*(?:until|till|through|up\s+to|to)\b/i.test(after))
    return 0.75;
  if (
    !/\b(?:effective|commenc\w+|begin\w*|start(?:s|ing)?|in(?:to)?\s+force|(?:takes?|with|in|into)\s+effect|生效)\b[^.;]{0,25}$/i.test(before.slice(-50)) ||
    OTHER_AGREEMENT.test(before)
  )
    return 0;
  // "This Agreement is effective as of ...": of the agreement, not of a fee or a period in it.
  if (OF_AGREEMENT.test(before) || /\bit\s+shall\s+be\s+effective\b/i.test(before)) return 0.8;
  return early && /\b(?:this|the)\s+(?:[\w&-]+\s+){0,5}?(?:agreement|contract|amendment|addendum|lease)\b|\bterm\b|本(?:合同|协议)/i.test(sentence.text)
    ? 0.75
    : 0;
}

/** What a recital tells of another agreement, and periods inside the term ("the initial production period shall commence on"). */
const OTHERS =
  /\bWHEREAS\b(?![^.;]*\bthis\s)[^.;]*$|\b(?:was|were)\s+effective\b[^.;]{0,60}$|\b(?!initial|renewal|contract|agreement|term|that|this|the|an?|such|any)[a-z]+\s+period\b[^.;]{0,60}\b(?:commenc|begin|start)[^.;]{0,25}$/i;

/** The agreement or its term is what begins. */
const OF_AGREEMENT =
  /\bagreement["”)]*,?\s+(?:is\s+|shall\s+(?:be(?:come)?\s+)?|will\s+(?:be(?:come)?\s+)?)?(?:made\s+|entered\s+into\s+)?(?:and\s+)?(?:effective|commence|begin|take\s+effect|come\s+into)|\bterm\s+of\s+(?:this|the)\s+(?:\w+\s+)?agreement\b[^.;]{0,60}$|\bthis\s+(?:[\w&-]+\s+){0,5}?(?:agreement|contract|amendment|addendum|lease)\b[^.;]{0,90}$|\b(?:contract|agreement)\s+(?:period|term)["”]?\s+(?:shall\s+)?(?:mean|be|is)\b[^.;]{0,60}$/i;

/** What a term begins with, and what other papers are of. */
const NO_END = /(?:\bfrom|\bcommenc\w+|\bbegin\w*|\beffective|\bas\s+of|\bdated|\bafter|\bsince|\bissue\s+date:?)\s*(?:(?:on|as\s+of|the|and)\s*)*$/i;

function expirationScore(sentence: Sentence, before: string): number {
  const near = before.slice(-80);
  if (NO_END.test(near)) return 0;
  if (
    !/(?:expir\w*|terminat\w*|end(?:s|ing)?|until|through|up to|continue\w*|remain\w*|no later than|Expiration Date["”)]*(?:\s+(?:is|shall be|means))?|至)[^.;]{0,60}$/i.test(
      near,
    ) ||
    !/\bterm\b|expir|agreement|remain|effect|terminat|period|期/i.test(sentence.text)
  )
    return 0;
  const titled = /term|durat|expir|period|期限/i.test(sentence.passage.heading);
  const score = /expir|Expiration Date|remain|continue|\bterm\b|期限/i.test(sentence.text) ? 0.7 : 0.5;
  return titled ? score + 0.2 : score >= 0.7 ? score : 0;
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
        /^[^.;]{0,40}(?:notice|before|prior|advance|in advance|前|通知)/i.test(after) ||
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
