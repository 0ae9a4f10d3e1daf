// Governing law and the courts that decide, as the name of the place ("New York", "England and Wales", 中华人民共和国).
//
// Rule: only a sentence that says what governs counts; "a corporation organised under the laws of Delaware" does not.
import type { FieldValue } from '../contract/summary.ts';
import { labelledValues } from './labelled.ts';
import type { Source } from './source.ts';

/** Places that give contracts their law: US states, Canadian provinces, countries, and the parts that have their own law. */
const KNOWN = [
  "People['’]s Republic of China|PRC|United States(?: of America)?|United Kingdom|Hong Kong(?: Special Administrative Region)?(?: SAR)?|England(?: and Wales)?|Wales|Scotland|Northern Ireland|Republic of Ireland|Ireland|District of Columbia|Puerto Rico|British Virgin Islands|Cayman Islands",
  'Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New (?:Hampshire|Jersey|Mexico|York|South Wales|Zealand)|(?:North|South) (?:Carolina|Dakota|Korea)|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming',
  'Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland|Nova Scotia|Ontario|Quebec|Québec|Saskatchewan|Victoria|Queensland|Bavaria|Catalonia|Geneva|Zurich',
  'Argentina|Australia|Austria|Bahamas|Belgium|Bermuda|Brazil|Bulgaria|Canada|Chile|China|Colombia|Croatia|Cyprus|Czech Republic|Denmark|Egypt|Estonia|Finland|France|Germany|Gibraltar|Greece|Guernsey|Hungary|Iceland|India|Indonesia|Israel|Italy|Japan|Jersey|Kazakhstan|Kenya|Korea|Latvia|Liechtenstein|Lithuania|Luxembourg|Malaysia|Malta|Mauritius|Mexico|Monaco|Morocco|Netherlands|Nigeria|Norway|Pakistan|Panama|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia(?:n Federation)?|Saudi Arabia|Serbia|Singapore|Slovakia|Slovenia|South Africa|Spain|Sweden|Switzerland|Taiwan|Thailand|Turkey|Ukraine|United Arab Emirates|Uruguay|Venezuela|Vietnam',
].join('|');
/** Names of a law by its people. */
const ADJECTIVES: Readonly<Record<string, string>> = {
  english: 'England',
  swiss: 'Switzerland',
  german: 'Germany',
  french: 'France',
  dutch: 'Netherlands',
  italian: 'Italy',
  spanish: 'Spain',
  swedish: 'Sweden',
  danish: 'Denmark',
  israeli: 'Israel',
  chinese: 'China',
  japanese: 'Japan',
  canadian: 'Canada',
  irish: 'Ireland',
  indian: 'India',
  korean: 'Korea',
};
const PLACE = `(?<place>(?:${KNOWN})\\b)`;
const GOVERNS = /govern|constru|interpret|enforce[da]|subject to the law|in accordance with|determined|适用|管辖|解释/i;
const FORMED = /(?:organi[sz]ed|existing|incorporated|formed|duly organized|corporation|validly)[^.;]{0,60}$/i;
const LAWS = [
  new RegExp(`\\b(?:laws?|legislation|statutes)\\b[^.;]{0,70}?\\b(?:of|in|for|to)\\s+(?:the\\s+)?[^.;]{0,60}?\\b${PLACE}`, 'giu'),
  new RegExp(
    `\\b${PLACE}(?:['’]s)?(?:\\s+state)?(?:\\s+(?:internal|substantive|state|corporate|civil|contract|domestic))?\\s+(?:laws?\\b|(?=shall\\s+govern|governs))`,
    'giu',
  ),
  new RegExp(`\\b(?<place>${Object.keys(ADJECTIVES).join('|')})\\s+(?:substantive\\s+|civil\\s+)?law`, 'giu'),
  new RegExp(`\\bgoverned\\b[^.;]{0,60}\\b(?:State|Commonwealth|Province)\\s+of\\s+${PLACE}`, 'giu'),
  /(?:适用|受|依据|依照|按照)[^。]{0,6}?(?<place>中华人民共和国|中国|香港特别行政区|香港|[\u4e00-\u9fff]{2,8}?)(?:现行|的|相关|有关)*法律/gu,
];
const COURTS = [
  new RegExp(
    `\\b(?:courts?|jurisdiction|venue|tribunals?|forum|arbitrat(?:ion|ed))\\b[^.;]{0,100}?\\b(?:of|in|for|within|at)\\s+(?:the\\s+)?[^.;]{0,60}?\\b${PLACE}`,
    'giu',
  ),
  new RegExp(`\\b${PLACE}(?:['’]s)?\\s+(?:state\\s+)?(?:courts?|or\\s+federal\\s+courts?)\\b`, 'giu'),
  /(?:提交|由|向|至|交由|交)(?<place>[\u4e00-\u9fff]{2,16}?(?:人民法院|仲裁委员会))/gu,
];

