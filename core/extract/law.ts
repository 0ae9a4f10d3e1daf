// Governing law and the courts that decide, as the name of the place ("New York", "England and Wales", 中华人民共和国).
//
// Rule: only a sentence that says what governs counts; "a corporation organised under the laws of Delaware" does not.
import type { FieldValue } from '../contract/summary.ts';
import { sentences, type Source } from './source.ts';

const STATE = "(?:(?:State|Commonwealth|Province|Republic|Kingdom|Territory|City|County|Country)\\s+of\\s+)";
const PLACE = `(?<place>(?:People['’]s Republic of China|United States(?: of America)?|United Kingdom|Hong Kong(?: Special Administrative Region)?|England and Wales|Scotland|District of Columbia|New (?:York|Jersey|Mexico|Hampshire|Zealand|South Wales)|(?:North|South) (?:Carolina|Dakota|Korea)|West Virginia|Rhode Island|Puerto Rico|British Columbia|Nova Scotia|British Virgin Islands|Cayman Islands|South Africa|Saudi Arabia|Czech Republic|\\p{Lu}[\\p{Ll}'’-]+|[A-Z]{4,}(?: [A-Z]{4,})?))`;
const GOVERNS = /govern|constru|interpret|enforce[da]|subject to the law|in accordance with|determined|适用|管辖|解释/i;
const FORMED = /(?:organi[sz]ed|existing|incorporated|formed|duly organized|corporation|validly)[^.;]{0,60}$/i;
const LAWS = [
  new RegExp(`\\b[Ll](?:aws?|AWS?|egislation)\\s*(?:\\([^)]*\\)\\s*)?(?:and\\s+(?:regulations|jurisdiction)\\s+)?(?:in\\s+(?:force|effect)\\s+)?(?:of|in|for|OF|applicable\\s+(?:in|to)|prevailing\\s+in)\\s+(?:the\\s+|THE\\s+)?(?:[Uu]\\.?[Ss]\\.?\\s+)?(?:internal\\s+laws\\s+of\\s+the\\s+)?(?:${STATE}|STATE OF |COMMONWEALTH OF )?(?:the\\s+)?${PLACE}`, 'gu'),
  new RegExp(`(?<!the\\s)\\b${PLACE}(?:\\s+[Ss]tate)?\\s+(?:internal\\s+|substantive\\s+|state\\s+|corporate\\s+)?(?:[Ll]aws?|LAW)\\b`, 'gu'),
  /(?:适用|受|依据|依照|按照)[^。]{0,6}?(?<place>中华人民共和国|中国|香港特别行政区|香港|[\u4e00-\u9fff]{2,8}?)(?:现行|的|相关|有关)*法律/gu,
];
const COURTS = [
  new RegExp(`\\b(?:[Cc]ourts?|COURTS?|[Jj]urisdiction|[Vv]enue|tribunals?|[Aa]rbitration|arbitrat(?:ed|ion\\s+(?:held|conducted)))\\b[^.;]{0,60}?\\s(?:of|in|for|within|at|OF|IN)\\s+(?:the\\s+|THE\\s+)?(?:(?:City|County|State|Commonwealth|Province|Northern|Southern|Eastern|Western|Central|District)[\\s\\w]{0,20}?\\s+of\\s+)?(?:the\\s+)?${PLACE}`, 'gu'),
  /(?<place>[\u4e00-\u9fff]{2,16}?(?:人民法院|仲裁委员会))/gu,
];
const NOT_PLACE = /^(?:This|The|Agreement|Section|Law|Laws|Such|Applicable|Any|All|Each|Party|Parties|Company|Court|Courts|Federal|State|Governing|Securities|Bankruptcy|Patent|Copyright|Trademark|Tax|Contract|Privacy|Disputes?|Arbitration|Customer|Provider|Territory|Chosen|Choice|Intellectual|Employment|Data|Exclusive|Jurisdiction|Order|Effective|Common|GOVERNING|APPLICABLE|Under|If|No|For|By|In|Business|International|Commercial|American|Conflict|Conflicts|Export|Corporate|Competent|Notwithstanding|Case|Environmental|Local|Requirements?|Rules)$/;

interface Hit {
  readonly place: string;
  readonly value: FieldValue;
}

function hits(source: Source, patterns: readonly RegExp[], accepts: (sentence: string, heading: string, before: string) => number): Hit[] {
  const found: Hit[] = [];
  for (const passage of source.passages) {
    const text = passage.block.text;
    for (const [from, to] of sentences(text)) {
      const sentence = text.slice(from, to);
      for (const pattern of patterns) {
        for (const match of sentence.matchAll(pattern)) {
          const place = match.groups?.['place'] ?? '';
          const at = match.index + match[0].lastIndexOf(place);
          const confidence = NOT_PLACE.test(place) ? 0 : accepts(sentence, passage.heading, sentence.slice(0, match.index));
          if (confidence > 0) found.push({ place, value: source.value(passage, from + at, from + at + place.length, placeName(place), confidence) });
        }
      }
    }
  }
  return found;
}

function placeName(place: string): string {
  if (/^[A-Z\s]+$/.test(place) && place.length > 3) return place.toLowerCase().replace(/\b\p{L}/gu, (letter) => letter.toUpperCase());
  return place.replace(/^People['’]s Republic of China$/, 'China').replace(/^United States of America$/, 'United States').replace(/^中华人民共和国$/, '中国');
}

function distinct(found: readonly Hit[], most: number): FieldValue[] {
  const seen = new Set<string>();
  return found
    .toSorted((x, y) => y.value.confidence - x.value.confidence)
    .filter(({ value }) => !seen.has(value.normalized!) && seen.add(value.normalized!))
    .slice(0, most)
    .map(({ value }) => value);
}

export function findGoverningLaw(source: Source): FieldValue[] {
  const found = hits(source, LAWS, (sentence, heading, before) => {
    if (!GOVERNS.test(sentence) || FORMED.test(before)) return 0;
    const here = /\b(?:this|the)\s+(?:\w+\s+){0,3}?(?:agreement|contract|lease|license|terms|nda|mnda|addendum|amendment|deed|letter|note|warrant|guarant\w+|undertaking)\b|hereof|hereunder|本合同|本协议/i.test(sentence);
    const titled = /govern|applicable law|choice of law|\blaw\b|适用法律|法律适用/i.test(heading) || /^(?:\S+\s+)?(?:governing law|choice of law|applicable law)/i.test(sentence);
    if (!here && !titled) return 0;
    return titled ? 0.95 : /govern/i.test(sentence) ? 0.9 : /constru|interpret|适用/i.test(sentence) ? 0.8 : 0.4;
  });
  // The strongest sentence speaks; another place is given only with equal strength (it may be a second law, or a conflict).
  const best = Math.max(0, ...found.map(({ value }) => value.confidence));
  return distinct(found.filter(({ value }) => value.confidence >= Math.max(0.5, best)), 2);
}

export function findJurisdiction(source: Source): FieldValue[] {
  const found = hits(source, COURTS, (sentence, heading) => {
    if (!/jurisdiction|venue|courts?\b|forum|法院|仲裁/i.test(sentence)) return 0;
    if (/submit|exclusive|consent|brought|venue|resolved|settled|forum|提交|管辖|起诉|仲裁/i.test(sentence)) return /jurisdiction|venue|disput|govern|forum|争议/i.test(heading) ? 0.9 : 0.7;
    return 0;
  });
  return distinct(found.filter(({ value }) => value.confidence >= 0.7), 2);
}
