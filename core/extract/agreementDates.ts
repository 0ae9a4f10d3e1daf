// When an agreement was made, takes effect and ends.
//
// Owns: what the words around a date say about it. Finding dates is dates.ts; how long an agreement lasts is term.ts.
// Rule: a score only orders rivals. Near 0.9 the wording names the date (“Effective Date”), near 0.7 a verb and the agreement stand by it, near 0.5
// only its place speaks. Of equal scores the first in the document wins; two thresholds (SIGNED, ADOPTED) say when a weaker source may speak.
import type { FieldValue } from '../contract/summary.ts';
import { best, everySentence, nearEnd, type Scored, type Sentence } from './candidates.ts';
import { findDates } from './dates.ts';
import { labelledValues } from './labelled.ts';
import { takesEffectWhenMade } from './sameDay.ts';
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
    sameDay ||= takesEffectWhenMade(sentence.text);
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
      push(expiration, expirationScore(near, before, after));
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

const AGREEMENT_LABEL = /(?:Agreement|Contract|Signing|Execution)\s+Date|Date\s+of\s+(?:this\s+)?(?:Agreement|Contract)|签[订署约](?:日期|时间)/i;
const EFFECTIVE_LABEL =
  /Effective\s+Date|Effective(?:\s+(?:as\s+of|from|on))?|(?:Commencement|Start)\s+Date|Date\s+of\s+(?:Commencement|Effect|Entry\s+into\s+Force)|(?:合同|协议)?生效(?:日期?|时间)|起始日期?/i;
const EXPIRATION_LABEL = /(?:Expiration|Expiry|End|Termination)\s+Date|Date\s+of\s+(?:Expiration|Expiry)|(?:终止|届满)日期?|到期日期?/i;

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
  const length = source.passages.reduce((sum, { block }) => sum + block.text.length, 0);
  for (const { passage, from, text, opening, offset } of everySentence(source)) {
    if (from > 0 || (!opening && text.length > (offset > length * SIGNATURES ? LONGEST_AT_END : LONGEST_DATELINE))) continue;
    const date = findDates(text)[0];
    if (!date || !DATELINE.test(text.slice(0, date.start)) || !/[,\s]$/.test(text.slice(0, date.start))) continue;
    found.push({ value: source.value(passage, date.start, date.end, date.normalized, 0.5), score: SIGNED - found.length * 1e-9 });
  }
  return found.slice(0, 1);
}

/** Signatures stand in the last third; there the names of those who sign may follow a dateline in one line. */
const SIGNATURES = 2 / 3;
const LONGEST_AT_END = 250;
/** Behind the opening a dateline stands alone, above the signatures. */
const LONGEST_DATELINE = 60;

/** Words that say another agreement's date comes. */
const OTHER_AGREEMENT =
  /\b(?:that\s+certain|a\s+certain|those\s+certain|pursuant\s+to|amend(?:s|ed|ing|ment\s+to)?|supersed\w*|prior|previous|original(?:ly)?|existing|registration|Act\s+of|Rule|filed|entered\s+into\s+(?:an?|that|the|several|various|certain)|parties\s+to\s+(?:an?|that|the)|letter\s+dated|statements?|since|amended\s+as\s+of|memorandum)\b[^.;]{0,110}$/i;

/** "requested delivery date", "price list in effect as of": a day inside the business, not the agreement's own. */
const OTHER_DATE =
  /\b(?!(?:agreement|contract|execution|signing|effective|commencement|the|this|and|or|of|on)\b)[a-z]+\s+date\s*[:：]?\s*$|\b(?:in\s+effect|outstanding|available|trust|certificate|list)\b[^.;]{0,30}\b(?:as\s+of|dated)[^.;]{0,10}$/i;

