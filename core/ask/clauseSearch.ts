// Clauses that a question is about, by words alone: no model, milliseconds. What a Reader reads first, and all there is where no model runs.
//
// Owns: the passages (a clause with its sub-clauses as long as that is short enough to read at once) and what defined terms add to a search.
// How passages are ranked is passageIndex.ts.
// Rule: every content block is in a passage of its document; a short lead-in ("Each party shall:") is in the passage of each of its items too.
import type { Clause, Document, Span } from '../contract/document.ts';
import type { Terms } from './bm25.ts';
import { PassageIndex, type Indexed } from './passageIndex.ts';
import { questionTerms, termsOf } from './terms.ts';

export interface Passage extends Indexed {
  readonly documentId: string;
  /** The topmost clause of the passage. */
  readonly clauseId: string;
  readonly spans: readonly Span[];
}

export interface PassageHit {
  readonly passage: Passage;
  readonly score: number;
}

interface Meaning {
  readonly name: string;
  readonly words: Terms;
  /** Words that explain the term. */
  readonly meaning: Terms;
  /** Passages that define it. */
  readonly passages: readonly number[];
}

/** A clause with its sub-clauses is one passage up to this many characters: about what a person reads as "the clause". */
const PASSAGE_CHARACTERS = 2000;
/** Longer than this a paragraph above a list says something of its own. */
const LEAD_CHARACTERS = 500;
/** What the passage that defines a term of the question gains, as a share of the best score. */
const DEFINITION_SHARE = 0.15;
/** Characters of a definition that say what the term is; its exceptions come later. */
const MEANING_CHARACTERS = 260;
const DEFINED_WEIGHT = 0.4;
/** Rarity (BM25) from which a word tells which defined term is meant; a word of half of the passages has 0.7. */
const TELLING = 1.2;

export class ClauseIndex {
  readonly passages: readonly Passage[];
  private readonly index: PassageIndex;
  private readonly meanings: readonly Meaning[];

  constructor(documents: readonly Document[]) {
    this.passages = documents.flatMap(passagesOf);
    this.index = new PassageIndex(this.passages);
    this.meanings = meaningsOf(documents, this.passages);
  }

  /** Best passages first; none that shares no word with the question, its synonyms or its defined terms. */
  search(question: string, limit: number): readonly PassageHit[] {
    const asked = questionTerms(question);
    const query = new Map(asked);
    const defining: number[] = [];
    for (const { name, words, meaning, passages } of this.meanings) {
      // “Representatives” are asked for with "employees" where the one is defined by the other.
      const meant = [...asked].some(([word, weight]) => weight === 1 && meaning.has(word) && this.index.rarity(word) > TELLING);
      if (meant) for (const word of words.keys()) if (!query.has(word)) query.set(word, DEFINED_WEIGHT);
      if (meant || question.toLowerCase().includes(name)) defining.push(...passages);
    }
    const scores = this.index.score(question, query);
    const bonus = DEFINITION_SHARE * Math.max(0, ...scores.values());
    for (const index of new Set(defining)) scores.set(index, (scores.get(index) ?? 0) + bonus);
    return [...scores]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, limit)
      .map(([index, score]) => ({ passage: this.passages[index] as Passage, score }));
  }
}

function meaningsOf(documents: readonly Document[], passages: readonly Passage[]): Meaning[] {
  const at = new Map(passages.flatMap((passage, index) => passage.spans.map((span) => [`${passage.documentId}:${span.blockId}`, index] as const)));
  return documents.flatMap((document) => {
    const blocks = new Map(document.blocks.map((block) => [block.id, block.text]));
    return document.definitions.map(({ term, span }): Meaning => {
      const text = blocks.get(span.blockId) ?? '';
      // "(the “X”)" is explained by what stands before it, “X” means by what follows.
      const before = /[(（][^()]{0,40}$/.test(text.slice(0, span.start));
      const explained = before ? text.slice(Math.max(0, span.start - MEANING_CHARACTERS), span.start) : text.slice(span.end, span.end + MEANING_CHARACTERS);
      const index = at.get(`${document.id}:${span.blockId}`);
      return { name: term.toLowerCase(), words: termsOf(term), meaning: termsOf(explained), passages: index === undefined ? [] : [index] };
    });
  });
}

export function passagesOf(document: Document): Passage[] {
  const blocks = new Map(document.blocks.map((block) => [block.id, block.text]));
  const clauses = new Map(document.clauses.map((clause) => [clause.id, clause]));
  const textOf = (spans: readonly Span[]): string => spans.map((span) => (blocks.get(span.blockId) ?? '').slice(span.start, span.end)).join('\n');
  const childrenOf = (clause: Clause): Clause[] => clause.children.map((id) => clauses.get(id)).filter((child) => child !== undefined);
  const subtree = (clause: Clause): Span[] => [...clause.spans, ...childrenOf(clause).flatMap(subtree)];
  const sizes = sizesOf(document);
  const out: Passage[] = [];
  const visit = (clause: Clause, above: string, lead: readonly Span[]): void => {
    const whole = (sizes.get(clause.id) ?? 0) <= PASSAGE_CHARACTERS;
    for (const piece of pieces(whole ? subtree(clause) : clause.spans)) {
      const spans = [...lead, ...piece];
      out.push({ documentId: document.id, clauseId: clause.id, spans, heading: clause.heading, above, text: textOf(spans) });
    }
    if (whole) return;
    const last = clause.spans.at(-1);
    const leads = last !== undefined && last.end - last.start <= LEAD_CHARACTERS && LEADS.test(textOf([last]));
    for (const child of childrenOf(clause)) visit(child, `${above} ${clause.heading}`.trim(), leads ? [last] : []);
  };
  for (const clause of document.clauses) if (clause.parentId === null) visit(clause, '', []);
  return out;
}

/** A paragraph that its list completes. */
const LEADS = /[:：—–-]\s*$|\b(?:shall|will|that|to|by)\s*$/;

/** Characters of each clause with all below it. Children come after their parents, so that backwards every size is known when it is asked for. */
function sizesOf(document: Document): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const clause of document.clauses.toReversed()) {
    const own = clause.spans.reduce((sum, span) => sum + span.end - span.start, 0);
    sizes.set(clause.id, own + clause.children.reduce((sum, child) => sum + (sizes.get(child) ?? 0), 0));
  }
  return sizes;
}

/** A clause of many pages without a number is read in stretches of whole blocks. */
function pieces(spans: readonly Span[]): Span[][] {
  const out: Span[][] = [];
  let size = 0;
  for (const span of spans) {
    const last = out.at(-1);
    const length = span.end - span.start;
    if (last && size + length <= PASSAGE_CHARACTERS) {
      last.push(span);
      size += length;
    } else {
      out.push([span]);
      size = length;
    }
  }
  return out;
}
