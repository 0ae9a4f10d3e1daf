// A session of 245,760 tokens whose keys and values do not fit the memory they are given: read, answer, close; open again, answer at once; ask again.
// Random weights of a narrow shape: as little arithmetic for a byte of keys as there can be, so that the disk is what is measured.
// Judges the warm start: time to the first token <= 1.25 x (bytes read / rate of the disk) + 0.3 s (design/engine.md); the rate is that of reading the
// same files one after the other, past the system's cache, in the same minute. A second question must compute nothing but itself.
// Usage: node bench/engine/longsession.mjs [--length 245760] [--ram-mib 32] [--layers 2] [--batch-tokens 2048] [--threads 2] [--rounds 3] [--store FOLDER] [--json]
// With --store the folder is kept, and read again instead of being made anew (the model's file beside it).

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { call, enginePath, machineLine, Missing, scratchFile, table } from './programs.mjs';

const { values } = parseArgs({
  options: {
    length: { type: 'string', default: '245760' },
    'ram-mib': { type: 'string', default: '32' },
    layers: { type: 'string', default: '2' },
    'batch-tokens': { type: 'string', default: '2048' },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    store: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const MIB = 2 ** 20;
const QUESTION_TOKENS = 24;

const mib = (bytes) => (bytes / MIB).toFixed(1);
const seconds = (value) => value.toFixed(3);
const perSecond = (bytes, time) => (time > 0 ? `${(bytes / time / MIB).toFixed(0)} MiB/s` : '-');

function judge({ questions, plainRead }) {
  const [warm, next] = questions;
  const limit = (1.25 * warm.firstTokenReadBytes) / (plainRead.bytes / plainRead.seconds) + 0.3;
  return { firstToken: warm.firstTokenSeconds, limit, ok: warm.firstTokenSeconds <= limit, second: next.computedTokens };
}

async function measure() {
  const engine = enginePath();
  const store = values.store ?? scratchFile('long-store');
  const model = values.store === undefined ? scratchFile('long.gguf') : join(values.store, 'long.gguf');
  const shape = ['--shape', 'llama-narrow', '--layers', values.layers, '--type', 'q8_0'];
  if (!existsSync(model)) {
    if (values.store !== undefined) mkdirSync(store, { recursive: true });
    await call(engine, ['random-model', '--out', model, ...shape]);
  }
  const common = ['--model', model, '--threads', values.threads, '--batch-tokens', values['batch-tokens'], '--store', store];
  const session = [...common, '--length', values.length, '--question-tokens', String(QUESTION_TOKENS), '--ram-mib', values['ram-mib'], '--rate'];
  const plan = await call(engine, ['plan', ...common, '--ram-mib', values['ram-mib'], '--context', values.length]);
  const runs = [];
  for (let round = 0; round <= Number(values.rounds); ++round) runs.push(await call(engine, ['session', ...session]));
  if (values.store === undefined) rmSync(store, { recursive: true });
  const [cold, ...warm] = runs;
  return { machine: machineLine(), plan, cold, warm, verdicts: warm.map(judge) };
}

function show({ machine, plan, cold, warm, verdicts }) {
  console.log(`${machine}\n${values.length} tokens, ${values.layers} layers: keys and values ${mib(plan.kvBytes)} MiB, budget ${values['ram-mib']} MiB\n`);
  const head = ['run', 'question', 'reused', 'computed', 'first token s', 'read for it MiB', 'at', 'all s', 'read MiB', 'at', 'waited s', 'written MiB'];
  const lines = [cold, ...warm].flatMap((run, at) =>
    run.questions.map((q, n) => [
      at === 0 ? 'cold' : `warm ${at}`,
      n + 1,
      q.reusedTokens,
      q.computedTokens,
      seconds(q.firstTokenSeconds),
      mib(q.firstTokenReadBytes),
      perSecond(q.firstTokenReadBytes, q.firstTokenReadSeconds),
      seconds(q.seconds),
      mib(q.readBytes),
      perSecond(q.readBytes, q.readSeconds),
      seconds(q.waitSeconds),
      mib(q.writtenBytes),
    ]),
  );
  console.log(table([head, ...lines]));
  const memory = [cold, ...warm].map((run) => [
    mib(run.ramPagesBytes),
    mib(run.ringBytes),
    mib(run.weightBytes + run.scratchBytes),
    mib(run.peakBytes),
    run.liveSsdPages,
    run.queue,
  ]);
  console.log(`\n${table([['pages MiB', 'ring MiB', 'weights and scratch MiB', 'peak of process MiB', 'pages on SSD only', 'queue'], ...memory])}\n`);
  verdicts.forEach((v, at) => {
    const { plainRead } = warm[at];
    console.log(
      `${v.ok ? 'ok    ' : 'MISSED'} warm ${at + 1}: first token after ${seconds(v.firstToken)} s, limit ${seconds(v.limit)} s (plain read ${perSecond(plainRead.bytes, plainRead.seconds)}); second question computed ${v.second} tokens`,
    );
  });
}

try {
  const result = await measure();
  if (values.json) console.log(JSON.stringify(result));
  else show(result);
  const [cold] = result.cold.questions;
  const same = result.warm.every((run) => JSON.stringify(run.questions[0].steps) === JSON.stringify(cold.steps));
  if (!same) console.log('MISSED: an answer after reopening differs from the first one');
  process.exitCode = same && result.verdicts.every((v) => v.ok && v.second === QUESTION_TOKENS) ? 0 : 1;
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.log(`SKIPPED: ${error.message}`);
}
