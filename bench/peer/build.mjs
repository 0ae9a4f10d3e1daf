// Builds the independent judge: llama.cpp from npm's node-llama-cpp (the package carries the source as a git bundle) and, on its
// public API, our own small driver `peer.cpp`. Owns the cache folder ($CODICIL_PEER_DIR, else ~/.cache/codicil-peer); nothing of
// llama.cpp ever enters this repository. Idempotent: each stage leaves a file that the next run finds.
//
//   node bench/peer/build.mjs [--amx] [--tools]     prints the path of the driver on stdout, progress on stderr
//
// --amx    a second build, with AMX. On a machine that has it this is the faster judge (Sapphire Rapids, Q4_0: twice), so speed.mjs measures both.
//          The first build has none, so that correctness is judged everywhere by the same code.
// --tools  also llama-bench and llama-perplexity: to check our driver's own timing against theirs.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = 'node-llama-cpp@3.21.1';
const TARBALL = 'node-llama-cpp-3.21.1.tgz';
const HEAD = '80fb11ac73e66d89eae2c6a91d8a77428fa733ed'; // what the bundle of that package holds: llama.cpp v0.4.0
const here = dirname(fileURLToPath(import.meta.url));

/** Where everything fetched or built for the comparison lives. */
export function peerDir() {
  return process.env.CODICIL_PEER_DIR ?? join(homedir(), '.cache', 'codicil-peer');
}

export function say(text) {
  process.stderr.write(`peer: ${text}\n`);
}

/** A failure whose sentence is meant for a person: the caller prints it without a stack. */
export class CannotBuild extends Error {}

/** Runs a program; its output goes to stderr when `show`. Rejects with a sentence and the last lines. */
export function runTool(program, args, { cwd, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const take = (chunk) => {
      text = (text + chunk).slice(-200_000);
      if (show) process.stderr.write(chunk);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', () => reject(new CannotBuild(`expected the program "${program}" on PATH, found none: install it and run this again`)));
    child.on('close', (code) => {
      if (code === 0) resolve(text.trim());
      else reject(new CannotBuild(`"${program} ${args.join(' ')}" ended with code ${code}:\n${text.split('\n').slice(-15).join('\n')}`));
    });
  });
}

/** Whether this machine shows AMX int8: then the build with it is the stronger peer. (Where the system has not enabled it, llama.cpp falls back.) */
export function showsAmx() {
  return existsSync('/proc/cpuinfo') && /\bamx_int8\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
}

async function source(dir) {
  const tree = join(dir, 'llama.cpp');
  if (existsSync(join(tree, 'CMakeLists.txt'))) return tree;
  mkdirSync(dir, { recursive: true });
  if (!existsSync(join(dir, TARBALL))) {
    say(`fetching ${PACKAGE} from npm (35 MB)`);
    await runTool('npm', ['pack', PACKAGE, '--silent'], { cwd: dir });
  }
  await runTool('tar', ['-xzf', TARBALL, 'package/llama/gitRelease.bundle'], { cwd: dir });
  say('cloning the source bundle');
  await runTool('git', ['clone', '-q', 'package/llama/gitRelease.bundle', 'llama.cpp'], { cwd: dir });
  return tree;
}

async function library(tree, build, { amx, tools }) {
  // GGML_NATIVE means -march=native, which brings AMX whatever GGML_AMX_* say: only -mno-amx-* takes it out (GCC honours it wherever it stands).
  const noAmx = process.arch === 'x64' && !amx ? '-mno-amx-tile -mno-amx-int8 -mno-amx-bf16' : '';
  const barrier = join(build, 'amx_barrier.h');
  mkdirSync(build, { recursive: true });
  if (!existsSync(barrier)) copyFileSync(join(here, 'amx_barrier.h'), barrier); // a fresh copy would recompile everything
  const flags = {
    CMAKE_BUILD_TYPE: 'Release',
    BUILD_SHARED_LIBS: 'ON',
    GGML_NATIVE: 'ON',
    GGML_CCACHE: 'OFF',
    GGML_METAL: 'OFF',
    GGML_BLAS: 'OFF',
    GGML_AMX_TILE: 'OFF',
    GGML_AMX_INT8: 'OFF',
    GGML_AMX_BF16: 'OFF',
    CMAKE_C_FLAGS: noAmx,
    CMAKE_CXX_FLAGS: amx ? `-include ${barrier}` : noAmx,
    LLAMA_BUILD_COMMON: 'ON',
    LLAMA_BUILD_TOOLS: 'ON',
    LLAMA_BUILD_TESTS: 'OFF',
    LLAMA_BUILD_EXAMPLES: 'OFF',
    LLAMA_BUILD_SERVER: 'OFF',
    LLAMA_BUILD_APP: 'OFF',
    LLAMA_OPENSSL: 'OFF',
    LLAMA_USE_PREBUILT_UI: 'OFF',
  };
  if (!existsSync(join(build, 'CMakeCache.txt'))) {
    say(`configuring in ${build}`);
    await runTool('cmake', ['-S', tree, '-B', build, ...Object.entries(flags).map(([k, v]) => `-D${k}=${v}`)]);
  }
  const stamp = join(build, tools ? 'codicil-tools.done' : 'codicil-library.done');
  if (existsSync(stamp)) return;
  const targets = tools ? ['llama', 'llama-bench', 'llama-perplexity'] : ['llama'];
  say(`compiling ${targets.join(', ')}: three minutes on two idle cores, once`);
  await runTool('nice', ['-n', '5', 'cmake', '--build', build, '-j2', '--target', ...targets], { show: true });
  writeFileSync(stamp, `${HEAD}\n`);
}

/** Builds what is missing and returns the path of the driver. Throws CannotBuild with a sentence. */
export async function buildPeer({ amx = false, tools = false } = {}) {
  for (const tool of ['cmake', 'g++', 'git', 'tar']) await runTool(tool, ['--version']);
  const dir = peerDir();
  const tree = await source(dir);
  const head = await runTool('git', ['rev-parse', 'HEAD'], { cwd: tree });
  if (head !== HEAD) throw new CannotBuild(`expected llama.cpp at ${HEAD} in ${tree}, found ${head}: delete that folder and run this again`);
  const build = join(dir, amx ? 'build-amx' : 'build');
  await library(tree, build, { amx, tools });

  const sources = ['peer.cpp', 'peer_json.h'].map((name) => join(here, name));
  const program = join(build, 'peer');
  const digest = sources.reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256')).digest('hex');
  const mark = `${program}.sha256`;
  if (existsSync(program) && existsSync(mark) && readFileSync(mark, 'utf8') === digest) return program;
  say('compiling the driver');
  await runTool('g++', [
    '-std=c++20',
    '-O2',
    '-Wall',
    '-Wextra',
    `-I${here}`,
    `-I${tree}/include`,
    `-I${tree}/ggml/include`,
    sources[0],
    '-o',
    program,
    `-L${build}/bin`,
    '-lllama',
    '-lggml',
    '-lggml-cpu',
    '-lggml-base',
    `-Wl,-rpath,${build}/bin`,
  ]);
  writeFileSync(mark, digest);
  return program;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const program = await buildPeer({ amx: process.argv.includes('--amx'), tools: process.argv.includes('--tools') });
    process.stdout.write(`${program}\n`);
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
