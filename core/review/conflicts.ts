// Two answers to a question that an agreement answers once: which law governs, how long the notice of termination is.
//
// Rule: only sentences of one form are compared, in one part of the document, without a condition ("if the Customer is located in ..."); all else may be meant.
import type { Block, Clause } from '../contract/document.ts';
import { findGoverningLaw } from '../extract/law.ts';
import { findDurations } from '../extract/durations.ts';
import { around, sentences, Source } from '../extract/source.ts';
import { clauseOf, placeOf, rootOf, type Context, type Draft, type Place, type Rule } from './context.ts';

const CONDITION =
  /\b(?:if|where|unless|except|other than|in case|in the event|to the extent|located|domiciled|resides?|residing|resident|depending|as applicable|for (?:customers|users|purchases)|arbitrat\w+|mandatory|federal|patent|copyright|trademark|intellectual property|internal affairs|securit\w+|employment|real property|mortgage|standard contractual|GDPR|data protection)\b|如果|若|除/i;
/** Nations hold states: the law of the United States beside that of Delaware is no conflict. */
const NATIONAL = /^(?:united states(?: of america)?|united kingdom|canada|australia|european union)$/i;

/** The clauses that a block belongs to and those above them: all that an extractor has to know of the tree. */
function clausesAround(context: Context, block: Block): Clause[] {
  const found = new Set<Clause>();
  for (const id of context.owners.in(block.id))
    for (let clause = context.clauses.get(id); clause; clause = context.clauses.get(clause.parentId ?? '')) found.add(clause);
  return [...found];
}

export const conflictingLaws: Rule = (context) => {
  const first = new Map<string, { law: string; place: Place }>();
  const blocks = context.document.blocks.filter(({ text }) => /govern|constru|\blaws?\b.{0,80}(?:appl|govern)|法律/i.test(text));
  // Block by block: over a whole document the extractor gives the strongest answer alone.
  const stated = blocks.flatMap((block) => findGoverningLaw(new Source({ ...context.document, blocks: [block], clauses: clausesAround(context, block) })));
  return stated.flatMap(({ value, normalized, quote, span, confidence }): Draft[] => {
    const law = normalized ?? value;
    // Below 0.8 the sentence only speaks of a law.
    if (
      confidence < 0.8 ||
      CONDITION.test(quote) ||
      NATIONAL.test(law) ||
      /^[^.;]{0,200}\b(?:or|and)\s+(?:the\s+)?(?:laws?|State)/i.test(quote.slice(quote.indexOf(value) + value.length))
    )
      return [];
    const root = rootOf(context, span);
    const known = first.get(root);
    if (known === undefined) first.set(root, { law, place: placeOf(span) });
    if (known === undefined || known.law === law) return [];
    return [
      {
        rule: 'conflicting-law',
        severity: 'warning',
        message: `The law of ${law} governs here, the law of ${known.law} in another clause. One agreement has one law.`,
        ...placeOf(span),
        related: [known.place],
      },
    ];
  });
};

/** Who may end the agreement without a reason, and on what notice. */
const TERMINATES =
  /\b(?<who>either party|any party|(?:the\s+)?\p{Lu}\p{L}+)\s+(?:may|shall\s+(?:have\s+the\s+right|be\s+entitled)\s+to)\s+(?:also\s+)?terminate\s+(?:this|the)\s+Agreement(?=[^.;]{0,200}?(?:for\s+convenience|without\s+cause|for\s+any\s+(?:or\s+no\s+)?reason|with\s+or\s+without\s+cause|at\s+any\s+time))[^.;]{0,200}?\b(?:notice)\b[^.;]{0,60}/giu;

export const conflictingNotices: Rule = (context) => {
  const first = new Map<string, Place & { readonly period: string; readonly text: string }>();
  return context.blocks
    .filter(({ text }) => /terminate/i.test(text) && /notice/i.test(text))
    .flatMap((block): Draft[] => {
      const matches = [...block.text.matchAll(TERMINATES)];
      const split = matches.length === 0 ? [] : sentences(block.text);
      return matches.flatMap((match): Draft[] => {
        const [from, to] = around(split, match.index, match.index + match[0].length);
        const periods = findDurations(match[0]);
        const rest = block.text.slice(from, to).replace(match[0], '');
        if (
          periods.length !== 1 ||
          periods[0]!.normalized === null ||
          CONDITION.test(match[0]) ||
          /breach|insolv|bankrupt|default|change of control/i.test(match[0] + rest)
        )
          return [];
        const who = match.groups!['who']!.toLowerCase().replace(/^the\s+/, '');
        const place = { blockId: block.id, start: match.index + periods[0]!.start, end: match.index + periods[0]!.end };
        const key = `${rootOf(context, place)}|${who}`;
        const text = block.text.slice(place.start, place.end);
        const known = first.get(key);
        if (known === undefined) first.set(key, { ...place, period: periods[0]!.normalized, text });
        if (known === undefined || known.period === periods[0]!.normalized || known.blockId === block.id) return [];
        return [conflict(context, text, known.text, place, known)];
      });
    });
};

function conflict(context: Context, text: string, other: string, place: Place, { blockId, start, end }: Place): Draft {
  const path = clauseOf(context, { blockId, start, end })?.path ?? '';
  return {
    rule: 'conflicting-notice',
    severity: 'warning',
    message: `The notice of termination is ${text} here and ${other} ${path === '' ? 'in another clause' : `in ${path}`}.`,
    ...place,
    related: [{ blockId, start, end }],
  };
}
