// Who the parties are: from the preamble ("between X, a Delaware corporation (“Customer”), and Y"), cover pages ("Customer: X", 甲方：X) and signature blocks.
//
// Owns: finding the stretch of text that names the parties and cutting a name out of its description. The preamble with the most aliases wins;
// signature blocks only speak where no preamble was found.
import type { FieldValue } from '../contract/summary.ts';
import type { Passage, Source } from './source.ts';

/** The preamble stands in the first pages; longer tables of contents exist, so the anchor may come late, but not after this many characters. */
const SEARCHED = 40_000;
const NEAR = 6_000;
const REGION = 2_500;
const ANCHOR = /\b(?:by\s+and\s+)?(?:between|among(?:st)?|BETWEEN|AMONG)\b(?:\s+and\s+among)?\s*:?\s*(?=["“(]?(?:the\s+)?[\p{Lu}\d\n(])/gu;
const AFTER_PREAMBLE =
  /\bWHEREAS\b|\bWhereas\b|\bRECITALS?\b|R E C I T A L S|W I T N E S S|\bRecitals?\b|\bWITNESSETH|\bBACKGROUND\b|\bNOW,? THEREFORE|agree as follows|hereby agree|\b(?:IN|In) CONSIDERATION|\bIn consideration|\bTABLE OF CONTENTS|\b(?:The|Each) [Pp]art(?:y|ies)\b/;
const ALIAS = /[(（][^()（）]{0,80}?["“]\s*([^"“”]{1,60}?)[,.]?\s*["”][^()（）]{0,120}[)）]/g;
const COLLECTIVE = /\b(?:collectively|together|jointly|parties|each,? a|individually|both)\b|["“](?:the )?part(?:y|ies)["”]/i;
const SUFFIX =
  '(?:Inc|Incorporated|INC|Corp|CORP|Corporation|CORPORATION|LLC|L\\.?L\\.?C|LLP|L\\.?L\\.?P|LP|L\\.?P|Ltd|LTD|Limited|LIMITED|Co|CO|Company|COMPANY|PLC|plc|P\\.?L\\.?C|GmbH|AG|SA|S\\.A|S\\.?A\\.?S|B\\.?V|N\\.?V|N\\.?A|Pty|PTY|Trust|TRUST|Bank|A\\.?B|SpA|S\\.p\\.A|KG|K\\.K|USA)';
const DESCRIPTION = new RegExp(
  `\\s*(?:,\\s*(?=(?:an?|the|with|having|whose|which|located|organi[sz]ed|incorporated|by|acting|on\\s+behalf|duly|its|as|individually|of|for|director|to\\s+be|residing|doing)\\b)|\\s(?=(?:an?\\s+(?:\\p{Lu}|corporation|company|limited|publicly|private|general|non)|having|with\\s+(?:an?|its|principal|offices?)|located|whose|incorporated|organi[sz]ed|doing\\s+business|d\\/b\\/a|dba|a\\.k\\.a|f\\/k\\/a|formerly|acting|in\\s+its|on\\s+behalf|residing|hereinafter|for\\s+itself|by\\s+and|company\\s+number|registered|and\\s+its)\\b)|[(（;\\n]|--|\\.\\s(?=[A-Z][a-z]+\\s[a-z])|\\s[Dd]ated\\b|\\sDATED\\b|\\seffective\\b)`,
  'u',
);
const NOT_A_NAME =
  /^(?:this|the|and|or|you|we|us|agreement|part(?:y|ies)|exhibit|source|date|section|article|page|such|any|each|all|either|it|they|company|distributor|supplier|franchisee|recitals?|which)$|^(?:agreement|terms|this|section|article|schedule|part(?:y|ies)|on the|each|any|all|such)\b|^\d+\s+[a-z]|^date\b|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d|\b(?:shall|will|is|are|has|have|means|hereof|hereto|hereunder|agreement|must|may)\b|["“”\]]|^(?:\p{Lu}\s){3,}/iu;

interface Joined {
  readonly text: string;
  readonly starts: readonly { readonly at: number; readonly passage: Passage }[];
}

interface Name {
  readonly start: number;
  readonly end: number;
  readonly aliased: boolean;
}

function join(source: Source): Joined {
  let text = '';
  const starts: { at: number; passage: Passage }[] = [];
  for (const passage of source.passages) {
    if (text.length > SEARCHED) break;
    starts.push({ at: text.length, passage });
    text += `${passage.block.text}\n`;
  }
  return { text, starts };
}

/** The name at the beginning of a piece of text, as offsets into it; null if there is none. */
function cutName(piece: string): { start: number; end: number } | null {
  const start = /^(?:[\s,;:.\-–]|(?:and:?|AND:?|And:|by|between|BETWEEN|among|on the one hand|on the other hand|\(?(?:\d{1,2}|[ivx]{1,4}|[a-d])[.)])\s)*/u.exec(
    piece,
  )![0].length;
  let name = piece.slice(start);
  const stop = DESCRIPTION.exec(name);
  if (stop !== null) name = name.slice(0, stop.index);
  // A comma belongs to a name only before its legal form: "Acme, Inc." but not "Acme, 1 Main Street".
  for (let comma = name.indexOf(','); comma !== -1; comma = name.indexOf(',', comma + 1)) {
    if (new RegExp(`^,\\s*${SUFFIX}\\b`).test(name.slice(comma))) continue;
    name = name.slice(0, comma);
    break;
  }
  // An address without a comma before it ("BorrowMoney.com, inc of 512 Bayshore").
  name = name.replace(/\s+(?:of|at)\s+\d.*$/su, '').replace(/\s+of$/u, '');
  name = name.replace(/[\s,;:]+$/u, '');
  if (name.length < 2 || name.length > 100 || !/^[\p{Lu}\d\p{Lo}[]|^[a-z]+[A-Z.]/u.test(name) || NOT_A_NAME.test(name)) return null;
  return { start, end: start + name.length };
}

/** Name in a segment that ends at an alias: at its beginning, or after its last ", and" if it begins with a description. */
function nameInSegment(segment: string): { start: number; end: number } | null {
  const lead = /^[\s,;:.\-–)]*(?:(?:and|AND)\s+)?/u.exec(segment)![0].length;
  if (/^[\p{Lu}\d\p{Lo}]/u.test(segment.slice(lead))) return shift(cutName(segment.slice(lead)), lead);
  let best: { start: number; end: number } | null = null;
  for (const match of segment.matchAll(/(?:[,;:.]\s*|\n|\s)(?:and|AND|between|BETWEEN)\s+(?=["“]?\p{Lu})|;\s+(?=\p{Lu})|\n(?=\p{Lu})/gu)) {
    const at = match.index + match[0].length;
    best = shift(cutName(segment.slice(at)), at) ?? best;
  }
  return best;
}

function shift(range: { start: number; end: number } | null, by: number): { start: number; end: number } | null {
  return range === null ? null : { start: range.start + by, end: range.end + by };
}

function namesInRegion(region: string): Name[] {
  const names: Name[] = [];
  let from = 0;
  for (const alias of region.matchAll(ALIAS)) {
    const segment = region.slice(from, alias.index);
    from = alias.index + alias[0].length;
    if (COLLECTIVE.test(alias[0]) && names.length >= 2) break;
    if (/\bagreement\b|\bdate\b|contract\b/i.test(alias[1]!)) continue;
    const name = nameInSegment(segment);
    if (name === null) continue;
    const base = from - alias[0].length - segment.length;
    names.push({ start: base + name.start, end: base + name.end, aliased: true });
  }
  return names.length >= 2 ? names : mergeNames(names, plainNames(region));
}

/** "X and Y" without aliases: pieces between "and" that read as names. */
function plainNames(region: string): Name[] {
  const names: Name[] = [];
  let at = 0;
  for (const piece of region.split(/(\s*[,;]?\s+(?:and|AND|And)\s+|\n(?:and|AND)\n)/u)) {
    const name = /^\s*(?:and)\s*$/i.test(piece) ? null : cutName(piece);
    if (
      name !== null &&
      (names.length === 0 || new RegExp(`\\b${SUFFIX}\\b|^\\p{Lu}[\\p{L}.'-]+(?:\\s+\\p{Lu}[\\p{L}.'-]*)+$`, 'u').test(piece.slice(name.start, name.end)))
    )
      names.push({ start: at + name.start, end: at + name.end, aliased: false });
    at += piece.length;
    if (names.length === 2) break;
  }
  return names;
}

function mergeNames(one: readonly Name[], other: readonly Name[]): Name[] {
  return [...one, ...other.filter((name) => !one.some((known) => name.start < known.end && known.start < name.end))];
}

function preambleNames(text: string): Name[] {
  let best: Name[] = [];
  const score = (names: readonly Name[]): number => names.reduce((sum, name) => sum + (name.aliased ? 3 : 1), 0);
  for (const anchor of text.matchAll(ANCHOR)) {
    // "between" in "the relationship between" is no preamble: the agreement, its date or its making is spoken of just before.
    const before = text.slice(Math.max(0, anchor.index - 250), anchor.index);
    if (!/agreement|contract|lease|\bmade\b|entered|dated|deed|indenture|amendment|license|terms/i.test(before)) continue;
    // Far from the beginning only "this Agreement is made between" is believed.
    if (anchor.index > NEAR && !/\bthis\b[^.;]{0,200}$/i.test(before)) continue;
    const from = anchor.index + anchor[0].length;
    let region = text.slice(from, from + REGION);
    const stop = AFTER_PREAMBLE.exec(region);
    if (stop !== null) region = region.slice(0, stop.index);
    const names = namesInRegion(region)
      .slice(0, 8)
      .map((name) => ({ ...name, start: name.start + from, end: name.end + from }));
    if (names.length >= 2 && score(names) > score(best)) best = names;
    if (best.filter((name) => name.aliased).length >= 2) break;
  }
  return best;
}

/** "Acme, Inc., a Tennessee corporation (the “Company”)" anywhere near the beginning: letter agreements name their parties so. */
function describedNames(text: string): Name[] {
  const names: Name[] = [];
  for (const alias of text.slice(0, 8_000).matchAll(ALIAS)) {
    const before = text.slice(Math.max(0, alias.index - 220), alias.index);
    const match = new RegExp(`((?:\\p{Lu}[\\p{L}\\p{N}&.'’-]*,?\\s+){1,7}?(?:${SUFFIX})\\.?)(?:,\\s+an?\\s[^()]{5,90})?\\s*,?\\s*$`, 'u').exec(before);
    if (match === null || COLLECTIVE.test(alias[0])) continue;
    const start = alias.index - before.length + match.index;
    names.push({ start, end: start + match[1]!.length, aliased: true });
    if (names.length === 4) break;
  }
  return names;
}

const LABEL =
  /^(?:Customer|Client|Provider|Vendor|Supplier|Company|Party\s*[12AB]|Discloser|Recipient|Licensor|Licensee|Buyer|Seller|Employer|Employee|Landlord|Tenant|[甲乙丙]方(?:[（(][^）)]{1,12}[）)])?)(?:\s+(?:Legal\s+)?Name)?\s*[:：]\s*(?=\S)/i;

/** Lines and table rows of a cover page that name a party beside its role. */
function labelled(source: Source): FieldValue[] {
  const found: FieldValue[] = [];
  for (const passage of source.passages.slice(0, 80)) {
    const label = LABEL.exec(passage.block.text);
    if (label !== null) {
      const rest = passage.block.text.slice(label[0].length);
      const length = /^[^,，;；\n。(（]{2,80}(?:,\s*(?:Inc|LLC|Ltd|L\.P|Corp)\b\.?)?/.exec(rest)?.[0].trim().length ?? 0;
      if (length >= 2 && !/^[_[\s]/.test(rest)) found.push(source.value(passage, label[0].length, label[0].length + length, fold(rest.slice(0, length)), 0.8));
    }
  }
  return found;
}

/** Company names above "By:". */
function signatories(source: Source): FieldValue[] {
  const found: FieldValue[] = [];
  source.passages.forEach((passage, index) => {
    const text = passage.block.text;
    const inline = new RegExp(`((?:\\p{Lu}[\\p{L}\\p{N}&.'’-]*,?\\s+){1,7}?${SUFFIX}\\.?)\\s+(?:By|BY)\\s*:`, 'u').exec(text);
    if (inline !== null) found.push(source.value(passage, inline.index, inline.index + inline[1]!.length, fold(inline[1]!), 0.5));
    else if (/^(?:By|BY)\s*:/.test(text)) {
      const above = source.passages[index - 1];
      if (above !== undefined && above.block.text.length < 80 && new RegExp(`\\b${SUFFIX}\\b\\.?,?$`).test(above.block.text))
        found.push(source.value(above, 0, above.block.text.length, fold(above.block.text), 0.5));
    }
  });
  return found;
}

/** Name under which two writings are the same party. */
export function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[.,'’"“”]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

export function findParties(source: Source): FieldValue[] {
  const { text, starts } = join(source);
  const values: FieldValue[] = [];
  const add = (names: readonly Name[], confidence: number): void => {
    for (const name of names) {
      const home = starts.findLast(({ at }) => at <= name.start);
      if (home === undefined) continue;
      const end = Math.min(name.end - home.at, home.passage.block.text.length);
      values.push(source.value(home.passage, name.start - home.at, end, fold(text.slice(name.start, home.at + end)), confidence));
    }
  };
  add(preambleNames(text), 0.9);
  if (values.length < 2) values.push(...labelled(source));
  if (values.length < 2) add(describedNames(text), 0.7);
  if (values.length < 2) values.push(...signatories(source));
  const seen = new Set<string>();
  return values.filter((value) => value.normalized !== null && value.normalized.length > 1 && !seen.has(value.normalized) && seen.add(value.normalized));
}
