// Entry of the engine host: a child process of the command line, a utility process of the app. Finds its line and serves the engine.
import { loadAddon } from './addon.ts';
import { parentChannel } from './channel.ts';
import { serveEngine } from './serve.ts';

const channel = await parentChannel();
// The parent is gone or gave this host up: nothing is left to do here, and native threads must not keep the process alive.
channel.onClose(() => setTimeout(() => process.exit(0), 0));
// Main ends its processes this way: what was read is written to disk first, as when the line closes.
process.once('SIGTERM', () => channel.close());
serveEngine(channel, loadAddon, process.env['CODICIL_BUILD'] ?? 'source');
