// What CUAD's lawyers answered, in the forms that our extractors give: party names, ISO dates, places, ISO durations; and when two of them are the same.
//
// Rule: the answers are taken as they are, slips of the pen included; what is no answer ("[]/[]/2019", "the Seller", a blank) is not asked for.
import type { FieldValue, SummaryField } from '../../core/contract/summary.ts';
import { findDates } from '../../core/extract/dates.ts';
import { fold } from '../../core/extract/parties.ts';
import type { CuadCase } from './cuad.ts';

export interface Question {
  readonly field: SummaryField;
  readonly wanted: (column: (name: string) => string) => readonly string[];
  /** Values of the field that count as given. */
  readonly given: (values: readonly FieldValue[]) => readonly string[];
  readonly same: (wanted: string, given: string) => boolean;
  /** Only answers that stand in the text: the lawyers added terms to dates, which we never do silently. */
  readonly literal?: true;
}

const equal = (wanted: string, given: string): boolean => wanted === given;
const normal = (values: readonly FieldValue[]): string[] => values.map((value) => value.normalized ?? '').filter((value) => value !== '');
const first = (values: readonly FieldValue[]): string[] => normal(values).slice(0, 1);

export const QUESTIONS: readonly Question[] = [
  { field: 'parties', wanted: (column) => partyNames(column('Parties-Answer')), given: normal, same: similar },
  { field: 'agreementDate', wanted: (column) => isoOf(column('Agreement Date-Answer')), given: normal, same: equal },
  { field: 'effectiveDate', wanted: (column) => isoOf(column('Effective Date-Answer')), given: normal, same: equal },
  { field: 'expirationDate', wanted: (column) => isoOf(column('Expiration Date-Answer')), given: normal, same: equal, literal: true },
  {
    field: 'governingLaw',
    // "Ontario, Canada" is one answer at two depths: any of its parts counts, once.
    wanted: (column) => [places(column('Governing Law-Answer')).join(' ')].filter((place) => place !== ''),
    given: (values) => first(values).map(fold),
    same: (wanted, given) => places(given).some((place) => wanted.includes(place)),
  },
  { field: 'renewalNotice', wanted: (column) => durations(column('Notice Period To Terminate Renewal- Answer')), given: first, same: sameDuration },
  { field: 'renewal', wanted: (column) => durations(column('Renewal Term-Answer')), given: first, same: sameDuration },
];

export function answersOf(entry: CuadCase, question: Question, values: readonly FieldValue[]): { wanted: readonly string[]; given: readonly string[] } {
  const wanted = question.wanted((name) => entry.answers.get(name) ?? '');
  const given = question.given(values);
  if (question.literal === undefined || wanted.length === 0) return { wanted, given };
  const written = new Set(entry.document.blocks.flatMap((block) => findDates(block.text).map((date) => date.normalized)));
  return { wanted: wanted.filter((date) => written.has(date)), given };
}

function isoOf(american: string): string[] {
  return [...american.matchAll(/(\d{1,2})\/(\d{1,2})\/(\d{2,4})/g)].map(([, month = '', day = '', year = '']) => {
    const full = year.length === 2 ? (Number(year) < 50 ? '20' : '19') + year : year;
    return `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  });
}

function durations(answer: string): string[] {
  const match = /(\d+)\s*(day|week|month|year)/i.exec(answer);
  return match ? [`P${match[1]}${(match[2] as string)[0]?.toUpperCase()}`] : [];
}

/** Twelve months are a year. */
function sameDuration(wanted: string, given: string): boolean {
  const months = (value: string): string => value.replace(/^P(\d+)Y$/, (_all, years: string) => `P${Number(years) * 12}M`);
  return months(wanted) === months(given);
}

/** Names of "X Inc. (“X”); Y Ltd." without aliases and roles. */
function partyNames(answer: string): string[] {
  // A bracket with quotes or a role in it is an alias; "Galen (Chemicals) Limited" is a name.
  const plain = answer.replace(/[(（](?:[^()]*["“”'][^()]*|[^()]*\b(?:collectively|individually|each|together|party|parties|company)\b[^()]*)[)）]?/gi, ';');
  return plain
    .split(/;|\n/)
    .map((name) => fold(name.replace(/^\s*(?:and|,|:)\s*/i, '').replace(/[,\s]+$/, '')))
    .filter(
      (name) =>
        name.length > 3 &&
        !/^(?:and|collectively|parties|each|individually|together)\b|\bpart(?:y|ies)\b|shall|_|\*|xxx|^the (?:seller|buyer|company|supplier|franchisee)|^(?:seller|buyer|franchisee|you)$/.test(
          name,
        ) &&
        !(/ and /.test(name) && !/\b(?:inc|llc|ltd|corp|corporation|company|limited|lp|co|plc|university|gmbh|bank)\b/.test(name)),
    );
}

/** The labels have slips of the pen ("Phamaceuticals"): names that share most of their letter pairs are the same. */
function similar(x: string, y: string): boolean {
  if (x === y || (Math.min(x.length, y.length) >= 5 && (x.includes(y) || y.includes(x)))) return true;
  const pairs = (name: string): string[] => Array.from({ length: Math.max(0, name.length - 1) }, (_, at) => name.slice(at, at + 2));
  const [left, right] = [pairs(x), pairs(y)];
  const free = [...right];
  const common = left.filter((pair) => free.includes(pair) && free.splice(free.indexOf(pair), 1)).length;
  return (2 * common) / (left.length + right.length) >= 0.85;
}

function places(answer: string): string[] {
  return answer
    .split(/[;,/]| and /)
    .map((place) =>
      fold(place)
        .replace(/^(?:state|commonwealth|province|republic) of /, '')
        .replace(/^the /, ''),
    )
    .filter((place) => place !== '');
}
