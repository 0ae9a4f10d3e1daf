// What goes into the full-text index and how a question becomes a query over it. Words only; the meaning is the Reader's work.
// CJK text has no spaces: each of its characters is a term of its own, and a run of them in a question is a phrase.
import { isContent, type Block, type Document } from '../../core/contract/document.ts';

export interface IndexRow {
  readonly blockId: string;
  readonly heading: string;
  readonly text: string;
  /** Length of the block's own text: the index text may be longer. */
  readonly size: number;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CJK_EACH = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])/gu;
const TERMS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+/gu;

/** Words of a question that say nothing about its subject. A query of nothing else uses them after all. */
const STOP = new Set(
  (
    'a an and any are as at be by can do does each for from has have how i if in into is it its may must of on or shall should than that the their there ' +
    'these they this to under was what when where which who whom whose why will with would you your agreement contract document clause section'
  ).split(' '),
);
/** More terms than this only slow the query down; the first ones carry the subject. */
const MAX_TERMS = 40;

/** Furniture (running headers) is left out; a block carries the headings of all clauses it stands in. */
export function indexRows(document: Document): readonly IndexRow[] {
  const headings = blockHeadings(document);
  return document.blocks
    .filter((block) => isContent(block) && block.kind !== 'table' && block.text.trim() !== '')
    .map((block: Block) => ({ blockId: block.id, heading: spaced(headings.get(block.id) ?? ''), text: spaced(block.text), size: block.text.length }));
}

/** An FTS5 query that any of the question's words satisfies; null when it has none. */
export function matchQuery(text: string): string | null {
  const terms = [...new Set([...text.normalize('NFC').toLowerCase().matchAll(TERMS)].map((match) => match[0]))];
  const telling = terms.filter((term) => !STOP.has(term) && (term.length > 1 || /\d/.test(term) || CJK.test(term)));
  const used = (telling.length > 0 ? telling : terms).slice(0, MAX_TERMS).flatMap(phrases);
  return used.length === 0 ? null : used.map((term) => `"${term}"`).join(' OR ');
}

/** A run of CJK characters asks for each of its pairs: words there are mostly two characters long. */
function phrases(term: string): readonly string[] {
  if (!CJK.test(term)) return [term];
  const letters = [...term];
  return letters.length <= 2 ? [letters.join(' ')] : letters.slice(1).map((letter, i) => `${letters[i]} ${letter}`);
}

const spaced = (text: string): string => (CJK.test(text) ? text.replace(CJK_EACH, ' $1 ') : text);

function blockHeadings(document: Document): ReadonlyMap<string, string> {
  const clauses = new Map(document.clauses.map((clause) => [clause.id, clause]));
  const found = new Map<string, Set<string>>();
  for (const clause of document.clauses) {
    const parent = clause.parentId === null ? undefined : clauses.get(clause.parentId);
    const headings = [parent?.heading ?? '', clause.heading].filter((part) => part !== '');
    for (const { blockId } of clause.spans) found.set(blockId, new Set([...(found.get(blockId) ?? []), ...headings]));
  }
  return new Map([...found].map(([blockId, headings]) => [blockId, [...headings].join(' ')]));
}
