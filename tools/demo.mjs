// `npm run demo`: a fresh clone to answers about two real contracts, without a display.
//
// Owns: the order of the show and its questions. Everything shown comes out of the command line (`codicil compare`, `summary`, `ask`),
// run as a user would run it; nothing is prepared. Exit code 1 when a command fails, an answer misses its quote, or the absent one is "found".
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { node24, ROOT, run, say, setup } from './setup.mjs';

const BEFORE = 'assets/samples/bonterms-psa-1.0.pdf';
const AFTER = 'assets/samples/bonterms-psa-1.2.pdf';

/** Questions with words that stand in the right sentence of the agreement; the last one has no answer in it. */
const QUESTIONS = /** @type {const} */ ([
  ['What is the charge for late payments?', '1.5% per month'],
  ['How many days does the customer have to review a deliverable?', '15 days'],
  ['May the provider use subcontractors?', 'Subcontractors'],
  ['What insurance is required?', 'insurance coverage'],
  ['Can the agreement be assigned without consent?', 'may assign this Agreement'],
  ['Can a party terminate without cause?', 'terminate'],
  ['Is source code held in escrow?', null],
]);

const bold = process.stdout.isTTY && !process.env['NO_COLOR'];
const title = (/** @type {string} */ text) => process.stdout.write(bold ? `\n\u001b[1m${text}\u001b[0m\n\n` : `\n${text}\n\n`);

const started = Date.now();
await setup({ renderer: true });
const folder = mkdtempSync(path.join(os.tmpdir(), 'codicil-demo-'));
const codicil = (/** @type {readonly string[]} */ args) => run(node24(), ['electron/cli/main.ts', ...args, '--data-dir', folder], { show: true });
let sound = true;

/** Runs the command line, shows what it prints as it comes, and returns it. @param {readonly string[]} args @returns {Promise<string>} */
function codicilShown(args) {
  return new Promise((resolve) => {
    const child = spawn(node24(), ['electron/cli/main.ts', ...args, '--data-dir', folder], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      process.stdout.write(chunk);
    });
    child.on('close', (code) => {
      sound &&= code === 0;
      resolve(text);
    });
  });
}

try {
  title('1  Two published versions of one agreement, compared clause by clause');
  sound = (await codicil(['compare', BEFORE, AFTER])) === 0 && sound;

  title('2  What the newer one says, as structured fields');
  sound = (await codicil(['summary', AFTER])) === 0 && sound;

  title('3  Questions, put by the model that ships to every part of the text');
  const shown = await codicilShown(['ask', AFTER, ...QUESTIONS.flatMap(([question]) => ['--question', question])]);
  const blocks = shown
    .split(/^Q\d+ {2}/m)
    .slice(1)
    .map((block) => block.replace(/\s+/g, ' '));

  title('4  The same answers, checked against the sentences that are right');
  for (const [i, [question, words]] of QUESTIONS.entries()) {
    const block = blocks[i] ?? '';
    const right = words === null ? !block.includes('✓ Found') : block.includes('✓ Found') && block.includes('✓ verified') && block.includes(words);
    process.stdout.write(`  ${right ? 'right' : 'WRONG'}  ${question}\n`);
    sound &&= right;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
say(`\n${sound ? 'Done' : 'Something failed'} in ${Math.round((Date.now() - started) / 1000)} s. Next: npm start`);
process.exitCode = sound ? 0 : 1;
