// When an agreement was made, takes effect and ends.
//
// Owns: what the words around a date say about it. Finding dates is dates.ts; how long an agreement lasts is term.ts.
// Rule: a score only orders rivals. Near 0.9 the wording names the date (“Effective Date”), near 0.7 a verb and the agreement stand by it, near 0.5
// only its place speaks. Of equal scores the first in the document wins; two thresholds (SIGNED, ADOPTED) say when a weaker source may speak.
import type { FieldValue } from '../contract/summary.ts';
import { best, everySentence, nearEnd, type Scored, type Sentence } from './candidates.ts';
import { findDates } from './dates.ts';
import { labelledValues } from './labelled.ts';
import type { Source } from './source.ts';

/** Dates of an agreement stand before this many characters (a table of contents may come first). */
const BEGINNING = 15_000;
/** Of a longer sentence (a table in one line) only what stands around a date is looked at. */
const LONG_SENTENCE = 4_000;

export interface AgreementDates {
  readonly agreementDate: FieldValue[];
  readonly effectiveDate: FieldValue[];
  readonly expirationDate: FieldValue[];
}

export function findAgreementDates(source: Source): AgreementDates {
  const { agreement, effective, expiration, sameDay } = datesInSentences(source);
  agreement.push(...besideLabel(source, AGREEMENT_LABEL, 0.8));
  effective.push(...besideLabel(source, EFFECTIVE_LABEL, 0.92));
  expiration.push(...besideLabel(source, EXPIRATION_LABEL, 0.95));
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

interface DatesFound {
  readonly agreement: Scored[];
  readonly effective: Scored[];
  readonly expiration: Scored[];
  /** A sentence says that the agreement takes effect on the day it is made. */
  readonly sameDay: boolean;
}

function datesInSentences(source: Source): DatesFound {
  const [agreement, effective, expiration]: [Scored[], Scored[], Scored[]] = [[], [], []];
  let sameDay = false;
  for (const sentence of everySentence(source)) {
    sameDay ||= SAME_DAY.test(sentence.text);
    for (const date of findDates(sentence.text)) {
      const before = nearEnd(sentence.text, date.start, 160);
      const after = sentence.text.slice(date.end, date.end + 70);
      const push = (list: Scored[], score: number): void => {
        if (score === 0) return;
        const value = source.value(sentence.passage, sentence.from + date.start, sentence.from + date.end, date.normalized, Math.min(score, 0.95));
        // Of equal scores the first in the document.
        list.push({ value, score: score - sentence.offset * 1e-9 });
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
  return { agreement, effective, expiration, sameDay };
}

/** Dates of a cover page: a label names what they are, but forms label signatures so too, most of all the date of the agreement. */
function besideLabel(source: Source, label: RegExp, score: number): Scored[] {
  return labelledValues(source, label).flatMap(({ passage, start, end }) => {
    const date = findDates(passage.block.text.slice(start, end))[0];
    return date === undefined ? [] : [{ value: source.value(passage, start + date.start, start + date.end, date.normalized, score), score }];
  });
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
