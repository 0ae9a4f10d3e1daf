// `npm test`: sets everything up, then runs every layer of proof and adds up what passed.
//
//   check     types, lint, form
//   native    C++ tests without Node
//   unit      vitest: core, hosts, command line, the real engine through its addon
//   browser   Playwright in Chromium against `codicil serve`
//   desktop   the app in a real Electron, where a binary can be had
// Rule: a layer that cannot run here says so with its reason and counts as skipped, never as passed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { check } from './check.mjs';
import { node24, ROOT, run, say, setup } from './setup.mjs';

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, seconds: number }} Layer */

const RESULTS = path.join(ROOT, 'build', 'results');
const only = process.argv.slice(2).filter((word) => !word.startsWith('-'));

/** @param {string} name @param {() => Promise<Omit<Layer, 'name' | 'seconds'>>} work @returns {Promise<Layer | null>} */
async function layer(name, work) {
  if (only.length > 0 && !only.includes(name)) return null;
  say(`\n== ${name}`);
  const started = Date.now();
  const result = await work();
  return { name, ...result, seconds: Math.round((Date.now() - started) / 1000) };
}

async function checks() {
  const sound = await check();
  return { passed: sound ? 1 : 0, failed: sound ? 0 : 1, skipped: 0 };
}

async function native() {
  const code = await run(node24(), ['tools/native.mjs', 'test', '--json', path.join(RESULTS, 'native.json')], { show: true });
  const file = path.join(RESULTS, 'native.json');
  const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 0, skipped: 0 };
  return { ...counts, failed: code !== 0 && counts.failed === 0 ? 1 : counts.failed };
}

async function unit() {
  const file = path.join(RESULTS, 'unit.json');
  const code = await run(
    node24(),
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tools/vitest.config.ts', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    { show: true },
  );
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
  const failed = report.numFailedTests;
  return { passed: report.numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed, skipped: report.numPendingTests };
}

/** Path of a Chromium, installed from Debian if there is none and this user may. @returns {string | null} */
function chromium() {
  const known = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => file && existsSync(file));
  if (known) return known;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return null;
  say("Installing Debian's Chromium for the browser tests ...");
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : null;
}

/** @param {string} project @param {NodeJS.ProcessEnv} env */
async function playwright(project, env) {
  const file = path.join(RESULTS, `${project}.json`);
  const code = await run(node24(), ['node_modules/@playwright/test/cli.js', 'test', '--config', 'e2e/playwright.config.ts', '--project', project], {
    show: true,
    env: { ...env, CODICIL_RESULTS: file },
  });
  const stats = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).stats : { expected: 0, unexpected: 1, flaky: 0, skipped: 0 };
  const failed = stats.unexpected + stats.flaky;
  return { passed: stats.expected, failed: code !== 0 && failed === 0 ? 1 : failed, skipped: stats.skipped };
}

async function browser() {
  const file = chromium();
  if (file) return playwright('browser', { CHROMIUM: file });
  say('SKIPPED: no Chromium was found and none may be installed. Install it (sudo apt-get install chromium), or name one in CHROMIUM.');
  return { passed: 0, failed: 0, skipped: 1 };
}

async function desktop() {
  const { findElectron } = await import('../e2e/electron/binary.mjs');
  const found = await findElectron(say);
  if (found.binary) return playwright('desktop', { CODICIL_ELECTRON: found.binary });
  say(`SKIPPED: ${found.reason}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

await setup({ renderer: true, electron: true });
mkdirSync(RESULTS, { recursive: true });
const layers = [
  await layer('check', checks),
  await layer('native', native),
  await layer('unit', unit),
  await layer('browser', browser),
  await layer('desktop', desktop),
];
const ran = layers.filter((entry) => entry !== null);
say('');
for (const entry of ran)
  say(
    `${entry.name.padEnd(10)} ${String(entry.passed).padStart(5)} passed ${String(entry.failed).padStart(4)} failed ${String(entry.skipped).padStart(4)} skipped ${String(entry.seconds).padStart(5)} s`,
  );
/** @param {'passed' | 'failed' | 'skipped'} key */
const total = (key) => ran.reduce((sum, entry) => sum + entry[key], 0);
process.stdout.write(`\n${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped\n`);
process.exitCode = total('failed') === 0 && total('passed') > 0 ? 0 : 1;
