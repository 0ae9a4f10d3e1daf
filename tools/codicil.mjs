// `npm run -s codicil -- ...`: sets up what is missing, then runs the command line under Node 24, in the folder where npm was called.
import path from 'node:path';
import { node24, ROOT, run, setup } from './setup.mjs';

await setup({ renderer: process.argv[2] === 'serve' });
process.exitCode = await run(node24(), [path.join(ROOT, 'electron/cli/main.ts'), ...process.argv.slice(2)], {
  show: true,
  cwd: process.env['INIT_CWD'] ?? process.cwd(),
});
