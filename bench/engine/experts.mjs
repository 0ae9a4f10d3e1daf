// A mixture that is larger than its memory: tokens a second, bytes read per token and hits of the expert cache, against what the plan said.
// Random weights in the true shape of Qwen3.5-35B-A3B (19.6 GB as Q4_0). A random router chooses near uniformly, which is the worst case of any
// cache: hits are its share of the experts, where a trained model's experts are used unevenly and again soon.
// Usage: node bench/engine/experts.mjs [--ram-budget 8G] [--whole] [--layers 40] [--file FILE.gguf] [--prefill 2048] [--warm 24] [--decode 16] [--json]
//   --whole   everything in memory (19.6 GB at 40 layers), for the same file: what streaming costs
//   --file    written when it is not there; kept for the next run
import { existsSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { call, enginePath, machineLine, Missing, say, table } from './programs.mjs';

const { values } = parseArgs({
  options: {
    'ram-budget': { type: 'string', default: '8G' },
    whole: { type: 'boolean', default: false },
    layers: { type: 'string', default: '40' },
    file: { type: 'string' },
    context: { type: 'string', default: '8192' },
    prefill: { type: 'string', default: '2048' },
    warm: { type: 'string', default: '24' },
    decode: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
  },
});

async function modelFile(engine) {
  const path = values.file ?? join(tmpdir(), `codicil-35b-a3b-${values.layers}.gguf`);
  if (existsSync(path)) return path;
  say(`writing ${path} (${values.layers} layers)`);
  await call(engine, ['random-model', '--shape', 'qwen35moe-35b-a3b', '--type', 'q4_0', '--layers', values.layers, '--out', `${path}.part`]);
  renameSync(`${path}.part`, path);
  return path;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
const ratio = (measured, planned) => (planned > 0 ? (measured / planned).toFixed(2) : '-');

try {
  const engine = enginePath();
  const model = await modelFile(engine);
  const args = ['footprint', '--model', model, '--context', values.context, '--prefill', values.prefill, '--warm', values.warm, '--decode', values.decode];
  if (!values.whole) args.push('--ram-budget', values['ram-budget']);
  const result = await call(engine, args);
  const { plan } = result;
  if (values.json) console.log(JSON.stringify({ machine: machineLine(), ...result }));
  else {
    console.log(`${machineLine()}\n${megabytes(statSync(model).size)} file, ${values.whole ? 'all in memory' : `budget ${values['ram-budget']}`}`);
    console.log(`opened in ${result.openSeconds.toFixed(1)} s; ${result.prefillTokens} tokens read, ${result.decodeTokens} answered\n`);
    const rows = [
      ['prefill tok/s', result.prefillTokS.toFixed(1), plan.prefill.tokensPerSecond.toFixed(1), ratio(result.prefillTokS, plan.prefill.tokensPerSecond)],
      ['decode tok/s', result.decodeTokS.toFixed(2), plan.decode.tokensPerSecond.toFixed(2), ratio(result.decodeTokS, plan.decode.tokensPerSecond)],
      [
        'read per token',
        megabytes(result.streamedBytesPerToken),
        megabytes(plan.streamedBytesPerToken),
        ratio(result.streamedBytesPerToken, plan.streamedBytesPerToken),
      ],
      ['experts in cache', result.expertHitShare.toFixed(3), plan.expertHitShare.toFixed(3), ratio(result.expertHitShare, plan.expertHitShare)],
      ['weights in memory', megabytes(result.weightBytes), megabytes(plan.weightBytes), ratio(result.weightBytes, plan.weightBytes)],
      ['anonymous memory', megabytes(result.anonymousBytes), megabytes(plan.usedBytes), ratio(result.anonymousBytes, plan.usedBytes)],
    ];
    console.log(table([['what', 'measured', 'planned', 'ratio'], ...rows]));
    console.log(`\n${plan.decode.bottleneck}\npeak ${megabytes(result.peakBytes)} of the process, the program's own file included`);
  }
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.log(`SKIPPED: ${error.message}`);
}
