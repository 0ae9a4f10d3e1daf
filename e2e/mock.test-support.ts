// A workspace in memory for work on the window alone: real parsing and comparison, answers found by literal search, no engine.
//
// Run: node e2e/mock.test-support.ts [port]. Words in a question choose what happens: "absent", "slow", "writer", "crash".
// Rule: nothing here ships; it exists to put every state of the window on screen, also those an engine rarely gets into.
import { serveBrowser } from '../electron/workspace/serve.ts';
import { compareDocuments } from '../core/compare/compare.ts';
import type { Answer, Evidence } from '../core/contract/answer.ts';
import type { Clause, Document, DocumentSummary, Span } from '../core/contract/document.ts';
import { CodicilError } from '../core/contract/errors.ts';
import type { WorkspaceEvent } from '../core/contract/events.ts';
import type { Handlers, ModelEntry, Store } from '../core/contract/requests.ts';
import type { Finding } from '../core/contract/review.ts';
import type { Stats } from '../core/contract/stats.ts';
import { SUMMARY_FIELDS, type Field, type Summary } from '../core/contract/summary.ts';

interface Stored {
  readonly document: Document;
  readonly bytes: Uint8Array;
  readonly summary: DocumentSummary;
}
const stored = new Map<string, Stored>();
const listeners = new Set<(event: WorkspaceEvent) => void>();
const stopped = new Set<string>();
let writer: string | null = null;
let busy = false;
const tell = (event: WorkspaceEvent): void => listeners.forEach((listener) => listener(event));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const get = (id: string): Stored => {
  const found = stored.get(id);
  if (!found) throw new CodicilError('not_found', `A document with id ${id.slice(0, 12)} was expected and is not in the library. Add it again.`);
  return found;
};

function place(
  document: Document,
  pattern: RegExp,
): { readonly span: Span; readonly quote: string; readonly clause: Clause | null; readonly page: number } | null {
  for (const block of document.blocks) {
    if (block.kind === 'furniture') continue;
    const match = pattern.exec(block.text);
    if (!match) continue;
    const start = Math.max(0, block.text.lastIndexOf('. ', match.index) + 1);
    const stop = block.text.indexOf('. ', match.index + match[0].length);
    const span = { documentId: document.id, blockId: block.id, start: start === 0 ? 0 : start + 1, end: stop < 0 ? block.text.length : stop + 1 };
    const clause = document.clauses.find((other) => other.spans.some((part) => part.blockId === block.id)) ?? null;
    return { span, quote: block.text.slice(span.start, span.end), clause, page: block.at[0]?.page ?? 0 };
  }
  return null;
}

function evidence(question: string, documents: readonly Document[]): readonly Evidence[] {
  const words = question.toLowerCase().match(/[a-z]{5,}/g) ?? ['agreement'];
  return documents
    .flatMap((document) => words.map((word) => ({ document, found: place(document, new RegExp(`\\b${word}`, 'i')) })))
    .filter((entry) => entry.found !== null)
    .slice(0, 4)
    .map(({ document, found }, at): Evidence => ({
      n: at + 1,
      documentId: document.id,
      documentName: document.name,
      quote: found!.quote,
      spans: [found!.span],
      places: [{ page: found!.page, box: null }],
      pageLabel: document.pages[found!.page]?.label ?? '1',
      path: found!.clause?.path ?? '',
      heading: found!.clause?.heading ?? '',
      score: 0.9 - at * 0.2,
      sources: at === 0 ? ['reader', 'retrieval'] : ['reader'],
      state: at === 3 ? 'repaired' : 'verified',
    }));
}

