// Entry of the workspace host: a utility process of the app. Serves one port per window and asks main for an engine when it needs one.
//
// Messages from main, on parentPort: {type: 'start', options: {dataDir, reader?, writer?, modelPaths?, threads?}} first; then {type: 'window'} with
// one port for each window, {type: 'engine'} with one port to a new engine host, {type: 'stop'}.
// Messages to main: {type: 'ready'} or {type: 'failed', failure} after start; {type: 'engine.wanted'} each time an engine host is to be started.
// Rule: this process never opens a socket and never loads the addon.
import type { Message, Port } from '../../core/contract/port.ts';
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import { electronParent, portChannel, type Channel, type PortLike } from '../engine/channel.ts';
import { servePort } from './portServer.ts';
import { Workspace, type WorkspaceOptions } from './workspace.ts';

type StartOptions = Omit<WorkspaceOptions, 'spawnEngine' | 'prefill'>;
type FromMain = { readonly type: 'start'; readonly options: StartOptions } | { readonly type: 'window' | 'engine' | 'stop' };

const parent = electronParent();
if (!parent) throw new CodicilError('invalid_request', 'This file was expected to run as a utility process of the app. Under Node use electron/cli/main.ts.');

function tellMain(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process has no origin
  parent!.postMessage(message);
}

let workspace: Workspace | null = null;
const engineWaiters: ((channel: Channel) => void)[] = [];

function spawnEngine(): Promise<Channel> {
  return new Promise((resolve) => {
    engineWaiters.push(resolve);
    tellMain({ type: 'engine.wanted' });
  });
}

function start(options: StartOptions): void {
  try {
    workspace = new Workspace({ ...options, spawnEngine, prefill: true });
    tellMain({ type: 'ready' });
  } catch (error) {
    tellMain({ type: 'failed', failure: toFailure(error) });
  }
}

function windowPort(carrier: PortLike): Port {
  const channel = portChannel(carrier);
  return { send: (message: Message) => channel.post(message), onMessage: channel.onMessage, onClose: channel.onClose, close: channel.close };
}

parent.on('message', ({ data, ports }) => {
  const message = data as FromMain;
  const port = ports[0];
  if (message.type === 'start') start(message.options);
  else if (message.type === 'window' && port && workspace) servePort(windowPort(port), workspace);
  else if (message.type === 'engine' && port) engineWaiters.shift()?.(portChannel(port));
  else if (message.type === 'stop') {
    workspace?.dispose();
    process.exit(0);
  }
});
