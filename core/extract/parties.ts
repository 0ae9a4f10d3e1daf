// Who the parties are: from the preamble ("between X, a Delaware corporation (“Customer”), and Y"), cover pages ("Customer: X", 甲方：X) and signature blocks.
//
// Owns: finding the stretch of text that names the parties and cutting a name out of its description. The preamble with the most aliases wins;
// signature blocks only speak where no preamble was found.
import type { FieldValue } from '../contract/summary.ts';
import { labelledValues } from './labelled.ts';
import type { Passage, Source } from './source.ts';

/** The preamble stands in the first pages; longer tables of contents exist, so the anchor may come late, but not after this many characters. */
const SEARCHED = 40_000;
const NEAR = 6_000;
const REGION = 2_500;
const ANCHOR =
  /\b(?:by\s+and\s+)?(?:between|among(?:st)?|Between|BETWEEN|B\s?E\s?T\s?W\s?E\s?E\s?N|AMONG)\b(?:\s+and\s+among)?\s*:?\s*(?=["“(]?(?:the\s+)?[\p{Lu}\d\n(])|\b(?:PARTIES|Parties)\b(?:\s+(?:TO\s+THIS\s+AGREEMENT|to\s+this\s+Agreement))?\s*:?\s*(?=\(?(?:1|i|a|A)[.)]\s)|\b(?:made|entered\s+into|executed|granted)\b[^.;\n]{0,90}?\bby\s+(?=\p{Lu}[\p{L}.&'’-]+\s[^;]{2,120}["“)])/gu;
const AGREEMENT_WORD = /agreement|contract|lease|\bmade\b|entered|dated|deed|indenture|amendment|license|terms/i;
const AFTER_PREAMBLE =
  /\bWHEREAS\b|\bWhereas\b|\bRECITALS?\b|R E C I T A L S|W I T N E S S|\bRecitals?\b|\bWITNESSETH|\bBACKGROUND\b|\bNOW,? THEREFORE|agree as follows|hereby agree|\b(?:IN|In) CONSIDERATION|\bIn consideration|\bTABLE OF CONTENTS|\b(?:The|Each) [Pp]art(?:y|ies)\b/;
