// `codicil serve`: the window in a browser on this machine, until it is stopped.
import { serveBrowser } from '../workspace/serve.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { rendererFolder } from './doctor.ts';

/** Not registered for anything else that lawyers run; a fixed number makes an SSH tunnel a line one can keep. */
const PORT = 4747;

export const serve: Command = {
  name: 'serve',
  usage: '',
  about:
    'Serves the same window as the app on 127.0.0.1, behind a random token that stands in the printed address. Nothing else of the network is opened. For a workstation elsewhere: ssh -L 4747:127.0.0.1:4747 host.',
  options: {
    port: { value: 'N', help: `Port (${PORT}; 0 takes any free one)` },
    token: { value: 'TEXT', help: 'Token to use instead of a random one (also CODICIL_TOKEN), at least 16 characters' },
    renderer: { value: 'FOLDER', help: 'Built window to serve (dist/renderer)' },
  },
  examples: [
    ['codicil serve', 'Open the printed address in a browser'],
    ['codicil serve --port 0 --json', 'For scripts: {"url", "port"} on stdout'],
  ],
  run: async (session) => {
    if (session.args.positionals.length > 0)
      throw new UsageError('serve takes no file; add documents in the window, or with codicil ingest.', 'codicil serve --help');
    const token = session.args.text('token') ?? process.env['CODICIL_TOKEN'];
    if (token !== undefined && !/^[\w-]{16,128}$/.test(token)) throw new UsageError('--token takes 16 to 128 letters, digits, - or _.', 'codicil serve --help');
    const served = await serveBrowser({
      workspace: session.workspace({ prefill: true }),
      folder: session.args.text('renderer') ?? rendererFolder(),
      port: session.args.number('port', 0, 65_535) ?? PORT,
      token,
    });
    const { terminal } = session;
    if (session.json) terminal.print(JSON.stringify({ url: served.url, port: served.port }));
    else {
      terminal.print(`${terminal.bold('Codicil')} is at ${terminal.blue(served.url)}`);
      terminal.print(terminal.dim('Only this machine can reach it, and only with this address. Stop it with Ctrl+C.'));
    }
    await new Promise((resolve) => process.once('disconnect', resolve));
    await served.dispose();
    return EXIT.ok;
  },
};
