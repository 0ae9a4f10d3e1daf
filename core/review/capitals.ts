// A defined term written without its capitals: "confidential information" where "Confidential Information" is defined.
//
// Rule: only terms of two or more words, for one word ("services") has its plain meaning too; and only where the document itself writes the term
// with capitals nearly everywhere, so that the exception is a slip and not a choice.
import type { Block } from '../contract/document.ts';
import { clauseName, rootOf, type Context, type Draft, type Place, type Rule } from './context.ts';
import type { Use } from './words.ts';

/** Capitalised uses beside which a slip is a slip. */
const LEAST_PROPER = 4;
/** Slips per capitalised use; more is another meaning of the same words. */
const MOST_SLIPS = 0.15;
/** An exhibit that gives itself a name is a paper of its own, a form of a note or lease; the terms of the agreement before it do not hold there. */
const NAMES_ITSELF =
  /^(?:this )?(?:agreement|contract|lease|sublease|note|deed|guarant(?:y|ee)|licen[cs]e|amendment|assignment|addendum|undertaking|plan|warrant|certificate)$/i;
const SMALL = new Set('of and or the a an to for in on by with under at from as per'.split(' '));
/** A slip takes the place of the term: "the confidential information", not "any trade secret or confidential information". */
const POINTS = /\b(?:the|such|this|said|these|those)\s*$/i;
/** After these words the phrase speaks of other people's matters: "its own confidential information". */
const OTHERS =
  /\b(?:other|others|own|third[- ]party|similar|any person['’]s|their|such other|like|various|certain|no|commercially|of its|of their|different|additional|non)[\s-]*$/i;

const CAPITALISED = /^[\p{Lu}\p{N}]\S*(?:\s+(?:[\p{Lu}\p{N}]\S*|of|and|or|the|a|an|to|for|in|on|by|with|under|at|from|as|per))*$/u;

type Writing = 'proper' | 'mixed' | 'slip' | 'other';

export const termCapitals: Rule = (context) => {
  const homes = Map.groupBy(context.document.definitions, ({ term }) => term.toLowerCase());
  const apart = new Set(context.document.definitions.filter(({ term }) => NAMES_ITSELF.test(term)).map(({ span }) => rootOf(context, span)));
  return [...homes].flatMap(([name, definitions]): Draft[] => {
    const { term, span } = definitions[0]!;
    if (!isCapitalised(term)) return [];
    const uses = context.words.uses(term).map((use) => ({ use, writing: writingOf(use, term) }));
    const proper = uses.filter(({ writing }) => writing === 'proper').length;
    if (proper < LEAST_PROPER || proper === uses.length) return [];
    // "Buyer affiliates" speaks of the Buyer.
    const ownWord = homes.has(name.split(/\s/)[0]!);
    const slips = uses.filter(({ use, writing }) => (writing === 'slip' || (writing === 'mixed' && !ownWord)) && isRunning(use.block));
    // "a sales agent ... the sales agent": a block that also has the words in their plain meaning goes on with it; so does the one that defines them.
    const left = new Set(definitions.map((definition) => definition.span.blockId));
    for (const { use, writing } of uses) if (writing === 'other' && !/\p{Lu}/u.test(use.block.text.slice(use.start, use.end))) left.add(use.block.id);
    const root = rootOf(context, span);
    const meant = slips.filter(({ use }) => {
      const place = rootOf(context, { ...use, blockId: use.block.id });
      return !left.has(use.block.id) && (place === root || (root === '' && !apart.has(place)));
    });
    return meant.length > Math.max(1, proper * MOST_SLIPS) ? [] : meant.map(({ use }) => draftOf(context, term, use, span));
  });
};

function draftOf(context: Context, term: string, { block, start, end }: Use, home: Place): Draft {
  const written = block.text.slice(start, end);
  return {
    rule: 'term-capitalisation',
    severity: 'warning',
    message: `“${written}” stands here without the capitals of the term “${term}”, which is defined ${clauseName(context, home)}. Is the defined term meant?`,
    blockId: block.id,
    start,
    end,
    fix: capitalised(written, term),
  };
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => /\p{L}/u.test(word) && !SMALL.has(word.toLowerCase()));

function isCapitalised(term: string): boolean {
  const words = wordsOf(term);
  return words.length >= 2 && words.every((word) => /^\p{Lu}/u.test(word)) && words.some((word) => /\p{Ll}/u.test(word));
}

function writingOf({ block, start, end }: Use, term: string): Writing {
  const written = block.text.slice(start, end);
  if (written.startsWith(term) || CAPITALISED.test(written)) return 'proper';
  const words = wordsOf(written);
  const [before, after] = [block.text.slice(Math.max(0, start - 30), start), block.text.slice(end, end + 60)];
  // "a joint committee (the “Joint Committee”)", "the effective date of such termination", {key_terms}: the words in their plain meaning.
  if (/^\s*,?\s*[(（][^()]{0,12}["“]/.test(after) || /^\s+(?:of|for|or|and|rights?|activities|process|purposes|\w+ing)\b|^[-/_]/.test(after)) return 'other';
  if (/["“”'‘(/_{-]\s*$/.test(before) || /['’]s?\s/.test(written)) return 'other';
  if (words.some((word) => /^\p{Lu}/u.test(word)))
    return !opensSentence(block.text, start) && words.slice(1).every((word) => /^\p{Ll}/u.test(word)) ? 'mixed' : 'other';
  return POINTS.test(before) && !OTHERS.test(before) ? 'slip' : 'other';
}

const opensSentence = (text: string, start: number): boolean =>
  start === 0 || /(?:[.;:!?)\]•]\s*|^\s*\S{0,8}\s+)$/.test(text.slice(Math.max(0, start - 10), start));

/** Sentences; titles follow rules of their own. */
const isRunning = (block: Block): boolean =>
  block.kind !== 'heading' &&
  block.kind !== 'signature' &&
  block.kind !== 'footnote' &&
  block.text.length > 60 &&
  !/^\W*(?:note|drafting note|comment)\b|^\s*\[|\]\s*$/i.test(block.text);

/** The words as written with the capitals of the term. */
function capitalised(written: string, term: string): string {
  const capitals = new Set(wordsOf(term).map((word) => word.toLowerCase().slice(0, 3)));
  return written.replace(/[\p{L}]+/gu, (word) =>
    capitals.has(word.toLowerCase().slice(0, 3)) && !SMALL.has(word) ? word[0]!.toUpperCase() + word.slice(1) : word,
  );
}
