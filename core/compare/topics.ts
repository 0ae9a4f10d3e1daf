// What the differing words of a change are about.
//
// Owns: the word lists and the rules by which an edit concerns an amount, a date, a period, a party, a defined term, a modal verb, a negation,
// a cross-reference or the law that governs. A rule looks at the words that differ and at a few words around them, never at the whole clause.
import type { CHANGE_TOPICS } from '../contract/comparison.ts';
import type { Document } from '../contract/document.ts';

export type Topic = (typeof CHANGE_TOPICS)[number];

/** One edit: the words taken out, the words put in, and up to four words on either side (of the newer text). */
export interface Edit {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The same as they stand in the text. */
  readonly removedText: string;
  readonly addedText: string;
  /** A place where a term is defined lies in the edit. */
  readonly defines: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface Terms {
  readonly defined: ReadonlySet<string>;
  readonly parties: ReadonlySet<string>;
}

const ROLE =
  /^(?:Customer|Client|Company|Provider|Supplier|Vendor|Seller|Buyer|Purchaser|Licensor|Licensee|Lessor|Lessee|Landlord|Tenant|Borrower|Lender|Employer|Employee|Contractor|Consultant|Distributor|Discloser|Recipient|Investor|Stockholder|Guarantor|Franchisor|Franchisee|[甲乙丙丁]方|买方|卖方|出租方|承租方|委托方|受托方|出借人|借款人)$/;

/** Terms defined in any of the documents; those defined before the first numbered clause that are the usual roles name parties. */
export function termsOf(documents: readonly Document[]): Terms {
  const [defined, parties] = [new Set<string>(), new Set<string>()];
  for (const document of documents) {
    const preamble = new Set(document.clauses.filter((clause) => clause.path === '').map((clause) => clause.id));
    for (const { term, clauseId } of document.definitions) {
      defined.add(term);
      if (ROLE.test(term) && (clauseId === null || preamble.has(clauseId))) parties.add(term);
    }
  }
  return { defined, parties };
}

const CURRENCY = /^(?:[$€£¥₤₹₽]|USD|EUR|GBP|CNY|RMB|JPY|CHF|CAD|AUD|HKD|SGD|US\$|dollars?|euros?|pounds?|renminbi|yuan|cents?|元|圆|percent|%|％)$/i;
/** 百分之三十, 万分之五: a rate names its base before its number. */
const CHINESE_SHARE = /[百千万]分之[一二三四五六七八九十百点零]{0,4}$/;
const NUMBER_WORD =
  /^(?:\p{N}[\p{N}.,]*%?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|forty-five|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|[一二三四五六七八九十百千万亿两零壹贰叁肆伍陆柒捌玖拾佰仟])$/iu;
const MONTH = /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)$/;
const YEAR = /^(?:19|20)\d\d$/;
const UNIT =
  /^(?:days?|weeks?|months?|years?|hours?|minutes?|quarters?|business|calendar|anniversary|daily|weekly|monthly|quarterly|annual|annually|天|日|周|月|年|时)$/i;
