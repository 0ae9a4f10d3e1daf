// How fast is our engine against llama.cpp, on this machine, today? Only the ratio inside one run means anything: machines differ from day to day.
//
//   node bench/engine/speed.mjs [--json] [--rounds 5] [--threads 2] [--all] [--windows 8]
//
// Each round measures every program once, one after the other, in turning order (ours, peer, peer, ours, ...), so that a drift of the machine falls on all
// alike; a ratio is taken inside a round. Measured: prefill of 512 and decode of 64 at depth 0 and 4096 of the Reader (--all: and of Qwen2.5-Coder-0.5B), and
// the Reader's own work: --windows windows of about 2,400 tokens prefilled, then 8 questions put to each (0 leaves it out; the design's figure takes 64).
// Where the machine shows AMX the peer is built twice and the faster build, figure by figure, is the one that counts. Claims nothing: exit code 0.

import { readFileSync } from 'node:fs';
import { showsAmx } from '../peer/build.mjs';
import { call, enginePath, inputFile, machine, machineLine, Missing, peerPath, readerFiles, say, secondModel, table } from './programs.mjs';
import { READER_QUESTIONS, realTexts, windows } from './texts.mjs';

const args = process.argv.slice(2);
const asJson = args.includes('--json');
const option = (name, otherwise) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise);
const ROUNDS = option('--rounds', 5);
const THREADS = option('--threads', 2);
const WINDOWS = option('--windows', 8);
const DEPTHS = [0, 4096];
const TARGETS = { 'prefill 512 at 0': 2, 'decode at 0': 2, 'prefill 512 at 4096': 3, 'decode at 4096': 2.5, 'windows prefilled': 2, 'questions answered': 4 }; // design/engine.md

const skipped = [];

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { min: sorted[0], median: sorted[Math.floor(sorted.length / 2)], max: sorted.at(-1) };
}

/** Runs `measure(program)` -> {figure: rate} for each program, ROUNDS times in turning order. Returns figure -> program name -> rates by round. */
async function rounds(programs, title, measure) {
  const figures = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? programs : programs.toReversed();
    for (const program of order) {
      say(`${title}, round ${round + 1} of ${ROUNDS}: ${program.name}`);
      for (const [figure, rate] of Object.entries(await measure(program))) ((figures[figure] ??= {})[program.name] ??= [])[round] = rate;
    }
  }
  return figures;
}

function results(model, programs, figures) {
  return Object.entries(figures).map(([figure, rates]) => {
    const peers = programs.slice(1).map(({ name }) => name);
    const best = peers.toSorted((a, b) => spread(rates[b]).median - spread(rates[a]).median)[0];
    const ratio = spread(rates.ours.map((rate, round) => rate / rates[best][round]));
    return { model, figure, target: TARGETS[figure], peer: best, ratio, rates: Object.fromEntries(programs.map(({ name }) => [name, spread(rates[name])])) };
  });
}

async function steps(programs, { name, model }) {
  const all = [];
  for (const depth of DEPTHS) {
    const given = ['speed', '--model', model, '--prefill', '512', '--decode', '64', '--depth', String(depth), '--threads', String(THREADS), '--repeat', '1'];
    const figures = await rounds(programs, `${name} at ${depth}`, async ({ path }) => {
      const { prefillTokS, decodeTokS } = await call(path, given);
      return { [`prefill 512 at ${depth}`]: prefillTokS[0], [`decode at ${depth}`]: decodeTokS[0] };
    });
    all.push(...results(name, programs, figures));
  }
  return all;
}

async function readerWork(programs, { name, model, golden }) {
  const real = realTexts(4); // 20 texts hold 40 windows
  const prefixes = real
    ? windows(real, WINDOWS)
    : JSON.parse(readFileSync(golden, 'utf8'))
        .map(({ prefix }) => prefix)
        .slice(0, WINDOWS);
  if (prefixes.length < WINDOWS) skipped.push(`expected texts for ${WINDOWS} windows, found ${prefixes.length}: set CODICIL_CORPORA`);
  const given = [
    'reader-speed',
    '--model',
    model,
    '--windows',
    inputFile('windows.json', prefixes),
    '--questions',
    inputFile('questions.json', READER_QUESTIONS),
    '--threads',
    String(THREADS),
  ];
  const figures = await rounds(programs, `${prefixes.length} windows`, async ({ path, extra = [] }) => {
    const found = await call(path, [...given, ...extra]);
    return { 'windows prefilled': found.windowTokens / found.prefillSeconds, 'questions answered': (found.windows * found.questions) / found.questionSeconds };
  });
  const title = `${name}, ${prefixes.length} windows`;
  return [
    ...results(
      title,
      programs.filter(({ extra }) => !extra),
      figures,
    ),
    ...results(
      title,
      programs.filter(({ name, extra }) => name === 'ours' || extra),
      figures,
    ),
  ];
}

async function main() {
  const programs = [
    { name: 'ours', path: enginePath() },
    { name: 'peer', path: await peerPath() },
  ];
  if (showsAmx()) programs.push({ name: 'peer with AMX', path: await peerPath({ amx: true }) });
  const reader = { name: 'Reader 135M Q4_0', ...readerFiles() };
  const found = await steps(programs, reader);
  if (WINDOWS > 0) {
    // The peer asks one window after the other, as its users do; beside it the same peer with all windows in one batch, which its API allows.
    const batched = programs.slice(1).map(({ name, path }) => ({ name: `${name}, batched`, path, extra: ['--parallel'] }));
    found.push(...(await readerWork([...programs, ...batched], reader)));
  }
  if (args.includes('--all')) found.push(...(await steps(programs, { name: 'Qwen2.5-Coder 0.5B Q4_K_M', model: await secondModel() })));
  return found;
}

const about = machine();
let found = [];
try {
  found = await main();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  skipped.push(`ALL OF IT: ${error.message}`);
}
const rate = ({ min, median, max }) => `${median.toFixed(1)} (${min.toFixed(1)}-${max.toFixed(1)})`;
const rows = [
  ['model', 'figure', 'ratio', 'min', 'max', 'target', 'against', 'rates: median (min-max), tok/s or questions/s'],
  ...found.map(({ model, figure, ratio, target, peer, rates }) => [
    model,
    figure,
    ratio.median.toFixed(2),
    ratio.min.toFixed(2),
    ratio.max.toFixed(2),
    model.startsWith('Reader') ? target.toFixed(1) : '',
    peer,
    Object.entries(rates)
      .map(([name, list]) => `${name} ${rate(list)}`)
      .join('; '),
  ]),
];
const lines = [
  `machine: ${machineLine(about)}; ${THREADS} threads, ${ROUNDS} rounds`,
  ...(about.load > 0.5 ? [`WARNING: the machine was busy (load ${about.load}) before this run: do not record these figures`] : []),
  ...(found.length > 0 ? [table(rows)] : []),
  ...skipped.map((reason) => `SKIPPED: ${reason}`),
];
(asJson ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
if (asJson) process.stdout.write(`${JSON.stringify({ machine: about, threads: THREADS, rounds: ROUNDS, found, skipped })}\n`);
