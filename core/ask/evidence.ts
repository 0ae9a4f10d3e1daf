// From sentences that somebody pointed at to quoted evidence with places.
//
// Owns: merging candidates of the Reader, of retrieval and of the extractors; their order; quotes, pages and clause paths.
// Rule that must stay true: a quote is cut out of the document by code, located again by citations.ts, and only then called verified.
import type { Evidence } from '../contract/answer.ts';
import type { Clause, Document, Place, Span } from '../contract/document.ts';
import { locate } from './citations.ts';
import type { Label } from './labels.ts';
import type { WindowReply } from './reader.ts';
import { documentSentences, type Sentence } from './sentences.ts';
import type { Window } from './windows.ts';

export interface SearchHit {
  readonly span: Span;
  /** Larger is better; only the order counts. */
  readonly score: number;
}
/** Full-text search over the blocks of the named documents, best first. */
export type Search = (query: { readonly text: string }, documentIds: readonly string[], limit: number) => Promise<readonly SearchHit[]>;

type Source = Evidence['sources'][number];

export interface Candidate {
  readonly document: Document;
  readonly sentence: Sentence;
  score: number;
  readonly sources: Set<Source>;
}

/** Sentences by document, computed once per question. */
export class SentenceIndex {
  private readonly byDocument = new Map<string, readonly Sentence[]>();
  private readonly documents: ReadonlyMap<string, Document>;

  constructor(documents: readonly Document[]) {
    this.documents = new Map(documents.map((document) => [document.id, document]));
  }

  document(id: string): Document | undefined {
    return this.documents.get(id);
  }

  of(document: Document): readonly Sentence[] {
    const known = this.byDocument.get(document.id);
    if (known) return known;
    const made = documentSentences(document);
    this.byDocument.set(document.id, made);
    return made;
  }

  /** Sentences that overlap a span. */
  at(span: Span): readonly { document: Document; sentence: Sentence }[] {
    const document = this.documents.get(span.documentId);
    if (!document) return [];
    return this.of(document)
      .filter((sentence) => sentence.spans.some((own) => overlaps(own, span)))
      .map((sentence) => ({ document, sentence }));
  }
}

/** Does the window hold a sentence of this evidence? */
export const holdsEvidence = (window: Window, entry: Evidence): boolean =>
  window.documentId === entry.documentId && window.sentences.some((sentence) => sentence.spans.some((own) => entry.spans.some((span) => overlaps(own, span))));

export const overlaps = (a: Span, b: Span): boolean => a.documentId === b.documentId && a.blockId === b.blockId && a.start < b.end && b.start < a.end;

/** Candidates in which several sources for one sentence are one entry with the best score. */
export class Candidates {
  private readonly entries = new Map<string, Candidate>();

  add(document: Document, sentence: Sentence, score: number, source: Source): void {
    const key = `${document.id}:${sentence.index}`;
    const known = this.entries.get(key);
    if (!known) {
      this.entries.set(key, { document, sentence, score, sources: new Set([source]) });
      return;
    }
    known.score = Math.max(known.score, score);
    known.sources.add(source);
  }

  /** Sentences of the replies that reach the threshold and, where a subject is given, are about it. */
  addReplies(replies: readonly WindowReply[], documents: SentenceIndex, threshold: number, subject: Label | null): void {
    for (const reply of replies) {
      const document = documents.document(reply.window.documentId);
      if (!document || reply.verdict === 'none' || reply.presence < threshold) continue;
      for (const index of reply.indices) {
        const sentence = reply.window.sentences[index];
        if (sentence && (subject === null || isAbout(subject, document, sentence))) this.add(document, sentence, reply.presence, 'reader');
      }
    }
  }

  /** Marks agreement: sentences that are there already gain a source, none is added. */
  agree(hits: readonly SearchHit[], documents: SentenceIndex, source: Source): void {
    for (const hit of hits)
      for (const { document, sentence } of documents.at(hit.span)) this.entries.get(`${document.id}:${sentence.index}`)?.sources.add(source);
  }

  list(): readonly Candidate[] {
    return [...this.entries.values()];
  }
}

/** What agreement of a second source is worth against the Reader's own score. */
const AGREEMENT = 0.15;
const rank = (candidate: { score: number; sources: ReadonlySet<Source> }): number => candidate.score + AGREEMENT * (candidate.sources.size - 1);

