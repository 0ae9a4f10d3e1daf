// Rules on numbers that should lead somewhere: cross-references without a target, exhibits that are not there, gaps in a numbering.
import type { Clause, Reference } from '../contract/document.ts';
import { readLabel, type Reading } from '../ingest/labels.ts';
import type { Context, Draft, Rule } from './context.ts';

const EXHIBIT = /^(?:exhibit|schedule|annex|appendix|attachment|附件|附表|附录)/i;
/** What follows a reference into another document: "Section 5 of the Master Agreement", "Article 28 GDPR", "Section 4(a) thereof". */
const ELSEWHERE_AFTER =
  /^\s*(?:\([^()]{1,60}\)\s*)*,?\s*(?:(?:of|in|to|under|from)\s+(?!this\b|the\s+(?:present|foregoing)\b|these\s+(?:terms|conditions)\b)(?:(?:the|that|such|any|each|its|an?|said|applicable)\s+)?(?:[\p{Lu}“"']|[a-z]+\s+(?:act|code|law|rules?|regulations?|agreement|plan|contract)\b)|thereof|of\s+(?:such|that|those)\b|(?:of\s+)?(?:the\s+)?(?:GDPR|CCPA|U\.?S\.?C|C\.?F\.?R|UCC|FAR|DFARS|ERISA|Code\b|Act\b)|et\s+seq)/u;
const ELSEWHERE_BEFORE =
  /(?:\bAct|Code|Rules?|Regulations?|Statutes?|U\.?S\.?C\.?|C\.?F\.?R\.?|UCC|GDPR|Law|Title\s+\d+|FAR|Plan|Charter|Certificate|Bylaws|Policy|Terms|\bits|their|thereof|respective)[,']?s?\s*(?:at\s+)?$/i;
const LIST_REST =
  /^(?:\s*(?:,|and|or|to|through|;)*\s*(?:and|or)?\s*(?:(?:Section|Clause|Article|Annex|Exhibit|Schedule|Appendix|Attachment)s?\s+)?(?:\d[\d.]*(?:\([a-z\d]+\))*|[IVX]{1,4}|[A-Z])(?![\w]))+/;
/** Section numbers of statutes are high; contracts rarely reach a hundred clauses. */
const HIGHEST = 99;
const FEWEST_CLAUSES = 5;

function stands(context: Context, reference: Reference): { before: string; after: string } {
  const text = context.blockOf.get(reference.span.blockId)?.text ?? '';
  return { before: text.slice(Math.max(0, reference.span.start - 40), reference.span.start), after: text.slice(reference.span.end, reference.span.end + 100) };
}

function isElsewhere(context: Context, reference: Reference): boolean {
  const { before, after } = stands(context, reference);
  // "Section 3.l(d)": a figure that a scan read as a letter; the number is not what it seems.
  if (/^\.?[\p{L}\d]/u.test(after)) return true;
  // "Article 1: Definitions" inside a paragraph is the title itself.
  if (/^\s?[:–—]\s*[\p{Lu}"“]/u.test(after)) return true;
  // "Annex I, Annex II and Annex III of the SCCs": what follows the list holds for its first member too.
  const rest = after.replace(LIST_REST, '');
  return ELSEWHERE_AFTER.test(after) || ELSEWHERE_AFTER.test(rest) || ELSEWHERE_BEFORE.test(before);
}

export const brokenReferences: Rule = (context) => {
  const numbered = context.document.clauses.filter(({ number }) => /^\d/.test(number) || /^(?:section|article|clause|第)/i.test(number));
  if (numbered.length < FEWEST_CLAUSES) return [];
  const articles = numbered.some(({ path }) => /^article|^第/i.test(path));
  // A word that never leads anywhere here ("Clause 13" where all references say "Section") speaks of another document.
  const word = (text: string): string => /^\p{L}+/u.exec(text)?.[0].toLowerCase().replace(/s$/, '') ?? '';
  const words = new Set(context.document.references.filter(({ targetId }) => targetId !== null).map(({ text }) => word(text)));
  const broken = context.document.references.filter((reference) => {
    const { text, targetId } = reference;
    if (targetId !== null || !words.has(word(text)) || EXHIBIT.test(listWord(context, reference)) || isElsewhere(context, reference)) return false;
    if (/^article/i.test(text) && !articles) return false;
    // A bare letter or bracket names a place by its neighbourhood; only full numbers can be said to be missing.
    const number = /\d+(?:\.\d+)*/.exec(text)?.[0];
    return number !== undefined && Number(number.split('.')[0]) <= HIGHEST && !exists(context, number, stands(context, reference).before);
  });
  const pointing = context.document.references.filter(({ text, targetId }) => targetId !== null && !EXHIBIT.test(text)).length;
  // Where many references lead nowhere it is the reading of the numbers that failed, not the drafting.
  if (broken.length > 3 && broken.length > pointing / 4) return [];
  return broken.map(({ text, span }): Draft => ({
    rule: 'broken-reference',
    severity: 'error',
    message: `“${text}” points at a clause that this document does not have.`,
    blockId: span.blockId,
    start: span.start,
    end: span.end,
  }));
};

/** The word that leads a list of numbers: "Schedules" for the 2 of "Schedules 1 and 2". */
function listWord(context: Context, reference: Reference): string {
  if (/^\p{L}/u.test(reference.text)) return reference.text;
  const { before } = stands(context, reference);
  return /(\p{L}{4,})\s+[\d.,;()\sa-z]*$/u.exec(before.replace(/\b(?:and|or|through|to)\b/g, ','))?.[1] ?? '';
}

/** The clause is there, has parts, is the one the sentence stands in, or has a heading inside a paragraph that the parser kept whole. */
function exists(context: Context, number: string, before: string): boolean {
  if (/\bthis\s*$/i.test(before)) return true;
  const inside = context.document.clauses.some(
    ({ path }) => path === number || path.endsWith(` ${number}`) || path.startsWith(`${number}.`) || path.includes(` ${number}.`),
  );
  return inside || hasInline(context, number);
}

/** "11 Miscellaneous" or "5. Fees" anywhere in running text. */
function hasInline(context: Context, number: string): boolean {
  const pattern = new RegExp(`(?<![\\w.$§]|(?:[Ss]ections?|[Aa]rticles?|[Cc]lauses?|and|or|,)\\s)${number.replaceAll('.', '\\.')}[.)]?\\s+["“(]?\\p{Lu}`, 'u');
  return context.blocks.some((block) => pattern.test(block.text));
}

export const missingExhibits: Rule = (context) => {
  const seen = new Set<string>();
  return context.document.references.flatMap((reference): Draft[] => {
    const { text, targetId, span } = reference;
    const key = text
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(/^(\p{L}{5,})s /u, '$1 ');
    if (targetId !== null || !EXHIBIT.test(text) || isElsewhere(context, reference) || seen.has(key)) return [];
    // A part of an exhibit ("Schedule 3.7") is a disclosure inside another document as often as not.
    if (/\d\.\d|\(/.test(text) || hasTitle(context, key)) return [];
    seen.add(key);
    return [
      {
        rule: 'missing-exhibit',
        severity: 'error',
        message: `“${text}” is referred to, but it is not in this document.`,
        blockId: span.blockId,
        start: span.start,
        end: span.end,
      },
    ];
  });
};

/** A block begins with the exhibit's name, whether the parser made a clause of it or not. */
function hasTitle(context: Context, key: string): boolean {
  return context.blocks.some((block) => {
    const text = block.text
      .toLowerCase()
      .replace(/[“”"'*_[\]]/g, '')
      .replace(/\s+/g, ' ')
      .trimStart();
    return text.startsWith(key) && !/^[\p{L}\p{N}]/u.test(text.slice(key.length)) && text.length < 200;
  });
}

export const numberingGaps: Rule = (context) => {
  const families = Map.groupBy(
    context.document.clauses.filter(({ number }) => number !== ''),
    (clause) => clause.parentId ?? '',
  );
  return [...families.values()].flatMap((siblings) => gapsAmong(context, siblings));
};

interface Numbered {
  readonly clause: Clause;
  readonly readings: readonly Reading[];
}

function gapsAmong(context: Context, siblings: readonly Clause[]): Draft[] {
  const list = siblings.map((clause): Numbered => ({
    clause,
    readings: readLabel(`${clause.number}. `)?.readings ?? readLabel(`${clause.number} `)?.readings ?? [],
  }));
  const found: Draft[] = [];
  let expected = 0;
  let form = '';
  for (const [index, { clause, readings }] of list.entries()) {
    const reading =
      readings.find((candidate) => candidate.form === form && candidate.values.at(-1) === expected + 1) ??
      readings.find((candidate) => candidate.form === form) ??
      readings[0];
    const value = reading?.values.at(-1);
    if (reading === undefined || value === undefined) {
      expected = 0;
      continue;
    }
    // A new sequence begins at one; only inside a sequence that began so can a number be missing.
    if (reading.form !== form || value === 1 || expected === 0) {
      form = reading.form;
      expected = value === 1 ? 1 : 0;
      continue;
    }
    const next = list[index + 1]?.readings.find((candidate) => candidate.form === form)?.values.at(-1);
    if (form === 'schedule') continue;
    const draft = judgeStep(context, clause, expected, value, next);
    if (draft !== null) found.push(draft);
    expected = value;
  }
  return found;
}

/** One or two numbers left out, with the sequence going on or ending there, is a gap; a larger jump is another numbering. */
function judgeStep(context: Context, clause: Clause, expected: number, value: number, next: number | undefined): Draft | null {
  if (value === expected + 1) return null;
  const span = clause.spans[0];
  const block = span === undefined ? undefined : context.blockOf.get(span.blockId);
  if (span === undefined || block === undefined) return null;
  const end = Math.max(span.start + 1, Math.min(block.text.length, span.start + clause.number.length));
  const make = (message: string): Draft => ({ rule: 'numbering-gap', severity: 'warning', message, blockId: block.id, start: span.start, end });
  if (value === expected) return make(`The number ${clause.path || clause.number} stands twice in a row.`);
  if (value > expected + 1 && value <= expected + 3 && (next === undefined || next === value + 1)) {
    const missing = value - expected - 1;
    const stem = clause.number.replace(/\d+$/, '');
    // The number may stand in a paragraph that the parser kept whole.
    if (/^[\d.]*$/.test(stem) && hasInline(context, `${stem}${value - 1}`)) return null;
    return make(`The numbering goes to ${clause.path || clause.number} with ${missing === 1 ? 'one number' : `${missing} numbers`} left out before it.`);
  }
  return null;
}
