// Builds the desktop side into dist/electron: main.js and preload.js as CommonJS, the hosts and the parsing worker as modules in hosts/.
//
// CommonJS for main and preload: a sandboxed preload can be nothing else, and main in the same form runs in every Electron there is.
// Everything is bundled (the package ships no node_modules); the native addon and the models are found beside the program at run time.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, defineConfig, type InlineConfig, type Plugin } from 'vite';

const root = path.resolve(import.meta.dirname, '..');
const out = path.join(root, 'dist/electron');
const hosts = {
  'workspace-host': path.join(root, 'electron/workspace/host.ts'),
  'engine-host': path.join(root, 'electron/engine/host.ts'),
  'parse-worker': path.join(root, 'electron/workspace/parseWorker.ts'),
};

function bundle(entries: Readonly<Record<string, string>>, outDir: string, format: 'cjs' | 'es'): InlineConfig {
  return {
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    ssr: { target: 'node', noExternal: true, external: ['electron'] },
    // The recogniser is CommonJS and asks where it lies; it is given its bytes and reads nothing from there.
    define: format === 'es' ? { __dirname: 'import.meta.dirname' } : {},
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: format === 'cjs' ? 'es2022' : 'node24',
      minify: false,
      rollupOptions: { input: entries, output: { format, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
    },
  };
}

function rest(): Plugin {
  return {
    name: 'codicil:rest',
    async closeBundle() {
      await build(bundle({ preload: path.join(root, 'electron/preload.ts') }, out, 'cjs'));
      await build(bundle(hosts, path.join(out, 'hosts'), 'es'));
      mkdirSync(path.join(out, 'hosts'), { recursive: true });
      writeFileSync(path.join(out, 'package.json'), '{ "type": "commonjs" }\n');
      writeFileSync(path.join(out, 'hosts/package.json'), '{ "type": "module" }\n');
      copyFileSync(path.join(root, 'node_modules/mupdf/dist/mupdf-wasm.wasm'), path.join(out, 'hosts/mupdf-wasm.wasm'));
    },
  };
}

const main = bundle({ main: path.join(root, 'electron/main.ts') }, out, 'cjs');
export default defineConfig({ ...main, build: { ...main.build, emptyOutDir: true }, plugins: [rest()] });
