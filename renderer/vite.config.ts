// Builds the window's files into dist/renderer: everything local, nothing inline, for Chromium 108 and newer.
//
// pdf.js's character maps, fonts and decoders and the recogniser's parts are copied beside the bundle, because they are loaded by address at run time.
// The desktop's hosts read the recogniser's parts from the same copy (electron/workspace/ocrFiles.ts).
import { cpSync, copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const out = path.resolve(root, '../dist/renderer');
const packages = path.resolve(root, '../node_modules');
const OCR_FILES = [
  'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  '@tesseract.js-data/chi_sim/4.0.0_best_int/chi_sim.traineddata.gz',
];
const pdfjs = path.resolve(root, '../node_modules/pdfjs-dist');

function localFiles(): Plugin {
  return {
    name: 'codicil:local-files',
    closeBundle() {
      mkdirSync(path.join(out, 'pdfjs'), { recursive: true });
      for (const folder of ['cmaps', 'standard_fonts', 'wasm', 'iccs']) cpSync(path.join(pdfjs, folder), path.join(out, 'pdfjs', folder), { recursive: true });
      mkdirSync(path.join(out, 'ocr'), { recursive: true });
      for (const file of OCR_FILES) copyFileSync(path.join(packages, file), path.join(out, 'ocr', path.basename(file)));
      copyFileSync(path.resolve(root, '../assets/icons/icon.svg'), path.join(out, 'icon.svg'));
    },
  };
}

export default defineConfig({
  root,
  base: './',
  plugins: [react(), localFiles()],
  // The parser's own node:module and node:fs imports stand behind checks for Node and are never reached in a worker.
  worker: { format: 'es' },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'chrome108',
    cssTarget: 'chrome108',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
  },
});
