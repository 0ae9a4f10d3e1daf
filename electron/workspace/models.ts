// Which models are on this machine: the Reader that ships, and GGUF files in the folders of the Hugging Face cache, LM Studio and Ollama.
//
// Owns: where to look, and the check of the shipped file against its sha256. Leaves what a file holds to the engine (`inspect`).
// Rule: folders are only listed, nothing is fetched; a file that cannot be used is shown with its reason instead of being left out.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import type { ModelInfo } from '../../core/contract/engine.ts';
import type { ModelEntry } from '../../core/contract/requests.ts';

export const SHIPPED_READER = {
  file: 'codicil-reader-135m-q4_0.gguf',
  bytes: 91_727_456,
  sha256: '9a7da451e6be0cb593dc0fd157296a8e038860e910afd99c7c67ad6f63b96226',
} as const;

/** Folders of models are shallow; deeper is a user's whole disk linked into one. */
const MAX_DEPTH = 6;
const MAX_FILES = 500;

/** The folder of shipped models: beside the sources, or in the packaged app's resources. */
export function modelsFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const resources = (process as { readonly resourcesPath?: string }).resourcesPath;
  const candidates = [
    ...(process.env['CODICIL_MODELS'] ? [path.resolve(process.env['CODICIL_MODELS'])] : []),
    ...(resources ? [path.join(resources, 'models'), path.join(resources, 'assets', 'models')] : []),
    ...['..', '../..', '../../..'].map((up) => path.join(here, up, 'assets', 'models')),
  ];
  return candidates.find((folder) => existsSync(path.join(folder, SHIPPED_READER.file))) ?? candidates.at(-2)!;
}

export const shippedReaderPath = (): string => path.join(modelsFolder(), SHIPPED_READER.file);

/** Wording by label whose score is known (wordings.json beside the Reader); none where the file is not there. */
export function readerWordings(): Readonly<Record<string, string>> {
  const file = path.join(modelsFolder(), 'wordings.json');
  if (!existsSync(file)) return {};
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const entries = Object.entries(value as Record<string, unknown>).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

export async function fileSha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Errors: not_found, model_invalid when the shipped file is not the one that was measured. */
export async function verifyShippedReader(file: string): Promise<void> {
  if (!existsSync(file)) throw new CodicilError('not_found', `The Reader was expected at ${file} and is not there. Unpack the program again.`);
  const sum = await fileSha256(file);
  if (sum !== SHIPPED_READER.sha256) {
    throw new CodicilError(
      'model_invalid',
      `The Reader ${file} was expected to have the sha256 ${SHIPPED_READER.sha256}, ${sum} was found. Unpack the program again.`,
    );
  }
}

/** GGUF files of other programs on this machine, and those of `more` (files or folders). First parts of split files stand for the whole. */
export function findModelFiles(more: readonly string[] = []): readonly string[] {
  const home = homedir();
  const env = process.env;
  const hub = env['HF_HUB_CACHE'] ?? path.join(env['HF_HOME'] ?? path.join(env['XDG_CACHE_HOME'] ?? path.join(home, '.cache'), 'huggingface'), 'hub');
  const folders = [hub, path.join(home, '.lmstudio', 'models'), path.join(home, '.cache', 'lm-studio', 'models')];
  const found = [...more, ...folders].flatMap((entry) => (entry.endsWith('.gguf') && existsSync(entry) ? [path.resolve(entry)] : ggufBelow(entry, MAX_DEPTH)));
  const all = [...found, ...ollamaModels(env['OLLAMA_MODELS'] ?? path.join(home, '.ollama', 'models'))];
  // Two snapshots of the Hugging Face cache may link to one blob.
  const seen = new Set<string>();
  return all
    .filter((file) => {
      const real = realpathSync(file);
      return !seen.has(real) && seen.add(real);
    })
    .slice(0, MAX_FILES);
}

function ggufBelow(folder: string, depth: number): readonly string[] {
  if (depth === 0 || !existsSync(folder)) return [];
  return listing(folder).flatMap((name) => {
    const full = path.join(folder, name);
    if (name.endsWith('.gguf')) return isModelName(name) && existsSync(full) ? [full] : [];
    return statSync(full, { throwIfNoEntry: false })?.isDirectory() ? ggufBelow(full, depth - 1) : [];
  });
}

/** Not a model of its own: later parts of a split file, and the image encoders that go with some models. */
const isModelName = (name: string): boolean => !/^mmproj/i.test(name) && (!/-\d{5}-of-\d{5}\.gguf$/.test(name) || name.includes('-00001-of-'));

/** Ollama keeps models as blobs; the manifest of a tag names the one that is the model. */
function ollamaModels(folder: string): readonly string[] {
  const manifests = path.join(folder, 'manifests');
  if (!existsSync(manifests)) return [];
  return readdirSync(manifests, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const file = path.join(manifests, name);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return [];
    const digest = modelDigest(readFileSync(file, 'utf8'));
    const blob = digest === null ? null : path.join(folder, 'blobs', digest.replace(':', '-'));
    return blob && existsSync(blob) ? [blob] : [];
  });
}

function modelDigest(manifest: string): string | null {
  try {
    const { layers } = JSON.parse(manifest) as { layers?: readonly { mediaType?: string; digest?: string }[] };
    const digest = layers?.find((layer) => layer.mediaType === 'application/vnd.ollama.image.model')?.digest;
    return digest !== undefined && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : null;
  } catch {
    // A file that is no manifest (Finder's .DS_Store and the like) names no model.
    return null;
  }
}

function listing(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder that this user may not read holds no model for this user.
    return [];
  }
}

/** One row of the picker. `inspect` reads the file's header only. */
export async function describeModel(
  file: string,
  roles: { readonly reader: string | null; readonly writer: string | null },
  inspect: (file: string) => Promise<ModelInfo>,
): Promise<ModelEntry> {
  const role = file === roles.reader ? 'reader' : file === roles.writer ? 'writer' : 'none';
  const base = { path: file, role, shipped: path.basename(file) === SHIPPED_READER.file && file === shippedReaderPath() } as const;
  try {
    const info = await inspect(file);
    return {
      ...base,
      name: info.name || path.basename(file, '.gguf'),
      architecture: info.architecture,
      bytes: info.fileBytes,
      contextTokens: info.contextTokens,
      license: info.license,
      failure: null,
    };
  } catch (error) {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return { ...base, name: path.basename(file, '.gguf'), architecture: '', bytes, contextTokens: 0, license: '', failure: toFailure(error) };
  }
}
