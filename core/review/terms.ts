// Rules on defined terms: used without a definition, defined without use, defined twice.
//
// Owns: what is written like a term, and what sends the reader to another document for its definitions. Words and stems are words.ts.
// Rule: a document that keeps its definitions elsewhere has no undefined terms; that it names another document is not enough for that.
import type { Block, Definition } from '../contract/document.ts';
import { clauseName, placeOf, rootOf, type Context, type Draft, type Rule } from './context.ts';
import { stemPhrase } from './words.ts';

/** Terms are defined in another document, or on a cover page that is filled in apart: then nothing here is undefined. */
const DEFINED_ELSEWHERE =
  /(?:capitali[sz]ed|defined)\s+terms?\b[^.]{0,120}(?:not (?:otherwise )?defined|meanings?\b)[^.]{0,120}(?:agreement|terms|order form|cover page|in the)|unless otherwise defined|\b(?:defined|definitions?|meanings?|means)\b[^.]{0,120}\b(?:Cover Page|Cover Terms|Key Terms|Deal Terms|ISDA)\b|\b(?:Cover Page|Cover Terms|Key Terms|Deal Terms|ISDA)\b[^.]{0,120}\bdefin(?:es?|ed|itions?)\b|\bdefinitions (?:and provisions )?contained in\b/i;
/** Nouns that carry a defined term when capitalised after an article. Names of people, places, courts and statutes end otherwise. */
const TERM_NOUN =
  '(?:Information|Date|Period|Term|Services?|Fees?|Products?|Materials?|Property|Rights?|Territory|Affiliates?|Claims?|Losses|Data|Content|Software|Documentation|Event|Amount|Price|Rate|Purpose|Indemnitees?|Deliverables?|Technology|Marks?|Payment|Obligations?|Shares|Securities|Closing|Premises|Equipment|Goods|Personnel|Users?|Improvements?|Inventions?|Patents?|Know-How|Records|Expenses|Taxes|Collateral|Loan|Notes?|Milestones?|Specifications?|Warranty|Breach|Default|Transaction|Transfer|Affiliate|Representatives?|Customers?|Business|Assets|Liabilities|Parties|Fields?|Budget|Program|Project)';
const CANDIDATE = new RegExp(
  `(?<=[a-z,]\\s)(?:the|any|such|its|all|each|of|an|a|and|or|under|to|for|in|their|applicable)\\s+((?:\\p{Lu}[\\p{Ll}]+(?:-\\p{Lu}?[\\p{Ll}]+)?\\s+){1,3}${TERM_NOUN})(?![\\p{L}-])(?!\\s+(?:Act|Law|Code|Agreement|Policy|Statement|Inc|LLC|Plan|Exhibit|\\p{Lu}[\\p{Ll}]+))`,
  'gu',
);
/** A shorter block is a title, an entry of a table or a line of contents. */
const SHORTEST_SENTENCE = 45;
/** One capital slip is a typing error, two uses are a term. */
const LEAST_USES = 2;
/** First words that make a name of an institution or a law of a phrase. */
const NAME_WORD =
  /\b(?:United|States?|Federal|National|Securities|International|American|European|Internal|Supreme|New|North|South|Uniform|Generally|Personal Data of|Notice|Section|Article|January|February|March|April|May|June|July|August|September|October|November|December)\b/;

/** "Capitalised terms have the meanings given in this Agreement" sends nobody elsewhere; "terms not defined herein have the meanings ..." does. */
function sendsElsewhere(text: string): boolean {
  const [sentence] = DEFINED_ELSEWHERE.exec(text) ?? [];
  return (
    sentence !== undefined &&
    !(
      /\b(?:in|of) this\b|\bherein\b|\bthe meanings? (?:set forth|given|specified) (?:below|in (?:Section|Article|Schedule|Exhibit))/i.test(sentence) &&
      !/\bnot\b|otherwise/i.test(sentence)
    )
  );
}

