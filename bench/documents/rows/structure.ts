// Clause trees, cross-references and their speed against truth that does not come from the parser.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clause, Document } from '../../../core/contract/document.ts';
import { readLabel } from '../../../core/ingest/labels.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { cuadCases } from '../cuad.ts';
import { readOutline, STYLES, writeOutline, type Style } from '../outlines.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

const parse = (text: string, name: string): Promise<Document> => parseDocument(new TextEncoder().encode(text), name);
const share = (part: number, whole: number): string => `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;

/** Markdown files with numbered lists: the last version of each agreement, and the templates. */
function agreements(corpora: string): { readonly name: string; readonly text: string }[] {
  const folders = ['contracts/versions', 'contracts/templates'].map((folder) => join(corpora, folder));
  if (!folders.every((folder) => existsSync(folder))) throw new MissingSet(folders[0] as string);
  return folders.flatMap((folder) =>
    readdirSync(folder).flatMap((set) => {
      const files = readdirSync(join(folder, set))
        .filter((file) => file.endsWith('.md') && !/readme/i.test(file))
        .sort();
      return (folder.endsWith('versions') ? files.slice(-1) : files).map((file) => ({
        name: `${set}/${file}`,
        text: readFileSync(join(folder, set, file), 'utf8'),
      }));
    }),
  );
}

/** Path of a clause by the positions of its ancestors among their numbered siblings: the same in every style. */
function positions(document: Document): { readonly clause: Clause; readonly path: string }[] {
  const counts = new Map<string, number>();
  const paths = new Map<string, string>();
  return document.clauses.flatMap((clause) => {
    if (clause.number === '') return [];
    const parent = clause.parentId ?? '';
    const count = (counts.get(parent) ?? 0) + 1;
    counts.set(parent, count);
    const above = paths.get(parent);
    const path = above === undefined ? String(count) : `${above}/${count}`;
    paths.set(clause.id, path);
    return [{ clause, path }];
  });
}

async function measureStyle(
  corpora: string,
  style: Style,
  log: (line: string) => void,
): Promise<{ right: number; given: number; wanted: number; failures: string[] }> {
  const total = { right: 0, given: 0, wanted: 0, failures: [] as string[] };
  const cited = !style.path([1, 2]).includes('/');
  for (const { name, text } of agreements(corpora)) {
    const outline = readOutline(text);
    if (outline.length < 3) continue;
    const written = writeOutline(outline, style);
    const found = positions(await parse(written.text, 'outline.txt')).map(({ clause, path }) => (cited ? clause.path : path));
    const free = new Map<string, number>();
    for (const path of found) free.set(path, (free.get(path) ?? 0) + 1);
    const missed = written.clauses.filter(({ path }) => {
      const left = free.get(path) ?? 0;
      free.set(path, left - 1);
      return left <= 0;
    });
    total.wanted += written.clauses.length;
    total.given += found.length;
    total.right += written.clauses.length - missed.length;
    if (missed.length > 0) {
      const line = `${style.name} ${name}: ${missed.length} of ${written.clauses.length} missed, first ${missed[0]?.path}`;
      total.failures.push(line);
      log(line);
    }
  }
  return total;
}

const styleRow = (style: Style): Row => ({
  id: `paths-${STYLES.indexOf(style) + 1}`,
  what: `clause paths of agreements numbered ${style.name}`,
  set: 'contracts/versions, contracts/templates (Markdown lists written out as plain text)',
  target: 'F1 >= 0.98',
  async run(corpora, log): Promise<RowResult> {
    const { right, given, wanted, failures } = await measureStyle(corpora, style, log);
    const f1 = (2 * right) / Math.max(1, given + wanted);
    return { score: `F1 ${f1.toFixed(3)}: ${right} right, ${given} given, ${wanted} wanted`, reached: f1 >= 0.98, failures };
  },
});

/** Common Paper's Markdown carries the number of every clause as an id. */
const declared: Row = {
  id: 'paths-declared',
  what: 'clause paths of Markdown against the ids its authors wrote',
  set: 'contracts/templates, contracts/versions (CommonPaper)',
  target: '>= 98 %',
  async run(corpora): Promise<RowResult> {
    let [right, wanted] = [0, 0];
    const failures: string[] = [];
    for (const { name, text } of agreements(corpora)) {
      const ids = [...text.matchAll(/<span class="header_\d" id="([\d.]+)">\s*([^<]*)/g)].map((match) => ({
        id: (match[1] as string).replace(/\.$/, ''),
        title: (match[2] as string).trim(),
      }));
      if (ids.length === 0) continue;
      const document = await parse(text, name);
      const found = new Map(document.clauses.map((clause) => [clause.path, clause.heading]));
      const missed = ids.filter(({ id, title }) => found.get(id) !== title.replace(/[.:]\s*$/, ''));
      wanted += ids.length;
      right += ids.length - missed.length;
      failures.push(...missed.slice(0, 5).map(({ id, title }) => `${name}: expected ${id} "${title}", found "${found.get(id) ?? 'no such path'}"`));
    }
    return { score: share(right, wanted), reached: right >= 0.98 * wanted, failures };
  },
};

/** "Section 5 (Permitted Disclosures)": the bracket tells which heading the target must have. */
const named: Row = {
  id: 'references-named',
  what: 'cross-references that name the heading of their target',
  set: 'contracts/versions, contracts/templates (Bonterms)',
  target: '>= 98 %',
  async run(corpora): Promise<RowResult> {
    let [right, wanted] = [0, 0];
    const failures: string[] = [];
    for (const { name, text } of agreements(corpora)) {
      const document = await parse(text, name);
      const clauses = new Map(document.clauses.map((clause) => [clause.id, clause]));
      const blocks = new Map(document.blocks.map((block) => [block.id, block.text]));
      for (const reference of document.references) {
        const named = /^\s\(([A-Z][^()]{2,60})\)/.exec((blocks.get(reference.span.blockId) ?? '').slice(reference.span.end))?.[1];
        if (named === undefined || /^(?:e\.g|i\.e|as |the )/i.test(named) || !/^section/i.test(reference.text)) continue;
        wanted++;
        const heading = clauses.get(reference.targetId ?? '')?.heading ?? '';
        // "Representations & Warranties from Provider" for 6.3 "From Provider" below 6: the end of the name is the clause's own heading.
        if (heading !== '' && named.toLowerCase().endsWith(heading.toLowerCase())) right++;
        else failures.push(`${name}: ${reference.text} (${named}) leads to "${heading}"`);
      }
    }
    return { score: share(right, wanted), reached: right >= 0.98 * wanted, failures };
  },
};

/** Numbers that go on with their sibling, lists that begin at one, references that lead somewhere: no truth, but a tree that is wrong breaks them. */
const consistency: Row = {
  id: 'structure-cuad',
  what: 'filings as text: numbers in sequence, references with a target',
  set: 'contracts/cuad/txt',
  target: 'reported',
  async run(corpora): Promise<RowResult> {
    const sum = { clauses: 0, steps: 0, followed: 0, lists: 0, first: 0, references: 0, resolved: 0 };
    const failures: string[] = [];
    for await (const { name, document } of cuadCases(corpora)) {
      let broken = 0;
      for (const family of Map.groupBy(
        document.clauses.filter((clause) => clause.number !== ''),
        (clause) => clause.parentId,
      ).values()) {
        const values = family.map((clause) => readLabel(`${clause.number}. `)?.readings ?? readLabel(`${clause.number} `)?.readings ?? []);
        sum.lists++;
        if (values[0]?.some((reading) => reading.values.at(-1) === 1)) sum.first++;
        for (const [index, readings] of values.slice(1).entries()) {
          const before = values[index] ?? [];
          const good = readings.some(
            (now) => now.values.at(-1) === 1 || before.some((last) => last.form === now.form && now.values.at(-1) === (last.values.at(-1) ?? 0) + 1),
          );
          sum.steps++;
          if (good) sum.followed++;
          else broken++;
        }
      }
      if (broken > 5) failures.push(`${name}: ${broken} numbers do not follow their sibling`);
      sum.clauses += document.clauses.length;
      sum.references += document.references.length;
      sum.resolved += document.references.filter((reference) => reference.targetId !== null).length;
    }
    return {
      score: `${sum.clauses} clauses; in sequence ${share(sum.followed, sum.steps)}; lists from one ${share(sum.first, sum.lists)}; references with a target ${share(sum.resolved, sum.references)}`,
      reached: null,
      failures,
    };
  },
};

/** Characters of a printed page of a contract. */
const PAGE = 3000;

function longContract(pages: number): string {
  const lines: string[] = [];
  for (let characters = 0, article = 1; characters < pages * PAGE; article++)
    for (const line of [
      `${article}. Article ${article} Heading`,
      ...Array.from(
        { length: 9 },
        (_unused, item) =>
          `${article}.${item + 1} The “Term${article}x${item}” means, subject to Section ${Math.max(1, article - 1)}.${item + 1} and Exhibit A, that the Supplier shall deliver within thirty (30) days and indemnify the Customer as set out in clause ${article}.1.`,
      ),
    ]) {
      lines.push(line);
      characters += line.length;
    }
  return lines.join('\n\n');
}

const speed: Row = {
  id: 'structure-speed',
  what: 'text to Document: CPU time a page at 30, 300 and 3,000 pages',
  set: 'made here',
  target: '<= 1 ms a page at 3,000 pages, growth <= 1.5',
  async run(): Promise<RowResult> {
    const perPage: number[] = [];
    await parse(longContract(30), 'warm.txt');
    for (const pages of [30, 300, 3000]) {
      const text = longContract(pages);
      const start = process.cpuUsage();
      await parse(text, 'long.txt');
      const used = process.cpuUsage(start);
      perPage.push((used.user + used.system) / 1000 / pages);
    }
    const last = perPage[2] ?? 0;
    return {
      score: `${perPage.map((ms) => ms.toFixed(2)).join(', ')} ms a page (CPU)`,
      reached: last <= 1 && last <= 1.5 * (perPage[1] ?? 0),
      failures: [],
    };
  },
};

export const rows: readonly Row[] = [...STYLES.map(styleRow), declared, named, consistency, speed];
