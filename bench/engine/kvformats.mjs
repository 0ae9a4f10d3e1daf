// How much each format of keys and values costs in truth: mean KL divergence of the logits against f16 pages, and the bytes of a token.
// Real contracts, one after the other to the wanted length, through the shipped Reader's F32 copy: in the Q4_0 file activations are rounded to 8 bits,
// and any other order of additions in attention (avx2 against avx512, both f16) is amplified to a KLD of 0.004; in F32 to 0.000001. Says nothing of speed.
// Usage: node bench/engine/kvformats.mjs [--tokens 4096] [--skip 0] [--model FILE.gguf] [--json]; skips, loudly, without the corpora or the model.

import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { compareLogits } from './divergence.mjs';
import { call, enginePath, exactCopy, inputFile, machineLine, Missing, peerPath, readerFiles, scratchFile, table } from './programs.mjs';
import { realTexts } from './texts.mjs';

const FORMATS = ['q8_0', 'k8v4', 'q4', 'nf4'];
const LIMITS = { k8v4: 0.003 }; // design/engine.md, the table of targets

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '4096' },
    skip: { type: 'string', default: '0' }, // texts to leave out at the front: another sample
    model: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const count = Number(values.tokens);

async function idsOf(engine, model) {
  const texts = realTexts();
  if (texts === null) throw new Missing('expected the contract corpora, found none: set CODICIL_CORPORA to their folder');
  const lists = await call(engine, [
    'tokenize',
    '--model',
    model,
    '--file',
    inputFile(
      'texts.json',
      texts.slice(Number(values.skip)).map(({ text }) => text),
    ),
  ]);
  const ids = lists.flat().slice(0, count);
  if (ids.length < count) throw new Missing(`expected ${count} tokens of real text, found ${ids.length}: ask for fewer`);
  return ids;
}

async function logits(engine, model, tokens, format) {
  const file = scratchFile(`logits-${format}.bin`);
  const { seconds } = await call(engine, ['logits', '--model', model, '--kv', format, '--tokens', tokens, '--out', file]);
  const plan = await call(engine, ['plan', '--model', model, '--kv', format]);
  return { file, seconds, bytes: plan.kvBytes / plan.contextTokens };
}

async function measure() {
  const engine = enginePath();
  const model = values.model ?? (await exactCopy(await peerPath(), readerFiles().model));
  const ids = await idsOf(engine, model);
  const tokens = inputFile('ids.json', ids);
  const exact = await logits(engine, model, tokens, 'f16');
  const rows = [{ format: 'f16', bytes: exact.bytes, mean: 0, median: 0, largest: 0, sameBest: 1, seconds: exact.seconds }];
  for (const format of FORMATS) {
    const ours = await logits(engine, model, tokens, format);
    const { mean, median, largest, sameBest, perplexity, perplexityOurs } = compareLogits(exact.file, ours.file, ids);
    rows.push({ format, bytes: ours.bytes, mean, median, largest, sameBest, perplexity, perplexityOurs, seconds: ours.seconds });
    rmSync(ours.file); // 0.8 GB each at 4,096 tokens
  }
  return { machine: machineLine(), model: basename(model), tokens: ids.length, rows };
}

try {
  const result = await measure();
  const missed = result.rows.filter(({ format, mean }) => LIMITS[format] !== undefined && !(mean <= LIMITS[format]));
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`${result.machine}\n${result.model}, ${result.tokens} tokens of real contracts, against f16 pages\n`);
    const head = ['format', 'bytes/token', 'mean KLD', 'median', 'largest', 'same best', 'perplexity', 'of f16'];
    const lines = result.rows.map((row) => [
      row.format,
      row.bytes,
      row.mean.toFixed(6),
      row.median.toFixed(6),
      row.largest.toFixed(3),
      `${(row.sameBest * 100).toFixed(2)} %`,
      row.perplexityOurs?.toFixed(3) ?? '',
      row.perplexity?.toFixed(3) ?? '',
    ]);
    console.log(table([head, ...lines]));
    for (const { format, mean } of missed) console.log(`MISSED: ${format} mean KLD ${mean.toFixed(6)}, wanted at most ${LIMITS[format]}`);
  }
  process.exitCode = missed.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.log(`SKIPPED: ${error.message}`);
}
