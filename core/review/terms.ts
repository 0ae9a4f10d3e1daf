// Rules on defined terms: used without a definition, defined without use, defined twice.
import type { Block, Definition } from '../contract/document.ts';
import { rootOf, type Context, type Draft, type Rule } from './context.ts';

/** Terms are defined in another document, or on a cover page that is filled in apart: then nothing here is undefined. */
const DEFINED_ELSEWHERE =
  /(?:capitali[sz]ed|defined)\s+terms?\b[^.]{0,120}(?:not (?:otherwise )?defined|meanings?\b)[^.]{0,120}(?:agreement|terms|order form|cover page|in the)|unless otherwise defined|\b(?:Cover Page|Key Terms|Deal Terms)\b/i;
/** Nouns that carry a defined term when capitalised after an article. Names of people, places, courts and statutes end otherwise. */
const TERM_NOUN =
  '(?:Information|Date|Period|Term|Services?|Fees?|Products?|Materials?|Property|Rights?|Territory|Affiliates?|Claims?|Losses|Data|Content|Software|Documentation|Event|Amount|Price|Rate|Purpose|Indemnitees?|Deliverables?|Technology|Marks?|Payment|Obligations?|Shares|Securities|Closing|Premises|Equipment|Goods|Personnel|Users?|Improvements?|Inventions?|Patents?|Know-How|Records|Expenses|Taxes|Collateral|Loan|Notes?|Milestones?|Specifications?|Warranty|Breach|Default|Transaction|Transfer|Affiliate|Representatives?|Customers?|Business|Assets|Liabilities|Parties|Fields?|Budget|Program|Project)';
const CANDIDATE = new RegExp(
  `(?<=[a-z,]\\s)(?:the|any|such|its|all|each|of|an|a|and|or|under|to|for|in|their|applicable)\\s+((?:\\p{Lu}[\\p{Ll}]+(?:-\\p{Lu}?[\\p{Ll}]+)?\\s+){1,3}${TERM_NOUN})(?![\\p{L}-])(?!\\s+(?:Act|Law|Code|Agreement|Policy|Statement|Inc|LLC|Plan|Exhibit|\\p{Lu}[\\p{Ll}]+))`,
  'gu',
);
/** One capital slip is a typing error, two uses are a term. */
const LEAST_USES = 2;
/** First words that make a name of an institution or a law of a phrase. */
const NAME_WORD =
  /\b(?:United|States?|Federal|National|Securities|International|American|European|Internal|Supreme|New|North|South|Uniform|Generally|Personal Data of|Notice|Section|Article|January|February|March|April|May|June|July|August|September|October|November|December)\b/;

