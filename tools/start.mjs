// `npm start`: the desktop app; where there is no Electron binary or no display, the same app in a browser.
//
// Electron's binary is no part of its npm package: it is fetched by the package's own script, which this program runs only here, only if
// the binary is missing. Where that fails (no network to it), `codicil serve` shows the same window on 127.0.0.1.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { node24, ROOT, run, say, setup } from './setup.mjs';

/** Path of Electron's binary, or null with the reason said. */
async function electronBinary() {
  const folder = path.join(ROOT, 'node_modules', 'electron');
  const read = () => {
    const file = path.join(folder, 'path.txt');
    const binary = existsSync(file) ? path.join(folder, 'dist', readFileSync(file, 'utf8').trim()) : '';
    return binary !== '' && existsSync(binary) ? binary : null;
  };
  const known = read();
  if (known) return known;
  say('Fetching the Electron binary (once) ...');
  const code = await run(node24(), [path.join(folder, 'install.js')]);
  if (code !== 0) say('The Electron binary cannot be had here.');
  return code === 0 ? read() : null;
}

await setup({ renderer: true, electron: true });
const display = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
if (!display) say('There is no display here.');
const binary = display ? await electronBinary() : null;
if (binary) process.exitCode = await run(binary, ['.', ...process.argv.slice(2)], { show: true });
else {
  say('Serving the same app to a browser on this machine instead.');
  process.exitCode = await run(node24(), ['electron/cli/main.ts', 'serve', ...process.argv.slice(2)], { show: true });
}
