// How fast is our engine against llama.cpp, on this machine, today? Only the ratio inside one run means anything: machines differ from day to day.
//
//   node bench/engine/speed.mjs [--json] [--rounds 5] [--threads 2] [--all] [--windows 8] [--depths 0,4096] [--model FILE] [--store FOLDER] [--plain]
//
// Each round measures every program once, one after the other, in turning order (ours, peer, peer, ours, ...), so that a drift of the machine falls on all
// alike; a ratio is taken inside a round. Measured: prefill of 512 and decode of 64 at each depth of the Reader (--all: and of Qwen2.5-Coder-0.5B; --model: of
// that file instead), and the Reader's own work: --windows windows of about 2,400 tokens prefilled, then 8 questions put to each (0 leaves it out; the design's
// figure takes 64). Beyond a depth of 8,192 it is 128 and 16 tokens, the peer copies a filled part of its context (--tile), and --store keeps what ours has read.
// The peer that counts (design/engine.md) is built without AMX, the same code on every machine; where the machine shows AMX a build with it is set beside it (--plain: not).
// Claims nothing: exit code 0.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { showsAmx } from '../peer/build.mjs';
import { call, enginePath, inputFile, machine, machineLine, Missing, peerPath, readerFiles, say, secondModel, table } from './programs.mjs';
import { READER_QUESTIONS, realTexts, windows } from './texts.mjs';

const args = process.argv.slice(2);
const asJson = args.includes('--json');
const option = (name, otherwise) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise);
const ROUNDS = option('--rounds', 5);
const THREADS = option('--threads', 2);
const WINDOWS = option('--windows', 8);
const text = (name, otherwise) => (args.includes(name) ? args[args.indexOf(name) + 1] : otherwise);
const DEPTHS = text('--depths', '0,4096').split(',').map(Number);
const TILE = 4096;
/** A figure of every few tokens: a step of the peer takes a second there. */
const DEEP = 8192;
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

/** One row for each peer. */
function results(model, programs, figures) {
  const [, ...peers] = programs.map(({ name }) => name);
  return Object.entries(figures).flatMap(([figure, rates]) =>
    peers.map((peer) => ({
      model,
      figure,
      peer,
      target: peer.startsWith('peer with') ? undefined : TARGETS[figure],
      ratio: spread(rates.ours.map((rate, round) => rate / rates[peer][round])),
      rates: Object.fromEntries(['ours', peer].map((name) => [name, spread(rates[name])])),
    })),
  );
}

async function steps(programs, { name, model }) {
  const all = [];
  for (const depth of DEPTHS) {
    const [prefill, decode] = depth > DEEP ? [128, 16] : [512, 64];
    const given = ['speed', '--model', model, '--prefill', prefill, '--decode', decode, '--depth', depth, '--threads', THREADS, '--repeat', 1].map(String);
    const figures = await rounds(programs, `${name} at ${depth}`, async (program) => {
      const deep = depth > DEEP ? ['--tile', String(TILE)] : [];
      const ours = args.includes('--store') ? ['--store', text('--store'), '--context', String(depth + 1024)] : [];
      const { prefillTokS, decodeTokS } = await call(program.path, [...given, ...(program.name === 'ours' ? ours : deep)]);
      return { [`prefill ${prefill} at ${depth}`]: prefillTokS[0], [`decode at ${depth}`]: decodeTokS[0] };
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
  if (showsAmx() && !args.includes('--plain')) programs.push({ name: 'peer with AMX', path: await peerPath({ amx: true }) });
  const reader = { name: 'Reader 135M Q4_0', ...readerFiles() };
  const given = text('--model');
  const found = await steps(programs, given ? { name: basename(given), model: given } : reader);
  if (WINDOWS > 0 && !given) {
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
    target?.toFixed(1) ?? '',
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
