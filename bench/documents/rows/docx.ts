// Rows about Word files: numbers that Word computed, tracked changes in their views, everything that is odd.
//
// Right answers: results of REF and TOC fields that Word stored, docx4j's documents that say their own numbers, the Accepted and Rejected
// twins of open-xml-powertools. Nothing here is chosen by name: every file of a folder is asked.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Block, View } from '../../../core/contract/document.ts';
import { toFailure } from '../../../core/contract/errors.ts';
import { parseInstruction } from '../../../core/ingest/docx/fields.ts';
import type { DocxContent } from '../../../core/ingest/docx/readDocx.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import type { Row, RowResult } from '../row.ts';
import { askAll, filesIn, firstDifference, outcome, readWord, type Answer } from '../wordFiles.ts';

/** The limit for one file. */
const LONGEST_MS = 30_000;

/** What Word shows for the number of a target: \n its own, \w all of its context, \r the context from where it leaves that of the field's place. */
function shownNumber(instruction: string, context: readonly string[], place: readonly string[]): string {
  const { switches } = parseInstruction(instruction);
  const last = context.length - 1;
  const apart = context.findIndex((part, index) => part !== place[index]);
  const start = switches.has('w') ? 0 : switches.has('n') ? last : Math.min(last, apart < 0 ? last : apart);
  return context.slice(start).join('').replace(/\.$/, '');
}

function storedNumbers(content: DocxContent): Answer[] {
  const blocks = new Map(content.blocks.map((block) => [block.id, block]));
  return content.crossReferences.flatMap(({ span, instruction, targetBlockId }) => {
    const target = blocks.get(targetBlockId ?? '');
    const block = blocks.get(span.blockId);
    if (!target || !block) return [];
    const stored = block.text.slice(span.start, span.end).trim();
    if (/^REF\b/i.test(instruction) && /\\[nrw]\b/.test(instruction)) {
      const context = content.numbers.get(target.id)?.context;
      const expected = context ? shownNumber(instruction, context, content.numbers.get(block.id)?.context ?? []) : target.number;
      return [expected === stored ? undefined : `${instruction} stored ${JSON.stringify(stored)}, computed ${JSON.stringify(expected)}`];
    }
    // A line of a table of contents repeats the heading's number.
    if (!/^PAGEREF\b/i.test(instruction) || block.kind !== 'furniture' || target.number === null) return [];
    return [block.text.startsWith(target.number) ? undefined : `contents line ${JSON.stringify(block.text.slice(0, 40))}, computed ${target.number}`];
  });
}

const DOCX4J_EXPECT = /\[expect\]([^[]*)\[\/expect\]/;

function sayThemselves(content: DocxContent): Answer[] {
  return content.blocks.flatMap((block) => {
    const expected = DOCX4J_EXPECT.exec(block.text)?.[1];
    if (expected === undefined || expected.includes('=')) return [];
    return [block.text.startsWith(`${expected} `) ? undefined : `expected ${JSON.stringify(expected)}, found ${JSON.stringify(block.text.slice(0, 30))}`];
  });
}

/** What must agree between a view and its twin: text, order, and where table cells stand. Names of kinds follow from formats, which twins lose. */
function shape(blocks: readonly Block[]): string[] {
  return blocks.map(({ text, cell }) => (cell ? `${cell.table}/${cell.row}/${cell.column}/${cell.rowSpan}/${cell.columnSpan} ${text}` : text));
}

async function shapeOf(file: string, view: View): Promise<string> {
  return readWord(file, view).then(
    (content) => shape(content.blocks).join('\n'),
    (thrown: unknown) => toFailure(thrown).code,
  );
}

async function twins(corpora: string): Promise<RowResult> {
  const answers: Answer[] = [];
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

async function robust(corpora: string, log: (line: string) => void): Promise<RowResult> {
  const files = filesIn(corpora, '.');
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
    set: 'docx, contracts/templates',
    target: '>= 98 %',
    run: async (corpora) => outcome(await askAll([...filesIn(corpora, 'docx'), ...filesIn(corpora, 'contracts/templates')], storedNumbers), 0.98),
  },
  {
    id: 'docx-numbers',
    what: 'computed numbers against documents that say theirs',
    set: 'docx/docx4j',
    target: '100 %',
    run: async (corpora) => outcome(await askAll(filesIn(corpora, 'docx/docx4j'), sayThemselves), 1),
  },
  {
    id: 'docx-twins',
    what: 'tracked changes accepted and rejected against twin files',
    set: 'docx/open-xml-powertools/TestFiles/RP',
    target: '100 %',
    run: twins,
  },
  { id: 'docx-robust', what: 'every Word file is read or refused in words, within 30 s', set: 'all folders', target: 'no crash, no hang', run: robust },
];
