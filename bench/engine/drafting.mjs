// What do guesses bring, and what do they cost where none comes true? Answers without guesses, with lookup and with the model's own head, in turns.
//
//   node bench/engine/drafting.mjs [--json] [--seconds 15] [--threads 1] [--tokens 40] [--only CASE]
//
// Cases: `copy` (a passage of a real text and the request to repeat it; greedy), `sampled` (prose at temperature 1: nothing repeats itself), both on
// the second test model, which has no head; `wrong head` (random weights in the shape of a 0.8B model: no guess of its head comes true) and `head
// right 4 of 5` (the same shape, made so that the head is right for that share of the tokens: the text counts up through the vocabulary, so lookup
// finds nothing, and stays in the part of the vocabulary that a head guesses in). A trained head is not measured: no such file is at hand.
// `engine-cli drafting` runs off, lookup, mtp, mtp, lookup, off in one process until `--seconds` have passed; `off` is an engine that has not loaded
// the head. The ratio is that of processor seconds in a round, on one thread unless told otherwise: waiting threads spin. The tokens must be the same
// in all ways: if they are not, exit code 1. Claims no speed: a ratio is printed, not judged.

import { existsSync } from 'node:fs';
import { call, enginePath, inputFile, machineLine, Missing, say, scratchFile, secondModel, table } from './programs.mjs';
import { realTexts } from './texts.mjs';

const args = process.argv.slice(2);
const option = (name, otherwise) => (args.includes(name) ? args[args.indexOf(name) + 1] : otherwise);

const chat = (text) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;

function passages() {
  const texts = realTexts(4);
  if (texts === null) throw new Missing('expected real texts to quote from, found none: set CODICIL_CORPORA');
  return texts.slice(0, 2).map(({ text }) => text.slice(2000, 3000));
}

/** A file of random weights in the shape of Qwen3.5 0.8B, made once a run. */
async function headed(engine, head) {
  const out = scratchFile(`head-${head}.gguf`);
  if (!existsSync(out)) await call(engine, ['random-model', '--shape', 'qwen35-0.8b', '--mtp', head, '--out', out]);
  return out;
}

const CASES = {
  copy: async () => ({
    model: await secondModel(),
    prompts: passages().map((passage) => chat(`Repeat the following passage word for word and add nothing.\n\n${passage}`)),
    flags: ['--special'],
  }),
  sampled: async () => ({
    model: await secondModel(),
    prompts: [chat('Write a short story about a lighthouse keeper who learns to paint.'), chat('Explain how a bicycle stays upright, in your own words.')],
    flags: ['--special', '--sampled'],
  }),
  'wrong head': async (engine) => ({ model: await headed(engine, 'random'), prompts: ['What is the term of this agreement?', 'x'], flags: [] }),
  'head right 4 of 5': async (engine) => ({ model: await headed(engine, '0.8'), prompts: ['What is the term of this agreement?', 'x'], flags: [] }),
};

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { min: sorted[0], median: sorted[sorted.length >> 1], max: sorted.at(-1) };
}

async function measure(engine, name) {
  const { model, prompts, flags } = await CASES[name](engine);
  say(`${name}: ${prompts.length} prompts`);
  const given = ['drafting', '--model', model, '--prompt-file', inputFile('prompts.json', prompts), '--seconds', option('--seconds', '15')];
  const found = await call(engine, [...given, '--threads', option('--threads', '1'), '-n', option('--tokens', '40'), '--context', '2048', ...flags]);
  const off = found.ways[0];
  const ways = found.ways.map((way) => ({
    drafting: way.drafting,
    tokensPerSecond: way.tokens / sum(way.processorSeconds),
    ratio: spread(way.processorSeconds.map((seconds, round) => off.processorSeconds[round] / seconds)),
    ratioByClock: spread(way.seconds.map((seconds, round) => off.seconds[round] / seconds)),
    drafted: way.drafted,
    accepted: way.accepted,
  }));
  return { name, planned: found.planned, same: found.same, rounds: off.seconds.length, ways };
}

async function main() {
  const engine = enginePath();
  const only = option('--only');
  const figures = [];
  for (const name of Object.keys(CASES)) if (only === undefined || only === name) figures.push(await measure(engine, name));
  if (args.includes('--json')) console.log(JSON.stringify({ machine: machineLine(), figures }));
  else {
    console.log(machineLine());
    const head = ['case', 'planned', 'way', 'tok/s', 'against off', 'range', 'by the clock', 'guessed', 'came true', 'rounds'];
    const rows = figures.flatMap(({ name, planned, rounds, ways }) =>
      ways.map((way) => [
        name,
        planned,
        way.drafting,
        way.tokensPerSecond.toFixed(1),
        way.ratio.median.toFixed(2),
        `${way.ratio.min.toFixed(2)}-${way.ratio.max.toFixed(2)}`,
        way.ratioByClock.median.toFixed(2),
        way.drafted,
        way.accepted,
        rounds,
      ]),
    );
    console.log(table([head, ...rows]));
    for (const { name, same } of figures) if (!same) console.log(`DIFFERENT tokens with and without guesses in ${name}.`);
  }
  process.exitCode = figures.every(({ same }) => same) ? 0 : 1;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.log(`Skipped: ${error.message}`);
}