/** (the “Customer”), (hereinafter the Customer), hereinafter called “Customer”. */
const ALIAS =
  /[(（][^()（）]{0,80}?["“‘]\s*(?<quoted>[^"“”]{1,60}?)[,.]?\s*["”’][^()（）]{0,120}[)）]|[(（](?:(?:the|hereinafter(?:\s+(?:referred\s+to|called))?(?:\s+as)?)\s+)+(?<plain>\p{Lu}[^()（）"“]{1,40})[)）]|,?\s(?:herein|hereinafter|hereafter)\s+(?:(?:referred\s+to|called|known|collectively|individually)\s+)*(?:as\s+)?(?:the\s+)?["“](?<after>[^"“”]{1,60}?)[,.]?["”]/gu;
const COLLECTIVE = /\b(?:collectively|together|jointly|parties|each,? a|individually|both)\b|["“](?:the )?part(?:y|ies)["”]/i;
const SUFFIX =
  '(?:Inc|Incorporated|INC|Corp|CORP|Corporation|CORPORATION|LLC|L\\.?L\\.?C|LLP|L\\.?L\\.?P|LP|L\\.?P|Ltd|LTD|Limited|LIMITED|Co|CO|Company|COMPANY|PLC|plc|P\\.?L\\.?C|GmbH|AG|SA|S\\.A|S\\.?A\\.?S|B\\.?V|N\\.?V|N\\.?A|Pty|PTY|Trust|TRUST|Bank|A\\.?B|SpA|S\\.p\\.A|KG|K\\.K|USA)';
const LEGAL_FORM = new RegExp(`\\b${SUFFIX}\\b\\.?$`);
const DESCRIPTION = new RegExp(
  `\\s*(?:,\\s*(?=(?:an?|the|with|having|whose|which|located|organi[sz]ed|incorporated|by|acting|on\\s+behalf|duly|its|as|individually|of|for|director|to\\s+be|residing|doing)\\b)|\\s(?=(?:an?\\s+(?:\\p{Lu}|corporation|company|limited|publicly|private|general|non)|having|with\\s+(?:an?|its|principal|offices?)|located|whose|incorporated|organi[sz]ed|doing\\s+business|d\\/b\\/a|dba|a\\.k\\.a|f\\/k\\/a|formerly|acting|in\\s+its|on\\s+behalf|residing|hereinafter|for\\s+itself|together\\s+with|by\\s+and|company\\s+number|registered|and\\s+its)\\b)|[(（](?!\\p{Lu}[\\p{L}. ]{1,25}[)）]\\s+(?:\\p{Lu}|l\\.?p))|[;\\n]|--|\\.\\s(?=[A-Z][a-z]+\\s[a-z])|\\s[Dd]ated\\b|\\sDATED\\b|\\seffective\\b)`,
  'u',
);
/** Never a name, whatever follows it. */
const NOT_A_NAME =
  /^(?:this|the|and|or|you|we|us|agreement|part(?:y|ies)|exhibit|source|date|section|article|page|such|any|each|all|either|it|they|company|distributor|supplier|franchisee|recitals?|which)$|^(?:agreement|terms|this|section|article|schedule|part(?:y|ies)|on the|each|any|such)\b|^(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d|\bagreement\b|["“”\]:：]/iu;
/** Verbs in small letters make a sentence of it. */
const SENTENCE = /\b(?:shall|will|is|are|has|have|means|hereof|hereto|hereunder|must|may)\b|^\d+\s+\p{Ll}/u;
/** A name only if a legal form ends it: "7 Eleven, Inc.", "All Nippon Corp", "May & Sons Ltd". */
const NO_NAME_ALONE =
  /^(?:all|date|in|on|for|by|certain|source|title|address|no)\b|^\d+\s+\p{L}|\b(?:shall|is|are|has|have|means|hereof|hereto|hereunder|must)\b/iu;
const CAPITALS_ALONE = /\b(?:WILL|MAY)\b|^(?:\p{Lu}\s){3,}/u;

/** Words of the law and of everyday speech are names only where a legal form says so; "Will" and "May" are names of people. */
function isNoName(name: string): boolean {
  return NOT_A_NAME.test(name) || SENTENCE.test(name) || (!LEGAL_FORM.test(name) && (NO_NAME_ALONE.test(name) || CAPITALS_ALONE.test(name)));
}

/** Words inside a name that are written small. */
const SMALL_IN_NAME =
  /^(?:of|and|the|for|in|de|do|da|dos|del|der|di|du|la|le|e|y|et|on|at|von|van|d\/b\/a|dba|f\/k\/a|f\/s\/o|a\/s|s\.?r\.?l\.?|s\.p\.a\.?|plc|inc\.?|ltd\.?|llc|co\.?|gmbh|l\.p\.|doing|business|as|by|its|corporation|company|limited|incorporated|trust|bank|university|partnership|cooperative|association)$/;

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
  if (name.length < 2 || name.length > 100 || !/^[\p{Lu}\d\p{Lo}[]|^[a-z]+[A-Z.]/u.test(name) || isNoName(name) || !isWrittenAsName(name)) return null;
  return { start, end: start + name.length };
}

/** A name is written with capitals; a phrase with ordinary words in it is none. */
function isWrittenAsName(name: string): boolean {
  return name
    .split(/\s+/)
    .slice(1)
    .every((word) => !/^\p{Ll}/u.test(word) || SMALL_IN_NAME.test(word) || /\p{Lu}|\d/u.test(word));
}

/** Name in a segment that ends at an alias: at its beginning, or after its last ", and" if it begins with a description. */
function nameInSegment(segment: string): { start: number; end: number } | null {
  const lead = /^[\s,;:.\-–)]*(?:(?:and|AND)\s+)?/u.exec(segment)![0].length;
  if (/^[\p{Lu}\d\p{Lo}]/u.test(segment.slice(lead))) return shift(cutName(segment.slice(lead)), lead);
  let best: { start: number; end: number } | null = null;
  for (const match of segment.matchAll(/(?:[,;:.]\s*|\n|\s)(?:and|AND|between|BETWEEN|in\s+favou?r\s+of)\s+(?=["“]?\p{Lu})|;\s+(?=\p{Lu})|\n(?=\p{Lu})/gu)) {
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
    if (/\bagreement\b|\bdate\b|contract\b/i.test(alias.groups?.['quoted'] ?? alias.groups?.['plain'] ?? alias.groups?.['after'] ?? '')) continue;
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

/** Named by an alias or a legal form, not by its capitals alone. */
function isKnown(name: Name, text: string): boolean {
  return name.aliased || LEGAL_FORM.test(text.slice(name.start, name.end));
}

function preambleNames(text: string): Name[] {
  let best: Name[] = [];
  const score = (names: readonly Name[]): number => names.reduce((sum, name) => sum + (name.aliased ? 3 : 1), 0);
  for (const anchor of text.matchAll(ANCHOR)) {
    // "between" in "the relationship between" is no preamble: the agreement, its date or its making is spoken of just before.
    const before = text.slice(Math.max(0, anchor.index - 250), anchor.index);
    if (!AGREEMENT_WORD.test(before)) continue;
    // Far from the beginning only "this Agreement is made between" is believed.
    if (anchor.index > NEAR && !/\bthis\b[^.;]{0,200}$/i.test(before)) continue;
    const from = anchor.index + anchor[0].length;
    let region = text.slice(from, from + REGION);
    const stop = AFTER_PREAMBLE.exec(region);
    if (stop !== null) region = region.slice(0, stop.index);
    const names = namesInRegion(region)
      .slice(0, 8)
      .map((name) => ({ ...name, start: name.start + from, end: name.end + from }));
    const known = names.some((name) => isKnown(name, text));
    // Plain words are names only where the same sentence speaks of the agreement: not in "services between Europe and North America".
    if (!known && !AGREEMENT_WORD.test(before.slice(before.search(/[^.;:]*$/)))) continue;
    if ((names.length >= 2 || known) && score(names) > score(best)) best = names;
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

const ROLE =
  /(?:the\s+)?(?:Customer|Client|Provider|Vendor|Supplier|Company|Party\s*(?:[12AB]|One|Two)|(?:First|Second)\s+Party|Discloser|Disclosing\s+Party|Recipient|Receiving\s+Party|Licensor|Licensee|Buyer|Purchaser|Seller|Employer|Employee|Executive|Founder|Contractor|Consultant|Landlord|Tenant|Lessor|Lessee|Lender|Borrower|Franchisor|Franchisee|Distributor|Manufacturer|Sponsor|Investor|Issuer|Service\s+Provider|[甲乙丙丁]\s?方|出租方|承租方|委托方|受托方|供方|需方|买方|卖方|[委受]托人|[出承]租人|[买卖]受?人|发包[人方]|承包[人方]|[转受]让方|[出借][借款]人|贷款人|用人单位|[许被]许可方|服务方|合作方)(?:[（(](?![^）)]*[签盖])[^）)]{1,12}[）)])?(?:\s+(?:Legal\s+|Full\s+)?Name)?/i;

/** Lines and table rows of a cover page that name a party beside its role. */
function labelled(source: Source): FieldValue[] {
  return labelledValues(source, ROLE).flatMap(({ passage, start, end }) => {
    const rest = passage.block.text.slice(start, end);
    const length =
      /^(?:[^,，;；\n。(（]|[(（]\p{Script=Han}{2,8}[)）](?=\p{Script=Han})|[(（](?:有限合伙|普通合伙|特殊普通合伙)[)）]){2,80}(?:,\s*(?:Inc|LLC|Ltd|L\.P|Corp)\b\.?)?/u
        .exec(rest)?.[0]
        .trim().length ?? 0;
    const name = rest.slice(0, length);
    return length < 2 || isNoName(name) || !isWrittenAsName(name) ? [] : [source.value(passage, start, start + length, fold(name), 0.8)];
  });
}

/** 星河科技有限公司（以下简称“甲方”）: Chinese contracts introduce their sides so in running text. */
const CHINESE_INTRODUCED =
  /(?<name>[\p{Script=Han}A-Za-z0-9·]{2,30}(?:[(（]\p{Script=Han}{2,8}[)）][\p{Script=Han}]{2,24})?(?:公司|集团|企业|合伙(?:企业)?(?:[(（](?:有限合伙|普通合伙)[)）])?|银行|大学|学院|研究院|研究所|医院|事务所|协会|中心|合作社|[厂店行]))\s?[(（](?:以下|下)?(?:简称|称)?(?:为)?[：:]?\s?[“"‘「][甲乙丙丁]?\p{Script=Han}{1,8}[”"’」][)）]/gu;
/** Words before a name that belong to the sentence: 本合同由…, 与…, …：. */
const CHINESE_LEAD = /^.*(?:本?(?:合同|协议)|双方|[由与和及系]|方为?|之间|订立|签订)/u;

function chineseIntroduced(source: Source): FieldValue[] {
  return source.passages.slice(0, CHINESE_PREAMBLE).flatMap((passage) =>
    [...passage.block.text.matchAll(CHINESE_INTRODUCED)].map((match) => {
      const written = match.groups!['name']!;
      const lead = CHINESE_LEAD.exec(written.slice(0, -4))?.[0].length ?? 0;
      const start = match.index + lead;
      return source.value(passage, start, match.index + written.length, fold(written.slice(lead)), 0.85);
    }),
  );
}

/** Blocks in which a contract introduces its sides. */
const CHINESE_PREAMBLE = 20;

/** Company names above or before "By:" or "/s/"; agreements of funds to file together name their parties nowhere else. */
function signatories(source: Source): FieldValue[] {
  const found: FieldValue[] = [];
  const name = new RegExp(
    `((?:\\p{Lu}[\\p{L}\\p{N}&.'’()/-]*,?\\s+(?:(?:of|and|the|for|-)\\s+)?){1,9}?${SUFFIX}\\.?(?:\\s+[IVX]{1,4}\\b)?),?(?=\\s+(?:(?:By|BY)\\s*:|/s/)|\\s*$)`,
    'gu',
  );
  source.passages.forEach((passage, index) => {
    const text = passage.block.text;
    const next = source.passages[index + 1]?.block.text ?? '';
    const signed = /^(?:(?:By|BY)\s*:|\/s\/)/.test(next);
    if (!signed && !/\bBy\s*:|\bBY\s*:|\/s\//.test(text)) return;
    for (const match of text.matchAll(name)) {
      const end = match.index + (match[1] as string).length;
      if (!signed && end + 1 >= text.length) continue;
      const start = match.index + (SIGNATURE_LEAD.exec(match[1] as string)?.[0].length ?? 0);
      if (end - start > 3 && !isNoName(text.slice(start, end))) found.push(source.value(passage, start, end, fold(text.slice(start, end)), 0.5));
    }
  });
  return found;
}

const BEHALF = /\b(?:[Ff]or\s+and\s+on\s+behalf\s+of|[Ss]igned\s+(?:for\s+and\s+)?on\s+behalf\s+of|FOR\s+AND\s+ON\s+BEHALF\s+OF)\s*:?\s+(?=\p{Lu})/gu;

/** "For and on behalf of X": a signature page that names the parties in words. */
function behalf(source: Source): FieldValue[] {
  return source.passages.flatMap((passage) =>
    [...passage.block.text.matchAll(BEHALF)].flatMap((match) => {
      const start = match.index + match[0].length;
      const rest = passage.block.text.slice(start, start + 120);
      const stop = /\s*(?:\bBy\b\s*:?|\b[Ff]or\s+and\s+on\b|-{2,}|_{2,}|\n|[:;()]|\bName\b|\bSignature\b|\bWITNESS)/u.exec(rest)?.index ?? rest.length;
      const name = cutName(rest.slice(0, stop));
      return name === null ? [] : [source.value(passage, start + name.start, start + name.end, fold(rest.slice(name.start, name.end)), 0.6)];
    }),
  );
}

/** What stands before a name on a signature page: the date, the office of the one who signed before. */
const SIGNATURE_LEAD =
  /^(?:.*\b(?:(?:19|20)\d\d|Title|Name|Date|Dated|President|Officer|Director|Secretary|Treasurer|Partner|Member|Manager|Counsel|Signatory|Person|Attorney-in-Fact|Chairman|Vice|Executive|Authorized|Chief|Financial|Operating|Managing|General)\b:?,?\s+)(?=\S+\s)/u;

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
  const seen = new Set<string>();
  const add = (found: readonly FieldValue[]): void => {
    for (const value of found) {
      if (value.normalized === null || value.normalized.length < 2 || seen.has(value.normalized)) continue;
      seen.add(value.normalized);
      values.push(value);
    }
  };
  const named = (names: readonly Name[], confidence: number): FieldValue[] =>
    names.flatMap((name) => {
      const home = starts.findLast(({ at }) => at <= name.start);
      if (home === undefined) return [];
      const end = Math.min(name.end - home.at, home.passage.block.text.length);
      return [source.value(home.passage, name.start - home.at, end, fold(text.slice(name.start, home.at + end)), confidence)];
    });
  const preamble = preambleNames(text);
  const beside = labelled(source);
  // Plain words after "between" yield to a cover page that names two parties.
  if (preamble.some((name) => isKnown(name, text)) || beside.length < 2) add(named(preamble, 0.9));
  if (values.length < 2) add(chineseIntroduced(source));
  if (values.length < 2) add(beside);
  if (values.length < 2) add(named(describedNames(text), 0.7));
  if (values.length < 2) add(behalf(source));
  if (values.length < 2) add(signatories(source));
  return values;
}