const LAW_LABEL = /(?:Governing|Applicable)\s+Law(?:\s*(?:and|&|\/)\s*(?:Jurisdiction|Courts?|Venue))?|适用法律|法律适用/i;
const PLACE_ALONE = new RegExp(
  `^(?:(?:the\\s+)?(?:laws?|State|Commonwealth|Province)\\s+(?:of\\s+)?(?:the\\s+)?(?:State\\s+of\\s+)?)?${PLACE}|^(?<place>中华人民共和国|中国|香港)`,
  'u',
);

interface Hit {
  readonly place: string;
  readonly value: FieldValue;
}

function hits(source: Source, patterns: readonly RegExp[], accepts: (sentence: string, heading: string, before: string) => number): Hit[] {
  const found: Hit[] = [];
  for (const passage of source.passages) {
    const text = passage.block.text;
    for (const [from, to] of source.sentencesOf(passage.block)) {
      const sentence = text.slice(from, to);
      for (const pattern of patterns) {
        for (const match of sentence.matchAll(pattern)) {
          const place = match.groups?.['place'] ?? '';
          const at = match.index + match[0].lastIndexOf(place);
          const confidence = accepts(sentence, passage.heading, sentence.slice(0, match.index));
          if (confidence > 0) found.push({ place, value: source.value(passage, from + at, from + at + place.length, placeName(place), confidence) });
        }
      }
    }
  }
  return found;
}

function placeName(place: string): string {
  const people = ADJECTIVES[place.toLowerCase()];
  if (people !== undefined) return people;
  const name =
    /^[A-Z\s]+$/.test(place) && place.length > 3
      ? place
          .toLowerCase()
          .replace(/\b\p{L}/gu, (letter) => letter.toUpperCase())
          .replace(/ (?:And|Of) /g, (word) => word.toLowerCase())
      : place.replace(/\s+/g, ' ');
  return name
    .replace(/^(?:People['’]s Republic of China|PRC)$/i, 'China')
    .replace(/^United States of America$/i, 'United States')
    .replace(/^中华人民共和国$/, '中国');
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
    const here =
      /\b(?:this|the)\s+(?:\w+\s+){0,3}?(?:agreement|contract|lease|license|terms|nda|mnda|addendum|amendment|deed|letter|note|warrant|guarant\w+|undertaking)\b|hereof|hereunder|本合同|本协议/i.test(
        sentence,
      );
    const titled =
      /govern|applicable law|choice of law|\blaw\b|适用法律|法律适用/i.test(heading) ||
      /^(?:\S+\s+)?(?:governing law|choice of law|applicable law)/i.test(sentence);
    if (!here && !titled) return 0;
    return titled ? 0.95 : /govern/i.test(sentence) ? 0.9 : /constru|interpret|适用/i.test(sentence) ? 0.8 : 0.5;
  });
  const beside = labelledValues(source, LAW_LABEL).flatMap(({ passage, start, end }): Hit[] => {
    const match = PLACE_ALONE.exec(passage.block.text.slice(start, end));
    const place = match?.groups?.['place'];
    if (!match || place === undefined) return [];
    const at = start + match.index + match[0].lastIndexOf(place);
    return [{ place, value: source.value(passage, at, at + place.length, placeName(place), 0.96) }];
  });
  if (beside.length > 0) return distinct(beside, 2);
  // The strongest sentence speaks; another place is given only with equal strength (it may be a second law, or a conflict).
  const best = Math.max(0, ...found.map(({ value }) => value.confidence));
  const strongest = found.filter(({ value }) => value.confidence >= Math.max(0.5, best));
  // "The laws of Delaware and of the United States": the narrower law is the answer.
  const narrow = strongest.filter(({ value }) => value.normalized !== 'United States');
  return distinct(narrow.length > 0 ? narrow : strongest, 2);
}

export function findJurisdiction(source: Source): FieldValue[] {
  const found = hits(source, COURTS, (sentence, heading) => {
    if (!/jurisdiction|venue|courts?\b|forum|法院|仲裁/i.test(sentence)) return 0;
    if (/submit|exclusive|consent|brought|venue|resolved|settled|forum|提交|管辖|起诉|仲裁/i.test(sentence))
      return /jurisdiction|venue|disput|govern|forum|争议/i.test(heading) ? 0.9 : 0.7;
    return 0;
  });
  return distinct(
    found.filter(({ value }) => value.confidence >= 0.7),
    2,
  );
}
