// The engine as the workspace holds it: one host process behind it at a time, models and sessions in front.
//
// Owns: the host's life (hello, time limit, crash, restart with back-off), the state that a window shows, and reopening models after a restart.
// Leaves sessions to their owners: those of a dead process reject with engine_down and are opened anew by whoever needs them.
// Rule: every call settles. A crash rejects what was pending; what is asked while the host is restarted waits for it.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CodicilError } from '../../core/contract/errors.ts';
import type {
  EngineFigures,
  EngineModel,
  EngineSession,
  Forgotten,
  Generated,
  GenerateOptions,
  MachineFigures,
  ModelInfo,
  Plan,
  Stored,
  SyncReport,
} from '../../core/contract/engine.ts';
import type { EngineState } from '../../core/contract/stats.ts';
import { CONTRACT_VERSION } from '../../core/contract/version.ts';
import { childChannel, type Channel } from './channel.ts';
import type { EngineMessage, Method, MethodRequest, MethodValue, OpenOptions } from './protocol.ts';

export type { OpenOptions } from './protocol.ts';
export type SpawnEngine = () => Channel | Promise<Channel>;

export interface EngineClientOptions {
  /** A host that has not said hello by then is replaced. A cold start of Node on a slow disk takes about 2 s. */
  readonly helloMs?: number;
  /** First wait before a restart; doubles with each failure in a row. */
  readonly backoffMs?: number;
}

type FrameListener = (value: readonly [number, number] | string) => void;
interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: CodicilError) => void;
  readonly onFrame: FrameListener | undefined;
  readonly work: boolean;
}
interface OpenModel {
  readonly path: string;
  readonly options: OpenOptions;
  /** Its number in the living host; null while there is none, or when it could not be opened again. */
  number: number | null;
  info: ModelInfo;
}

/** In a row; then the client stays down until the next call, which tries once more. */
const MAX_FAILURES = 5;
const MAX_BACKOFF_MS = 10_000;

/** Spawns the host as a child of this Node process. */
export function forkEngine(): Channel {
  const file = new URL(import.meta.url.endsWith('.ts') ? './host.ts' : './engine-host.js', import.meta.url);
  const child = fork(fileURLToPath(file), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())) },
    execArgv: [],
  });
  return childChannel(child);
}

export function startEngine(spawn: SpawnEngine, options: EngineClientOptions = {}): EngineClient {
  return new EngineClient(spawn, options);
}

export class EngineClient {
  private current: EngineState = { state: 'starting' };
  private hostPid: number | null = null;
  private channel: Channel | null = null;
  /** Settles when the host has said hello and has the models back. */
  private live: Promise<void> = Promise.resolve();
  /** Ends the wait before a restart early. */
  private wake: () => void = () => {};
  private readonly pending = new Map<number, Pending>();
  private readonly models = new Set<OpenModel>();
  private readonly listeners = new Set<(state: EngineState) => void>();
  private readonly spawn: SpawnEngine;
  private readonly helloMs: number;
  private readonly backoffMs: number;
  private lastId = 0;
  private failures = 0;
  private working = 0;
  private disposed = false;

  constructor(spawn: SpawnEngine, options: EngineClientOptions) {
    this.spawn = spawn;
    this.helloMs = options.helloMs ?? 15_000;
    this.backoffMs = options.backoffMs ?? 250;
    this.restart(0);
  }

  get state(): EngineState {
    return this.current;
  }
  /** Process id of the living host; null while there is none. */
  get pid(): number | null {
    return this.hostPid;
  }