async function answer({ id, question, documentIds }: { id: string; question: string; documentIds: string[] }): Promise<Answer> {
  const documents = documentIds.map((documentId) => get(documentId).document);
  const total = question.includes('slow') ? 400 : 24;
  busy = true;
  let done = 0;
  for (; done < total && !stopped.has(id); done++) {
    tell({ type: 'answer.progressed', id, phase: 'asking', done, total });
    await wait(30);
  }
  const list = question.includes('absent') ? [] : evidence(question, documents);
  const prose: Answer['prose'] =
    writer === null || list.length === 0
      ? []
      : [
          { text: 'The agreement answers this in the clause quoted first.', citations: [1], state: 'supported', reason: 'The words stand in the quote.' },
          { text: 'It is renewed every year.', citations: [], state: 'uncited', reason: 'No citation was given.' },
        ];
  for (const sentence of prose) {
    tell({ type: 'answer.written', id, text: `${sentence.text} ` });
    await wait(400);
  }
  busy = false;
  if (question.includes('crash'))
    throw new CodicilError('engine_down', 'An answer was expected and the engine process ended while it was reading. It is started again; ask once more.');
  const pages = documents.reduce((sum, document) => sum + document.pages.length, 0);
  const part = done / total;
  const verdict = stopped.has(id) ? 'cut' : list.length > 0 ? 'found' : 'absent';
  const reasons = {
    found: 'The Reader and the search agree on the first place.',
    absent: 'All windows were read; neither the Reader nor the search found a place, and no heading speaks of it.',
    cut: 'You stopped it; what had been found until then is shown.',
  };
  return {
    id,
    question,
    documentIds,
    verdict,
    reason: reasons[verdict],
    value: verdict === 'found' ? '30 days' : null,
    evidence: list,
    prose,
    coverage: { documents: documents.length, pages, pagesRead: Math.round(pages * part), ocrPages: 0, windows: total, windowsRead: done, tokens: 48_200 },
    model: { reader: 'codicil-reader', writer },
    ms: 1830,
  };
}

function field(document: Document, pattern: RegExp): Field {
  const found = place(document, pattern);
  if (!found) return { status: 'not_found', values: [] };
  const value = pattern.exec(found.quote)?.[0] ?? found.quote;
  return {
    status: 'found',
    values: [
      {
        value,
        normalized: /\d/.test(value) ? 'P30D' : null,
        quote: found.quote,
        span: found.span,
        page: found.page,
        path: found.clause?.path ?? '',
        sources: ['extractor', 'reader'],
        confidence: 0.92,
      },
    ],
  };
}

function summary(document: Document): Summary {
  const patterns: Readonly<Record<string, RegExp>> = {
    title: /[A-Z][\w ]+ Agreement/,
    governingLaw: /laws of [A-Z]\w+|Governing Law/,
    term: /Term\b[^.]{0,60}/,
    termination: /terminat[^.]{0,80}/i,
    liabilityCap: /liability[^.]{0,80}/i,
    amounts: /\$[\d,]+|fees/i,
    assignment: /assign[^.]{0,60}/i,
    confidentiality: /Confidential Information[^.]{0,60}/,
    renewalNotice: /\d+ days/,
    audit: /audit[^.]{0,60}/i,
  };
  const fields = Object.fromEntries(
    SUMMARY_FIELDS.map((name): [string, Field] => [
      name,
      patterns[name] ? field(document, patterns[name]) : { status: name === 'insurance' ? 'not_read' : 'not_found', values: [] },
    ]),
  );
  const pages = document.pages.length;
  return {
    schema: 'codicil.summary/1',
    documentId: document.id,
    documentName: document.name,
    language: document.language,
    fields: fields as Summary['fields'],
    coverage: { pages, pagesRead: pages, windows: 24, windowsRead: 24 },
    model: 'codicil-reader',
    createdAt: new Date().toISOString(),
  };
}

function findings(document: Document): readonly Finding[] {
  const rules: readonly [Finding['rule'], Finding['severity'], RegExp, string][] = [
    ['placeholder', 'warning', /_{3,}|\[[^\]]*\]/, 'A blank was left open.'],
    ['undefined-term', 'error', /\b[A-Z]\w+ Law\b/, 'This capitalised term is used but nobody defines it.'],
    ['broken-reference', 'error', /Section \d+(\.\d+)?/, 'No clause of this document has this number.'],
    ['unused-definition', 'info', /“[^”]+” means/, 'This term is defined and never used.'],
  ];
  return rules.flatMap(([rule, severity, pattern, message], at): Finding[] => {
    const found = place(document, pattern);
    return found
      ? [
          {
            id: `f${at}`,
            rule,
            severity,
            message,
            span: found.span,
            related: [],
            fix: null,
            path: found.clause?.path ?? '',
            page: found.page,
            quote: found.quote.slice(0, 160),
          },
        ]
      : [];
  });
}

function models(): readonly ModelEntry[] {
  const entry = (name: string, role: ModelEntry['role'], bytes: number): ModelEntry => ({
    path: `/models/${name}.gguf`,
    name,
    architecture: role === 'reader' ? 'bert' : 'qwen3',
    bytes,
    contextTokens: 32_768,
    license: 'Apache-2.0',
    role,
    shipped: role === 'reader',
    failure: null,
  });
  const broken: ModelEntry = {
    ...entry('Vision-9B', 'none', 9e9),
    failure: { code: 'model_unsupported', message: 'A text model was expected, architecture "vit" was found. Choose another file.' },
  };
  const name = 'Qwen3-4B-Instruct';
  return [entry('codicil-reader', 'reader', 120e6), { ...entry(name, writer === name ? 'writer' : 'none', 2.5e9) }, broken];
}