/** Singular in lower case with plain spaces: the form under which uses and definitions meet. */
function stem(term: string): string {
  return term
    .replace(/\(s\)/g, '')
    .replace(/^(?:the|an?|each|such)\s+/i, '')
    .replace(/['’]s?\b/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) =>
      word
        .replace(/ies$/, 'y')
        .replace(/(?<=(?:s|x|ch|sh))es$/, '')
        .replace(/(?<=[^s])s$/, ''),
    )
    .join(' ');
}

export const undefinedTerms: Rule = (context) => {
  const { document } = context;
  // Without definitions of its own a document has no convention that a capital could break.
  if (document.definitions.length < 3 || context.blocks.some((block) => DEFINED_ELSEWHERE.test(block.text))) return [];
  const defined = new Set(document.definitions.map(({ term }) => stem(term)));
  const headings = new Set([
    ...document.clauses.map(({ heading }) => stem(heading)),
    ...context.blocks.filter((block) => block.kind === 'heading').map((block) => stem(block.text)),
  ]);
  const quoted = new Set(context.blocks.flatMap((block) => [...block.text.matchAll(/["“]([^"”]{2,60})["”]/g)].map((match) => stem(match[1]!))));
  const uses = new Map<string, { block: Block; start: number; term: string }[]>();
  for (const block of context.blocks) {
    if (block.kind === 'heading' || block.kind === 'signature') continue;
    for (const match of block.text.matchAll(CANDIDATE)) {
      const term = match[1]!;
      if (NAME_WORD.test(term) || /^\p{Lu}\p{Ll}+ing\s/u.test(term) || isDefined(stem(term), defined) || headings.has(stem(term)) || quoted.has(stem(term)))
        continue;
      const start = match.index + match[0].length - term.length;
      uses.set(stem(term), [...(uses.get(stem(term)) ?? []), { block, start, term }]);
    }
  }
  return [...uses.values()].flatMap((places): Draft[] => {
    const first = places[0]!;
    if (places.length < LEAST_USES) return [];
    return [
      {
        rule: 'undefined-term',
        severity: 'warning',
        message: `“${first.term}” is written like a defined term ${places.length} times, but no definition of it was found. Define it or write it without capitals.`,
        blockId: first.block.id,
        start: first.start,
        end: first.start + first.term.length,
      },
    ];
  });
};

/** A phrase is covered if it, its end or its beginning is a defined term ("Customer Personal Data" by "Personal Data" or "Customer"). */
function isDefined(phrase: string, defined: ReadonlySet<string>): boolean {
  const words = phrase.split(' ');
  return words.some((_word, index) => defined.has(words.slice(index).join(' ')) || (index > 0 && defined.has(words.slice(0, index).join(' '))));
}

/** Names by which every contract calls itself and its sides; defined by habit, used or not. */
const HABITUAL =
  /^(?:agreement|part(?:y|ies)|contract|effective date|section|article|exhibit|schedule|including|include|amendment|lease|recital|terms|parties hereto)$/;

export const unusedDefinitions: Rule = (context) => {
  const text = context.blocks.map((block) => block.text).join('\n');
  const lower = text.toLowerCase();
  const seen = new Set<string>();
  return context.document.definitions.flatMap(({ term, span }): Draft[] => {
    const key = stem(term);
    const block = context.blockOf.get(span.blockId)?.text ?? '';
    // “European Economic Area” or “EEA”: a pair of names for one thing; using one is enough.
    if (/^[,.]?["”]\s+(?:or|and)\s+["“]/.test(block.slice(span.end, span.end + 12)) || /["”]\s+(?:or|and)\s+["“]$/.test(block.slice(0, span.start))) return [];
    if (seen.has(key) || HABITUAL.test(key) || term.length < 2) return [];
    seen.add(key);
    const places = context.document.definitions.filter((other) => stem(other.term) === key).length;
    if (countUses(lower, term) > places) return [];
    return [
      {
        rule: 'unused-definition',
        severity: 'info',
        message: `“${term}” is defined here and not used anywhere else in the document.`,
        blockId: span.blockId,
        start: span.start,
        end: span.end,
      },
    ];
  });
};

/** Occurrences of a term in any case, in singular or plural. */
function countUses(lower: string, term: string): number {
  const words = term
    .toLowerCase()
    .replace(/\(s\)/g, '')
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const last = words.pop()!;
  const forms = [
    last,
    `${last}e?s`,
    ...(last.endsWith('s') ? [last.slice(0, -1)] : []),
    ...(last.endsWith('es') ? [last.slice(0, -2)] : []),
    ...(last.endsWith('y') ? [`${last.slice(0, -1)}ies`] : []),
    ...(last.endsWith('ies') ? [`${last.slice(0, -3)}y`] : []),
  ];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${[...words.map((word) => `${word}\\s+`), `(?:${forms.join('|')})`].join('')}(?![\\p{L}\\p{N}])`, 'gu');
  const plain = /[\u4e00-\u9fff]/.test(term) ? lower.split(term.toLowerCase()).length - 1 : 0;
  return Math.max(plain, [...lower.matchAll(pattern)].length);
}

/** Sentences that point at a definition instead of giving one. */
const POINTER =
  /^["”']?\s*(?:\([^()]{0,60}\)\s*)?(?:shall\s+|will\s+)?(?:ha(?:s|ve|ving)\s+the\s+(?:same\s+)?meanings?\s+(?:set forth|given|assigned|ascribed|specified|provided|stated|described|attributed|indicated|as\s+(?:set|defined)|in\b|defined|it|to)|(?:is|are)\s+(?:as\s+)?defined\s+(?:in|at|on|above|below)|includes?\b|shall\s+include|refers?\s+to\s+(?:section|article))/i;

export const duplicateDefinitions: Rule = (context) => {
  const groups = Map.groupBy(
    context.document.definitions.filter((definition) => isFullDefinition(context, definition)),
    (definition) => `${rootOf(context, context.clauseOf.get(definition.span.blockId))}|${definition.term.trim()}`,
  );
  return [...groups.values()].flatMap((group): Draft[] => {
    const [first, second] = group;
    // Twice in one sentence ("(each a “Party”, together “Parties”, each “Party”)") is one definition.
    if (first === undefined || second === undefined || first.span.blockId === second.span.blockId) return [];
    if (HABITUAL.test(stem(first.term))) return [];
    const place = context.clauseOf.get(first.span.blockId)?.path ?? '';
    return [
      {
        rule: 'duplicate-definition',
        severity: 'warning',
        message: `“${second.term}” is defined again here; its first definition stands ${place === '' ? 'before the first numbered clause' : `in ${place}`}. Two definitions of one term may differ.`,
        blockId: second.span.blockId,
        start: second.span.start,
        end: second.span.end,
      },
    ];
  });
};

function isFullDefinition(context: Context, { span }: Definition): boolean {
  const text = context.blockOf.get(span.blockId)?.text ?? '';
  return !POINTER.test(text.slice(span.end, span.end + 160));
}
