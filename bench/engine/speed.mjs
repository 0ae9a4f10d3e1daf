// Speed of our engine as a ratio to llama.cpp, on the shipped model, in one run: the two take turns, so that a slow minute hits both.
//
//   node bench/engine/speed.mjs [--threads 1,2] [--rounds 3] [--depth 0,4096] [--json]
//
// Prints minimum, median and maximum of each figure and the ratio of the medians. Against both builds of the peer where AMX is shown.
// The peer's threads may sleep while they wait (OMP_WAIT_POLICY=passive): spinning makes it ten times slower beside any other process.
import { showsAmx } from '../peer/build.mjs';
import { call, enginePath, machine, machineLine, Missing, peerPath, readerFiles, table } from './programs.mjs';

const args = process.argv.slice(2);
const option = (name, fallback) => (args.includes(name) ? args[args.indexOf(name) + 1] : fallback);
const numbers = (text) => text.split(',').map(Number);
const asJson = args.includes('--json');
const rounds = Number(option('--rounds', '3'));
/** Least ratio that this stage of the engine claims, for prefill and decode at depth 0. */
const LEAST_RATIO = 0.8;

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const spread = (list) => `${Math.min(...list).toFixed(0)} / ${median(list).toFixed(0)} / ${Math.max(...list).toFixed(0)}`;

async function measure(programs, model, threads, depth) {
  const found = new Map(programs.map(({ name }) => [name, { prefill: [], decode: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, file } of programs) {
      const given = ['speed', '--model', model, '--prefill', '512', '--decode', '64', '--depth', `${depth}`, '--threads', `${threads}`, '--repeat', '1'];
      const { prefillTokS, decodeTokS } = await call(file, given, { OMP_WAIT_POLICY: 'passive' });
      found.get(name).prefill.push(...prefillTokS);
      found.get(name).decode.push(...decodeTokS);
    }
  }
  return found;
}

async function main() {
  const about = machine();
  const { model } = readerFiles();
  const programs = [
    { name: 'codicil', file: enginePath() },
    { name: 'llama.cpp', file: await peerPath() },
  ];
  if (showsAmx()) programs.push({ name: 'llama.cpp amx', file: await peerPath({ amx: true }) });
  const rows = [['threads', 'depth', 'what', 'program', 'tok/s min / median / max', 'ratio']];
  const claims = [];
  for (const threads of numbers(option('--threads', `1,${about.cores}`))) {
    for (const depth of numbers(option('--depth', '0,4096'))) {
      const found = await measure(programs, model, threads, depth);
      for (const what of ['prefill', 'decode']) {
        const ours = median(found.get('codicil')[what]);
        const best = Math.max(...programs.slice(1).map(({ name }) => median(found.get(name)[what])));
        if (depth === 0) claims.push({ threads, what, ratio: ours / best });
        for (const { name } of programs) {
          const list = found.get(name)[what];
          rows.push([threads, depth, what, name, spread(list), name === 'codicil' ? '' : (ours / median(list)).toFixed(2)]);
        }
      }
    }
  }
  const short = claims.filter(({ ratio }) => ratio < LEAST_RATIO);
  const lines = [
    `machine: ${machineLine(about)}`,
    table(rows),
    ...short.map(({ threads, what, ratio }) => `BELOW ${LEAST_RATIO}: ${what} on ${threads} threads, ${ratio.toFixed(2)} of the faster peer`),
  ];
  (asJson ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
  if (asJson) process.stdout.write(`${JSON.stringify({ machine: about, rows, claims })}\n`);
  process.exitCode = short.length > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  process.stdout.write(`SKIPPED: ${error.message}\n`);
}
