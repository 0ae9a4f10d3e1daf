// `npm run check`: types, lint and form. Fast enough to run before every commit.
import { format } from './format.mjs';
import { node24, run, say, setup } from './setup.mjs';

/** @returns {Promise<boolean>} true when everything is in order; each failure has printed its reason */
export async function check() {
  const steps = /** @type {const} */ ([
    ['types (tsc)', () => run(node24(), ['node_modules/typescript/bin/tsc', '-b', '--pretty', 'false'])],
    ['lint (oxlint, type-aware)', () => run(node24(), ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--quiet'])],
    ['form (oxfmt, clang-format)', async () => ((await format(true)) ? 0 : 1)],
  ]);
  let sound = true;
  for (const [name, step] of steps) {
    const started = Date.now();
    const code = await step();
    say(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name}  ${((Date.now() - started) / 1000).toFixed(1)} s`);
    sound &&= code === 0;
  }
  if (!sound) say('`npm run format` repairs the form; the rest is yours.');
  return sound;
}

if (process.argv[1]?.endsWith('check.mjs')) {
  await setup({});
  process.exitCode = (await check()) ? 0 : 1;
}
