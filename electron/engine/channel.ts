// One end of the line to another process, whatever carries it: Node's fork channel, a MessagePort, or Electron's parentPort.
//
// Owns: the four carriers behind `Channel`, and how a child finds its own end. Leaves to protocol.ts what the messages say.
// In the command line the engine host is a forked child and its own fork channel is the line. In the app main forks both hosts with
// utilityProcess and gives each one end of a MessageChannelMain: the engine host takes the first port that reaches its parentPort.
// Rule: `onClose` is told exactly once, also when this side closed; nothing is delivered after it.
import type { ChildProcess } from 'node:child_process';

export interface Channel {
  readonly post: (message: unknown) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly onClose: (listener: (reason: string) => void) => void;
  readonly close: () => void;
  /** Closes the line and lets the far side finish by itself; absent: `close` does. */
  readonly end?: () => void;
}

/**
 * A host that has not written what it keeps by then is killed: by this side while it lives, else by itself (host.ts).
 * A disk of 200 MB/s has taken its whole queue of pages.
 */
export const END_MS = 5000;

/** What Electron's MessagePortMain and Node's MessagePort have in common; Electron wraps a message in an event. */
export interface PortLike {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  start?(): void;
  close(): void;
}

interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown; readonly ports: readonly PortLike[] }) => void): unknown;
  postMessage(message: unknown): void;
}

/** Electron's parentPort where this process is a utility process; null under plain Node. */
export function electronParent(): ParentPort | null {
  return (process as unknown as { readonly parentPort?: ParentPort }).parentPort ?? null;
}

/** The parent's side of a forked child. Closing kills it: a host that does not answer must not live on. */
export function childChannel(child: ChildProcess): Channel {
  const closed = once();
  child.on('exit', (code, signal) => closed.tell(signal ? `the process was ended by ${signal}` : `the process ended with code ${code}`));
  child.on('error', (error) => closed.tell(error.message));
  return {
    post: (message) => {
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (listener) => void child.on('message', (message) => !closed.done() && listener(message)),
    onClose: closed.add,
    close: () => {
      closed.tell('closed by this side');
      child.kill('SIGKILL');
    },
    end: () => {
      closed.tell('closed by this side');
      if (child.connected) child.disconnect();
      child.unref();
      setTimeout(() => child.kill('SIGKILL'), END_MS).unref();
    },
  };
}

/** A child's side of its fork channel. */
export function forkChannel(): Channel {
  const closed = once();
  process.on('disconnect', () => closed.tell('the parent process ended'));
  return {
    post: (message) => {
      if (process.connected) process.send!(message, undefined, undefined, () => {});
    },
    onMessage: (listener) => void process.on('message', listener),
    onClose: closed.add,
    close: () => process.connected && process.disconnect(),
  };
}

export function portChannel(port: PortLike): Channel {
  const closed = once();
  port.on('close', () => closed.tell('the other process ended'));
  const isEvent = (message: unknown): message is { data: unknown } =>
    message !== null && typeof message === 'object' && 'data' in message && 'ports' in message;
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between processes has no origin
    post: (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.on('message', (message) => listener(isEvent(message) ? message.data : message));
      port.start?.();
    },
    onClose: closed.add,
    close: () => {
      port.close();
      closed.tell('closed by this side');
    },
  };
}

/** The end of the line that this process was started with: a port handed over by Electron's main, or the fork channel. */
export function parentChannel(): Promise<Channel> {
  const parent = electronParent();
  if (!parent) return Promise.resolve(forkChannel());
  return new Promise((resolve) => {
    parent.on('message', (event) => event.ports[0] && resolve(portChannel(event.ports[0])));
  });
}

/** Listeners that are told one reason, once; those who come later are told at once. */
function once(): { readonly tell: (reason: string) => void; readonly add: (listener: (reason: string) => void) => void; readonly done: () => boolean } {
  const listeners: ((reason: string) => void)[] = [];
  let told: string | null = null;
  return {
    tell: (reason) => {
      if (told !== null) return;
      told = reason;
      for (const listener of listeners) listener(reason);
    },
    add: (listener) => (told === null ? void listeners.push(listener) : listener(told)),
    done: () => told !== null,
  };
}