const FILLER = /^(?:[()（）"'-]|business|calendar|consecutive|full|additional|个|工|作)$/i;
const REFERENCE =
  /^(?:sections?|articles?|clauses?|paragraphs?|subsections?|exhibits?|schedules?|annex(?:es)?|appendix|appendices|attachments?|§+|第|条|款|附|件)$/i;
const LABEL = /^(?:\p{N}[\p{N}.]*|[A-Z]{1,2}|[ivxlc]{1,5}|[IVXLC]{1,5}|[a-z]|[.()]|and|or|to|through)$/u;
const LAW =
  /^(?:laws?|statutes?|regulations?|jurisdictions?|courts?|Act|Code|GDPR|CCPA|HIPAA|governing|arbitration|venue|Delaware|California|York|Texas|Nevada|Florida|Illinois|Massachusetts|Washington|Virginia|Georgia|Ohio|Pennsylvania|Jersey|England|Wales|Scotland|Ireland|Germany|France|Switzerland|Singapore|Ontario|法|律|院)$/;
const ENTITY = /^(?:Inc|LLC|Ltd|Limited|Corp|Corporation|GmbH|LLP|LP|PLC|plc|SA|AG|BV)$/;
const DUTY = /^(?:shall|will|must)$/i;
const PERMISSION = /^(?:may|can)$/i;
const SOFT = /^(?:should|could|might|would)$/i;
const NEGATION = /^(?:not|no|never|none|neither|nor|without|except|unless|excluding|cannot|nothing|不|未|无|非|除|勿)$|n['’]t$/i;

const count = (words: readonly string[], pattern: RegExp): number => words.filter((word) => pattern.test(word)).length;
const differs = (edits: readonly Edit[], pattern: RegExp): boolean =>
  edits.reduce((sum, edit) => sum + count(edit.added, pattern) - count(edit.removed, pattern), 0) !== 0 ||
  edits.some((edit) => edit.removed.length > 0 && edit.added.length > 0 && count(edit.removed, pattern) > 0 !== count(edit.added, pattern) > 0);

/** Whether the verb of duty changed its force (shall to may), not only its word (shall to will). */
export function modalForceDiffers(edits: readonly Edit[]): boolean {
  return differs(edits, DUTY) || differs(edits, PERMISSION) || differs(edits, SOFT);
}

export function negationDiffers(edits: readonly Edit[]): boolean {
  return differs(edits, NEGATION);
}

/** A clause that creates a duty or a right. */
export function hasModal(words: readonly string[]): boolean {
  return words.some((word) => DUTY.test(word) || PERMISSION.test(word));
}

/** Topics of the edits of one change, in the order of the contract's list. */
export function topicsOf(edits: readonly Edit[], terms: Terms): Topic[] {
  const topics = new Set<Topic>();
  for (const edit of edits) for (const topic of topicsOfEdit(edit, terms)) topics.add(topic);
  const modalWords = new Set(
    edits.flatMap((edit) => [...edit.removed, ...edit.added]).filter((word) => DUTY.test(word) || PERMISSION.test(word) || SOFT.test(word)),
  );
  if (modalForceDiffers(edits) || (modalWords.size > 1 && edits.some((edit) => [...edit.removed, ...edit.added].length <= 4 && edit.removed.length > 0)))
    topics.add('modal');
  if (negationDiffers(edits)) topics.add('negation');
  if (topics.size === 0) topics.add('wording');
  const order: readonly Topic[] = ['amount', 'date', 'period', 'party', 'definedTerm', 'modal', 'negation', 'crossReference', 'law', 'wording'];
  return order.filter((topic) => topics.has(topic));
}

function topicsOfEdit(edit: Edit, terms: Terms): Topic[] {
  const words = [...edit.removed, ...edit.added];
  const numeric = words.some((word) => NUMBER_WORD.test(word) || /\p{N}/u.test(word));
  const topics: Topic[] = [];
  const reference = isReference(edit);
  const next = nextWord(edit);
  const period = words.some((word) => UNIT.test(word) && numeric) || (numeric && UNIT.test(next)) || differsInUnit(edit);
  const month = (near: readonly string[]): boolean => near.some((word) => MONTH.test(word) && word !== 'May');
  const date =
    month(words) ||
    words.some((word) => YEAR.test(word)) ||
    (numeric && !period && (month(edit.before.slice(-2)) || month(edit.after.slice(0, 2)) || /^[年月日]$/.test(next)));
  const amount =
    words.some((word) => CURRENCY.test(word) || word.endsWith('%')) ||
    (numeric && (edit.before.slice(-2).some((word) => CURRENCY.test(word)) || CURRENCY.test(next) || CHINESE_SHARE.test(edit.before.join(''))));
  if (amount) topics.push('amount');
  if (date) topics.push('date');
  if (period && !date) topics.push('period');
  if (reference && !amount) topics.push('crossReference');
  if (words.some((word) => LAW.test(word))) topics.push('law');
  if (words.some((word) => ENTITY.test(word)) || hasTerm(edit, terms.parties)) topics.push('party');
  else if (edit.defines || hasTerm(edit, terms.defined)) topics.push('definedTerm');
  return topics;
}

/** The first word after the edit that is not filling ("(30) business" before "days"). */
function nextWord(edit: Edit): string {
  return edit.after.find((word) => !FILLER.test(word) && !NUMBER_WORD.test(word)) ?? '';
}

function differsInUnit(edit: Edit): boolean {
  return edit.removed.length <= 4 && edit.added.length <= 4 && edit.removed.some((word) => UNIT.test(word)) && edit.added.some((word) => UNIT.test(word));
}

/** A label after "Section", "Exhibit" ...: "Section 12" to "Section 10". Or a whole reference put in or taken out. */
function isReference(edit: Edit): boolean {
  const words = [...edit.removed, ...edit.added];
  if (words.some((word, index) => REFERENCE.test(word) && LABEL.test(words[index + 1] ?? '') && /[\p{N}A-Z]/u.test(words[index + 1] ?? ''))) return true;
  return (
    words.length > 0 &&
    words.every((word) => LABEL.test(word) || REFERENCE.test(word)) &&
    words.some((word) => /[\p{L}\p{N}]/u.test(word)) &&
    edit.before.slice(-3).some((word) => REFERENCE.test(word))
  );
}

/** A term stands in the differing words. Terms have at most five words. */
function hasTerm(edit: Edit, terms: ReadonlySet<string>): boolean {
  return [edit.removed, edit.added].some((words) =>
    words.some((_word, at) => [1, 2, 3, 4, 5].some((length) => at + length <= words.length && terms.has(words.slice(at, at + length).join(' ')))),
  );
}