interface Group {
  readonly document: Document;
  readonly sentences: Sentence[];
  score: number;
  sources: Set<Source>;
}

/** Joins neighbours of one clause, orders by rank, quotes, locates, numbers from 1. */
export function toEvidence(candidates: readonly Candidate[], limit: number): readonly Evidence[] {
  const ordered = [...candidates].sort((a, b) =>
    a.document.id < b.document.id ? -1 : a.document.id > b.document.id ? 1 : a.sentence.index - b.sentence.index,
  );
  const groups: Group[] = [];
  for (const { document, sentence, score, sources } of ordered) {
    const last = groups.at(-1);
    const before = last?.sentences.at(-1);
    if (last && before && last.document.id === document.id && before.index + 1 === sentence.index && before.clauseId === sentence.clauseId) {
      last.sentences.push(sentence);
      last.score = Math.max(last.score, score);
      last.sources = new Set([...last.sources, ...sources]);
    } else groups.push({ document, sentences: [sentence], score, sources: new Set(sources) });
  }
  const best = groups.sort((a, b) => rank(b) - rank(a)).slice(0, limit);
  return best.map((group, i) => quoteGroup(group, i + 1));
}

function quoteGroup(group: Group, n: number): Evidence {
  const { document, sentences } = group;
  const quote = sentences.map((sentence) => sentence.text).join(' ');
  const clause = document.clauses.find((entry) => entry.id === sentences[0]!.clauseId);
  const spans = sentences.flatMap((sentence) => sentence.spans);
  return {
    n,
    documentId: document.id,
    documentName: document.name,
    quote,
    spans,
    places: spans.flatMap((span) => placesOf(document, span)),
    pageLabel: document.pages[sentences[0]!.page]?.label ?? '',
    path: clause?.path ?? '',
    heading: clause ? clauseHeading(document, clause) : '',
    score: Math.min(1, group.score),
    sources: [...group.sources],
    state: verifySentences(document, sentences),
  };
}

/** Every sentence must stand literally in the block it was cut from. */
function verifySentences(document: Document, sentences: readonly Sentence[]): Evidence['state'] {
  const states = sentences.flatMap((sentence) =>
    sentence.spans.map((span) => {
      const block = document.blocks.find((entry) => entry.id === span.blockId);
      const written = block?.text.slice(span.start, span.end) ?? '';
      return locate(sentence.spans.length === 1 ? sentence.text : written, document, sentence.page).state;
    }),
  );
  return states.every((state) => state === 'verified') ? 'verified' : states.includes('unverified') ? 'unverified' : 'repaired';
}

/** Does a sentence, or the heading it stands under, hold any of the subject's words? Their list is wide, so a sentence without one is a slip of the Reader. */
export function isAbout(label: Label, document: Document, sentence: Sentence): boolean {
  if (label.swept.test(sentence.text)) return true;
  const clause = document.clauses.find((entry) => entry.id === sentence.clauseId);
  return clause !== undefined && label.swept.test(clauseHeading(document, clause));
}

/** A clause without a heading of its own takes its nearest ancestor's. */
export function clauseHeading(document: Document, clause: Clause): string {
  const byId = new Map(document.clauses.map((entry) => [entry.id, entry]));
  for (let at: Clause | undefined = clause; at; at = at.parentId === null ? undefined : byId.get(at.parentId)) if (at.heading !== '') return at.heading;
  return '';
}

/** Boxes of a span: one per drawn line, cut to its characters; the block's own places where there are no lines. */
export function placesOf(document: Document, span: Span): readonly Place[] {
  const block = document.blocks.find((entry) => entry.id === span.blockId);
  if (!block) return [];
  if (block.lines.length === 0) return block.at;
  return block.lines
    .filter((line) => line.start < span.end && span.start < line.end)
    .map((line) => {
      const from = line.edges[Math.max(span.start, line.start) - line.start]!;
      const to = line.edges[Math.min(span.end, line.end) - line.start]!;
      const [low, high] = from <= to ? [from, to] : [to, from];
      const box = line.axis === 'x' ? { ...line.box, x0: low, x1: high } : { ...line.box, y0: low, y1: high };
      return { page: line.page, box };
    });
}
