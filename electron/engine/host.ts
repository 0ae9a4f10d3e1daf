// Entry of the engine host: a child process of the command line, a utility process of the app. Finds its line and serves the engine.
import { loadAddon, type NativeAddon } from './addon.ts';
import { END_MS, parentChannel } from './channel.ts';
import { serveEngine } from './serve.ts';

let addon: NativeAddon | null = null;
const channel = await parentChannel();
// Closing waits for what runs on other threads; a fault there must not keep a process that nobody sees.
channel.onClose(() => addon?.endWithin(END_MS));
// The parent is gone or gave this host up: nothing is left to do here, and native threads must not keep the process alive.
channel.onClose(() => setTimeout(() => process.exit(0), 0));
// Main ends its processes this way: what was read is written to disk first, as when the line closes.
process.once('SIGTERM', () => channel.close());
serveEngine(channel, () => (addon = loadAddon()), process.env['CODICIL_BUILD'] ?? 'source');
