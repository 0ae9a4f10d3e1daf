// The Reader's own work, against llama.cpp in the same run: windows of real contracts prefilled as a batch, questions put to all of them from what is
// kept, and the same again after a restart of our process, from disk. Then whole documents through the program: from file to first answer.
//
//   node bench/engine/reader.mjs [--windows 64] [--rounds 1] [--threads 2] [--pages 300] [--plain] [--json]
//
// Targets (design/engine.md): prefill 2.0, questions 4.0. The peer keeps its prefixes in memory and asks one window after the other, as its users do; after
// a restart it has to prefill again, so its questions then cost both. `computed` counts tokens that went through the model: after a restart none of
// the windows'. --pages 0 leaves the documents out, --plain the build of the peer with AMX. With few windows (8) it takes a minute, with 64 some ten. Claims nothing: exit code 0.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showsAmx } from '../peer/build.mjs';
import { call, enginePath, inputFile, machine, machineLine, Missing, peerPath, readerFiles, say, scratchFile, table } from './programs.mjs';
import { corporaDir, READER_QUESTIONS, realTexts, windows } from './texts.mjs';

const args = process.argv.slice(2);
const option = (name, otherwise) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise);
const WINDOWS = option('--windows', 64);
const ROUNDS = option('--rounds', 1);
const THREADS = option('--threads', 2);
const PAGES = option('--pages', 300);
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const skipped = [];
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function windowsAgainstPeer() {
  const texts = realTexts(8);
  if (!texts) throw new Missing('the corpora are not on this machine: set CODICIL_CORPORA');
  const prefixes = windows(texts, WINDOWS);
  if (prefixes.length < WINDOWS) skipped.push(`expected texts for ${WINDOWS} windows, found ${prefixes.length}`);
  const { model } = readerFiles();
  const files = ['--windows', inputFile('windows.json', prefixes), '--questions', inputFile('questions.json', READER_QUESTIONS)];
  const given = ['reader-speed', '--model', model, ...files, '--threads', String(THREADS)];
  const peers = [{ name: 'peer', path: await peerPath() }];
  if (showsAmx() && !args.includes('--plain')) peers.push({ name: 'peer with AMX', path: await peerPath({ amx: true }) });
  const rows = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const store = scratchFile(`store${round}`);
    const ours = (what) => (say(`round ${round + 1} of ${ROUNDS}: ours, ${what}`), call(enginePath(), [...given, '--store', store]));
    const fresh = await ours('first');
    const again = await ours('after a restart');
    rmSync(store, { recursive: true, force: true });
    for (const { name, path } of peers) {
      say(`round ${round + 1} of ${ROUNDS}: ${name}`);
      const peer = await call(path, given);
      rows.push({ name, fresh, again, peer });
    }
  }
  const figures = (name) => {
    const of = rows.filter((row) => row.name === name);
    const ratio = (value) => median(of.map(value));
    return {
      against: name,
      prefill: ratio(({ fresh, peer }) => peer.prefillSeconds / fresh.prefillSeconds),
      questions: ratio(({ fresh, peer }) => peer.questionSeconds / fresh.questionSeconds),
      questionsAfterRestart: ratio(({ again, peer }) => peer.questionSeconds / (again.prefillSeconds + again.questionSeconds)),
      allAfterRestart: ratio(({ again, peer }) => (peer.prefillSeconds + peer.questionSeconds) / (again.prefillSeconds + again.questionSeconds)),
    };
  };
  const last = rows.at(-1);
  const same = JSON.stringify(last.fresh.answers) === JSON.stringify(last.again.answers);
  return { windows: prefixes.length, ratios: peers.map(({ name }) => figures(name)), fresh: last.fresh, again: last.again, same };
}

/** Real contracts of about `pages` pages (3,000 characters each), copied nowhere: named to the command line as they are. */
function realFiles(pages) {
  const folder = join(corporaDir(), 'contracts/cuad/txt');
  if (!existsSync(folder)) throw new Missing('contracts/cuad/txt is not in the corpora: set CODICIL_CORPORA');
  const files = [];
  let characters = 0;
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .toSorted()) {
    if (characters >= pages * 3000) break;
    files.push(join(folder, name));
    characters += readFileSync(files.at(-1), 'utf8').length;
  }
  return { files, pages: Math.round(characters / 3000) };
}

/** Each question is a start of the whole program: what it does not read from disk it computes. */
async function throughTheProgram() {
  const { files, pages } = realFiles(PAGES);
  const dataDir = scratchFile('data');
  mkdirSync(dataDir);
  const seconds = [];
  for (const question of READER_QUESTIONS.slice(0, 4)) {
    say(`${pages} pages: ${question}`);
    const start = performance.now();
    await new Promise((resolve, reject) => {
      const cli = [join(root, 'tools/codicil.mjs'), 'ask', question, ...files, '--data-dir', dataDir, '--threads', String(THREADS), '--json'];
      const child = spawn(process.execPath, cli, { stdio: ['ignore', 'ignore', 'inherit'] });
      child.on('error', reject);
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`codicil ask ended with ${code}`))));
    });
    seconds.push((performance.now() - start) / 1000);
  }
  return { pages, files: files.length, firstAnswerSeconds: seconds[0], furtherSeconds: seconds.slice(1) };
}

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    skipped.push(error.message);
    return null;
  }
}

const asJson = args.includes('--json');
const print = (/** @type {string[]} */ ...lines) => (asJson ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);

function printWindows(read) {
  const head = ['against', 'prefill (2.0)', 'questions (4.0)', 'questions after a restart', 'all after a restart'];
  const rows = read.ratios.map((row) => [
    row.against,
    ...[row.prefill, row.questions, row.questionsAfterRestart, row.allAfterRestart].map((value) => value.toFixed(2)),
  ]);
  const { fresh, again } = read;
  const seconds = ({ prefillSeconds, questionSeconds }) => `windows ${prefillSeconds.toFixed(2)} s, questions ${questionSeconds.toFixed(2)} s`;
  const rate = again.storeReadSeconds > 0 ? again.storeReadBytes / again.storeReadSeconds / 1e9 : 0;
  print(
    `${read.windows} windows, ${fresh.windowTokens} tokens, ${fresh.questions} questions to each`,
    table([head, ...rows]),
    `ours: ${seconds(fresh)}; after a restart: ${seconds(again)}, the same answers: ${read.same ? 'yes' : 'NO'}`,
    `computed after a restart: ${again.computedWindowTokens} of the windows' tokens; read ${(again.storeReadBytes / 1e9).toFixed(2)} GB at ${rate.toFixed(2)} GB/s`,
  );
}

function printDocuments({ pages, files, firstAnswerSeconds, furtherSeconds }) {
  const further = furtherSeconds.map((value) => value.toFixed(1)).join(', ');
  print(
    `${pages} pages in ${files} files: first answer ${firstAnswerSeconds.toFixed(1)} s, further questions ${further} s`,
    '(each with a start of the whole program)',
  );
}

const about = machine();
print(`machine: ${machineLine(about)}; ${THREADS} threads, ${ROUNDS} rounds`);
if (about.load > 0.5) print(`WARNING: the machine was busy (load ${about.load}) before this run: do not record these figures`);
const read = WINDOWS > 0 ? await attempt(windowsAgainstPeer) : null;
if (read) printWindows(read); // what follows takes as long again, and may fail
const program = PAGES > 0 ? await attempt(throughTheProgram) : null;
if (program) printDocuments(program);
for (const reason of skipped) print(`SKIPPED: ${reason}`);
if (asJson) process.stdout.write(`${JSON.stringify({ machine: about, read, program, skipped })}\n`);
