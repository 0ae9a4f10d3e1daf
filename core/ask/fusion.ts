// One ranking out of two: full-text search over blocks and the search over clauses see different words of the same places.
//
// Owns: reciprocal rank fusion (Cormack, Clarke & Büttcher 2009), and narrowing a place to the sentence in it that a question is about.
import type { Span } from '../contract/document.ts';
import type { PassageHit } from './clauseSearch.ts';
import type { SearchHit, SentenceIndex } from './evidence.ts';
import { questionTerms, termsOf } from './terms.ts';

/** The paper's constant: far enough from 0 that the first of one list does not outweigh a place that both lists know. */
const RANK_OFFSET = 60;

/** Places by the sum of 1 / (60 + rank) over the lists; two hits are one place when they begin at the same character. */
export function fuse(...lists: readonly (readonly SearchHit[])[]): readonly SearchHit[] {
  const found = new Map<string, SearchHit>();
  for (const list of lists)
    for (const [rank, { span }] of list.entries()) {
      const key = `${span.documentId}:${span.blockId}:${span.start}`;
      found.set(key, { span, score: (found.get(key)?.score ?? 0) + 1 / (RANK_OFFSET + rank) });
    }
  return [...found.values()].toSorted((a, b) => b.score - a.score);
}

/** A block or a clause may be a page long: what was found in it is the sentence with most of the question's words. */
export function narrowed(spans: readonly Span[], index: SentenceIndex, question: string): Span | null {
  const asked = questionTerms(question);
  let best: Span | null = null;
  let most = 0;
  for (const { sentence, span } of spans.flatMap((span) => index.at(span).map(({ sentence }) => ({ sentence, span })))) {
    const score = [...termsOf(sentence.text).keys()].reduce((sum, term) => sum + (asked.get(term) ?? 0), 0);
    const own = sentence.spans.find((part) => part.blockId === span.blockId);
    if (own && score > most) [best, most] = [own, score];
  }
  return best;
}

export const hitsOf = (passages: readonly PassageHit[], index: SentenceIndex, question: string): readonly SearchHit[] =>
  passages.map(({ passage, score }) => ({ span: narrowed(passage.spans, index, question) ?? passage.spans[0]!, score }));
