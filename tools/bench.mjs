// `npm run bench:engine`, `bench:reader` and `bench:documents`: set up, then measure; what they print is what SPEED.md records.
import { fail, node24, run, setup } from './setup.mjs';

/** @type {Readonly<Record<string, readonly (readonly string[])[]>>} */
const BENCHES = {
  engine: [['bench/engine/compare.mjs'], ['bench/engine/speed.mjs']],
  reader: [['bench/reader/reader.ts']],
  documents: [['bench/documents/documents.ts']],
};
const [name = '', ...rest] = process.argv.slice(2);
const programs = BENCHES[name] ?? fail(`A bench was expected: ${Object.keys(BENCHES).join(', ')}. Found: ${name || 'nothing'}.`);
await setup({});
let code = 0;
for (const program of programs) code = Math.max(code, await run(node24(), [...program, ...rest], { show: true }));
process.exitCode = code;
