// A short value for an answer ("California", "30 days"): only one that stands literally in the evidence is ever given.
//
// Owns: which kind of value a question asks for, and where it is taken from: the Reader's `Extract:` form for the labels that were
// trained, otherwise the first amount, period or date of the best evidence.
// Rule: no value is computed, completed or rephrased.
import type { Evidence } from '../contract/answer.ts';
import type { Document } from '../contract/document.ts';
import { fold } from './citations.ts';
import { holdsEvidence } from './evidence.ts';
import { EXTRACT_WORDS, type Label } from './labels.ts';
import type { Reader } from './reader.ts';

const NUMBER_WORDS = 'one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|eighteen|twenty|thirty|forty|forty-five|sixty|ninety';
const PERIOD = new RegExp(
  `\\b(?:(?:${NUMBER_WORDS}|\\d+)\\s*(?:\\(\\s*\\d+\\s*\\)\\s*)?)(?:business |calendar |consecutive )?(?:day|week|month|year|hour)s?\\b|\\d+\\s*(?:天|日|个月|年)`,
  'iu',
);
const AMOUNT =
  /(?:US\$|\$|€|£|¥|USD|EUR|GBP|RMB|CNY)\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:million|billion|thousand))?|\d[\d,.]*\s?(?:dollars|euros|pounds|元|万元)|\d+(?:\.\d+)?\s?%/iu;
const DATE =
  /\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2},?\s+\d{4}\b|\b\d{1,2}\s+(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{4}\b|\b\d{4}-\d{2}-\d{2}\b|\d{4}年\d{1,2}月\d{1,2}日/u;

/** Patterns by the question's own words, in the order in which they are tried. */
function patternsFor(question: string): readonly RegExp[] {
  if (/how (long|many (days|months|years|hours))|notice|period|within/i.test(question)) return [PERIOD];
  if (/how much|amount|price|fee|interest|rate|percent|cap\b/i.test(question)) return [AMOUNT, PERIOD];
  if (/\bwhen\b|date|deadline|due/i.test(question)) return [DATE, PERIOD];
  return [];
}

export async function findValue(
  question: string,
  label: Label | null,
  evidence: readonly Evidence[],
  reader: Reader,
  documents: readonly Document[],
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const extract = label ? EXTRACT_WORDS[label.name] : undefined;
  if (extract !== undefined) {
    const value = await extractedValue(extract, evidence, reader, documents, signal);
    if (value !== null) return value;
  }
  const best = evidence[0];
  if (!best) return null;
  for (const pattern of patternsFor(question)) {
    const match = pattern.exec(best.quote);
    if (match) return match[0];
  }
  return null;
}

/** The `Extract:` answer of the window that holds the best evidence, if it stands literally in a quoted sentence. */
async function extractedValue(
  extract: string,
  evidence: readonly Evidence[],
  reader: Reader,
  documents: readonly Document[],
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const best = evidence[0];
  const document = documents.find((entry) => entry.id === best?.documentId);
  if (!best || !document) return null;
  const replies = await reader.ask([document], `Extract: ${extract}`, 'extract', { signal, only: (window) => holdsEvidence(window, best) });
  const quotes = evidence.map((entry) => fold(entry.quote).text);
  const usable = replies
    .filter((reply) => reply.value !== null && quotes.some((quote) => quote.includes(fold(reply.value!).text)))
    .sort((a, b) => b.presence - a.presence);
  return usable[0]?.value ?? null;
}