const stats = (): Stats => ({
  engine: { state: busy ? 'busy' : 'ready' },
  reader: 'codicil-reader',
  writer,
  instructionSet: 'avx2',
  threads: 8,
  contextTokens: 32_768,
  contextUsed: 11_240,
  prefillTokensPerSecond: 2140,
  decodeTokensPerSecond: writer ? 18.4 : 0,
  residentBytes: 1.9e9,
  weightBytes: 1.2e8,
  kvBytes: 6.1e8,
  kvBudgetBytes: 4e9,
  storeBytes: kept().bytes,
  storeBudgetBytes: budgetBytes,
  memoryTotalBytes: 24e9,
  memoryFreeBytes: 13e9,
  cpuCelsius: 61,
  cpuMhz: 3400,
  memoryPressurePercent: 0.2,
  diskFreeBytes: 2.1e11,
  diskFreeInodes: 4.2e6,
  firstTokenMs: 640,
  slowedBy: null,
  gpu: null,
});

let cleared = false;
let budgetBytes = 16e9;
/** Each document in the library, and one that has left it. */
function kept(): Store {
  if (cleared) return { folder: '/nowhere', files: 0, bytes: 0, budgetBytes, documents: [] };
  const documents = [...stored.values()].map(({ summary: row }) => ({ documentId: row.id, name: row.name, files: row.pages * 3, bytes: row.pages * 13e6 }));
  const all = [...documents, { documentId: 'gone', name: null, files: 12, bytes: 1.4e8 }];
  const sum = (key: 'files' | 'bytes'): number => all.reduce((total, entry) => total + entry[key], 0);
  return { folder: '/nowhere', files: sum('files'), bytes: sum('bytes'), budgetBytes, documents: all };
}

const handlers: Handlers = {
  'library.list': async () => ({ documents: [...stored.values()].map((entry) => entry.summary) }),
  'document.add': async ({ document, bytes }) => {
    const row = {
      id: document.id,
      name: document.name,
      kind: document.kind,
      bytes: bytes.length,
      pages: document.pages.length,
      clauses: document.clauses.length,
      addedAt: new Date().toISOString(),
      warnings: document.warnings,
    };
    stored.set(document.id, { document, bytes, summary: row });
    tell({ type: 'document.added', document: row });
    return row;
  },
  'store.show': async () => kept(),
  'store.clear': async () => {
    const { files, bytes } = kept();
    await wait(1200);
    cleared = true;
    return { files, bytes };
  },
  'store.limit': async ({ bytes }) => {
    budgetBytes = bytes;
    return kept();
  },
  'document.get': async ({ documentId }) => get(documentId).document,
  'document.bytes': async ({ documentId }) => ({ bytes: new Uint8Array(get(documentId).bytes) }),
  'document.remove': async ({ documentId }) => {
    stored.delete(documentId);
    tell({ type: 'document.removed', documentId });
    return {};
  },
  'document.lint': async ({ documentId }) => ({ findings: findings(get(documentId).document) }),
  'comparison.run': async ({ beforeId, afterId }) => compareDocuments(get(beforeId).document, get(afterId).document),
  'summary.run': async ({ documentId }) => {
    await wait(600);
    return summary(get(documentId).document);
  },
  'answer.ask': answer,
  'answer.cancel': async ({ id }) => {
    stopped.add(id);
    return {};
  },
  'model.list': async () => ({ models: models() }),
  'model.choose': async ({ path }) => {
    await wait(500);
    writer = path === null ? null : (models().find((model) => model.path === path)?.name ?? null);
    return { models: models() };
  },
  'engine.stats': async () => stats(),
};

setInterval(() => tell({ type: 'stats.changed', stats: stats() }), 1000);
const subscribe = (listener: (event: WorkspaceEvent) => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const port = Number(process.argv[2] ?? 4848);
const served = await serveBrowser({
  workspace: { handlers, subscribe },
  folder: new URL('../dist/renderer', import.meta.url).pathname,
  port,
  token: process.argv[3],
});
process.stdout.write(`${served.url}\n`);
