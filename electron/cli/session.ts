// One run of a command: its arguments, its terminal, and the workspace, which is opened when first asked for.
import { homedir } from 'node:os';
import path from 'node:path';
import { KV_FORMATS, type KvFormat } from '../../core/contract/engine.ts';
import type { Failure } from '../../core/contract/errors.ts';
import type { Script } from '../../core/ingest/ocr/recogniser.ts';
import { forkEngine } from '../engine/client.ts';
import { Workspace } from '../workspace/workspace.ts';
import { UsageError, type Arguments, type Command } from './command.ts';
import type { Streams, Terminal } from './terminal.ts';

/** By tesseract's own names; Chinese text is read together with English. */
const SCAN_LANGUAGES: ReadonlyMap<string, Script | 'auto'> = new Map([
  ['auto', 'auto'],
  ['eng', 'latin'],
  ['chi_sim', 'chinese'],
]);

export class Session {
  readonly command: Command;
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly dataDir: string;
  private readonly env: Streams['env'];
  private opened: Workspace | null = null;

  constructor(command: Command, args: Arguments, terminal: Terminal, env: Streams['env']) {
    this.command = command;
    this.args = args;
    this.terminal = terminal;
    this.env = env;
    this.json = args.flag('json');
    this.dataDir = path.resolve(args.text('data-dir') ?? defaultDataDir(env));
  }

  workspace(options: { readonly prefill?: boolean } = {}): Workspace {
    const seconds = this.args.number('timeout', 1, 3600);
    this.opened ??= new Workspace({
      dataDir: this.dataDir,
      spawnEngine: forkEngine,
      reader: this.args.flag('no-reader') ? null : this.args.text('reader'),
      writer: this.args.text('model'),
      threads: this.args.number('threads', 1, 1024),
      kvFormat: this.kvFormat(),
      prefill: options.prefill ?? false,
      parser: { ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }), script: this.scanScript() },
    });
    return this.opened;
  }

  private kvFormat(): KvFormat | undefined {
    const text = this.args.text('kv');
    const known = KV_FORMATS.find((format) => format === text);
    if (text === undefined || known) return known;
    throw new UsageError(`--kv takes one of ${KV_FORMATS.join(', ')}; "${text}" was given.`, `codicil ${this.command.name} --help`);
  }

  private scanScript(): Script | 'auto' | null {
    if (this.args.flag('no-ocr')) return null;
    const language = this.args.text('ocr-language') ?? 'auto';
    const script = SCAN_LANGUAGES.get(language);
    if (script) return script;
    throw new UsageError(`--ocr-language takes eng, chi_sim or auto; "${language}" was given.`, `codicil ${this.command.name} --help`);
  }

  /** Whether scans are recognised in this run. */
  get recognises(): boolean {
    return !this.args.flag('no-ocr');
  }

  get password(): string | undefined {
    return this.args.text('password') ?? this.env['CODICIL_PASSWORD'];
  }

  printJson(value: unknown): void {
    this.terminal.print(JSON.stringify(value, null, 2));
  }

  reportFailure(failure: Failure): void {
    this.terminal.fail(failure.code, failure.message);
  }

  dispose(): void {
    this.terminal.clearProgress();
    this.opened?.dispose();
  }
}

/** CODICIL_DATA_DIR, or where the system keeps the data of programs. */
export function defaultDataDir(env: Streams['env']): string {
  const named = env['CODICIL_DATA_DIR'];
  if (named) return named;
  if (process.platform === 'win32') return path.join(env['APPDATA'] ?? path.join(homedir(), 'AppData', 'Roaming'), 'Codicil');
  if (process.platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support', 'Codicil');
  return path.join(env['XDG_DATA_HOME'] ?? path.join(homedir(), '.local', 'share'), 'codicil');
}
