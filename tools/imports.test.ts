// The import table of the house, as data, and one test that reads every `import` and `#include` line.
//
// A new folder, or a new right to import, is a change to this table and to ARCHITECTURE.md in one commit.
// Patterns: a trailing `/` means "anything below"; an entry without `/` is a package or one file.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

interface Row {
  readonly from: string;
  readonly may: readonly string[];
}

const CORE = ['core/contract/'];
/** What all parts of the PDF reader see: the parser, and what is known of characters, invisible signs, labels and titles. */
const PDF = ['mupdf', 'core/ingest/pdf/mupdf.ts', ...['characters', 'invisible', 'labels', 'titles', 'raw'].map((name) => `core/ingest/${name}.ts`)];
/** First row whose `from` begins the file's path decides. */
const TYPESCRIPT: readonly Row[] = [
  { from: 'core/contract/', may: ['core/contract/', 'zod'] },
  // The reader of PDF: characters, then lines and paragraphs, then tables; what joins them stands in the folder above.
  { from: 'core/ingest/pdf/text/', may: [...CORE, ...PDF, 'core/ingest/pdf/text/', 'pdfjs-dist'] },
  { from: 'core/ingest/pdf/layout/', may: [...CORE, ...PDF, 'core/ingest/pdf/layout/', 'core/ingest/pdf/text/'] },
  { from: 'core/ingest/pdf/tables/', may: [...CORE, ...PDF, 'core/ingest/pdf/tables/', 'core/ingest/pdf/layout/', 'core/ingest/pdf/text/'] },
  { from: 'core/ingest/', may: [...CORE, 'core/ingest/', 'mupdf', 'pdfjs-dist', 'fflate', 'saxes', 'tesseract.js-core', 'parse5', 'postal-mime'] },
  { from: 'core/structure/', may: [...CORE, 'core/structure/', 'core/ingest/'] },
  { from: 'core/extract/', may: [...CORE, 'core/extract/', 'core/structure/', 'core/ingest/'] },
  // What a clause names (sums, periods) is found once, by the extractors.
  { from: 'core/compare/', may: [...CORE, 'core/compare/', 'core/extract/', 'core/structure/', 'core/ingest/', 'diff'] },
  // The linter asks the extractors for dates, parties and laws that contradict each other.
  { from: 'core/review/', may: [...CORE, 'core/review/', 'core/extract/', 'core/structure/', 'core/ingest/'] },
  { from: 'core/ask/', may: [...CORE, 'core/ask/', 'core/review/', 'core/compare/', 'core/extract/', 'core/structure/', '@huggingface/jinja'] },
  // Writing on a DOCX needs its parts as trees (saxes keeps order and prefixes) and the reader's guarded containers; nothing else of ingest.
  {
    from: 'core/export/redline/',
    may: [...CORE, 'core/export/redline/', 'core/compare/', ...['docx/parts', 'docx/zip', 'limits'].map((name) => `core/ingest/${name}.ts`), 'fflate', 'saxes'],
  },
  { from: 'core/export/', may: [...CORE, 'core/export/', 'core/ask/', 'core/review/', 'core/compare/', 'core/extract/', 'core/structure/', 'zod', 'fflate'] },
  { from: 'electron/engine/', may: [...CORE, 'electron/engine/', 'node:'] },
  { from: 'electron/workspace/', may: ['core/', 'electron/workspace/', 'electron/engine/client.ts', 'electron/engine/channel.ts', 'node:', 'ws', 'zod'] },
  { from: 'electron/remote/', may: ['core/', 'electron/remote/', 'node:'] },
  { from: 'electron/cli/', may: ['core/', 'electron/cli/', 'electron/workspace/', 'electron/engine/client.ts', 'node:'] },
  ...['electron/app/', 'electron/main.ts', 'electron/preload.ts'].map((from) => ({ from, may: [...CORE, 'electron/app/', 'electron', 'node:'] })),
  { from: 'renderer/ipc.ts', may: CORE },
  { from: 'renderer/ingest/', may: [...CORE, 'renderer/ingest/', 'core/ingest/', 'core/structure/'] },
  { from: 'renderer/store/', may: [...CORE, 'renderer/store/', 'renderer/ipc.ts', 'renderer/ingest/', 'zustand'] },
  { from: 'renderer/ui/', may: ['renderer/ui/', 'react', 'react-dom', 'lucide-react'] },
  { from: 'renderer/', may: [...CORE, 'renderer/', 'react', 'react-dom', 'pdfjs-dist', 'lucide-react', '@fontsource-variable/'] },
];

