// Sentences that carry the provisions a reviewer asks for first: liability cap, termination, assignment, confidentiality, insurance, audit,
// non-compete, exclusivity, licence. Found by headings and by the words such provisions are written with; the value is the sentence itself.
import type { FieldValue, SummaryField } from '../contract/summary.ts';
import { findAmounts } from './amounts.ts';
import { sentences, type Source } from './source.ts';

interface Rule {
  readonly field: SummaryField;
  /** A sentence that says it wherever it stands. */
  readonly says: RegExp;
  /** Under this heading a weaker wording is enough. */
  readonly heading: RegExp;
  readonly weak: RegExp;
}

const RULES: readonly Rule[] = [
  {
    field: 'liabilityCap',
    says: /(?:aggregate|total|maximum|cumulative|entire)\b[^.;]{0,60}\bliabilit[^.;]{0,160}(?:not exceed|limited to|no(?:t)? (?:be )?(?:more|greater) than)|liabilit[^.;]{0,120}(?:shall|will|may) not (?:in (?:any event|aggregate) )?exceed|责任[^。]{0,40}不超过/i,
    heading: /liabilit|责任/i,
    weak: /exceed|limited to|不超过/i,
  },
  {
    field: 'termination',
    says: /\b(?:may|shall have the right to|is entitled to|can)\b[^.;]{0,40}\bterminate (?:this|the) (?:agreement|contract|license|nda|mnda)|可(?:以)?(?:随时)?(?:解除|终止)本(?:合同|协议)/i,
    heading: /terminat|终止|解除/i,
    weak: /\bterminat/i,
  },
  {
    field: 'assignment',
    says: /\b(?:not|neither|no party|may|shall)\b[^.;]{0,60}\b(?:assign|transfer)\b[^.;]{0,80}\b(?:this|its rights|the) (?:agreement|contract|rights)|assign(?:ed|ment)?[^.;]{0,60}without[^.;]{0,40}(?:consent|approval)|不得[^。]{0,20}转让/i,
    heading: /assign|转让/i,
    weak: /\bassign/i,
  },
  {
    field: 'confidentiality',
    says: /(?:recipient|receiving party|each party|neither party|shall|will|agrees?)\b[^.;]{0,80}(?:keep|hold|maintain|not disclose|protect|safeguard)[^.;]{0,80}confiden|保密义务|应[^。]{0,12}保密/i,
    heading: /confiden|non-?disclosure|保密/i,
    weak: /disclos|confiden|保密/i,
  },
  {
    field: 'insurance',
    says: /\b(?:shall|will|must|agrees? to)\b[^.;]{0,60}(?:maintain|carry|obtain|procure|keep)[^.;]{0,60}\binsurance/i,
    heading: /insurance|保险/i,
    weak: /insurance|coverage|保险/i,
  },
  {
    field: 'audit',
    says: /\b(?:right to|may|entitled to|permit)\b[^.;]{0,60}\b(?:audit|inspect|examine)\b[^.;]{0,80}(?:books|records|accounts|facilit)|\baudit\b[^.;]{0,60}\b(?:records|books)/i,
    heading: /\baudit|records|审计/i,
    weak: /audit|inspect|审计/i,
  },
  {
    field: 'nonCompete',
    says: /(?:shall|will|agrees?|may) not\b[^.;]{0,120}\b(?:compete|engage in[^.;]{0,40}compet|competing|competitive)|non-?compet/i,
    heading: /non-?compet|竞业/i,
    weak: /compet|竞业/i,
  },
  {
    field: 'exclusivity',
    says: /\b(?:sole and exclusive|exclusive(?:ly)?)\b[^.;]{0,60}\b(?:right|license|distributor|supplier|provider|agent|basis|dealing|purchase)|独家/i,
    heading: /exclusiv|独家/i,
    weak: /exclusiv|独家/i,
  },
  {
    field: 'license',
    says: /\b(?:grants?|granted)\b[^.;]{0,80}\blicen[cs]e|授予[^。]{0,30}许可/i,
    heading: /licen[cs]e|grant|许可/i,
    weak: /\bgrants?\b|许可/i,
  },
];
/** More sentences than this are the whole chapter, which the path already names. */
const MOST = 3;
/** Exclusive remedies and jurisdictions are not exclusivity. */
const NOT_EXCLUSIVITY = /exclusive (?:remed|jurisdiction|venue|forum)|non-?exclusive/i;

export function findProvisions(source: Source): Partial<Record<SummaryField, FieldValue[]>> {
  const found: Partial<Record<SummaryField, { value: FieldValue; score: number }[]>> = {};
  for (const passage of source.passages) {
    if (passage.block.kind === 'heading') continue;
    for (const [from, to] of sentences(passage.block.text)) {
      const text = passage.block.text.slice(from, to);
      if (text.length < 12) continue;
      for (const rule of RULES) {
        const titled = rule.heading.test(passage.heading);
        const says = rule.says.test(text);
        if (!says && !(titled && rule.weak.test(text))) continue;
        if (rule.field === 'exclusivity' && NOT_EXCLUSIVITY.test(text)) continue;
        const score = says && titled ? 0.85 : says ? 0.65 : 0.5;
        const amount = rule.field === 'liabilityCap' ? (findAmounts(text)[0]?.normalized ?? null) : null;
        (found[rule.field] ??= []).push({ value: source.value(passage, from, to, amount, score), score });
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
