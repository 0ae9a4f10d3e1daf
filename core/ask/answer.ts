// One question, answered: the Reader over every window, retrieval as a second opinion, evidence merged, absence only under its rule.
//
// Owns: the order of these steps and the verdict. Leaves pointing to reader.ts, quotes to evidence.ts, prose to writer.ts.
// The absence rule: the Reader says `none` in every window with no doubt, the sweep of words finds nothing, and every page was read.
// Rule that must stay true: a model never decides what is true about a document; what is shown is a quote that code has located.
import type { Answer, Coverage, Evidence } from '../contract/answer.ts';
import type { Document } from '../contract/document.ts';
import type { EngineModel } from '../contract/engine.ts';
import { CodicilError } from '../contract/errors.ts';
import { Candidates, SentenceIndex, toEvidence, type Search, type SearchHit } from './evidence.ts';
import { contentWords, findLabel, type Label } from './labels.ts';
import { PRESENT, type Reader, type WindowReply } from './reader.ts';
import type { Sentence } from './sentences.ts';
import { stem } from './terms.ts';
import { findValue } from './values.ts';
import { writeAnswer } from './writer.ts';

export interface Question {
  readonly id: string;
  readonly question: string;
  readonly documents: readonly Document[];
  readonly reader: Reader;
  readonly writer: EngineModel | null;
  readonly search: Search;
  /** Wording by label (wordings.json of the Reader); empty: only the person's own words are asked. */
  readonly wordings: Readonly<Record<string, string>>;
  readonly onProgress?: (phase: 'reading' | 'asking' | 'writing', done: number, total: number) => void;
  readonly onText?: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Below this in every window there is no doubt that the Reader saw nothing; between the two the answer is "uncertain". */
export const SURELY_NOT = 0.3;
const MAX_EVIDENCE = 8;
const NEAREST = 3;
const MAX_QUESTION_CHARS = 2000;

/** Answers one question. Errors: invalid_request (no words, too long), no_documents, cancelled, and those of the engine. */
export async function answerQuestion(input: Question): Promise<Answer> {
  const started = performance.now();
  const question = input.question.replace(/\s+/gu, ' ').trim();
  checkQuestion(question, input.documents);
  const label = findLabel(question);
  const turns = turnsOf(question, label, input.wordings);
  const replies = await askReader(input, turns);
  const index = new SentenceIndex(input.documents);
  const candidates = new Candidates();
  candidates.addReplies(replies.flat(), index, PRESENT, label);
  const ids = input.documents.map((document) => document.id);
  const hits = await input.search({ text: question }, ids, 20);
  if (candidates.list().length === 0) await lookCloser(input, turns, label, hits, index, candidates);
  candidates.agree(hits.slice(0, 10), index, 'retrieval');
  const found = toEvidence(candidates.list(), MAX_EVIDENCE);
  const coverage = coverageOf(input.documents, replies[0] ?? []);
  const verdict = decide({ found, replies: replies.flat(), label, question, coverage, index, documents: input.documents });
  const evidence = verdict.verdict === 'uncertain' ? nearest(index, hits, replies.flat()) : found;
  const value = verdict.verdict === 'found' ? await findValue(question, label, evidence, input.reader, input.documents, input.signal) : null;
  const prose =
    input.writer && evidence.length > 0
      ? await writeAnswer({
          question,
          evidence,
          documents: input.documents,
          writer: input.writer,
          reader: input.reader,
          onText: input.onText,
          signal: input.signal,
        })
      : [];
  return {
    id: input.id,
    question,
    documentIds: ids,
    ...verdict,
    value,
    evidence,
    prose,
    coverage,
    model: { reader: input.reader.name, writer: input.writer?.info.name ?? null },
    ms: Math.round(performance.now() - started),
  };
}

function checkQuestion(question: string, documents: readonly Document[]): void {
  if (question === '') throw new CodicilError('invalid_request', 'A question was expected; an empty text was found. Type what you want to know.');
  if (question.length > MAX_QUESTION_CHARS)
    throw new CodicilError(
      'invalid_request',
      `A question of at most ${MAX_QUESTION_CHARS} characters was expected, ${question.length} were found. Shorten it, or add the long text as a document.`,
    );
  if (documents.length === 0) throw new CodicilError('no_documents', 'At least one document was expected and none was given. Add a document, then ask again.');
}

/** The person's own words first, then the wording that the Reader knows for the same subject, if it is another one. */
function turnsOf(question: string, label: Label | null, wordings: Question['wordings']): readonly string[] {
  const known = label ? wordings[label.name] : undefined;
  return known !== undefined && known.toLowerCase() !== question.toLowerCase() ? [question, known] : [question];
}

async function askReader(input: Question, turns: readonly string[]): Promise<readonly (readonly WindowReply[])[]> {
  for (const [done, document] of input.documents.entries()) {
    await input.reader.read(document, {
      signal: input.signal,
      onProgress: (windows, total) => input.onProgress?.('reading', done + (total === 0 ? 1 : windows / total), input.documents.length),
    });
  }
  const all: (readonly WindowReply[])[] = [];
  for (const [turn, words] of turns.entries()) {
    all.push(
      await input.reader.ask(input.documents, `Question: ${words}`, 'question', {
        signal: input.signal,
        onProgress: (done, total) => input.onProgress?.('asking', turn * total + done, turns.length * total),
      }),
    );
  }
  return all;
}

/** Surer than in a whole window: a passage was chosen because it shares words with the question, so `none` is less likely by itself. */
const PRESENT_CLOSE = 0.7;
const PASSAGES = 3;
/** Characters of a passage, about 500 tokens: the short end of what the Reader was trained on. */
const PASSAGE_CHARS = 2000;

/** The Reader found nothing in whole windows: it is asked again about the passages that retrieval finds, each on its own. */
async function lookCloser(
  input: Question,
  turns: readonly string[],
  label: Label | null,
  hits: readonly SearchHit[],
  index: SentenceIndex,
  candidates: Candidates,
): Promise<void> {
  for (const hit of hits.slice(0, PASSAGES)) {
    const at = index.at(hit.span)[0];
    if (!at) continue;
    const passage = passageAround(index.of(at.document), at.sentence.index);
    for (const words of turns) {
      const reply = await input.reader.askPassage(at.document.id, passage, `Question: ${words}`, 'question', { signal: input.signal });
      candidates.addReplies([reply], index, PRESENT_CLOSE, label);
    }
  }
}

/** Sentences around one, growing evenly on both sides. */
function passageAround(sentences: readonly Sentence[], center: number): readonly Sentence[] {
  let from = center;
  let to = center + 1;
  let size = sentences[center]?.text.length ?? 0;
  while (size < PASSAGE_CHARS && (from > 0 || to < sentences.length)) {
    if (from > 0) size += sentences[(from -= 1)]!.text.length;
    if (to < sentences.length) size += sentences[(to += 1) - 1]!.text.length;
  }
  return sentences.slice(from, to);
}

function coverageOf(documents: readonly Document[], replies: readonly WindowReply[]): Coverage {
  const sum = (value: (document: Document) => number): number => documents.reduce((total, document) => total + value(document), 0);
  return {
    documents: documents.length,
    pages: sum((document) => document.receipt.pages),
    pagesRead: sum((document) => document.receipt.pagesWithText),
    ocrPages: sum((document) => document.receipt.ocrPages),
    windows: replies.length,
    windowsRead: replies.length,
    tokens: replies.reduce((total, reply) => total + reply.window.prefix.length, 0),
  };
}

interface Grounds {
  readonly found: readonly Evidence[];
  readonly replies: readonly WindowReply[];
  readonly label: Label | null;
  readonly question: string;
  readonly coverage: Coverage;
  readonly index: SentenceIndex;
  readonly documents: readonly Document[];
}

function decide(grounds: Grounds): { verdict: Answer['verdict']; reason: string } {
  const { found, replies, coverage } = grounds;
  if (found.length > 0) {
    const where = found.length === 1 ? 'one place' : `${found.length} places`;
    return { verdict: 'found', reason: `The Reader points at ${where}; each quote was found literally in the document.` };
  }
  if (coverage.pagesRead < coverage.pages) {
    const unread = coverage.pages - coverage.pagesRead;
    return { verdict: 'uncertain', reason: `${unread} of ${coverage.pages} pages hold no readable text, so nothing can be said about them.` };
  }
  const doubt = replies.reduce((most, reply) => Math.max(most, reply.presence), 0);
  if (doubt >= SURELY_NOT) return { verdict: 'uncertain', reason: 'The Reader found no clear answer, but was not sure of it in every part.' };
  const foreign = grounds.documents.find((document) => !document.language.startsWith('en'));
  if (foreign)
    return { verdict: 'uncertain', reason: `The Reader reads English; “${foreign.name}” is in another language, so nothing can be ruled out there.` };
  if (grounds.label === null && contentWords(grounds.question).length === 0)
    return { verdict: 'uncertain', reason: 'The question names no subject that could be searched for, so its absence cannot be checked.' };
  const swept = sweep(grounds);
  if (swept !== null)
    return { verdict: 'uncertain', reason: `The Reader found no answer, but the words “${swept}” stand in the text: look at the nearest places.` };
  return {
    verdict: 'absent',
    reason: `Every page was read (${coverage.pages}), the Reader says “none” in all ${coverage.windows} windows, and a search for the subject's words finds nothing.`,
  };
}

/** A deterministic second look: the words of a sentence that might answer, or null when there is none. */
function sweep({ label, question, index, documents }: Grounds): string | null {
  const words = contentWords(question);
  for (const document of documents) {
    for (const sentence of index.of(document)) {
      const hit = label?.swept.exec(sentence.text);
      if (hit) return hit[0];
      if (label === null && words.length > 0 && holdsMost(sentence.text, words)) return words.join(', ');
    }
  }
  return null;
}

/** Half of the content words in one sentence are a place worth showing; of two words, one. Words meet by their beginnings. */
function holdsMost(text: string, words: readonly string[]): boolean {
  const present = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
  const meets = (a: string, b: string): boolean => a === b || (a.length >= 4 && b.length >= 4 && (a.startsWith(b) || b.startsWith(a)));
  return words.filter((word) => present.some((other) => meets(word, other))).length * 2 >= words.length;
}

function nearest(index: SentenceIndex, hits: readonly SearchHit[], replies: readonly WindowReply[]): readonly Evidence[] {
  const candidates = new Candidates();
  const best = hits[0]?.score ?? 1;
  for (const hit of hits.slice(0, NEAREST))
    for (const { document, sentence } of index.at(hit.span).slice(0, 1))
      candidates.add(document, sentence, 0.3 * (best > 0 ? hit.score / best : 1), 'retrieval');
  candidates.addReplies(replies, index, SURELY_NOT, null);
  return toEvidence(candidates.list(), NEAREST);
}
