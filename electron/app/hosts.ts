// The two host processes: started, joined to each other and to windows by message ports, started again when they die.
//
// Owns: their lifetimes and the brokering of ports. Main hands each side one end and steps aside: no message of theirs passes through it.
// Leaves to the workspace when an engine is needed ("engine.wanted") and what to do when one is lost.
// Rule: a host that ends is started again with back-off, and every window gets a new port, which tells it that the old line is gone.
import { MessageChannelMain, utilityProcess, type UtilityProcess, type WebContents } from 'electron';
import type { Failure } from '../../core/contract/errors.ts';
import { hostFile } from './place.ts';

export interface HostsOptions {
  readonly dataDir: string;
  /** The workspace says that it cannot work (a library that cannot be opened): told to the person, not tried again. */
  readonly onFailed: (failure: Failure) => void;
  /** The workspace died this often in a row. */
  readonly onGivenUp: (code: number) => void;
}
type FromWorkspace = { readonly type: 'ready' } | { readonly type: 'failed'; readonly failure: Failure } | { readonly type: 'engine.wanted' };

const FIRST_BACKOFF_MS = 250;
/** In a row, without ever being ready in between. */
const MAX_DEATHS = 5;

export class Hosts {
  private readonly options: HostsOptions;
  private readonly windows = new Set<WebContents>();
  private workspace: UtilityProcess | null = null;
  private engine: UtilityProcess | null = null;
  private ready = false;
  private deaths = 0;
  private disposed = false;

  constructor(options: HostsOptions) {
    this.options = options;
    this.startWorkspace();
  }

  /** Gives the window a line to the workspace: now, or when it is ready, and again after each restart. */
  connect(window: WebContents): void {
    if (!this.windows.has(window)) {
      this.windows.add(window);
      window.once('destroyed', () => this.windows.delete(window));
    }
    if (this.ready) this.join(window);
  }

  /** Resolves when both hosts have ended, at most after `ms`: the workspace closes its database, the engine writes what it has read. */
  async dispose(ms: number): Promise<void> {
    this.disposed = true;
    const { workspace, engine } = this;
    this.engine = null;
    const late = new Promise((resolve) => setTimeout(resolve, ms));
    const hosts = [workspace, engine].filter((host) => host !== null);
    const ended = hosts.map((host) => new Promise<void>((resolve) => host.once('exit', () => resolve())));
    workspace?.postMessage({ type: 'stop' }, []);
    engine?.kill();
    await Promise.race([Promise.all(ended), late]);
    workspace?.kill();
  }

  private startWorkspace(): void {
    const host = utilityProcess.fork(hostFile('workspace-host'), [], { serviceName: 'Codicil workspace', stdio: 'inherit' });
    this.workspace = host;
    host.on('message', (message: FromWorkspace) => this.hear(host, message));
    host.once('exit', (code) => this.lost(host, code));
    host.once('spawn', () => host.postMessage({ type: 'start', options: { dataDir: this.options.dataDir } }, []));
  }

  private hear(host: UtilityProcess, message: FromWorkspace): void {
    if (host !== this.workspace || this.disposed) return;
    if (message.type === 'engine.wanted') this.startEngine(host);
    else if (message.type === 'failed') this.options.onFailed(message.failure);
    else {
      this.ready = true;
      this.deaths = 0;
      for (const window of this.windows) this.join(window);
    }
  }

  private lost(host: UtilityProcess, code: number): void {
    if (host !== this.workspace) return;
    this.workspace = null;
    this.ready = false;
    this.engine?.kill();
    this.engine = null;
    if (this.disposed) return;
    this.deaths += 1;
    if (this.deaths > MAX_DEATHS) return this.options.onGivenUp(code);
    setTimeout(() => !this.disposed && this.startWorkspace(), FIRST_BACKOFF_MS * 2 ** (this.deaths - 1));
  }

  /** A new engine host, joined to the workspace that asked for it. The one before is dead or has been given up. */
  private startEngine(workspace: UtilityProcess): void {
    this.engine?.kill();
    const host = utilityProcess.fork(hostFile('engine-host'), [], { serviceName: 'Codicil engine', stdio: 'inherit' });
    this.engine = host;
    host.once('spawn', () => {
      const { port1, port2 } = new MessageChannelMain();
      host.postMessage({ type: 'line' }, [port1]);
      workspace.postMessage({ type: 'engine' }, [port2]);
    });
  }

  private join(window: WebContents): void {
    if (!this.workspace || window.isDestroyed()) return;
    const { port1, port2 } = new MessageChannelMain();
    this.workspace.postMessage({ type: 'window' }, [port1]);
    window.postMessage('port', null, [port2]);
  }
}
