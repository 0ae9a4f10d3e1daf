// How much each format of keys and values costs in truth: mean KL divergence of the logits against f16 pages, and the bytes of a token.
// Real contracts, one after the other to the wanted length, through F32 copies: in a quantized file activations are rounded to 8 bits, and any other
// order of additions in attention (avx2 against avx512, both f16) is amplified to a KLD of 0.004; in F32 to 0.000001. Says nothing of speed.
// Two models: the shipped Reader (trained to 8K) at 4,096 tokens, every row; Qwen2.5-Coder-0.5B (32K) at 32,768, of every 16 rows the last: a file
// of all would be 20 GB. Each format is one prefill in F32, for Qwen some 30 minutes of processor time.
// Usage: node bench/engine/kvformats.mjs [--only reader|qwen] [--tokens N] [--formats q8_0,k8v4] [--skip 0] [--model FILE.gguf] [--json]
// Skips, loudly, without the corpora or a model. Exit code 1 when a limit is missed.

import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { call, enginePath, exactCopy, inputFile, machineLine, Missing, peerPath, readerFiles, say, scratchFile, secondModel, table } from './programs.mjs';
import { realTexts } from './texts.mjs';

const LIMITS = { k8v5: 0.003, k8v4: 0.003 }; // design/engine.md, the table of targets
const PLANS = {
  reader: { tokens: 4096, every: 1, file: () => readerFiles().model },
  qwen: { tokens: 32_768, every: 16, file: () => secondModel() },
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    tokens: { type: 'string' },
    formats: { type: 'string', default: 'q8_0,k8v5,k8v4,q4,nf4' },
    skip: { type: 'string', default: '0' }, // texts to leave out at the front: another sample
    model: { type: 'string' }, // taken as it is, at --tokens
    json: { type: 'boolean', default: false },
  },
});

async function idsOf(engine, model, count) {
  const texts = realTexts(4);
  if (texts === null) throw new Missing('expected the contract corpora, found none: set CODICIL_CORPORA to their folder');
  const chosen = texts.slice(Number(values.skip)).map(({ text }) => text);
  const lists = await call(engine, ['tokenize', '--model', model, '--file', inputFile('texts.json', chosen)]);
  const ids = lists.flat().slice(0, count);
  if (ids.length < count) throw new Missing(`expected ${count} tokens of real text, found ${ids.length}: ask for fewer`);
  return ids;
}

async function measure(engine, { tokens, every, file }) {
  const model = values.model ?? (await exactCopy(await peerPath(), await file()));
  const count = Number(values.tokens ?? tokens);
  const ids = inputFile('ids.json', await idsOf(engine, model, count));
  const common = ['--model', model, '--tokens', ids, '--every', String(every), '--context', String(count)];
  const exact = scratchFile('logits-f16.bin');
  const bytesOf = async (format) => {
    const plan = await call(engine, ['plan', '--model', model, '--kv', format]);
    return plan.kvBytes / plan.contextTokens;
  };
  say(`${basename(model)}: f16`);
  const { seconds } = await call(engine, ['logits', ...common, '--kv', 'f16', '--out', exact]);
  const rows = [{ format: 'f16', bytes: await bytesOf('f16'), seconds }];
  for (const format of values.formats.split(',')) {
    say(`${basename(model)}: ${format}`);
    const ours = await call(engine, ['perplexity', ...common, '--kv', format, '--against', exact]);
    rows.push({ format, bytes: await bytesOf(format), seconds: ours.seconds, ...ours.against, perplexity: ours.perplexity, f16: ours.against.perplexity });
  }
  rmSync(exact);
  return { model: basename(model), tokens: count, every, rows };
}

function print({ model, tokens, every, rows }) {
  console.log(`\n${model}, ${tokens} tokens of real contracts, of every ${every} rows the last, against f16 pages\n`);
  const head = ['format', 'bytes/token', 'mean KLD', 'median', '99 %', 'largest', 'same best', 'perplexity', 'of f16'];
  const lines = rows
    .slice(1)
    .map((row) => [
      row.format,
      row.bytes,
      row.meanKld.toFixed(6),
      row.medianKld.toFixed(6),
      row.p99Kld.toFixed(4),
      row.maxKld.toFixed(3),
      `${(row.sameBest * 100).toFixed(2)} %`,
      row.perplexity.toFixed(3),
      row.f16.toFixed(3),
    ]);
  console.log(table([head, ...lines]));
}

const found = [];
if (!values.json) console.log(machineLine());
for (const name of values.only ? [values.only] : Object.keys(PLANS)) {
  try {
    const result = await measure(enginePath(), PLANS[name]);
    found.push(result);
    if (!values.json) print(result);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(`SKIPPED: ${name}: ${error.message}`);
  }
}
const missed = found.flatMap(({ model, rows }) =>
  rows.filter(({ format, meanKld }) => format in LIMITS && !(meanKld <= LIMITS[format])).map((row) => ({ model, ...row })),
);
if (values.json) console.log(JSON.stringify(found));
else
  for (const { model, format, meanKld } of missed) console.log(`MISSED: ${model}, ${format}: mean KLD ${meanKld.toFixed(6)}, wanted at most ${LIMITS[format]}`);
process.exitCode = missed.length === 0 ? 0 : 1;
