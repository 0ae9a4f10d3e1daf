// The structured summary of one document: deterministic extractors first, the Reader beside them, each value with its place.
//
// Owns: which question stands behind a field, how two sources agree or conflict, and the four statuses.
// Rules that must stay true: a value is cut out of the document, never written by a model; `not_found` is an absence and follows its rule: the
// Reader was asked and says none in every window, no word of the subject stands in the text, and every page was read in a language the Reader
// reads. All else is `not_read`: nothing was found, and nothing may be concluded from that.
import { isContent, type Document } from '../contract/document.ts';
import { SUMMARY_FIELDS, type Field, type FieldValue, type Summary, type SummaryField } from '../contract/summary.ts';
import { extractFields } from '../extract/fields.ts';
import { SURELY_NOT } from './answer.ts';
import { fold } from './citations.ts';
import { clauseHeading, isAbout, overlaps } from './evidence.ts';
import { EXTRACT_WORDS, getLabel, type Label } from './labels.ts';
import { PRESENT, type Reader, type WindowReply } from './reader.ts';
import type { Sentence } from './sentences.ts';

export interface SummaryInput {
  readonly document: Document;
  /** Null: extractors only; fields without one are `not_read`. */
  readonly reader: Reader | null;
  readonly wordings: Readonly<Record<string, string>>;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

interface Probe {
  /** Label of wordings.json whose wording is asked. */
  readonly label: string;
  /** One short value at most, never a whole sentence: a second, different one is a conflict. */
  readonly single: boolean;
}

const probe = (label: string, single = false): Probe => ({ label, single });

const PROBES: Partial<Record<SummaryField, Probe>> = {
  title: probe('Document Name', true),
  parties: probe('Parties'),
  agreementDate: probe('Agreement Date', true),
  effectiveDate: probe('Effective Date', true),
  expirationDate: probe('Expiration Date', true),
  renewal: probe('Renewal Term'),
  renewalNotice: probe('Notice Period To Terminate Renewal'),
  governingLaw: probe('Governing Law', true),
  liabilityCap: probe('Cap On Liability'),
  termination: probe('Termination For Convenience'),
  assignment: probe('Anti-Assignment'),
  insurance: probe('Insurance'),
  audit: probe('Audit Rights'),
  nonCompete: probe('Non-Compete'),
  exclusivity: probe('Exclusivity'),
  license: probe('License Grant'),
};
/** Most Reader sentences kept for one field; the answer to a question lists more. */
const MAX_VALUES = 5;

export async function summarizeDocument(input: SummaryInput): Promise<Summary> {
  const { document, reader } = input;
  const extracted = extractFields(document);
  const windows = reader ? await reader.read(document, { signal: input.signal }) : [];
  const fields = {} as Record<SummaryField, Field>;
  const readAll = document.receipt.pagesWithText === document.receipt.pages;
  for (const [done, name] of SUMMARY_FIELDS.entries()) {
    input.onProgress?.(done, SUMMARY_FIELDS.length);
    fields[name] = await summarizeField(name, extracted[name] ?? [], input, readAll);
  }
  input.onProgress?.(SUMMARY_FIELDS.length, SUMMARY_FIELDS.length);
  return {
    schema: 'codicil.summary/1',
    documentId: document.id,
    documentName: document.name,
    language: document.language,
    fields,
    coverage: { pages: document.receipt.pages, pagesRead: document.receipt.pagesWithText, windows: windows.length, windowsRead: windows.length },
    model: reader?.name ?? null,
    createdAt: new Date().toISOString(),
  };
}

async function summarizeField(name: SummaryField, extracted: readonly FieldValue[], input: SummaryInput, readAll: boolean): Promise<Field> {
  const asked = PROBES[name];
  const pointed = input.reader && asked ? await pointedValues(asked, input.reader, input) : NOT_ASKED;
  const values = mergeValues(extracted, pointed.values);
  if (values.length > 0) return { status: asked?.single && differ(values) ? 'conflicting' : 'found', values };
  const label = asked === undefined ? null : getLabel(asked.label);
  const absent = readAll && pointed.none && label !== null && input.document.language.startsWith('en') && !isSpokenOf(label, name, input.document);
  return { status: absent ? 'not_found' : 'not_read', values: [] };
}

/** Wider than the label: the summary asks for any termination, the label for one kind of it. */
const SWEPT: Partial<Record<SummaryField, RegExp>> = { termination: /terminat|cancel|rescind/i };

/** A word of the subject stands somewhere in the text. */
function isSpokenOf(label: Label, name: SummaryField, document: Document): boolean {
  const words = SWEPT[name] ?? label.swept;
  return document.blocks.some((block) => isContent(block) && words.test(block.text));
}

interface Pointed {
  readonly values: readonly FieldValue[];
  /** The Reader was asked and is sure in every window that nothing answers. */
  readonly none: boolean;
}
const NOT_ASKED: Pointed = { values: [], none: false };

/** What the Reader points at: the literal `Extract:` value where there is one, the sentence otherwise. */
async function pointedValues(asked: Probe, reader: Reader, input: SummaryInput): Promise<Pointed> {
  const wording = input.wordings[asked.label];
  const turns: Promise<readonly WindowReply[]>[] = [];
  const extract = EXTRACT_WORDS[asked.label];
  if (extract !== undefined) turns.push(reader.ask([input.document], `Extract: ${extract}`, 'extract', { signal: input.signal }));
  if (wording !== undefined && !asked.single) turns.push(reader.ask([input.document], `Question: ${wording}`, 'question', { signal: input.signal }));
  const all = (await Promise.all(turns)).flat();
  const replies = all.filter((reply) => reply.verdict !== 'none' && reply.presence >= PRESENT);
  const label = getLabel(asked.label);
  const values = replies
    .flatMap((reply) => replyValues(reply, input.document, label))
    .sort((a, b) => b.confidence - a.confidence)
    .filter(isFirstOfItsPlace)
    .slice(0, MAX_VALUES);
  return { values, none: all.length > 0 && all.every(({ verdict, presence }) => verdict === 'none' && presence < SURELY_NOT) };
}

/** An extracted value and the whole sentence around it are one finding: the first (more confident or shorter) stays. */
function isFirstOfItsPlace(value: FieldValue, index: number, all: readonly FieldValue[]): boolean {
  return !all.some((other, i) => i !== index && overlaps(other.span, value.span) && (isInside(other, value) || (i < index && !isInside(value, other))));
}
const isInside = (inner: FieldValue, outer: FieldValue): boolean =>
  inner.span.start >= outer.span.start && inner.span.end <= outer.span.end && inner.span.end - inner.span.start < outer.span.end - outer.span.start;

function replyValues(reply: WindowReply, document: Document, label: Label | null): readonly FieldValue[] {
  return reply.indices.flatMap((index) => {
    const sentence = reply.window.sentences[index];
    const span = sentence?.spans[0];
    if (!sentence || !span || isHeadingOnly(document, sentence) || (label && !isAbout(label, document, sentence))) return [];
    const at = reply.value === null ? null : literal(reply.value, document, span);
    if (reply.value !== null && at === null) return [];
    const clause = document.clauses.find((entry) => entry.id === sentence.clauseId);
    const block = document.blocks.find((entry) => entry.id === span.blockId);
    const where = at ?? span;
    return [
      {
        value: block?.text.slice(where.start, where.end) ?? sentence.text,
        normalized: null,
        quote: sentence.text,
        span: where,
        page: sentence.page,
        path: clause ? [clause.path, clauseHeading(document, clause)].filter((part) => part !== '').join(' ') : '',
        sources: ['reader' as const],
        confidence: reply.presence,
      },
    ];
  });
}

/** "(d) Termination Remedies." names a subject and says nothing about it. */
function isHeadingOnly(document: Document, sentence: Sentence): boolean {
  const clause = document.clauses.find((entry) => entry.id === sentence.clauseId);
  const letters = (text: string): string => fold(text).text.replace(/[^\p{L}]/gu, '');
  return (
    clause !== undefined &&
    clause.heading !== '' &&
    letters(sentence.text).endsWith(letters(clause.heading)) &&
    sentence.text.length <= clause.heading.length + 12
  );
}

/** Where a generated value stands inside a sentence; null when it does not, and then it is not used. */
function literal(value: string, document: Document, span: { documentId: string; blockId: string; start: number; end: number }): typeof span | null {
  const text = document.blocks.find((block) => block.id === span.blockId)?.text.slice(span.start, span.end) ?? '';
  const hay = fold(text);
  const needle = fold(value).text;
  const at = needle === '' ? -1 : hay.text.indexOf(needle);
  if (at < 0) return null;
  return { ...span, start: span.start + hay.origin[at]!, end: span.start + hay.origin[at + needle.length - 1]! + 1 };
}

/** Extractor values keep their normal form; a Reader value at the same place confirms them, another one is added. */
function mergeValues(extracted: readonly FieldValue[], pointed: readonly FieldValue[]): readonly FieldValue[] {
  const agrees = (a: FieldValue, b: FieldValue): boolean => overlaps(a.span, b.span) || fold(a.value).text === fold(b.value).text;
  const merged = extracted.map((value) => {
    const confirmed = pointed.some((other) => agrees(value, other));
    return confirmed ? { ...value, sources: [...new Set([...value.sources, 'reader' as const])], confidence: Math.min(1, value.confidence + 0.2) } : value;
  });
  return [...merged, ...pointed.filter((value) => !extracted.some((other) => agrees(value, other)))].sort((a, b) => b.confidence - a.confidence);
}

/** Two confident values that neither are the same nor contain each other. */
function differ(values: readonly FieldValue[]): boolean {
  const sure = values.filter((value) => value.confidence >= PRESENT);
  const key = (value: FieldValue): string => value.normalized ?? fold(value.value).text;
  return sure.some((a) => sure.some((b) => !key(a).includes(key(b)) && !key(b).includes(key(a)) && !fold(a.quote).text.includes(fold(b.value).text)));
}
