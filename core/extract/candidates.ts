// The sentences of a document one by one, and values with a score: what rules on dates and terms choose from.
import type { FieldValue } from '../contract/summary.ts';
import type { Passage, Source } from './source.ts';

export interface Sentence {
  readonly passage: Passage;
  readonly from: number;
  readonly text: string;
  /** Characters of the document before it. */
  readonly offset: number;
  /** Title, preamble and recitals: no numbered clause has begun, and it is not far in. */
  readonly opening: boolean;
}

/** Title, preamble and recitals of the corpora end before it. */
const OPENING = 4_000;

export function* everySentence(source: Source): Generator<Sentence> {
  let offset = 0;
  let numbered = false;
  for (const passage of source.passages) {
    numbered ||= (passage.clause?.number ?? '') !== '';
    for (const [from, to] of source.sentencesOf(passage.block))
      yield { passage, from, text: passage.block.text.slice(from, to), offset: offset + from, opening: !numbered && offset + from < OPENING };
    offset += passage.block.text.length;
  }
}

export interface Scored {
  readonly value: FieldValue;
  readonly score: number;
}

/** The best scored value; a second one with another meaning and the same score too, so that a conflict is seen. */
export function best(found: readonly Scored[], most = 1): FieldValue[] {
  const sorted = found.toSorted((x, y) => y.score - x.score);
  const top = sorted.filter((entry) => entry.score >= (sorted[0]?.score ?? 0) - 1e-9);
  const seen = new Set<string>();
  return top
    .filter(({ value }) => !seen.has(value.normalized ?? value.value) && seen.add(value.normalized ?? value.value))
    .slice(0, most)
    .map(({ value }) => value);
}

/** Up to so many characters before a place. */
export function nearEnd(text: string, at: number, characters: number): string {
  return text.slice(Math.max(0, at - characters), at);
}
