// Evidence found by code alone: the clauses of a contract that decide a hypothesis (ContractNLI), the clauses of many contracts that fit a query (ACORD).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { z } from 'zod';
import { Bm25 } from '../../../core/ask/bm25.ts';
import { ClauseIndex } from '../../../core/ask/clauseSearch.ts';
import { PassageIndex } from '../../../core/ask/passageIndex.ts';
import { questionTerms, termsOf } from '../../../core/ask/terms.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { foldDocument, foldText, overlap } from '../cuad.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

const three = (value: number): string => value.toFixed(3);

const NliSchema = z.object({
  documents: z.array(
    z.object({
      id: z.number(),
      text: z.string(),
      spans: z.array(z.tuple([z.number(), z.number()])),
      annotation_sets: z.array(z.object({ annotations: z.record(z.string(), z.object({ choice: z.string(), spans: z.array(z.number()) })) })),
    }),
  ),
  labels: z.record(z.string(), z.object({ short_description: z.string(), hypothesis: z.string() })),
});

/** Clauses that a Reader would be given for one hypothesis. */
const CLAUSES = 5;

const evidence: Row = {
  id: 'contractnli-evidence',
  what: 'evidence spans inside the five clauses that code ranks best for a hypothesis',
  set: 'contracts/contractnli/dev.json',
  target: 'recall >= 0.9',
  async run(corpora, log): Promise<RowResult> {
    const file = join(corpora, 'contracts/contractnli/dev.json');
    if (!existsSync(file)) throw new MissingSet(file);
    const { documents, labels } = NliSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const sum = { found: 0, wanted: 0, read: 0, pairs: 0, passages: 0 };
    const kinds = new Map<string, { found: number; wanted: number }>();
    for (const { id, text, spans, annotation_sets } of documents) {
      const document = await parseDocument(new TextEncoder().encode(text), `${id}.txt`);
      const [raw, place] = [foldText(text), foldDocument(document)];
      const index = new ClauseIndex([document]);
      sum.passages += index.passages.length;
      for (const [label, { choice, spans: chosen }] of Object.entries(annotation_sets[0]?.annotations ?? {})) {
        if (choice === 'NotMentioned') continue;
        const read = index.search(labels[label]?.hypothesis ?? '', CLAUSES).flatMap(({ passage }) => passage.spans.map(place));
        sum.read += read.reduce((all, range) => all + range.end - range.start, 0) / Math.max(1, raw.length);
        sum.pairs++;
        const kind = kinds.get(label) ?? { found: 0, wanted: 0 };
        kinds.set(label, kind);
        for (const at of chosen) {
          const [start, end] = (spans[at] ?? [0, 0]).map((offset) => raw.offset(offset)) as [number, number];
          const covered = read
            .filter((range) => overlap(range, { start, end }))
            .some((range) => Math.min(range.end, end) - Math.max(range.start, start) >= (end - start) / 2);
          kind.wanted++;
          if (covered) kind.found++;
        }
      }
    }
    for (const [label, { found, wanted }] of kinds) {
      log(`${labels[label]?.short_description}: ${found} of ${wanted}`);
      sum.found += found;
      sum.wanted += wanted;
    }
    const recall = sum.found / sum.wanted;
    return {
      score: `recall ${three(recall)}: ${sum.found} of ${sum.wanted} spans; ${(sum.passages / documents.length).toFixed(0)} clauses a contract, ${((100 * sum.read) / sum.pairs).toFixed(0)} % of its text read`,
      reached: recall >= 0.9,
      failures: [],
    };
  },
};

/** BEIR's line format; its `_id` becomes `id`. */
const ClauseLine = z.object({ _id: z.string(), text: z.string() }).transform(({ _id: id, text }) => ({ id, text }));

/** Queries, clauses and grades of ACORD out of its archive. */
function readAcord(corpora: string): {
  readonly clauses: readonly z.infer<typeof ClauseLine>[];
  readonly queries: ReadonlyMap<string, string>;
  readonly grades: (split: string) => ReadonlyMap<string, ReadonlyMap<string, number>>;
} {
  const folder = join(corpora, 'contracts/acord');
  const archive = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.zip')) : undefined;
  if (archive === undefined) throw new MissingSet(folder);
  const files = unzipSync(readFileSync(join(folder, archive)));
  const text = (end: string): string => strFromU8(Object.entries(files).find(([name]) => name.endsWith(end))?.[1] ?? new Uint8Array());
  const lines = (end: string): z.infer<typeof ClauseLine>[] =>
    text(end)
      .trim()
      .split('\n')
      .map((line) => ClauseLine.parse(JSON.parse(line)));
  const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
  return {
    clauses: lines('/corpus.jsonl'),
    queries: new Map(lines('/queries.jsonl').map((line) => [line.id, line.text])),
    grades: (split) => {
      const found = new Map<string, Map<string, number>>();
      for (const line of text(`qrels/${split}.tsv`).trim().split('\n').slice(1)) {
        const [query = '', clause = '', grade = '0'] = line.split('\t');
        const own = found.get(unquoted(query)) ?? new Map<string, number>();
        found.set(unquoted(query), own.set(clause, Number(grade)));
      }
      return found;
    },
  };
}

/** Normalised discounted cumulative gain of the first five, with the grades as gains (as BEIR counts). */
function ndcg5(ranked: readonly string[], grades: ReadonlyMap<string, number>): number {
  const gain = (list: readonly number[]): number => list.slice(0, 5).reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0);
  const ideal = gain([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : gain(ranked.map((id) => grades.get(id) ?? 0)) / ideal;
}

const acord: Row = {
  id: 'acord',
  what: 'clauses ranked for a lawyer’s query, NDCG@5 on the test half, against plain BM25',
  set: 'contracts/acord',
  target: 'BM25 beaten',
  run(corpora, log): Promise<RowResult> {
    const { clauses, queries, grades } = readAcord(corpora);
    const ours = new PassageIndex(clauses.map(({ text }) => ({ heading: '', above: '', text })));
    const plain = new Bm25(clauses.map(({ text }) => termsOf(text)));
    const mean = { ours: 0, plain: 0 };
    const test = grades('test');
    for (const [id, graded] of test) {
      const query = queries.get(id) ?? id;
      const ids = (indices: readonly number[]): string[] => indices.map((index) => clauses[index]?.id ?? '').filter((clause) => graded.has(clause));
      const own = ndcg5(ids([...ours.score(query, questionTerms(query))].sort((a, b) => b[1] - a[1]).map(([index]) => index)), graded);
      const base = ndcg5(ids(plain.search(termsOf(query), clauses.length).map((hit) => hit.index)), graded);
      log(`${three(own)} (BM25 ${three(base)}) ${query}`);
      mean.ours += own / test.size;
      mean.plain += base / test.size;
    }
    return Promise.resolve({
      score: `NDCG@5 ${three(mean.ours)} (BM25 ${three(mean.plain)}) over ${test.size} queries and ${clauses.length} clauses`,
      reached: mean.ours > mean.plain,
      failures: [],
    });
  },
};

export const rows: readonly Row[] = [evidence, acord];
