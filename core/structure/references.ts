// Cross-references: "Section 12.3(b)", "Sections 4 through 7", "Article IV", "paragraph (c) above", "this Section", 第三条第二款第（一）项, 附件一.
//
// Owns: finding mentions and what they name; a range names each of its members. Which clause a name means is resolve.ts.
// Rule: mentions of other texts ("Section 365(n) of the Bankruptcy Code", 《民法典》第五百条) are no references; a mention without a clause keeps
// targetId null.
import { isContent, type Reference } from '../contract/document.ts';
import { readLabel } from '../ingest/labels.ts';
import { letterValue, romanValue } from '../ingest/numerals.ts';
import { chineseMentions } from './chineseReferences.ts';
import type { StructureContext } from './context.ts';
import { Resolver } from './resolve.ts';

export interface Mention {
  readonly text: string;
  /** "section", "exhibit"; "" in Chinese, where the number carries its unit. */
  readonly word: string;
  readonly number: string;
  readonly start: number;
  readonly end: number;
}

const BRACKET = String.raw`\((?:[A-Za-z]{1,5}|[0-9]{1,3}[A-Z]?|[a-z]-[0-9])\)`;
const NUMBER = String.raw`(?:(?:\d{1,2}[A-Z]|\d{1,3})(?:\.\d{1,3})*|[IVXLC]{1,7}(?:\.\d{1,2})*|[A-Z](?:-\d{1,2}|\.\d{1,2})*(?![A-Za-z]))(?:\s?${BRACKET})*`;
const ONE = String.raw`(?:${NUMBER}|(?:${BRACKET}){1,4})`;
const WORDS = String.raw`Sections?|Articles?|Clauses?|Paragraphs?|Subsections?|Sub-?[Cc]lauses?|Sub-?[Ss]ections?|Sub-?[Pp]aragraphs?|Parts?|Chapters?|Recitals?|Exhibits?|Schedules?|Annex(?:es)?|Annexures?|Appendix|Appendices|Attachments?|SECTIONS?|ARTICLES?|EXHIBITS?|SCHEDULES?|sections?|articles?|clauses?|paragraphs?|subsections?|sub-?clauses?|sub-?sections?|sub-?paragraphs?|schedules?|exhibits?|§§?`;
const JOIN = String.raw`\s?(?:,\s?(?:and|or)\s|,|;|and\/or|and|or|to|through|thru|–|—|-|&|\/)\s?`;
const WESTERN = new RegExp(String.raw`(?<![\w-])(${WORDS})(?:\.?\s{1,2}|(?=\()|(?<=§))["“']?(${ONE})["”']?((?:${JOIN}${ONE}(?![A-Za-z0-9]|\.\d))*)`, 'g');
const NEXT = new RegExp(`(${JOIN})(${ONE})`, 'gy');
/** "this Section", "this Article IV" without a number behind it: where it stands. */
const HERE =
  /\bthis\s+(Section|Article|Clause|Paragraph|Exhibit|Schedule|Annex|Appendix|Subsection|clause|section|paragraph|schedule)\b(?!\s?(?:\d|\(|[IVX]{1,5}\b|[A-Z]\b))/g;
const RANGE = /to|thr|[–—-]/;
/** A range over more members than this is a way to say "all". */
const MOST_IN_RANGE = 40;
const OTHER_TEXT =
  /^\s*(?:\([^()]{1,40}\)\s*)?(?:of|under|to|in)\s+(?:the\s+)?(?:said\s+)?(?:U\.S\.\s+|United\s+States\s+|[A-Z][\w.’'&-]*\s+(?:(?:of|and|for|on|the)\s+)?){0,7}(?:Act|Code|Law|Laws|Statutes?|Regulations?|Rules?|Directive|GDPR|CCPA|Constitution|Treaty|Convention|Ordinance|C\.?F\.?R\.?|U\.?S\.?C\.?|UCC|Internal Revenue)\b/;
/** "17 C.F.R. Section 240", "the Code, Section 4": the law stands before. */
const OTHER_BEFORE =
  /(?:\b(?:Act|Code|C\.?F\.?R\.?|U\.?S\.?C\.?A?|GDPR|CCPA|UCC|Constitution|Regulations?|Rules?|Statutes?|Ordinance|Law)\b[,.]?\s*(?:at\s+)?)$/;
/** "Section 2.14(a) of the Indenture": another agreement, unless this one is called so where it begins. */
const OTHER_AGREEMENT =
  /^\s*(?:\([^()]{1,40}\)\s*)?,?\s*(?:respectively,\s*)?(?:of|in|to|under)\s+(?:the|that|such|its|each|any)\s+(?:applicable\s+)?((?:[A-Z][\w’'&.-]*\s+(?:(?:and|of|for)\s+)?){0,5}(?:Agreements?|Indenture|Lease|Plan|Form|Contract|Certificate|Bylaws|Charter|Terms|Policy|Note|Deed|Annex|Rules|Guarantee|Addendum))\b/;
/** Characters in which an agreement names itself. */
const TITLE_LENGTH = 800;
/** "Section 4 thereof", "Exhibit A to the Purchase Agreement" speak of another agreement only if it is not this one. */
const OTHER_AFTER = /^\s*(?:thereof|thereto|of\s+(?:such|that)\s+(?:agreement|act|law)|GDPR|CCPA|et\s+seq)/i;

export function findReferences(context: StructureContext): Reference[] {
  const resolver = new Resolver(context);
  const isOther = otherAgreements(context);
  const fields = fieldTargets(context);
  const out: Reference[] = [];
  for (const block of context.blocks) {
    if (!isContent(block)) continue;
    const from = block.number === null ? 0 : (readLabel(block.text)?.rest ?? block.number.length);
    const certain = fields.get(block.id) ?? [];
    for (const mention of [...westernMentions(block.text, from, isOther), ...chineseMentions(block.text, from)]) {
      const field = certain.find(({ start, end }) => start < mention.end && mention.start < end);
      out.push({
        text: mention.text,
        span: { documentId: context.documentId, blockId: block.id, start: mention.start, end: mention.end },
        // A field of the file knows where it points; the text beside it may not have been brought up to date.
        targetId: field?.targetId ?? resolver.resolve(mention, context.owners.at(block.id, mention.start)),
      });
    }
  }
  return out;
}

/** Targets of Word's REF fields by the block they stand in; PAGEREF and links of a table of contents point at pages, not at clauses. */
function fieldTargets(context: StructureContext): ReadonlyMap<string, readonly { readonly start: number; readonly end: number; readonly targetId: string }[]> {
  const out = new Map<string, { start: number; end: number; targetId: string }[]>();
  for (const { span, instruction, targetBlockId } of context.crossReferences) {
    const targetId = targetBlockId !== null && /^\s*REF\b/i.test(instruction) ? context.owners.at(targetBlockId, 0) : null;
    if (targetId === null) continue;
    const list = out.get(span.blockId) ?? [];
    list.push({ start: span.start, end: span.end, targetId });
    out.set(span.blockId, list);
  }
  return out;
}

/** Tells by the words after a mention whether it speaks of another agreement; this one is named before its first number. */
function otherAgreements(context: StructureContext): (after: string) => boolean {
  const first = context.clauses.find((clause) => clause.number !== '')?.spans[0]?.blockId;
  let own = '';
  for (const block of context.blocks) {
    if (block.id === first || own.length > TITLE_LENGTH) break;
    if (isContent(block)) own += `${block.text.slice(0, TITLE_LENGTH).toLowerCase()} `;
  }
  return (after) => {
    const name = OTHER_AGREEMENT.exec(after)?.[1]?.toLowerCase();
    return name !== undefined && !/^(?:agreements?|contract|terms|lease|plan|deed|policy|addendum|note)$/.test(name) && !own.includes(name);
  };
}

function westernMentions(text: string, from: number, isOther: (after: string) => boolean): Mention[] {
  const out: Mention[] = [];
  WESTERN.lastIndex = from;
  for (let match = WESTERN.exec(text); match; match = WESTERN.exec(text)) {
    const end = match.index + match[0].length;
    const after = text.slice(end, end + 120);
    if (
      /^[A-Za-z0-9]/.test(after) ||
      OTHER_TEXT.test(after) ||
      OTHER_AFTER.test(after) ||
      isOther(after) ||
      OTHER_BEFORE.test(text.slice(Math.max(0, match.index - 24), match.index))
    )
      continue;
    const [word, first, tail] = [match[1] as string, match[2] as string, match[3] as string];
    // "part I", "exhibit a": a small letter word takes figures and brackets only.
    if (/^[a-z]/.test(word) && /^[A-Z]/.test(first) && !/^(?:sections?|articles?|schedules?|exhibits?)$/.test(word)) continue;
    // The number under which a filing was sent to the SEC ("Exhibit 10.1").
    if (/^exhibit$/i.test(word) && /^\d{1,2}\.\d/.test(first)) continue;
    const firstEnd = end - tail.length;
    const start = match.index;
    out.push({ text: text.slice(start, firstEnd), word, number: first, start, end: firstEnd });
    out.push(...listed(text, word, first, firstEnd, end));
  }
  HERE.lastIndex = from;
  for (let match = HERE.exec(text); match; match = HERE.exec(text))
    out.push({ text: match[0], word: match[1] as string, number: '', start: match.index, end: match.index + match[0].length });
  return out.sort((a, b) => a.start - b.start);
}

/** The further members of a list: "Sections 4.2(a) and (b), 7 through 9". Members inside a range stand at its end. */
function listed(text: string, word: string, first: string, from: number, to: number): Mention[] {
  const out: Mention[] = [];
  let before = first;
  NEXT.lastIndex = from;
  for (let match = NEXT.exec(text); match && match.index < to; match = NEXT.exec(text)) {
    const written = match[2] as string;
    const end = match.index + match[0].length;
    // "Sections 4.2(a) and (b)": a bare bracket takes the number before it. In "Section 6, (c) obtaining" it counts something else.
    const number = written.startsWith('(') ? sibling(before, written) : written;
    if (number === null) break;
    const start = end - written.length;
    if (RANGE.test(match[1] as string)) for (const inner of between(before, number)) out.push({ text: written, word, number: inner, start, end });
    out.push({ text: written, word, number, start, end });
    before = number;
  }
  return out;
}

/** "4.2(a)(i)" and "(b)" -> "4.2(b)": the innermost bracket that (b) comes after gives way; null where none does. */
function sibling(before: string, written: string): string | null {
  const brackets = before.match(/\([^()]*\)/g) ?? [];
  const stem = before.slice(0, before.length - brackets.join('').length);
  const first = /^\([^()]*\)/.exec(written)?.[0] ?? '';
  for (let count = brackets.length; count > 0; count--)
    if (comesAfter(brackets[count - 1] as string, first)) return stem + brackets.slice(0, count - 1).join('') + written;
  return null;
}

function comesAfter(one: string, other: string): boolean {
  const [a, b] = [one.slice(1, -1), other.slice(1, -1)];
  if (/^\d/.test(a) || /^\d/.test(b)) return parseInt(b, 10) > parseInt(a, 10);
  if ((a === a.toUpperCase()) !== (b === b.toUpperCase())) return false;
  const roman = romanValue(a) > 0 && romanValue(b) > romanValue(a);
  return roman || (letterValue(a) > 0 && letterValue(b) > letterValue(a) && !(a.length > 1 && letterValue(a) > 26 && b.length === 1));
}

/** Members strictly between the two ends, where both end in figures or one letter. */
function between(first: string, last: string): string[] {
  const [a, b] = [/^(.*?)(\d+|[a-z])(\)?)$/.exec(first), /^(.*?)(\d+|[a-z])(\)?)$/.exec(last)];
  if (!a || !b || a[1] !== b[1] || a[3] !== b[3]) return [];
  const figures = /\d/.test(a[2] as string) && /\d/.test(b[2] as string);
  const value = (part: string): number => (figures ? Number(part) : part.charCodeAt(0));
  const [from, to] = [value(a[2] as string), value(b[2] as string)];
  if (to - from > MOST_IN_RANGE || to <= from) return [];
  return Array.from({ length: to - from - 1 }, (_unused, step) => {
    const member = from + step + 1;
    return `${a[1]}${figures ? member : String.fromCharCode(member)}${a[3]}`;
  });
}
