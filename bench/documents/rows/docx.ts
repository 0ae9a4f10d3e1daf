// Rows about Word files: numbers that Word computed, tracked changes in their views, everything that is odd.
//
// Right answers: results of REF and TOC fields that Word stored, docx4j's documents that say their own numbers, pandoc's goldens,
// the Accepted and Rejected twins of open-xml-powertools. Nothing here is chosen by name: every file of a folder is asked.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Block, View } from '../../../core/contract/document.ts';
import { toFailure } from '../../../core/contract/errors.ts';
import { parseInstruction } from '../../../core/ingest/docx/fields.ts';
import { readDocx, type DocxContent } from '../../../core/ingest/docx/readDocx.ts';
import { Watch } from '../../../core/ingest/limits.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { childrenOf, findAll, isNode, parseNative, stringOf, textOf, type Native } from '../pandocNative.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

const WORD = '**/*.{docx,docm,dotx,dotm}';
/** The limit for one file. */
const LONGEST_MS = 30_000;

function filesIn(corpora: string, folder: string, pattern: string): string[] {
  const root = path.join(corpora, folder);
  const files = existsSync(root) ? globSync(pattern, { cwd: root }).map((file) => path.join(root, file)) : [];
  if (files.length === 0) throw new MissingSet(root);
  return files.toSorted();
}

function read(file: string, view: View = 'accepted'): Promise<DocxContent> {
  return readDocx(new Uint8Array(readFileSync(file)), path.basename(file), new Watch({}), view);
}

function share(good: number, all: number): string {
  return `${good} of ${all} (${all === 0 ? '-' : ((100 * good) / all).toFixed(1)} %)`;
}

function result(good: number, failures: readonly string[], least: number): RowResult {
  const all = good + failures.length;
  return { score: share(good, all), reached: all > 0 && good >= least * all, failures };
}

/** Runs `check` on every file that can be read; it returns undefined for right and a sentence for wrong answers. */
async function everyFile(
  files: readonly string[],
  check: (content: DocxContent, file: string) => readonly (string | undefined)[],
): Promise<(string | undefined)[]> {
  const answers: (string | undefined)[] = [];
  for (const file of files) {
    const content = await read(file).catch(() => null);
    if (content) answers.push(...check(content, file).map((answer) => answer && `${path.basename(file)}: ${answer}`));
  }
  return answers;
}

function outcome(answers: readonly (string | undefined)[], least: number): RowResult {
  const failures = answers.filter((answer) => answer !== undefined);
  return result(answers.length - failures.length, failures, least);
}

/** What Word shows for the number of the target: \n its own, \w in full context, \r in full or from the first level that differs. */
function shownNumbers(instruction: string, context: readonly string[]): string[] {
  const { switches } = parseInstruction(instruction);
  const from = (start: number): string => context.slice(start).join('').replace(/\.$/, '');
  if (switches.has('n') && !switches.has('w')) return [from(context.length - 1)];
  return switches.has('r') ? context.map((_part, index) => from(index)) : [from(0)];
}

function storedNumbers(content: DocxContent): (string | undefined)[] {
  const blocks = new Map(content.blocks.map((block) => [block.id, block]));
  return content.crossReferences.flatMap(({ span, instruction, targetBlockId }) => {
    const target = blocks.get(targetBlockId ?? '');
    const block = blocks.get(span.blockId);
    if (!target || !block) return [];
    const stored = block.text.slice(span.start, span.end).trim();
    if (/^REF\b/i.test(instruction) && /\\[nrw]\b/.test(instruction)) {
      const expected = shownNumbers(instruction, content.numbers.get(target.id)?.context ?? []);
      return [
        expected.includes(stored) || target.number === stored
          ? undefined
          : `${instruction} stored ${JSON.stringify(stored)}, computed ${JSON.stringify(expected[0] ?? target.number)}`,
      ];
    }
    // A line of a table of contents repeats the heading's number.
    if (!/^PAGEREF\b/i.test(instruction) || block.kind !== 'furniture' || target.number === null) return [];
    return [block.text.startsWith(target.number) ? undefined : `contents line ${JSON.stringify(block.text.slice(0, 40))}, computed ${target.number}`];
  });
}

