// `npm run bench:reader`: the whole path from file to answer on questions whose right answers were written down by hand.
//
// Prints, for every question, what was found, and over all: precision and recall of the quoted evidence, how often the first quote is right,
// and how the questions without an answer end. A quote is right if it holds one of the phrases of questions.json.
// Exit code 1 when a quote that is shown as verified does not stand in its document.
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseDocument } from '../../core/structure/document.ts';
import { forkEngine } from '../../electron/engine/client.ts';
import { Workspace } from '../../electron/workspace/workspace.ts';

interface Question {
  readonly document: string;
  readonly question: string;
  readonly answers: readonly string[];
}

const HERE = import.meta.dirname;
const questions = JSON.parse(readFileSync(path.join(HERE, 'questions.json'), 'utf8')) as readonly Question[];
const folder = mkdtempSync(path.join(os.tmpdir(), 'codicil-bench-'));
const workspace = new Workspace({ dataDir: folder, spawnEngine: forkEngine, prefill: false });
const json = process.argv.includes('--json');
const say = (text: string): void => void (json ? process.stderr : process.stdout).write(`${text}\n`);

const ids = new Map<string, string>();
async function documentId(file: string): Promise<string> {
  const known = ids.get(file);
  if (known) return known;
  const bytes = new Uint8Array(readFileSync(path.join(HERE, 'documents', file)));
  const document = await parseDocument(bytes, path.basename(file), {});
  await workspace.handlers['document.add']({ document, bytes });
  ids.set(file, document.id);
  return document.id;
}

const squash = (text: string): string => text.replace(/[“”"]/g, '"').replace(/[’‘]/g, "'").replace(/\s+/g, ' ').toLowerCase();
const count = { shown: 0, right: 0, answerable: 0, answered: 0, first: 0, absent: 0, absentOk: 0, absentSaid: 0, unverifiedShown: 0 };
let ms = 0;

for (const [i, { document, question, answers }] of questions.entries()) {
  const answer = await workspace.handlers['answer.ask']({ id: `q${i}`, question, documentIds: [await documentId(document)] });
  const found = answer.verdict === 'found' ? answer.evidence : [];
  const stored = await workspace.handlers['document.get']({ documentId: ids.get(document)! });
  const text = squash(stored.blocks.map((block) => block.text).join(' '));
  const right = found.map((entry) => answers.some((phrase) => squash(entry.quote).includes(squash(phrase))));
  count.shown += found.length;
  count.right += right.filter(Boolean).length;
  count.unverifiedShown += found.filter(
    (entry) =>
      entry.state === 'verified' &&
      !squash(entry.quote)
        .split(' | ')
        .every((part) => text.includes(part)),
  ).length;
  ms += answer.ms;
  if (answers.length > 0) {
    count.answerable += 1;
    if (right.includes(true)) count.answered += 1;
    if (right[0]) count.first += 1;
  } else {
    count.absent += 1;
    if (answer.verdict !== 'found') count.absentOk += 1;
    if (answer.verdict === 'absent') count.absentSaid += 1;
  }
  const mark =
    answers.length > 0 ? (right[0] ? 'right first' : right.includes(true) ? 'right below' : 'MISSED') : answer.verdict === 'found' ? 'FALSE' : answer.verdict;
  say(`${mark.padEnd(12)} ${question}${answer.value ? `  [${answer.value}]` : ''}`);
  if (process.argv.includes('--verbose'))
    for (const [k, entry] of answer.evidence.entries())
      say(`   ${right[k] ? '+' : '-'} ${entry.score.toFixed(2)} ${entry.sources.join('+')} ${entry.path}: ${entry.quote.slice(0, 140)}`);
}

const ratio = (part: number, whole: number): string => (whole === 0 ? 'none' : `${(part / whole).toFixed(3)} (${part} of ${whole})`);
say(`\nprecision of quotes           ${ratio(count.right, count.shown)}`);
say(`recall of questions           ${ratio(count.answered, count.answerable)}`);
say(`first quote right             ${ratio(count.first, count.answerable)}`);
say(`no answer: nothing claimed    ${ratio(count.absentOk, count.absent)}; said to be absent ${count.absentSaid}`);
say(`verified but not in the text  ${count.unverifiedShown}`);
say(`time                          ${(ms / 1000).toFixed(1)} s for ${questions.length} questions, reading included`);
if (json) process.stdout.write(`${JSON.stringify({ ...count, ms })}\n`);
workspace.dispose();
rmSync(folder, { recursive: true, force: true });
process.exitCode = count.unverifiedShown === 0 ? 0 : 1;
