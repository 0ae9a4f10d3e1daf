// The plan against what then happens: bytes within 3 % for five combinations of model, context and budget, and predicted speeds beside measured ones.
// Memory is the process's anonymous resident bytes, with the pages of a whole context taken and written to (--reserve); files of the program are not
// counted. Recurrent states and the buffers of a streaming step are filled by reading so many tokens. Usage: node bench/engine/plan.mjs [name ...] [--json]; a model that is not here is skipped, loudly. Exit code 1: a plan was off by more.
import { existsSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { call, enginePath, machineLine, Missing, readerFiles, say, scratchFile, secondModel, table } from './programs.mjs';

const WITHIN = 0.03; // design/engine.md, the table of targets

/** Name, what makes the model, and the options of both plan and run. */
const COMBINATIONS = [
  { name: 'reader-8k', model: () => readerFiles().model, args: ['--context', '8192', '--batch-tokens', '512'] },
  { name: 'coder-0.5b-32k', model: () => secondModel(), args: ['--context', '32768'] },
  { name: 'random-135m-128k-k8v4', random: ['--shape', 'llama-135m'], args: ['--context', '131072', '--kv', 'k8v4'] },
  { name: 'random-qwen35-0.8b', random: ['--shape', 'qwen35-0.8b'], args: ['--context', '8192'], prefill: '8000' },
  // As many experts as the true shape, fewer layers; a budget that holds about half of them.
  {
    name: 'random-qwen35moe-budget',
    random: ['--shape', 'qwen35moe-35b-a3b', '--layers', '4'],
    args: ['--context', '8192', '--ram-budget', '2G'],
    prefill: '2100',
    warm: '8',
  },
];

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true });

async function measure(engine, combination) {
  const random = combination.random ? scratchFile(`${combination.name}.gguf`) : undefined;
  if (random) await call(engine, ['random-model', '--type', 'q4_0', ...combination.random, '--out', random]);
  const model = random ?? (await combination.model());
  if (!existsSync(model)) throw new Missing(`expected ${model}, found none`);
  try {
    const prefill = combination.prefill ?? '512';
    return await call(engine, [
      'footprint',
      '--model',
      model,
      ...combination.args,
      '--reserve',
      '--prefill',
      prefill,
      '--warm',
      combination.warm ?? '0',
      '--decode',
      '16',
    ]);
  } finally {
    if (random) rmSync(random);
  }
}

const rows = [];
const results = [];
let missed = 0;
const engine = enginePath();
for (const combination of COMBINATIONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  say(combination.name);
  try {
    const result = await measure(engine, combination);
    const { plan } = result;
    const off = result.anonymousBytes / plan.usedBytes - 1;
    if (Math.abs(off) > WITHIN) missed += 1;
    results.push({ name: combination.name, off, ...result });
    rows.push([
      combination.name,
      (plan.usedBytes / 1e6).toFixed(1),
      (result.anonymousBytes / 1e6).toFixed(1),
      `${(off * 100).toFixed(2)} %`,
      plan.prefill.tokensPerSecond.toFixed(0),
      result.prefillTokS.toFixed(0),
      plan.decode.tokensPerSecond.toFixed(1),
      result.decodeTokS.toFixed(1),
    ]);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.log(`SKIPPED ${combination.name}: ${error.message}`);
  }
}
if (values.json) console.log(JSON.stringify({ machine: machineLine(), results }));
else {
  const head = ['combination', 'planned MB', 'measured MB', 'off', 'prefill planned', 'measured tok/s', 'decode planned', 'measured tok/s'];
  console.log(
    `${machineLine()}\n\n${table([head, ...rows])}\n\n${missed === 0 ? `All within ${WITHIN * 100} %.` : `MISSED: ${missed} of ${rows.length} are off by more than ${WITHIN * 100} %.`}`,
  );
}
process.exitCode = missed === 0 ? 0 : 1;
