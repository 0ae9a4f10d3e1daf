// The engine of one workspace and the two roles on it: the Reader (opened when first needed) and the Writer (only if one was chosen).
//
// Owns: when the engine process is started, which file has which role, and the figures that a window shows.
// Leaves the process's life to electron/engine/client.ts and what the models say to core/ask.
// Rule: nothing is started before it is needed: commands that read no model must not pay for one.
import { cpus, freemem, totalmem } from 'node:os';
import path from 'node:path';
import { Reader } from '../../core/ask/reader.ts';
import type { EngineFigures, EngineModel, GpuFigures, Plan } from '../../core/contract/engine.ts';
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import type { ModelEntry } from '../../core/contract/requests.ts';
import type { EngineState, Stats } from '../../core/contract/stats.ts';
import { startEngine, type EngineClient, type OpenOptions, type SpawnEngine } from '../engine/client.ts';
import { interruptible, type Interruptible } from './priority.ts';
import { describeModel, findModelFiles, shippedReaderPath, verifyShippedReader } from './models.ts';

export interface EngineChoices {
  readonly spawn: SpawnEngine;
  /** Null: no Reader at all; absent: the one that ships. */
  readonly reader?: string | null | undefined;
  readonly writer?: string | null | undefined;
  /** Further files and folders for the picker. */
  readonly modelPaths?: readonly string[] | undefined;
  readonly threads?: number | undefined;
  /** Of keys and values; absent: what the engine takes by itself. */
  readonly kvFormat?: OpenOptions['kvFormat'] | undefined;
  /** Where checksums of models and measurements of the machine are kept, so that a damaged file is noticed; absent: nowhere. */
  readonly checksumFolder?: string | undefined;
  /** Where the Reader keeps on disk what it read; absent: nowhere. */
  readonly store?: () => { readonly folder: string; readonly budgetBytes: number };
  readonly onState?: (state: EngineState) => void;
}

export class Engines {
  private readonly choices: EngineChoices;
  private client: EngineClient | null = null;
  private readerModel: Promise<EngineModel> | null = null;
  private openReader: Promise<Reader> | null = null;
  private reading: Interruptible | null = null;
  private openWriter: Promise<EngineModel> | null = null;
  private writerPath: string | null;
  private readerFailure: string | null = null;

  constructor(choices: EngineChoices) {
    this.choices = choices;
    this.writerPath = choices.writer ? path.resolve(choices.writer) : null;
  }

  /** An engine without its Reader answers nothing: what a window must see is why. */
  get state(): EngineState {
    const state = this.client?.state ?? { state: 'starting' };
    return state.state === 'ready' && this.readerFailure !== null ? { state: 'down', reason: this.readerFailure } : state;
  }
  get started(): boolean {
    return this.client !== null;
  }
  get readerPath(): string | null {
    return this.choices.reader === null ? null : path.resolve(this.choices.reader ?? shippedReaderPath());
  }
  get chosenWriter(): string | null {
    return this.writerPath;
  }

  engine(): EngineClient {
    if (!this.client) {
      this.client = startEngine(this.choices.spawn);
      this.client.onState((state) => {
        // Every session of the Reader died with its process: a new one is made over the model, which the client opens again.
        if (state.state === 'down') this.openReader = null;
        this.choices.onState?.(state);
      });
    }
    return this.client;
  }

  /** Null when the workspace was told to do without. The shipped file is checked against its sha256 first. */
  reader(): Promise<Reader> | null {
    const file = this.readerPath;
    if (file === null) return null;
    this.openReader ??= this.readReader(file);
    return this.openReader;
  }

  private async readReader(file: string): Promise<Reader> {
    const opening = (this.readerModel ??= this.engine().open(file, { ...this.options(), ...this.storeOptions() }));
    opening.catch(() => {});
    try {
      if (file === shippedReaderPath()) await verifyShippedReader(file);
      this.reading = interruptible(await opening);
      const reader = await Reader.open(this.reading.model);
      this.readerFailure = null;
      return reader;
    } catch (error) {
      this.openReader = null;
      // A crash leaves the model to the client, which opens it again; after anything else the next try begins anew.
      if (error instanceof CodicilError && error.code === 'engine_down') throw error;
      this.readerFailure = toFailure(error).message;
      if (this.readerModel === opening) {
        this.readerModel = null;
        void opening.then((model) => model.close()).catch(() => {});
      }
      throw error;
    }
  }

  /** What the Reader has done since it was opened; null: it is not open. */
  async readerFigures(): Promise<EngineFigures | null> {
    return (await figuresOf(this.readerModel))?.figures ?? null;
  }

  /** Ends the Reader's running prefills, so that a question need not wait for them. */
  interruptReading(): void {
    this.reading?.interrupt();
  }

  writer(): Promise<EngineModel | null> {
    const file = this.writerPath;
    if (file === null) return Promise.resolve(null);
    this.openWriter ??= this.engine()
      .open(file, this.options())
      .catch((error: unknown) => {
        this.openWriter = null;
        throw error;
      });
    return this.openWriter;
  }