export const undefinedTerms: Rule = (context) => {
  // Without definitions of its own a document has no convention that a capital could break.
  if (context.document.definitions.length < 3 || context.blocks.some((block) => sendsElsewhere(block.text))) return [];
  const known = knownPhrases(context);
  const uses = new Map<string, Written[]>();
  for (const block of context.blocks) {
    if (block.kind === 'heading' || block.kind === 'signature' || block.text.length < SHORTEST_SENTENCE) continue;
    // A line of contents ends in its page.
    if (block.text.length < 90 && /\s\d{1,3}$/.test(block.text)) continue;
    for (const match of block.text.matchAll(CANDIDATE)) {
      const term = match[1]!;
      const key = stemPhrase(term);
      if (NAME_WORD.test(term) || /^\p{Lu}\p{Ll}+ing\s/u.test(term) || isDefined(key, known.defined) || known.titles.has(key)) continue;
      const use = { block, start: match.index + match[0].length - term.length, term };
      const places = uses.get(key);
      if (places === undefined) uses.set(key, [use]);
      else places.push(use);
    }
  }
  return [...uses.values()].flatMap((places): Draft[] => {
    const { block, start, term } = places[0]!;
    if (places.length < LEAST_USES || places.some(isIntroduced)) return [];
    const message = `“${term}” is written like a defined term ${places.length} times, but no definition of it was found. Define it or write it without capitals.`;
    return [{ rule: 'undefined-term', severity: 'warning', message, blockId: block.id, start, end: start + term.length }];
  });
};

interface Written {
  readonly block: Block;
  readonly start: number;
  readonly term: string;
}

