// Where things are: the built window, the hosts, the data folder. Everything is found from the folder of this bundle, never from the working folder.
import { app } from 'electron';
import path from 'node:path';

/** dist/electron, or the same place inside the packaged archive. */
const bundle = import.meta.dirname;

export const rendererFolder = path.join(bundle, '..', 'renderer');
export const preloadFile = path.join(bundle, 'preload.js');
export const hostFile = (name: 'workspace-host' | 'engine-host'): string => path.join(bundle, 'hosts', `${name}.js`);

function argument(name: string): string | undefined {
  const before = process.argv.find((entry) => entry.startsWith(`--${name}=`));
  if (before !== undefined) return before.slice(name.length + 3);
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** One data folder, the same as the command line's: `--data-dir`, CODICIL_DATA_DIR, or the system's place for a program's data. */
export function dataFolder(): string {
  const named = argument('data-dir') ?? process.env['CODICIL_DATA_DIR'];
  if (named !== undefined && named !== '') return path.resolve(named);
  if (process.platform === 'linux') return path.join(process.env['XDG_DATA_HOME'] || path.join(app.getPath('home'), '.local', 'share'), 'codicil');
  return path.join(app.getPath('appData'), 'Codicil');
}

/** Files named on a command line, as the system does for "open with"; switches and their values are none. */
export function namedFiles(argv: readonly string[], folder: string): readonly string[] {
  return argv
    .slice(1)
    .filter((entry, at, all) => !entry.startsWith('-') && all[at - 1] !== '--data-dir' && /\.(pdf|docx|txt|md|markdown|html?|eml)$/i.test(entry))
    .map((entry) => path.resolve(folder, entry));
}
