// Feeds broken input to what reads untrusted bytes, for a while: `node tools/fuzz.mjs [--seconds 60] [--keep] [TARGET ...]` (needs clang++, for libFuzzer).
//
// Every `native/**/x_fuzz.cc` is a target, and `native/**/x_fuzz/` its kept inputs, which the ordinary tests replay. A run starts from these and
// prints how many inputs were executed. With --keep, inputs that reach new code take the place of those that an earlier run kept, smallest first, up
// to MOST of LARGEST bytes each; inputs that a person named stay.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { node24, ROOT } from './setup.mjs';

const LARGEST = 4096; // a kept input is read in reviews, and the repository stays small
const MOST = 40; // of one target
const args = process.argv.slice(2);
const seconds = args.includes('--seconds') ? Number(args[args.indexOf('--seconds') + 1]) : 60;
if (!(seconds > 0)) {
  process.stderr.write('Expected a number of seconds above 0 after --seconds.\n');
  process.exit(2);
}
const names = args.filter((word, i) => !word.startsWith('--') && args[i - 1] !== '--seconds');

/** @param {string} file @param {string[]} words */
function run(file, words) {
  const { status, stdout, stderr, error } = spawnSync(file, words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { ok: !error && status === 0, text: `${stdout ?? ''}${stderr ?? ''}` };
}

/** Kept inputs: those that have a name, then what a merge leaves of all others, small ones only. @param {string} target @param {string} corpus @param {string} found */
function keep(target, corpus, found) {
  const merged = mkdtempSync(path.join(tmpdir(), 'codicil-fuzz-'));
  run(target, ['-merge=1', merged, corpus, found]);
  const all = readdirSync(corpus);
  const named = all.filter((name) => !/^[0-9a-f]{40}$/.test(name));
  for (const name of all) if (!named.includes(name)) rmSync(path.join(corpus, name));
  // libFuzzer names an input by its sha1.
  const known = new Set(
    named.map((name) =>
      createHash('sha1')
        .update(readFileSync(path.join(corpus, name)))
        .digest('hex'),
    ),
  );
  const sizeOf = (/** @type {string} */ name) => statSync(path.join(merged, name)).size;
  const small = readdirSync(merged)
    .filter((name) => sizeOf(name) <= LARGEST && !known.has(name))
    .sort((a, b) => sizeOf(a) - sizeOf(b));
  for (const name of small.slice(0, Math.max(0, MOST - named.length))) copyFileSync(path.join(merged, name), path.join(corpus, name));
  rmSync(merged, { recursive: true });
}

/** @param {string} source @returns {boolean} */
function fuzz(source) {
  const name = path.basename(source, '.cc');
  const [target, corpus] = [path.join(ROOT, 'build', 'native-fuzz', name), path.join(ROOT, source.replace(/\.cc$/, ''))];
  const found = mkdtempSync(path.join(tmpdir(), 'codicil-fuzz-'));
  mkdirSync(corpus, { recursive: true });
  const { ok, text } = run(target, [
    `-max_total_time=${seconds}`,
    '-timeout=10',
    '-rss_limit_mb=2048',
    `-artifact_prefix=${ROOT}/build/`,
    '-print_final_stats=1',
    found,
    corpus,
  ]);
  const executions = /number_of_executed_units:\s*(\d+)/.exec(text)?.[1] ?? '?';
  const edges = [...text.matchAll(/cov: (\d+)/g)].at(-1)?.[1] ?? '?';
  process.stdout.write(
    `${ok ? 'ok  ' : 'FAIL'}  ${name}  ${executions} executions in ${seconds} s, ${edges} edges, ${readdirSync(corpus).length} kept inputs\n`,
  );
  if (!ok) process.stdout.write(`${text.slice(-4000).replace(/^/gm, '      ')}\n`);
  if (ok && args.includes('--keep')) keep(target, corpus, found);
  rmSync(found, { recursive: true });
  return ok;
}

const sources = readdirSync(path.join(ROOT, 'native'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('_fuzz.cc'))
  .map((file) => path.posix.join('native', file.replaceAll(path.sep, '/')))
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
if (sources.length === 0) {
  process.stderr.write(`Expected the name of a target, found "${names.join(' ')}". Leave it out to run all.\n`);
  process.exit(2);
}
const built = spawnSync(node24(), ['tools/native.mjs', 'fuzz'], {
  cwd: ROOT,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, CXX: process.env['CXX'] ?? 'clang++' },
});
if (built.status !== 0) process.exit(1);
process.exitCode = sources.map(fuzz).every(Boolean) ? 0 : 1;