const DOCX4J_EXPECT = /\[expect\]([^[]*)\[\/expect\]/;

function sayThemselves(content: DocxContent): (string | undefined)[] {
  return content.blocks.flatMap((block) => {
    const expected = DOCX4J_EXPECT.exec(block.text)?.[1];
    if (expected === undefined || expected.includes('=')) return [];
    return [block.text.startsWith(`${expected} `) ? undefined : `expected ${JSON.stringify(expected)}, found ${JSON.stringify(block.text.slice(0, 30))}`];
  });
}

interface ListItem {
  readonly value: number;
  readonly text: string;
}

/** Items of ordered lists with the last part of their number; pandoc keeps no more. */
function orderedItems(value: Native): ListItem[] {
  const items = isNode(value, 'OrderedList') ? childrenOf(value.args[1] ?? []) : [];
  const start = isNode(value, 'OrderedList') ? Number(childrenOf(value.args[0] ?? [])[0] ?? 1) : 1;
  const own = items.map((item, index): ListItem => ({ value: start + index, text: textOf(childrenOf(item)[0] ?? []).trim() }));
  return [...own, ...childrenOf(value).flatMap(orderedItems)];
}

function lastPart(number: string): number {
  const part = /([A-Za-z]+|\d+)\W*$/.exec(number)?.[1] ?? '';
  if (/\d/.test(part)) return Number(part);
  const roman = /^[ivx]+$/i.test(part)
    ? [...part.toLowerCase()].reduce((sum, sign, index, all) => sum + worth(sign) * (worth(all[index + 1]) > worth(sign) ? -1 : 1), 0)
    : 0;
  return part.length === 1 && !/[ivx]/i.test(part) ? part.toLowerCase().charCodeAt(0) - 96 : roman;
}

function worth(sign: string | undefined): number {
  return { i: 1, v: 5, x: 10 }[sign ?? ''] ?? 0;
}

function likePandoc(content: DocxContent, file: string): (string | undefined)[] {
  const golden = file.replace(/\.docx$/, '.native');
  if (!existsSync(golden)) return [];
  return orderedItems(parseNative(readFileSync(golden, 'utf8'))).flatMap(({ value, text }) => {
    const blocks = content.blocks.filter((block) => text !== '' && block.text.endsWith(text) && block.number !== null);
    if (blocks.length === 0) return [];
    const right = blocks.some((block) => lastPart(block.number ?? '') === value);
    return [right ? undefined : `${JSON.stringify(text.slice(0, 30))} expected ${value}, found ${blocks[0]?.number}`];
  });
}

/** What must agree between a view and its twin: text, order, and where table cells stand. Names of kinds follow from formats, which twins lose. */
function shape(blocks: readonly Block[]): string[] {
  return blocks.map(({ text, cell }) => (cell ? `${cell.table}/${cell.row}/${cell.column}/${cell.rowSpan}/${cell.columnSpan} ${text}` : text));
}

async function shapeOf(file: string, view: View): Promise<string> {
  return read(file, view).then(
    (content) => shape(content.blocks).join('\n'),
    (thrown: unknown) => toFailure(thrown).code,
  );
}

async function twins(corpora: string): Promise<RowResult> {
  const answers: (string | undefined)[] = [];
  for (const file of filesIn(corpora, 'docx/open-xml-powertools/TestFiles/RP', '*.docx')) {
    for (const [suffix, view] of [
      ['Accepted', 'accepted'],
      ['Rejected', 'original'],
    ] as const) {
      const twin = file.replace(/\.docx$/, `-${suffix}.docx`);
      if (!existsSync(twin)) continue;
      const [own, other] = [await shapeOf(file, view), await shapeOf(twin, 'accepted')];
      answers.push(own === other ? undefined : `${path.basename(twin)}: ${firstDifference(own, other)}`);
    }
  }
  return outcome(answers, 1);
}

function firstDifference(own: string, other: string): string {
  const [a, b] = [own.split('\n'), other.split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  return `expected ${JSON.stringify((b[Math.max(0, at)] ?? '').slice(0, 80))}, found ${JSON.stringify((a[Math.max(0, at)] ?? '').slice(0, 80))}`;
}

const TRACKED = ['insertion', 'deletion'];

async function pandocChanges(corpora: string): Promise<RowResult> {
  const answers: (string | undefined)[] = [];
  for (const file of filesIn(corpora, 'docx/pandoc/test/docx', 'track_changes_*.docx')) {
    for (const [suffix, view] of [
      ['_accept', 'accepted'],
      ['_reject', 'original'],
      ['_all', 'both'],
      ['', 'both'],
    ] as const) {
      const golden = file.replace(/\.docx$/, `${suffix}.native`);
      if (!existsSync(golden)) continue;
      const tree = parseNative(readFileSync(golden, 'utf8'));
      const content = await read(file, view);
      const expected = paragraphsOf(tree).join('\n');
      const found = content.blocks
        .filter((block) => block.kind !== 'furniture')
        .map((block) => block.text)
        .join('\n');
      answers.push(expected === found ? undefined : `${path.basename(golden)}: ${firstDifference(found, expected)}`);
      if (view === 'both') answers.push(...sameChanges(tree, content).map((answer) => answer && `${path.basename(golden)}: ${answer}`));
    }
  }
  return outcome(answers, 1);
}

function paragraphsOf(tree: Native): string[] {
  return findAll(tree, ['Para', 'Plain', 'Header']).map((node) => textOf(withoutComments(node)).replace(/\s+/g, ' ').trim());
}

/** Pandoc prints a comment's own text inside the paragraph. */
function withoutComments(value: Native): Native {
  if (typeof value !== 'object') return value;
  if (isNode(value, 'Span') && JSON.stringify(value.args[0]).includes('"comment-start"')) return [];
  return 'name' in value ? { name: value.name, args: value.args.map(withoutComments) } : value.map(withoutComments);
}

/** Every insertion and deletion of pandoc with its author and date is one of ours; a move is an insertion and a deletion there. */
function sameChanges(tree: Native, content: DocxContent): (string | undefined)[] {
  const ours = content.revisions.map(({ kind, author, date, text }) =>
    [kind === 'insert' || kind === 'moveTo' ? 'insertion' : 'deletion', author, date ?? '', text.replace(/\s+/g, ' ').trim()].join('|'),
  );
  return findAll(tree, ['Span']).flatMap((span) => {
    const [, classes, values] = childrenOf(span.args[0] ?? []);
    const kind = TRACKED.find((name) => childrenOf(classes ?? []).includes(name));
    if (kind === undefined) return [];
    const attribute = (name: string): string => stringOf(childrenOf(childrenOf(values ?? []).find((pair) => childrenOf(pair)[0] === name) ?? [])[1]);
    const expected = [
      kind,
      attribute('author'),
      attribute('date'),
      textOf(span.args[1] ?? [])
        .replace(/\s+/g, ' ')
        .trim(),
    ].join('|');
    return [ours.includes(expected) ? undefined : `expected ${expected}, found ${ours.join(' and ')}`];
  });
}

async function robust(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const files = filesIn(corpora, '.', WORD);
  const failures: string[] = [];
  const refused = new Map<string, number>();
  for (const file of files) {
    for (const view of ['accepted', 'original', 'both'] as const) {
      const start = process.cpuUsage();
      const failure = await parseDocument(new Uint8Array(readFileSync(file)), path.basename(file), { view }).then(() => null, toFailure);
      const { user, system } = process.cpuUsage(start);
      if (failure?.code === 'internal') failures.push(`${path.basename(file)} (${view}): ${failure.message}`);
      else if (failure) refused.set(failure.code, (refused.get(failure.code) ?? 0) + 1);
      if ((user + system) / 1000 > LONGEST_MS) failures.push(`${path.basename(file)} (${view}): ${Math.round((user + system) / 1000)} ms`);
      if (failure) log(`${path.basename(file)} (${view}): ${failure.message}`);
    }
  }
  const told = [...refused].map(([code, count]) => `${count} x ${code}`).join(', ');
  return {
    score: `${files.length} files in 3 views, ${failures.length} failed; refused in words: ${told || 'none'}`,
    reached: failures.length === 0,
    failures,
  };
}

export const rows: readonly Row[] = [
  {
    id: 'docx-ref',
    what: 'computed numbers against the results of REF and TOC fields that Word stored',
    set: 'docx',
    target: '>= 98 %',
    run: async (corpora) => outcome(await everyFile(filesIn(corpora, 'docx', WORD), storedNumbers), 0.98),
  },
  {
    id: 'docx-numbers',
    what: 'computed numbers against documents that say theirs (docx4j) and list goldens (pandoc)',
    set: 'docx/docx4j, docx/pandoc',
    target: '100 %',
    run: async (corpora) =>
      outcome(
        [...(await everyFile(filesIn(corpora, 'docx/docx4j', WORD), sayThemselves)), ...(await everyFile(filesIn(corpora, 'docx/pandoc', WORD), likePandoc))],
        1,
      ),
  },
  {
    id: 'docx-twins',
    what: 'tracked changes accepted and rejected against twin files',
    set: 'docx/open-xml-powertools/TestFiles/RP',
    target: '100 %',
    run: twins,
  },
  { id: 'docx-changes', what: 'tracked changes in three views, with author and date', set: 'docx/pandoc track_changes_*', target: '100 %', run: pandocChanges },
  { id: 'docx-robust', what: 'every Word file is read or refused in words, within 30 s', set: 'all folders', target: 'no crash, no hang', run: robust },
];