/** Phrases that have a definition, and those that are titles or stand in quotes. */
function knownPhrases({ document, blocks }: Context): { defined: ReadonlySet<string>; titles: ReadonlySet<string> } {
  const terms = document.definitions.map(({ term }) => stemPhrase(term));
  // "Maintenance Specifications" is the end of "Deployment, Hosting and Maintenance Specifications".
  const ends = terms.filter((term) => / (?:and|or|in|of|for|to) /.test(term)).map((term) => term.replace(/^.*?\b(?:and|or|in|of|for|to) /, ''));
  const headings = [...document.clauses.map(({ heading }) => heading), ...blocks.filter(({ kind }) => kind === 'heading').map(({ text }) => text)];
  const quoted = blocks.flatMap(({ text }) => [...text.matchAll(/["“]([^"”]{2,60})["”]/g)].map((match) => match[1]!));
  return { defined: new Set([...terms, ...ends]), titles: new Set([...headings, ...quoted].map(stemPhrase)) };
}

/** "hereinafter called the Effective Date", "the Continuation Right (as defined in the Supply Agreement)". */
function isIntroduced({ block, start, term }: Written): boolean {
  const [before, after] = [block.text.slice(Math.max(0, start - 40), start), block.text.slice(start + term.length, start + term.length + 60)];
  return (
    /\b(?:called|known as|referred to as|defined as)\s+(?:the\s+|an?\s+)?$/i.test(before) ||
    /^,?\s*\(?\s*(?:as\s+)?(?:such\s+terms?\s+(?:is|are)\s+)?defined\s+in\b/i.test(after)
  );
}

/** A phrase is covered if it, its end or its beginning is a defined term ("Customer Personal Data" by "Personal Data" or "Customer"). */
function isDefined(phrase: string, defined: ReadonlySet<string>): boolean {
  const words = phrase.split(' ');
  return words.some((_word, index) => defined.has(words.slice(index).join(' ')) || (index > 0 && defined.has(words.slice(0, index).join(' '))));
}

/** Names by which every contract calls itself and its sides; defined by habit, used or not. */
const HABITUAL =
  /^(?:agreement|part(?:y|ies)|contract|effective date|section|article|exhibit|schedule|including|include|amendment|lease|recital|terms|parties hereto)$/;

export const unusedDefinitions: Rule = (context) => {
  const seen = new Set<string>();
  const places = new Map<string, number>();
  for (const { term } of context.document.definitions) places.set(keyOf(term), (places.get(keyOf(term)) ?? 0) + 1);
  return context.document.definitions.flatMap(({ term, span }): Draft[] => {
    const key = keyOf(term);
    const block = context.blockOf.get(span.blockId)?.text ?? '';
    // “European Economic Area” or “EEA”: a pair of names for one thing; using one is enough.
    if (/^[,.]?["”],?\s*(?:or|and)?\s*["“]/.test(block.slice(span.end, span.end + 12)) || /["”],?\s*(?:or|and)?\s*["“]$/.test(block.slice(0, span.start)))
      return [];
    if (seen.has(key) || HABITUAL.test(key) || term.length < 2 || /[[\]_{}]/.test(term)) return [];
    seen.add(key);
    const uses = context.words.uses(term).length;
    // A term whose own definition is not found as words ("+1") can not be counted.
    if (uses > places.get(key)! || uses === 0) return [];
    return [
      {
        rule: 'unused-definition',
        severity: 'info',
        message: `“${term}” is defined here and not used anywhere else in the document.`,
        ...placeOf(span),
      },
    ];
  });
};

const keyOf = (term: string): string => stemPhrase(term) || term;

/** Sentences that point at a definition instead of giving one. */
const POINTER =
  /^["”']?\s*(?:\([^()]{0,60}\)\s*)?(?:shall\s+|will\s+)?(?:ha(?:s|ve|ving)\s+the\s+(?:same\s+)?meanings?\s+(?:set (?:forth|out)|given|assigned|ascribed|specified|provided|stated|described|attributed|indicated|as\s+(?:set|defined)|in\b|defined|it|to)|(?:means?|shall\s+mean)\s+the\s+[^.;]{0,40}?(?:as\s+)?(?:set\s+forth|specified|described|stated|identified|defined)\s+(?:in|on)|(?:is|are)\s+(?:as\s+)?defined\s+(?:in|at|on|above|below)|includes?\b|shall\s+include|refers?\s+to\s+(?:section|article))/i;

export const duplicateDefinitions: Rule = (context) => {
  const groups = Map.groupBy(
    context.document.definitions.filter((definition) => isFullDefinition(context, definition)),
    (definition) => `${rootOf(context, definition.span)}|${definition.term.trim()}`,
  );
  return [...groups.values()].flatMap((group): Draft[] => {
    const [first, second] = group;
    // Twice in one sentence ("(each a “Party”, together “Parties”, each “Party”)") is one definition.
    if (first === undefined || second === undefined || first.span.blockId === second.span.blockId) return [];
    if (HABITUAL.test(stemPhrase(first.term)) || sameMeaning(context, first, second) || signs(context, second)) return [];
    return [
      {
        rule: 'duplicate-definition',
        severity: 'warning',
        message: `“${second.term}” is defined again here; its first definition stands ${clauseName(context, first.span)}. Two definitions of one term may differ.`,
        ...placeOf(second.span),
        related: [placeOf(first.span)],
      },
    ];
  });
};

/** The same words before both ("Federal Drug Administration (“FDA”)"): said twice, but not in two ways. */
function sameMeaning(context: Context, ...both: readonly [Definition, Definition]): boolean {
  const [one, other] = both.map(({ span }) => {
    const before = (context.blockOf.get(span.blockId)?.text ?? '').slice(Math.max(0, span.start - 60), span.start);
    return /[(（]\s*(?:the|each|an?)?\s*["“]?$/i.test(before)
      ? stemPhrase(before.replace(/[(（][^(（]*$/, ''))
          .split(' ')
          .slice(-2)
          .join(' ')
      : '';
  });
  const [after, again] = both.map(({ span }) => (context.blockOf.get(span.blockId)?.text ?? '').slice(span.end, span.end + 60));
  return (one !== '' && one === other) || after === again;
}

/** Names of the parties stand again in a form or above a signature. */
const signs = (context: Context, { span }: Definition): boolean =>
  /\b(?:By|Name|WITNESS|Title)\s*:|\bdated\b.{0,80}\bbetween\b|^reference is made/i.test(context.blockOf.get(span.blockId)?.text ?? '');

function isFullDefinition(context: Context, { span }: Definition): boolean {
  const text = context.blockOf.get(span.blockId)?.text ?? '';
  // "has the meaning set forth in Section 1.2 (“Affiliate” definition)" cites a term.
  if (/(?:Section|Article|Clause)\s+[\d.]+(?:\([a-z]+\))*\s*[(（]\s*["“]$/.test(text.slice(0, span.start))) return false;
  return !POINTER.test(text.slice(span.end, span.end + 160));
}