  onState(listener: (state: EngineState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async open(path: string, options: OpenOptions = {}): Promise<EngineModel> {
    const { model, info } = await this.call('model.open', { path, options });
    const entry: OpenModel = { path, options, number: model, info };
    this.models.add(entry);
    return this.modelOf(entry);
  }
  inspect(path: string): Promise<ModelInfo> {
    return this.call('model.inspect', { path });
  }
  plan(path: string, options: OpenOptions = {}): Promise<Plan> {
    return this.call('model.plan', { path, options });
  }
  /** What lies in a folder of the document store, of all models. */
  stored(folder: string): Promise<Stored> {
    return this.call('store.list', { folder });
  }
  /** Deletes what only this owner has; close its sessions first. */
  forgetStored(folder: string, owner: string): Promise<Forgotten> {
    return this.call('store.forget', { folder, owner });
  }
  clearStored(folder: string): Promise<Forgotten> {
    return this.call('store.clear', { folder });
  }
  machine(): Promise<MachineFigures> {
    return this.call('machine.figures', null);
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    // What was read is written to disk before the host ends; it is not waited for.
    if (this.channel?.end) this.channel.end();
    else this.channel?.close();
    this.lose('the program is closing');
    this.wake();
    this.listeners.clear();
  }

  private async call<M extends Method>(method: M, request: MethodRequest<M>, onFrame?: FrameListener): Promise<MethodValue<M>> {
    if (this.current.state === 'down' && this.failures >= MAX_FAILURES && !this.disposed) {
      this.failures = MAX_FAILURES - 1;
      this.restart(0);
    }
    await this.live;
    return this.send(method, request, onFrame);
  }

  private send<M extends Method>(method: M, request: MethodRequest<M>, onFrame?: FrameListener): Promise<MethodValue<M>> {
    const channel = this.channel;
    if (!channel || this.disposed) return Promise.reject(down('it is not running'));
    const work = method === 'session.sync' || method === 'session.generate' || method === 'session.score';
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve: resolve as (value: unknown) => void, reject, onFrame, work });
      if (work) this.count(1);
      channel.post({ type: 'request', id, method, request });
    });
  }

  /** One attempt at a living host with all models open. Rejects when it fails; the next attempt is then planned already. */
  private async begin(): Promise<void> {
    this.tell({ state: 'starting' });
    let channel: Channel;
    try {
      channel = await this.spawn();
    } catch (error) {
      throw this.fail(`its process could not be started: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (this.disposed) {
      channel.close();
      throw down('the program is closing');
    }
    this.channel = channel;
    await this.greeting(channel);
    for (const entry of this.models) await this.reopen(entry);
    if (this.channel !== channel) throw down('it ended while models were opened');
    this.failures = 0;
    this.tell({ state: 'ready' });
  }

  private greeting(channel: Channel): Promise<void> {
    return new Promise((resolve, reject) => {
      const replace = (reason: string): void => {
        if (this.channel !== channel) return;
        this.channel = null;
        channel.close();
        reject(this.fail(reason));
      };
      const timer = setTimeout(() => replace(`it did not answer within ${this.helloMs / 1000} s`), this.helloMs);
      channel.onClose((reason) => {
        clearTimeout(timer);
        if (this.channel === channel) reject(this.fail(reason));
        else reject(down(reason));
      });
      channel.onMessage((raw) => {
        const message = raw as EngineMessage;
        if (message.type !== 'hello') return this.receive(message);
        clearTimeout(timer);
        if (message.contract !== CONTRACT_VERSION) return replace(`it speaks version ${message.contract} of the contract, ${CONTRACT_VERSION} was expected`);
        this.hostPid = message.pid;
        resolve();
      });
    });
  }

  /** A model that cannot be opened again stays closed; its calls say why. The others go on. */
  private async reopen(entry: OpenModel): Promise<void> {
    try {
      const { model, info } = await this.send('model.open', { path: entry.path, options: entry.options });
      entry.number = model;
      entry.info = info;
    } catch (error) {
      if (error instanceof CodicilError && error.code === 'engine_down') throw error;
      this.models.delete(entry);
    }
  }

  private receive(message: EngineMessage): void {
    if (message.type === 'hello') return;
    const entry = this.pending.get(message.id);
    if (!entry) return;
    if (message.type === 'frame') return entry.onFrame?.(message.value);
    this.pending.delete(message.id);
    if (entry.work) this.count(-1);
    const { reply } = message;
    if (reply.ok) entry.resolve(reply.value);
    else entry.reject(new CodicilError(reply.failure.code, reply.failure.message));
  }

  /** The host is lost: everything pending rejects, and a restart is planned unless too many failed in a row. */
  private fail(reason: string): CodicilError {
    this.lose(reason);
    if (this.disposed) return down(reason);
    this.failures += 1;
    this.tell({ state: 'down', reason: this.failures < MAX_FAILURES ? reason : `${reason} (${this.failures} times in a row)` });
    if (this.failures < MAX_FAILURES) this.restart(Math.min(MAX_BACKOFF_MS, this.backoffMs * 2 ** (this.failures - 1)));
    return down(reason);
  }

  private lose(reason: string): void {
    this.channel = null;
    this.hostPid = null;
    for (const entry of this.models) entry.number = null;
    const lost = [...this.pending.values()];
    this.pending.clear();
    this.working = 0;
    for (const entry of lost) entry.reject(down(reason));
  }

  private restart(waitMs: number): void {
    const waited = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.live = this.attempt(waited);
    this.live.catch(() => {});
  }

  private async attempt(waited: Promise<void>): Promise<void> {
    await waited;
    if (this.disposed) throw down('the program is closing');
    try {
      await this.begin();
    } catch (error) {
      if (this.disposed || this.failures >= MAX_FAILURES) throw error;
      // `fail` has planned the next attempt: callers wait for that one instead of failing with this one.
      return this.live;
    }
  }

  private count(change: 1 | -1): void {
    this.working += change;
    if (this.current.state === 'ready' && this.working > 0) this.tell({ state: 'busy' });
    else if (this.current.state === 'busy' && this.working === 0) this.tell({ state: 'ready' });
  }

  private tell(state: EngineState): void {
    this.current = state;
    for (const listener of this.listeners) listener(state);
  }

  private modelOf(entry: OpenModel): EngineModel {
    const model = async (): Promise<number> => {
      await this.live;
      if (entry.number !== null) return entry.number;
      throw this.models.has(entry)
        ? down('it is not running')
        : new CodicilError('not_found', `The model ${entry.path} was expected to be open and is closed. Choose it again.`);
    };
    return {
      get info() {
        return entry.info;
      },
      tokenize: async (text, special) => this.call('model.tokenize', { model: await model(), text, special }),
      detokenize: async (tokens) => this.call('model.detokenize', { model: await model(), tokens }),
      known: async (prefix) => this.call('model.known', { model: await model(), prefix }),
      figures: async (): Promise<EngineFigures> => this.call('model.figures', { model: await model() }),
      openSession: async () => {
        const number = await model();
        const channel = this.channel;
        const session = await this.call('session.open', { model: number });
        return this.sessionOf(session, channel);
      },
      close: async () => {
        this.models.delete(entry);
        const number = entry.number;
        entry.number = null;
        if (number !== null && this.channel) await this.send('model.close', { model: number });
      },
    };
  }

  /** A session belongs to one process: numbers of another one would mean something else. */
  private sessionOf(session: number, channel: Channel | null): EngineSession {
    const ask = <M extends Method>(method: M, request: MethodRequest<M>, onFrame?: FrameListener): Promise<MethodValue<M>> =>
      this.channel === channel ? this.send(method, request, onFrame) : Promise.reject(down('the session belonged to an earlier process'));
    const quietly = (method: 'session.cancel' | 'session.close'): void => void ask(method, { session }).catch(() => {});
    return {
      sync: (prefix, onProgress, options = {}): Promise<SyncReport> =>
        ask('session.sync', { session, prefix, progress: onProgress !== undefined, options }, (value) => typeof value !== 'string' && onProgress?.(...value)),
      generate: (options: GenerateOptions, onText): Promise<Generated> =>
        ask('session.generate', { session, options, stream: onText !== undefined }, (value) => typeof value === 'string' && onText?.(value)),
      score: (continuation) => ask('session.score', { session, continuation }),
      cancel: () => quietly('session.cancel'),
      close: () => quietly('session.close'),
    };
  }
}

function down(reason: string): CodicilError {
  return new CodicilError('engine_down', `A running engine was expected: ${reason}. It is started again; repeat what you asked.`);
}
