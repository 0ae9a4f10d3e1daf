// Rules on cross-references: those that lead nowhere, and those whose heading in brackets is another clause's.
//
// Owns: what speaks of another document ("Section 5 of the Master Agreement"). Exhibits and numbers have their own files.
import type { Clause, Reference } from '../contract/document.ts';
import { chineseValue } from '../ingest/numerals.ts';
import { placeOf, type Context, type Draft, type Rule } from './context.ts';
import { stemPhrase } from './words.ts';

const EXHIBIT = /^(?:exhibit|schedule|annex|appendix|attachment|附件|附表|附录)/i;
/** What follows a reference into another document: "Section 5 of the Master Agreement", "Article 28 GDPR", "Section 4(a) thereof". */
const ELSEWHERE_AFTER =
  /^\s*(?:\([^()]{1,60}\)\s*)*,?\s*(?:(?:of|in|to|under|from)\s+(?!this\b|the\s+(?:present|foregoing)\b|these\s+(?:terms|conditions)\b)(?:(?:the|that|such|any|each|its|an?|said|applicable)\s+)?(?:[\p{Lu}“"']|[a-z]+\s+(?:act|code|law|rules?|regulations?|agreement|plan|contract)\b)|of\s+the\s+(?:19|20)\d\d\s+Act|thereof|of\s+(?:such|that|those)\b|(?:of\s+)?(?:the\s+)?(?:GDPR|CCPA|U\.?S\.?C|C\.?F\.?R|UCC|FAR|DFARS|ERISA|Code\b|Act\b)|et\s+seq)/u;
const ELSEWHERE_BEFORE =
  /(?:\bAct|Code|Rules?|Regulations?|Statutes?|U\.?S\.?C\.?|C\.?F\.?R\.?|UCC|GDPR|Law|Title\s+\d+|FAR|Plan|Charter|Certificate|Bylaws|Policy|Terms|\bits|their|thereof|respective)[,']?s?\s*(?:at\s+)?$/i;
const LIST_REST =
  /^(?:\s*\([^()]{1,90}\))?(?:\s*(?:,|and|or|to|through|of|;|[–-])*\s*(?:and|or)?\s*(?:(?:Section|Clause|Article|Annex|Exhibit|Schedule|Appendix|Attachment)s?\s+)?(?:\d[\d.]*(?:\([a-z\d]+\))*|(?:\([a-z\d]+\))+|[IVX]{1,4}|[A-Z])(?![\w])(?:\s*\([^()]{1,90}\))?)+/;
/** Clauses of the European Commission's contract, which agreements on data fill in: its numbers are not theirs. */
const MODEL_CLAUSES = /\bSCCs?\b|standard contractual clauses/i;
/** Section numbers of statutes are high; contracts rarely reach a hundred clauses. */
const HIGHEST = 99;
/** Chinese contracts count their articles through all chapters; codes of law have some hundred. */
const HIGHEST_ARTICLE = 199;
const FEWEST_CLAUSES = 5;
/** By which a document calls its own clauses. */
const OWN_WORDS = ['section', 'clause', 'article', 'paragraph', '条'];

function stands(context: Context, reference: Reference): { before: string; after: string } {
  const text = context.blockOf.get(reference.span.blockId)?.text ?? '';
  return { before: text.slice(Math.max(0, reference.span.start - 40), reference.span.start), after: text.slice(reference.span.end, reference.span.end + 400) };
}

const HAN = /[\u4e00-\u9fff]/;

export function isElsewhere(context: Context, reference: Reference): boolean {
  const { before, after } = stands(context, reference);
  // "Section 3.l(d)": a figure that a scan read as a letter; the number is not what it seems.
  if (!HAN.test(reference.text) && /^\.?[\p{L}\d]/u.test(after)) return true;
  // 主合同第三条, 《民法典》第五百条: an article of another text.
  if (HAN.test(reference.text) && /(?:》|法|条例|规定|办法|[主原]合同|协议书?》?)\s?(?:的|之)?$/u.test(before)) return true;
  // "§ 13-8-53(a)", "§ 24A-4-3": numbers of statutes and hours of work have dashes.
  if (/[\d-]-$/.test(before) || /^-\w/.test(after) || /\p{L}-$/u.test(before)) return true;
  // "§ 1; 70 Del. Laws": the number belongs to the words after it. "SECTION 48 OF THE INTERNAL REVENUE CODE" is set in capitals.
  if (/^\d/.test(reference.text) && /^\s\p{Lu}/u.test(after)) return true;
  if (/^\s+OF\s+(?:THE|TITLE)\s+(?!PRESENT|AGREEMENT)/.test(after)) return true;
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
  const word = (text: string): string => (/^第.*条/.test(text) ? '条' : (/^\p{L}+/u.exec(text)?.[0].toLowerCase().replace(/s$/, '') ?? ''));
  const words = new Set(context.document.references.filter(({ targetId }) => targetId !== null).map(({ text }) => word(text)));
  // Where no reference leads anywhere, the only one that was written may still be meant for this document.
  if (words.size === 0) for (const own of OWN_WORDS) words.add(own);
  const modelClauses = context.blocks.some((block) => MODEL_CLAUSES.test(block.text));
  const broken = context.document.references.filter((reference) => {
    const { text, targetId } = reference;
    if (targetId !== null || !words.has(word(text)) || EXHIBIT.test(listWord(context, reference)) || isElsewhere(context, reference)) return false;
    if (/^article/i.test(text) && !articles) return false;
    if (/^clause/i.test(text) && modelClauses) return false;
    // "such section. 32 ...": the number begins the next sentence.
    if (/^\p{L}+\.\s/u.test(text) && !/^sec\./i.test(text)) return false;
    const article = /^第\s?([一二三四五六七八九十百零〇\d]{1,6})\s?条/.exec(text)?.[1];
    if (article !== undefined) return chineseValue(article) <= HIGHEST_ARTICLE && !articleStands(context, article);
    // A bare letter or bracket names a place by its neighbourhood; only full numbers can be said to be missing.
    // "Section 2.0" is how some write 2.
    const number = /\d+(?:\.\d+)*/.exec(text)?.[0].replace(/\.0$/, '');
    return number !== undefined && Number(number.split('.')[0]) <= HIGHEST && !exists(context, number, stands(context, reference).before);
  });
  const pointing = context.document.references.filter(({ text, targetId }) => targetId !== null && !EXHIBIT.test(text)).length;
  // Where many references lead nowhere it is the reading of the numbers that failed, not the drafting.
  if (broken.length > 3 && broken.length > pointing / 4) return [];
  return broken.map(({ text, span }): Draft => ({
    rule: 'broken-reference',
    severity: 'error',
    message: `“${text}” points at a clause that this document does not have.`,
    ...placeOf(span),
  }));
};

/** 第十二条 as a clause, or at the beginning of a paragraph that the parser kept whole. */
function articleStands({ document, blocks }: Context, number: string): boolean {
  const written = new RegExp(`(?:^|[。；\\s])第\\s?${number}\\s?条(?![的之所规约项中及和或至、，。；）])`);
  return document.clauses.some(({ path }) => path.startsWith(`第${number}条`)) || blocks.some(({ text }) => written.test(text));
}

/** The word that leads a list of numbers: "Schedules" for the 2 of "Schedules 1 and 2". */
function listWord(context: Context, reference: Reference): string {
  if (/^\p{L}/u.test(reference.text)) return reference.text;
  const { before } = stands(context, reference);
  return /(\p{L}{4,})\s+[\d.,;()\sa-z]*$/u.exec(before.replace(/\b(?:and|or|through|to)\b/g, ','))?.[1] ?? '';
}

/** The clause is there, has parts, is the one the sentence stands in, or has a heading inside a paragraph that the parser kept whole. */
function exists(context: Context, number: string, before: string): boolean {
  return /\bthis\s*$/i.test(before) || numbersOf(context).known.has(number) || hasInline(context, number);
}

/** What the paths of a document say about its numbers, gathered once for all its references. */
interface Numbers {
  /** Numbers of clauses, and those above them in a path: 4 and 4.2 of "4.2.1". */
  readonly known: ReadonlySet<string>;
  /** The highest first number. */
  readonly last: number;
  /** Answers of `hasInline`. */
  readonly inline: Map<string, boolean>;
}

const NUMBERS = new WeakMap<Context, Numbers>();

function numbersOf(context: Context): Numbers {
  const made = NUMBERS.get(context);
  if (made !== undefined) return made;
  const known = new Set<string>();
  let last = 0;
  for (const { path } of context.document.clauses) {
    last = Math.max(last, Number(/^(?:Section |Article )?(\d{1,3})\b/.exec(path)?.[1] ?? 0));
    const words = path.split(' ');
    words.forEach((word, index) => {
      // A word in the middle names another level ("Schedule 2 Part 1"), unless it goes on with a point.
      if (index === 0 || index === words.length - 1) known.add(word);
      for (let point = word.indexOf('.'); point !== -1; point = word.indexOf('.', point + 1)) known.add(word.slice(0, point));
    });
  }
  const numbers = { known, last, inline: new Map<string, boolean>() };
  NUMBERS.set(context, numbers);
  return numbers;
}

/** Clauses at the end of a document that its reader may have lost. */
const PLAUSIBLE = 10;

/** "11 Miscellaneous" or "5. Fees" anywhere in running text. */
export function hasInline(context: Context, number: string): boolean {
  const { last, inline } = numbersOf(context);
  const asked = inline.get(number);
  if (asked !== undefined) return asked;
  // "71 Suttons Lane", "70 Del. Laws": far beyond the last clause a number without its point is another thing.
  const far = /^\d+$/.test(number) && Number(number) > last + PLAUSIBLE;
  const pattern = inlinePattern(number, far);
  const found = context.blocks.some((block) => block.text.includes(number) && pattern.test(block.text));
  inline.set(number, found);
  return found;
}

function inlinePattern(number: string, far: boolean): RegExp {
  const digits = number.replaceAll('.', '\\.');
  const tail = number.split('.').length > 2 ? '\\p{L}' : '\\p{Lu}';
  const point = far ? '[.)]' : '[.)]?';
  return new RegExp(
    [
      `(?<![\\w.$§]|(?:[Ss]ections?|[Aa]rticles?|[Cc]lauses?|and|or|,)\\s)${digits}(?:\\.0)?${point}\\s+["“(]?${tail}`,
      // After the end of a sentence or an item anything may follow it.
      `(?<=[.;:]\\s+(?:and\\s+|or\\s+)?)${digits}${point}\\s+[\\p{L}(["“]`,
      `(?<=^|[-–—.]\\s+)(?:Section|Article|Clause)\\s+${digits}\\.?\\s+\\p{Lu}`,
    ].join('|'),
    'u',
  );
}

/** The heading in brackets or quotes right after a reference: "Section 9 (Confidentiality)". */
const TITLE_AFTER = /^\s*(?:\(|（|,?\s*["“]|\[)\s*(\p{Lu}[^()（）“”"[\]]{2,70}?)\s*[,.]?\s*(?:\)|）|["”]|\])/u;
/** Words that say nothing about what a clause is about. */
const EMPTY = new Set('of and or the a an to for in on by with under at from its general other certain'.split(' '));

const contentWords = (title: string): string[] =>
  stemPhrase(title)
    .split(' ')
    .filter((word) => word.length > 1 && !EMPTY.has(word));

export const wrongHeadings: Rule = (context) => {
  const headed = Map.groupBy(
    context.document.clauses.filter(({ heading, number }) => heading !== '' && number !== ''),
    ({ heading }) => contentWords(heading).join(' '),
  );
  return context.document.references.flatMap((reference): Draft[] => {
    const target = reference.targetId === null ? undefined : context.clauses.get(reference.targetId);
    const title = target && TITLE_AFTER.exec(stands(context, reference).after)?.[1];
    if (!target || title === undefined || isElsewhere(context, reference)) return [];
    const words = contentWords(title);
    const near = relatives(context, target);
    // One shared word is enough: headings are shortened when they are cited.
    if (words.length === 0 || target.heading === '' || near.some(({ heading }) => contentWords(heading).some((word) => words.includes(word)))) return [];
    const others = headed.get(words.join(' ')) ?? [];
    if (others.length !== 1 || others[0]!.id === target.id) return [];
    const other = others[0]!;
    const number = /[\d.]+$/.exec(reference.text)?.[0];
    const plain = number !== undefined && /^[\d.]+$/.test(other.path);
    return [
      {
        rule: 'reference-heading',
        severity: 'error',
        message: `“${reference.text} (${title})” points at ${target.path}, whose heading is “${target.heading}”; “${other.heading}” is ${other.path}.`,
        ...placeOf(reference.span),
        related: target.spans.slice(0, 1).map(placeOf),
        ...(plain ? { fix: reference.text.slice(0, reference.text.length - number.length) + other.path } : {}),
      },
    ];
  });
};

/** The clause, those above it and its children: a reference to 9.2 may cite the heading of 9. */
function relatives(context: Context, clause: Clause): Clause[] {
  const found = [clause, ...clause.children.flatMap((id) => context.clauses.get(id) ?? [])];
  for (let above = clause.parentId; above !== null; above = found.at(-1)!.parentId) found.push(context.clauses.get(above)!);
  return found;
}