  /** The Writer from now on; the one before is closed. Errors: those of opening it, and then no Writer is chosen. */
  async choose(file: string | null): Promise<void> {
    if (file !== null && path.resolve(file) === this.readerPath) {
      throw new CodicilError('invalid_request', 'A model that writes was expected; the Reader only points at sentences. Choose another GGUF file.');
    }
    const before = this.openWriter;
    this.openWriter = null;
    this.writerPath = file === null ? null : path.resolve(file);
    await before?.then((model) => model.close()).catch(() => {});
    try {
      await this.writer();
    } catch (error) {
      this.writerPath = null;
      throw error;
    }
  }

  async list(): Promise<readonly ModelEntry[]> {
    const roles = { reader: this.readerPath, writer: this.writerPath };
    const files = new Set([...(roles.reader ? [roles.reader] : []), ...(roles.writer ? [roles.writer] : []), ...findModelFiles(this.choices.modelPaths)]);
    const engine = this.engine();
    return Promise.all([...files].map((file) => describeModel(file, roles, (name) => engine.inspect(name))));
  }

  /** What a model would need; as it would be opened here. */
  plan(file: string, options: OpenOptions = {}): Promise<Plan> {
    return this.engine().plan(file, { ...this.options(), ...options });
  }

  async stats(): Promise<Stats> {
    const [reader, writer, machine] = await Promise.all([
      figuresOf(this.readerModel),
      figuresOf(this.openWriter),
      this.started && this.state.state !== 'down'
        ? this.engine()
            .machine()
            .catch(() => null)
        : null,
    ]);
    const sum = (key: 'weightBytes' | 'kvBytes' | 'kvBudgetBytes' | 'storeBytes' | 'storeBudgetBytes'): number =>
      (reader?.figures[key] ?? 0) + (writer?.figures[key] ?? 0);
    const most = (key: 'prefillTokensPerSecond' | 'decodeTokensPerSecond' | 'threads' | 'residentBytes'): number =>
      Math.max(reader?.figures[key] ?? 0, writer?.figures[key] ?? 0);
    const shown = writer ?? reader;
    const telemetry = shown?.figures.telemetry;
    return {
      engine: this.state,
      reader: reader?.name ?? null,
      writer: writer?.name ?? null,
      instructionSet: shown?.figures.instructionSet ?? '',
      threads: most('threads') || cpus().length,
      contextTokens: shown?.contextTokens ?? 0,
      contextUsed: 0,
      prefillTokensPerSecond: most('prefillTokensPerSecond'),
      decodeTokensPerSecond: most('decodeTokensPerSecond'),
      residentBytes: most('residentBytes'),
      weightBytes: sum('weightBytes'),
      kvBytes: sum('kvBytes'),
      kvBudgetBytes: sum('kvBudgetBytes'),
      storeBytes: sum('storeBytes'),
      storeBudgetBytes: sum('storeBudgetBytes'),
      memoryTotalBytes: machine?.memoryTotalBytes ?? totalmem(),
      memoryFreeBytes: machine?.memoryFreeBytes ?? freemem(),
      cpuCelsius: telemetry?.cpuCelsius ?? machine?.cpuCelsius ?? null,
      cpuMhz: telemetry?.cpuMhz ?? null,
      memoryPressurePercent: telemetry?.memorySomePercent ?? null,
      diskFreeBytes: telemetry?.diskFreeBytes ?? null,
      diskFreeInodes: telemetry?.diskFreeInodes ?? null,
      firstTokenMs: shown?.figures.firstTokenMs || null,
      slowedBy: telemetry?.paceReason || null,
      gpu: gpuOf(machine?.gpus[0]),
    };
  }

  dispose(): void {
    this.client?.dispose();
  }

  /** Of the Reader alone: what the Writer is given is text of several documents, which could not be deleted with one of them. */
  private storeOptions(): Pick<OpenOptions, 'storeFolder' | 'storeBudgetBytes'> {
    const store = this.choices.store?.();
    return store ? { storeFolder: store.folder, storeBudgetBytes: store.budgetBytes } : {};
  }

  /** What holds for every model that is opened or planned. */
  private options(): OpenOptions {
    const { threads, kvFormat, checksumFolder } = this.choices;
    return {
      ...(threads === undefined ? {} : { threads }),
      ...(kvFormat === undefined ? {} : { kvFormat }),
      ...(checksumFolder === undefined ? {} : { checksumFolder }),
    };
  }
}

function gpuOf(gpu: GpuFigures | undefined): Stats['gpu'] {
  return gpu ? { name: gpu.name, vramUsedBytes: gpu.memoryUsedBytes, vramTotalBytes: gpu.memoryTotalBytes, celsius: gpu.celsius } : null;
}

/** Figures of a model that is open; null while it is being opened, or when the engine is down: stats never wait. */
async function figuresOf(model: Promise<EngineModel> | null): Promise<{ name: string; contextTokens: number; figures: EngineFigures } | null> {
  if (!model) return null;
  const soon = new Promise<null>((resolve) => setTimeout(() => resolve(null), 250).unref());
  try {
    const open = await Promise.race([model, soon]);
    const figures = open && (await Promise.race([open.figures(), soon]));
    return open && figures ? { name: open.info.name, contextTokens: open.info.contextTokens, figures } : null;
  } catch {
    // A model that is not open has no figures; `engine` in the same message says why.
    return null;
  }
}
