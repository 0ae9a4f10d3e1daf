// The recogniser's parts on disk: in the packages they come from when running from the sources, beside the window's files when built.
import { readFile } from 'node:fs/promises';
import type { LoadOcrFile, OcrFile } from '../../core/ingest/ocr/recogniser.ts';

const PACKAGES: Readonly<Record<OcrFile, string>> = {
  'tesseract-core-simd-lstm.wasm': 'tesseract.js-core/tesseract-core-simd-lstm.wasm',
  'eng.traineddata.gz': '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  'chi_sim.traineddata.gz': '@tesseract.js-data/chi_sim/4.0.0_best_int/chi_sim.traineddata.gz',
};

export const loadOcrFile: LoadOcrFile = async (file) => {
  const source = import.meta.url.endsWith('.ts')
    ? new URL(`../../node_modules/${PACKAGES[file]}`, import.meta.url)
    : // dist/electron/hosts/ -> dist/renderer/ocr/: one copy for the window and for the hosts (renderer/vite.config.ts puts it there).
      new URL(`../../renderer/ocr/${file}`, import.meta.url);
  return new Uint8Array(await readFile(source));
};
