// The only file that loads the native engine. Types mirror native/addon/API.md and engine.h; results have the shapes of contract/engine.ts.
// Only the engine host imports it: a fault in native code ends that process and no other.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodicilError } from '../../core/contract/errors.ts';
import type {
  EngineFigures,
  Forgotten,
  GenerateOptions,
  Generated,
  MachineFigures,
  ModelInfo,
  Plan,
  Stored,
  SyncOptions,
  SyncReport,
} from '../../core/contract/engine.ts';
import type { OpenOptions } from './protocol.ts';

export interface NativeSession {
  sync(prefix: Int32Array, onProgress?: (done: number, total: number) => void, options?: SyncOptions): Promise<SyncReport>;
  generate(options: GenerateOptions, onFrame?: (frame: { readonly tokens: Int32Array; readonly text: string }) => void): Promise<Generated>;
  score(continuation: Int32Array): Promise<Float64Array>;
  cancel(): void;
  close(): void;
}
export interface NativeEngine {
  model(): ModelInfo;
  tokenize(text: string, special: boolean): Int32Array;
  detokenize(tokens: Int32Array): string;
  openSession(): NativeSession;
  stats(): EngineFigures;
  known(prefix: Int32Array): number;
  forget(owner: string): Forgotten;
  close(): void;
}
export interface NativeAddon {
  open(options: OpenOptions & { readonly modelPath: string }, onProgress?: (share: number) => void): Promise<NativeEngine>;
  inspect(modelPath: string): Promise<ModelInfo>;
  plan(options: OpenOptions & { readonly modelPath: string }): Promise<Plan>;
  machine(): MachineFigures;
  endWithin(ms: number): void;
  listStored(folder: string): Promise<Stored>;
  forgetStored(folder: string, owner: string): Promise<Forgotten>;
  clearStored(folder: string): Promise<Forgotten>;
}

/** Where the addon is looked for: CODICIL_ADDON, the packaged app's unpacked folder, then the build of a source tree. */
function addonCandidates(): readonly string[] {
  const named = process.env['CODICIL_ADDON'];
  if (named) return [path.resolve(named)];
  const here = path.dirname(fileURLToPath(import.meta.url));
  const resources = (process as { readonly resourcesPath?: string }).resourcesPath;
  // Two levels up from the sources; one or three from a bundle.
  const above = [1, 3, 2].map((levels) => path.join(here, ...Array<string>(levels).fill('..'), 'build', 'native', 'codicil.node'));
  return [...(resources ? [path.join(resources, 'codicil.node'), path.join(resources, 'native', 'codicil.node')] : []), ...above];
}

export function findAddon(): string | null {
  return addonCandidates().find((file) => existsSync(file)) ?? null;
}

/** Errors: not_found when the engine was not built, io_failed when the system refuses to load it. */
export function loadAddon(): NativeAddon {
  const file = findAddon();
  if (!file) {
    throw new CodicilError(
      'not_found',
      `The native engine was expected at ${addonCandidates().at(-1)} and is not there. Build it with "npm run build", or name it in CODICIL_ADDON.`,
    );
  }
  try {
    return createRequire(import.meta.url)(file) as NativeAddon;
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    throw new CodicilError(
      'io_failed',
      `The native engine ${file} was expected to load; the system says: ${found}. Build it again for this machine with "npm run build".`,
      { cause: error },
    );
  }
}
