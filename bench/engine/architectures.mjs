// Does every architecture and tensor type compute what llama.cpp computes? On files of random weights in true shapes, a few layers deep.
//
//   node bench/engine/architectures.mjs [--tokens 512] [--deep] [--shape NAME] [--json]
//
// As F32 nothing rounds, and two right programs agree: mean KLD <= 1e-6. As Q4_0 and the other types both round activations to 8 bits, each in its own order
// (for K-quants llama.cpp by blocks of 256), so the judge is llama.cpp on the same weights written out as F32: ours within 1e-3 of it, and no further from it
// than llama.cpp's own kernels are (x 1.25). How far the two quantized runs are from each other is printed beside.
// --deep: the dense and the hybrid shape at 32,768 positions (--shape: one of them), and nothing else. Exit code 1 if a claim fails.

import { rmSync } from 'node:fs';
import { claim, reportClaims } from './claims.mjs';
import { compareLogits } from './divergence.mjs';
import { call, enginePath, inputFile, machine, machineLine, peerPath, say, scratchFile } from './programs.mjs';

const args = process.argv.slice(2);
const value = (name, fallback) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : fallback);
const TOKENS = value('--tokens', 512);
const VOCAB = 4096;
const DEEP = 32_768;
const EXACT_KLD = 1e-6;
const ROUNDED_KLD = 1e-3; // design/engine.md, "Proof"
const MAX_DISTANCE_RATIO = 1.25; // as in compare.mjs

/** Shape, layers (a whole period of a hybrid), experts kept so that a file stays below 1 GB. */
const SHAPES = [
  ['llama-135m', 4],
  ['qwen2-0.5b', 4],
  ['qwen3-0.6b', 4],
  ['qwen35-0.8b', 8],
  ['qwen35-4b', 4],
  ['qwen3moe-30b-a3b', 2, 32],
  ['qwen35moe-35b-a3b', 4, 32],
];
/** The dense and the hybrid one; --shape: one of them. */
const deepShapes = [SHAPES[0], SHAPES[3]].filter(([name]) => !args.includes('--shape') || name === args[args.indexOf('--shape') + 1]);
if (deepShapes.length === 0 || (args.includes('--shape') && !args.includes('--deep'))) {
  console.error(`Expected --deep --shape ${SHAPES[0][0]} or ${SHAPES[3][0]}, found ${args.join(' ')}.`);
  process.exit(2);
}
const TYPES = ['q4_1', 'q5_0', 'q5_1', 'q8_0', 'q2_K', 'q3_K', 'q4_K', 'q5_K', 'q6_K', 'iq4_nl', 'iq4_xs', 'mxfp4', 'f16', 'bf16'];

function tokenIds(count) {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % (VOCAB - 1);
  });
}

async function makeModel(engine, [shape, layers, experts], type) {
  const file = scratchFile(`random-${shape}-${type}.gguf`);
  const options = ['--shape', shape, '--type', type, '--layers', String(layers), '--vocab', String(VOCAB), '--out', file];
  await call(engine, ['random-model', ...options, ...(experts ? ['--experts', String(experts)] : [])]);
  return file;
}

async function logits(program, name, model, ids, extra = []) {
  const out = scratchFile(`random-${name}.bin`);
  // Nothing here is timed: threads of the judge may sleep while they wait.
  await call(program, ['logits', '--model', model, '--tokens', inputFile('random-ids.json', ids), '--out', out, ...extra], { OMP_WAIT_POLICY: 'passive' });
  return out;
}

const shown = (found) => `mean KLD ${found.mean.toExponential(2)}, largest ${found.largest.toExponential(2)}, same best ${(100 * found.sameBest).toFixed(1)} %`;

async function exact(engine, judge, shape, count) {
  const ids = tokenIds(count);
  const model = await makeModel(engine, shape, 'f32');
  const ours = await logits(engine, 'ours', model, ids, ['--context', String(count + 1), '--kv', 'f16']);
  const theirs = await logits(judge, 'judge', model, ids);
  const found = compareLogits(theirs, ours, ids);
  claim(`${shape[0]} as F32, ${count} tokens`, found.mean <= EXACT_KLD, shown(found));
  rmSync(model);
}

async function rounded(engine, judge, shape, type) {
  const ids = tokenIds(Math.min(TOKENS, 128));
  const model = await makeModel(engine, shape, type);
  const plain = scratchFile('random-plain.gguf');
  await call(judge, ['dequantize', '--model', model, '--out', plain]);
  const ours = await logits(engine, 'ours', model, ids);
  const theirs = await logits(judge, 'judge', model, ids);
  const truth = await logits(judge, 'truth', plain, ids);
  const between = compareLogits(theirs, ours, ids);
  const our = compareLogits(truth, ours, ids).mean;
  const their = compareLogits(truth, theirs, ids).mean;
  const pass = our <= ROUNDED_KLD && our <= Math.max(their * MAX_DISTANCE_RATIO, EXACT_KLD);
  claim(`${shape[0]} as ${type}`, pass, `${shown(between)}; from the F32 form: ours ${our.toExponential(2)}, llama.cpp ${their.toExponential(2)}`);
  rmSync(model);
  rmSync(plain);
}

async function run() {
  const engine = enginePath();
  const judge = await peerPath();
  say(machineLine(machine()));
  if (args.includes('--deep')) {
    for (const shape of deepShapes) await exact(engine, judge, shape, DEEP);
    return;
  }
  for (const shape of SHAPES) await exact(engine, judge, shape, TOKENS);
  for (const shape of SHAPES) await rounded(engine, judge, shape, 'q4_0');
  for (const type of TYPES) await rounded(engine, judge, SHAPES[2], type);
}

await reportClaims(run, args.includes('--json'));
