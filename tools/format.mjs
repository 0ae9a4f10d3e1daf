// `npm run format`: oxfmt for TypeScript and JavaScript, clang-format for C++. With --check it changes nothing and fails on a difference.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { node24, ROOT, run } from './setup.mjs';

const FOLDERS = ['core', 'electron', 'renderer', 'e2e', 'tools', 'bench'];

/** C++ files below a folder. @param {string} folder @returns {string[]} */
export function cppFiles(folder) {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(h|cc|cu)$/.test(name))
    .map((name) => path.join(folder, name));
}

/** @param {boolean} check @returns {Promise<boolean>} true when everything is in form */
export async function format(check) {
  const oxfmt = await run(node24(), ['node_modules/oxfmt/bin/oxfmt', ...(check ? ['--check'] : []), ...FOLDERS], { show: !check });
  const files = [...cppFiles('native'), ...cppFiles('kernels')];
  const clang = await run(node24(), ['node_modules/clang-format-node/build/cli.js', '--style=file', ...(check ? ['--dry-run', '--Werror'] : ['-i']), ...files]);
  return oxfmt === 0 && clang === 0;
}

if (process.argv[1]?.endsWith('format.mjs')) process.exitCode = (await format(process.argv.includes('--check'))) ? 0 : 1;