const NATIVE: readonly Row[] = [
  { from: 'native/addon/', may: ['native/addon/', 'native/engine/', 'native/base/', 'native/device/', 'napi.h'] },
  { from: 'native/tools/', may: ['native/'] },
  { from: 'native/engine/', may: ['native/engine/', 'native/model/', 'native/kv/', 'native/device/', 'native/base/', 'kernels/kernels.h'] },
  { from: 'native/model/', may: ['native/model/', 'native/kv/', 'native/device/', 'native/base/', 'kernels/kernels.h'] },
  { from: 'native/kv/', may: ['native/kv/', 'native/device/', 'native/base/'] },
  { from: 'native/device/', may: ['native/device/', 'native/base/', 'kernels/kernels.h'] },
  { from: 'native/base/', may: ['native/base/'] },
  { from: 'kernels/', may: ['kernels/'] },
];

function filesBelow(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')));
}

const isTest = (file: string): boolean => /\.test(-support)?\.tsx?$|_test\.cc$|_fuzz\.cc$|vite\.config\.ts$/.test(file);
const allowed = (target: string, row: Row): boolean =>
  row.may.some((entry) => (entry.endsWith('/') || entry.endsWith(':') ? target.startsWith(entry) : target === entry || target.startsWith(`${entry}/`)));

/** Sentences about every line that breaks the table; empty when the house is in order. */
function offences(files: readonly string[], rows: readonly Row[], targets: (file: string, text: string) => readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const row = rows.find((entry) => file.startsWith(entry.from));
    if (!row) return [`${file} stands in a folder that the import table does not know.`];
    return targets(file, readFileSync(path.join(ROOT, file), 'utf8'))
      .filter((target) => !allowed(target, row))
      .map((target) => `${file} imports ${target}, but ${row.from} may only import ${row.may.join(', ')}.`);
  });
}

function typescriptTargets(file: string, text: string): readonly string[] {
  const found = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+\.tsx?)['"]/g,
    ),
  ];
  return found
    .map((match) => match[1] ?? match[2] ?? match[3] ?? match[4]!)
    .filter((target) => !target.endsWith('.css'))
    .map((target) => (target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target));
}

const nativeTargets = (_file: string, text: string): readonly string[] => [...text.matchAll(/^\s*#include\s+"([^"]+)"/gm)].map((match) => match[1]!);

describe('the import table', () => {
  it('holds for TypeScript', () => {
    const files = ['core', 'electron', 'renderer']
      .flatMap((folder) => filesBelow(folder, /\.tsx?$/))
      .filter((file) => !isTest(file) && !file.endsWith('.d.ts'));
    expect(files.length).toBeGreaterThan(50);
    expect(offences(files, TYPESCRIPT, typescriptTargets)).toEqual([]);
  });

  it('keeps features from importing their siblings', () => {
    const files = filesBelow('renderer/features', /\.tsx?$/).filter((file) => !isTest(file));
    const wrong = files.flatMap((file) => {
      const own = file.split('/').slice(0, 3).join('/');
      return typescriptTargets(file, readFileSync(path.join(ROOT, file), 'utf8')).filter(
        (target) => target.startsWith('renderer/features/') && !target.startsWith(`${own}/`),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('holds for C++', () => {
    const files = ['native', 'kernels'].flatMap((folder) => filesBelow(folder, /\.(h|cc|cu)$/)).filter((file) => !isTest(file));
    expect(files.length).toBeGreaterThan(20);
    expect(offences(files, NATIVE, nativeTargets)).toEqual([]);
  });

  it('lets only electron/app, main and preload see electron, and only the addon see napi.h', () => {
    const users = filesBelow('electron', /\.ts$/).filter(
      (file) => !isTest(file) && typescriptTargets(file, readFileSync(path.join(ROOT, file), 'utf8')).includes('electron'),
    );
    expect(users.filter((file) => !/^electron\/(app\/|main\.ts|preload\.ts)/.test(file))).toEqual([]);
    const napi = filesBelow('native', /\.(h|cc)$/).filter((file) => /#include\s+[<"]napi\.h[>"]/.test(readFileSync(path.join(ROOT, file), 'utf8')));
    expect(napi.filter((file) => !file.startsWith('native/addon/'))).toEqual([]);
  });
});