function agreementScore(sentence: Sentence, before: string, after: string, early: boolean): number {
  const here = /\b(?:this|the\s+present)\b[^.;]{0,140}$/i.test(before) || /^\W*(?:this|the\s+present)\b/i.test(sentence.text.slice(0, 60));
  if (OTHER_AGREEMENT.test(before) && !/\bthis\b[^.;]{0,60}$/i.test(before)) return 0;
  if (/\bWHEREAS\b|\bW\s?H\s?E\s?R\s?E\s?A\s?S\b|["“][^"”]{2,60}["”]\s+(?:means|shall\s+mean)/i.test(sentence.text.slice(0, 120)) && !here) return 0;
  // 于2025年4月17日在杭州签订: in Chinese the verb stands behind the day.
  if (early && /^[^。；]{0,20}(?:签订|签署|订立|签约)(?!地)/.test(after) && !/[《原]/.test(before.slice(-30))) return 0.85;
  const title = /agreement|contract|lease|amendment|deed|合同|协议/i.test(sentence.text);
  if (early && /(?:made|entered(?:\s+into)?|dated|executed|effective|签订|签署)[^.;]{0,90}$/i.test(before) && title)
    return here ? 0.95 : sentence.opening ? 0.85 : 0.54;
  if (early && /^\s*[)）]?\s*,?\s*[(（]?[^()]{0,30}["“](?:Effective Date|Agreement Date|Execution Date|Signing Date|Date)/i.test(after)) return 0.85;
  if (early && /(?:dated|date|as of|签订日期|签署日期)\s*[:：]?\s*(?:this\s*)?(?:the\s*)?$/i.test(before) && !OTHER_DATE.test(before))
    return sentence.opening ? 0.7 : 0.52;
  if (/in\s+witness|executed|signed/i.test(sentence.text) && /(?:as of|on|this|dated)\s*(?:this\s*)?(?:the\s*)?$/i.test(before)) return 0.65;
  if (early && sentence.offset < 1_500 && title) return 0.55;
  return 0;
}

/** "(the “Effective Date”)", "(hereinafter called the Commencement Date)", "(such date, the “Agreement Effective Date”)". */
const NAMED_AFTER =
  /^[^.;()[\]]{0,24}[(（[,](?![^()]{0,50}\b(?:original|prior|previous|restatement)\s)[^()]{0,50}?["“‘'`]{0,2}(?:(?:the|Agreement|Contract|Lease|License|Amendment)\s+){0,2}(?:Effective|Commencement|Start|Launch)\s*Date\b/i;
const NAMED_BEFORE =
  /["“]?\b(?:Effective|Commencement|Start)\s+Dates?["”]?(?:\s*(?:[:：)]|is|shall (?:be|mean)|means|(?:of|for) (?:(?:this|the) )?\w+|\(["“][^)]*\)|will be|deemed(?: to be)?|,?\s*(?:which\s+(?:is|shall\s+be)|being|namely)|of|[(（–—-]))*\s*(?:[^.;]{0,60}\bi\.e\.,?\s*)?(?:(?:on|as of)\s*)?(?:the\s*)?$/i;
/** "for the period from", "shall run from": the day behind it is the first of two. */
const FROM = /\b(?:term|duration|validity|period|run|valid)\b[^.;]{0,40}\b(?:from|between|beginning|commencing|starting)\s*(?:on\s*)?$/i;
const TO = /^\s*,?\s*(?:(?:and|to)\s+)?(?:until|till|through|up\s+to|to|end(?:s|ing)?|conclud\w+|expir\w+|terminat\w+)\b/i;
const BEGINS_ON = /\b(?:effective|commenc\w+|begin\w*|start(?:s|ing)?|in(?:to)?\s+force|(?:takes?|with|in|into|have|has|having)\s+effect|生效)\b[^.;]{0,30}$/i;

/** 自2025年5月1日起生效; 合同期限自2025年5月1日起至2026年4月30日止. In Chinese the verb stands behind the day. */
function chineseEffect(before: string, after: string): number {
  if (/^\s?(?:之日)?[起即]?(?:正式)?(?:生效|施行|起效)/.test(after)) return 0.9;
  return /(?:期限|期间|有效期|租期|期)[^。；]{0,12}[自从由]\s*$/.test(before) && /^\s?(?:之日)?(?:起|开始)?[，,]?\s?(?:至|到)/.test(after) ? 0.75 : 0;
}

function effectiveScore(sentence: Sentence, before: string, after: string, early: boolean): number {
  if (OTHERS.test(before)) return 0;
  const chinese = chineseEffect(before, after);
  if (chinese > 0) return chinese;
  if (NAMED_AFTER.test(after)) return 0.95;
  if (NAMED_BEFORE.test(before)) return 0.9;
  const near = before.slice(-70);
  if (/(?:^|\s)(?:initial\s+)?term\s*[:：]\s*(?:from\s+)?$/i.test(near) && (TO.test(after) || /^\s*[-–—]\s*\p{Lu}/u.test(after))) return 0.75;
  if (FROM.test(near) && TO.test(after) && (OF_AGREEMENT.test(before) || /\bterm\b|durat|validity/i.test(near))) return 0.75;
  if (!BEGINS_ON.test(near) || (OTHER_AGREEMENT.test(before) && !/\bthis\b[^.;]{0,110}$/i.test(before))) return 0;
  // "This Agreement is effective as of ...": of the agreement, not of a fee or a period in it.
  if (OF_AGREEMENT.test(before) || /\bit\s+shall\s+be\s+effective\b/i.test(before)) return 0.8;
  const speaks = /\b(?:this|the)\s+(?:[\w&-]+\s+){0,5}?(?:agreement|contract|amendment|addendum|lease)\b|\bterm\b|本(?:合同|协议)/i.test(sentence.text);
  const titled = sentence.opening && /^\W*(?:made\s+|dated\s+)?effective\b/i.test(sentence.text);
  return titled || (speaks && (early || /\bterm\b|durat|effective|commence/i.test(sentence.passage.heading))) ? 0.75 : 0;
}

/** What a recital tells of another agreement, and periods inside the term ("the initial production period shall commence on"). */
const OTHERS =
  /\bWHEREAS\b(?![^.;]*\bthis\s)[^.;]*$|\b(?:was|were)\s+effective\b[^.;]{0,60}$|\b(?!initial|renewal|contract|agreement|term|that|this|the|an?|such|any)[a-z]+\s+period\b[^.;]{0,60}\b(?:commenc|begin|start)[^.;]{0,25}$/i;

/** The agreement or its term is what begins. */
const OF_AGREEMENT =
  /\bagreement["”)]*,?\s+(?:is\s+|shall\s+(?:be(?:come)?\s+)?|will\s+(?:be(?:come)?\s+)?)?(?:made\s+|entered\s+into\s+)?(?:and\s+)?(?:effective|commence|begin|take\s+effect|come\s+into)|\bterm\s+of\s+(?:this|the)\s+(?:\w+\s+)?agreement\b[^.;]{0,60}$|\bthis\s+(?:[\w&-]+\s+){0,5}?(?:agreement|contract|amendment|addendum|lease)\b[^.;]{0,90}$|\b(?:contract|agreement)\s+(?:period|term)["”]?\s+(?:shall\s+)?(?:mean|be|is)\b[^.;]{0,60}$/i;

/** What a term begins with, and what other papers are of. */
const NO_END = /(?:\bfrom|\bcommenc\w+|\bbegin\w*|\beffective|\bas\s+of|\bdated|\bafter|\bsince|\bissue\s+date:?)\s*(?:(?:on|as\s+of|the|and)\s*)*$/i;

/** What runs out: the agreement, its term, or a period that stands for it. */
const RUNS =
  /\b(?:this|the(?:\s+present)?)\s+(?:[\w&-]+\s+){0,4}?(?:agreement|contract|lease|licen[cs]e|addendum|amendment|undertaking)\b|\b(?:(?:contract|agreement|licen[cs]e|lease|service)\s+period|term)\b|Expiration\s+Date|\bit\s+(?:shall|will)\b|合同|协议|期/i;
const RUNS_OUT =
  /(?:expir\w*|terminat\w*|\bend(?:s|ing)?\b|concluding|until|till\b|through|thru|up to|continue\w*|remain\w*|in\s+no\s+event\s+(?:later|beyond)|\bto\b|Expiration Date["”)]*(?:\s+(?:is|shall be|means))?|至)[^.;]{0,50}$/i;

/** "... shall terminate June 1, 2000 (herein “Term”)". */
const AS_TERM = /^[^.;]{0,30}["“‘]\s*(?:\w+\s+)?Term\b/;

function expirationScore(sentence: Sentence, before: string, after: string): number {
  const near = before.slice(-80);
  const named = /\b(?:Expiration|Expiry|Termination|End)\s+Date["”)]*\s*(?:[:：]|is|shall\s+(?:be|mean)|means|\()[^.;]{0,50}$/i.test(near);
  if (!named && (NO_END.test(near) || !RUNS_OUT.test(near) || !(RUNS.test(before) || AS_TERM.test(after)) || NOT_THE_END.test(near))) return 0;
  // "from X to Y" alone is any period: of the agreement only where its term is spoken of.
  const plainTo = !RUNS_OUT.test(near.replace(/\bto\b/gi, ' '));
  if (plainTo && !/\b(?:term|period|durat\w*|valid\w*)\b[^.;]{0,60}\bfrom\b[^.;]*$/i.test(before)) return 0;
  const titled = /term|durat|expir|period|期限/i.test(sentence.passage.heading);
  const score = /expir|Expiration Date|remain|continue|\bterm\b|conclud|period\s+(?:of\s+time\s+)?(?:from|commenc)|期限/i.test(sentence.text) ? 0.7 : 0.5;
  return titled ? score + 0.2 : score >= 0.7 ? score : 0;
}

/** A last day for an act inside the term, and the ends of what is not the agreement. */
const NOT_THE_END =
  /(?<!\bevent\s)\b(?:(?:no|not)\s+later\s+than|prior\s+to|on\s+or\s+before|before|by)\s*(?:the\s*)?$|\bcommission\b|\b(?:fiscal|calendar|quarter|option|warrants?|offer|polic(?:y|ies)|patents?)\b[^.;]{0,50}$/i;
