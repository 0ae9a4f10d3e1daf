// A short value for an answer ("California", "30 days"): only one that stands literally in the evidence is ever given.
//
// Owns: which kind of value a question asks for, and where it is taken from: the Reader's `Extract:` form for the labels that were
// trained, otherwise the first amount, period or date of the best evidence.
// Rule: no value is computed, completed or rephrased.
import type { Evidence } from '../contract/answer.ts';
import type { Document } from '../contract/document.ts';
import { findAmounts } from '../extract/amounts.ts';
import { findDates } from '../extract/dates.ts';
import { findDurations } from '../extract/durations.ts';
import { fold } from './citations.ts';
import { holdsEvidence } from './evidence.ts';
import { EXTRACT_WORDS, type Label } from './labels.ts';
import type { Reader } from './reader.ts';

type Finder = (text: string) => readonly { readonly start: number; readonly end: number }[];

const RATE = /\d+(?:\.\d+)?\s?%/gu;
const sumsAndRates: Finder = (text) => {
  const rates = [...text.matchAll(RATE)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  return [...findAmounts(text), ...rates].toSorted((a, b) => a.start - b.start);
};

/** Finders by the question's own words, in the order in which they are tried. */
function findersFor(question: string): readonly Finder[] {
  if (/how (long|many (days|months|years|hours))|notice|period|within/i.test(question)) return [findDurations];
  if (/how much|amount|price|fee|interest|rate|percent|cap\b/i.test(question)) return [sumsAndRates, findDurations];
  if (/\bwhen\b|date|deadline|due/i.test(question)) return [findDates, findDurations];
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
  for (const find of findersFor(question)) {
    const first = find(best.quote)[0];
    if (first) return best.quote.slice(first.start, first.end);
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
