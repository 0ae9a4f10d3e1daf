// The line to the workspace under bad weather: late connections, breaks, replies that never come. The carrier is a fake WebSocket.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { packMessage, unpackMessage } from '../core/contract/port.ts';
import { CONTRACT_VERSION } from '../core/contract/version.ts';

/** What Node's Buffer is here: bytes with a toJSON of their own, which must not turn them into numbers. */
class BytesWithJson extends Uint8Array {
  toJSON(): unknown {
    return { type: 'Buffer', data: [...this] };
  }
}

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly made: FakeSocket[] = [];
  readonly sent: unknown[] = [];
  readonly url: string;
  binaryType = '';
  readyState = 0;
  constructor(url: URL) {
    super();
    this.url = url.href;
    FakeSocket.made.push(this);
  }
  send(frame: Uint8Array): void {
    this.sent.push(unpackMessage(frame));
  }
  close(): void {
    this.readyState = 3;
  }
  open(contract = CONTRACT_VERSION): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    this.say({ type: 'hello', contract, build: 'test' });
  }
  say(message: unknown): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: packMessage(message).buffer }));
  }
  break(reason: string): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { reason }));
  }
}

const last = (): FakeSocket => FakeSocket.made.at(-1)!;
const requests = (socket: FakeSocket): { id: number; route: string }[] =>
  (socket.sent as { type: string; id: number; route: string }[]).filter((message) => message.type === 'request');

async function fresh() {
  vi.resetModules();
  FakeSocket.made.length = 0;
  vi.stubGlobal('window', {});
  vi.stubGlobal('location', new URL('http://127.0.0.1:4747/'));
  vi.stubGlobal('WebSocket', FakeSocket);
  return import('./ipc.ts');
}

describe('the line to the workspace', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('holds requests back until both sides have said hello', async () => {
    const ipc = await fresh();
    const reply = ipc.request('library.list', {});
    ipc.connect();
    expect(last().url).toBe('ws://127.0.0.1:4747/port');
    expect(requests(last())).toEqual([]);
    last().open();
    const [sent] = requests(last());
    last().say({ type: 'response', id: sent!.id, result: { ok: true, value: { documents: [] } } });
    await expect(reply).resolves.toEqual({ documents: [] });
  });

  it('carries bytes as bytes, also when they have a toJSON as a Buffer of Node has', async () => {
    const ipc = await fresh();
    ipc.connect();
    last().open();
    const reply = ipc.request('document.bytes', { documentId: 'd' });
    last().say({ type: 'response', id: requests(last())[0]!.id, result: { ok: true, value: { bytes: new BytesWithJson([1, 2, 3]) } } });
    expect((await reply).bytes).toEqual(new Uint8Array([1, 2, 3]));
  });

  it('rejects what was on its way when the line breaks, and opens it again', async () => {
    const ipc = await fresh();
    const states: string[] = [];
    ipc.onConnection((connection) => states.push(connection.state));
    ipc.connect();
    last().open();
    const lost = ipc.request('library.list', {});
    last().break('');
    await expect(lost).rejects.toMatchObject({ code: 'io_failed' });
    const kept = ipc.request('library.list', {});
    vi.advanceTimersByTime(1000);
    expect(FakeSocket.made).toHaveLength(2);
    last().open();
    last().say({ type: 'response', id: requests(last())[0]!.id, result: { ok: false, failure: { code: 'no_documents', message: 'none' } } });
    await expect(kept).rejects.toMatchObject({ code: 'no_documents', message: 'none' });
    expect(states).toEqual(['connecting', 'open', 'closed', 'connecting', 'open']);
  });

  it('does not work with a workspace of another contract', async () => {
    const ipc = await fresh();
    ipc.connect();
    last().open(CONTRACT_VERSION + 1);
    expect(ipc.currentConnection()).toMatchObject({ state: 'closed' });
    expect(requests(last())).toEqual([]);
  });
});
