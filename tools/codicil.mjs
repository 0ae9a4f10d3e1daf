// `npm run -s codicil -- ...`: sets up what is missing, then runs the command line under Node 24.
import { node24, run, setup } from './setup.mjs';

await setup({ renderer: process.argv[2] === 'serve' });
process.exitCode = await run(node24(), ['electron/cli/main.ts', ...process.argv.slice(2)], { show: true });
