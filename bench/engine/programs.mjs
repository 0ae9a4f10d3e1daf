// Runs the two programs that are compared: ours (`engine-cli`) and the judge (`peer`), which speak one language (bench/peer/FORMATS.md).
// Owns processes, temporary files, the cache of the judge's answers, and the description of the machine. Compares nothing.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPeer, CannotBuild, peerDir, say } from '../peer/build.mjs';
import { fetchTestModel } from '../peer/testmodel.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'codicil-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Something that this machine lacks: the caller skips, loudly, with this sentence. */
export class Missing extends Error {}

export function enginePath() {
  const path = process.env.ENGINE_CLI ?? join(root, 'build', 'native', 'engine-cli');
  if (!existsSync(path)) throw new Missing(`expected our engine at ${path}, found none: build it (npm run build) or set ENGINE_CLI`);
  return path;
}

export async function peerPath(options) {
  try {
    return await buildPeer(options);
  } catch (error) {
    if (error instanceof CannotBuild) throw new Missing(`llama.cpp could not be built here: ${error.message}`);
    throw error;
  }
}

function firstThatExists(...paths) {
  return paths.find((path) => path !== undefined && existsSync(path));
}

/** The shipped Reader and its golden answers; CODICIL_MODELS, else the repository's copies. */
export function readerFiles() {
  const name = 'codicil-reader-135m-q4_0.gguf';
  const find = (file) =>
    firstThatExists(...[process.env.CODICIL_MODELS, join(root, 'assets', 'models'), join(root, 'assets')].map((dir) => dir && join(dir, file)));
  const model = find(name);
  const golden = find('golden.json');
  if (!model || !golden)
    throw new Missing(
      `expected ${name} and golden.json in assets/models, found ${model ?? 'no model'} and ${golden ?? 'no golden.json'}: set CODICIL_MODELS to their folder`,
    );
  return { model, golden };
}

export async function secondModel() {
  try {
    return await fetchTestModel();
  } catch (error) {
    if (error instanceof CannotBuild) throw new Missing(`the second model could not be fetched: ${error.message}`);
    throw error;
  }
}

/** Runs one subcommand and returns its JSON; rejects with the program's own sentence. */
export function call(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    const out = [];
    let errors = '';
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const text = Buffer.concat(out).toString('utf8');
      if (code !== 0)
        reject(new Error(`${program} ${args.join(' ')} ended with ${signal ?? `code ${code}`}: ${errors.trim().split('\n').slice(-3).join(' / ')}`));
      else resolve(JSON.parse(text));
    });
  });
}

/** Writes a value for a program to read. */
export function inputFile(name, value) {
  const path = join(scratch, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

export function scratchFile(name) {
  return join(scratch, name);
}

// The judge's answers depend on its code, the model, the input and the instruction set only; they are kept beside it, as they take minutes.
function answersFolder(program) {
  const all = join(peerDir(), 'answers');
  const mine = createHash('sha256')
    .update(machine().features.join(' '))
    .update(readFileSync(`${program}.sha256`))
    .digest('hex')
    .slice(0, 16);
  mkdirSync(join(all, mine), { recursive: true });
  for (const other of readdirSync(all)) if (other !== mine) rmSync(join(all, other), { recursive: true }); // of an older driver: gigabytes that nobody reads again
  return join(all, mine);
}

function judgeKey(args) {
  const hash = createHash('sha256');
  for (const arg of args) {
    if (!existsSync(arg)) hash.update(arg);
    else if (arg.endsWith('.gguf')) hash.update(`${statSync(arg).size}:${statSync(arg).mtimeMs}`);
    else hash.update(readFileSync(arg));
  }
  return hash.digest('hex').slice(0, 24);
}

/** Like `call`, for the judge, from the cache when it has answered before. With `binary`, `--out` is added and {json, file} returned. */
export async function callJudge(program, args, { fresh = false, binary = false } = {}) {
  const key = join(answersFolder(program), judgeKey(args));
  const file = `${key}.bin`;
  if (fresh || !existsSync(`${key}.json`) || (binary && !existsSync(file))) {
    say(`asking the judge: ${args.filter((arg) => !arg.startsWith('/')).join(' ')}`);
    // Not timed, so its threads may sleep while they wait: on a busy machine OpenMP's spinning makes it ten times slower.
    const json = await call(program, binary ? [...args, '--out', `${file}.part`] : args, { OMP_WAIT_POLICY: 'passive' });
    if (binary) renameSync(`${file}.part`, file);
    writeFileSync(`${key}.json`, JSON.stringify(json));
  }
  const json = JSON.parse(readFileSync(`${key}.json`, 'utf8'));
  return binary ? { json, file } : json;
}

/** The same model in F32, written once by the judge: the yardstick without rounded activations. */
export async function exactCopy(judge, model) {
  const file = join(peerDir(), `${basename(model, '.gguf')}-${statSync(model).size}.f32.gguf`);
  if (!existsSync(file)) {
    say(`writing ${basename(model)} as F32`);
    await call(judge, ['dequantize', '--model', model, '--out', `${file}.part`]);
    renameSync(`${file}.part`, file);
  }
  return file;
}

export function machine() {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const info = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  const features = ['avx2', 'avx512f', 'avx512_vnni', 'avx512_bf16', 'avx512_fp16', 'amx_int8'].filter((name) => new RegExp(`\\b${name}\\b`).test(info));
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  return { processor: model, cores: cpus().length, features, memory: `${gib} GiB`, load: Number((loadavg()[0] ?? 0).toFixed(2)) };
}

export function machineLine(about = machine()) {
  return `${about.processor}, ${about.cores} cores, ${about.memory}, ${about.features.join(' ')}; load before the run ${about.load}`;
}

/** A table for a person: columns padded, numbers (and nothing else) to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (/^[\d.,]+$/.test(String(cell)) ? String(cell).padStart(widths[column]) : String(cell).padEnd(widths[column])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export { say };
