// The engine client against a host in memory: calls, frames, cancel, crash, time limit, versions, giving up. The native host is in process.test.ts.
import { afterEach, describe, expect, it } from 'vitest';
import type { EngineState } from '../../core/contract/stats.ts';
import { CONTRACT_VERSION } from '../../core/contract/version.ts';
import type { NativeAddon } from './addon.ts';
import { startEngine, type EngineClient } from './client.ts';
import { channelPair, fakeAddon } from './fakes.test-support.ts';
import { serveEngine } from './serve.ts';

const clients: EngineClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.dispose()));

/** A client whose n-th host is served by `addons[n]` (the last one again and again); `crash` cuts the living line. */
function start(...addons: readonly NativeAddon[]): { client: EngineClient; crash: () => void; states: string[]; hosts: () => number } {
  let cut: (reason: string) => void = () => {};
  let hosts = 0;
  const client = startEngine(
    () => {
      const pair = channelPair();
      cut = pair.cut;
      const addon = addons[Math.min(hosts, addons.length - 1)]!;
      hosts += 1;
      setImmediate(() => serveEngine(pair.far, () => addon, 'test'));
      return pair.near;
    },
    { backoffMs: 1, helloMs: 200 },
  );
  clients.push(client);
  const states: string[] = [];
  client.onState((state: EngineState) => states.push(state.state));
  return { client, crash: () => cut('the process was ended by SIGKILL'), states, hosts: () => hosts };
}

describe('the engine client', () => {
  it('runs two models at once and carries frames', async () => {
    const { client } = start(fakeAddon());
    const [first, second] = await Promise.all([client.open('/a.gguf'), client.open('/b.gguf')]);
    expect([first.info.path, second.info.path]).toEqual(['/a.gguf', '/b.gguf']);
    const session = await second.openSession();
    const progress: number[][] = [];
    await session.sync(await second.tokenize('hello', false), (done, total) => progress.push([done, total]));
    let text = '';
    const generated = await session.generate({ maxTokens: 4 }, (more) => (text += more));
    expect([text, generated.text, progress]).toEqual(['hello', 'hello', [[5, 5]]]);
    expect([...(await session.score(new Int32Array(2)))]).toEqual([-0.5, -0.5]);
    expect(await second.detokenize(generated.tokens)).toBe('hello');
  });

  it('closes sessions before their engine when the line is lost, so that what waits for the disk is written', async () => {
    const closed: string[] = [];
    const addon = fakeAddon();
    const told: NativeAddon = {
      ...addon,
      open: async (options) => {
        const engine = await addon.open(options);
        const openSession = () => ({ ...engine.openSession(), close: () => void closed.push('session') });
        return { ...engine, openSession, close: () => void closed.push('engine') };
      },
    };
    const { client, crash } = start(told);
    const model = await client.open('/a.gguf');
    await model.openSession();
    await model.openSession();
    crash();
    await expect.poll(() => closed).toEqual(['session', 'session', 'engine']);
  });

  it('says busy while it works and ready when it is done', async () => {
    const { client, states } = start(fakeAddon());
    const session = await (await client.open('/a.gguf')).openSession();
    await session.sync(new Int32Array([65]));
    expect(states).toEqual(['starting', 'ready', 'busy', 'ready']);
  });

  it('cancels a generation, which resolves with what it has', async () => {
    const { client } = start(fakeAddon({ hang: true }));
    const session = await (await client.open('/a.gguf')).openSession();
    const generating = session.generate({});
    await new Promise((resolve) => setTimeout(resolve, 20));
    session.cancel();
    expect((await generating).end).toBe('cancelled');
  });

  it('passes failures on with their code', async () => {
    const { client } = start(fakeAddon());
    await expect(client.open('/missing.gguf')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('rejects what was pending when the host dies, restarts it and opens the models again', async () => {
    const { client, crash, states, hosts } = start(fakeAddon({ hang: true }), fakeAddon());
    const model = await client.open('/a.gguf');
    const session = await model.openSession();
    await session.sync(new Int32Array([65]));
    const generating = session.generate({});
    await new Promise((resolve) => setTimeout(resolve, 20));
    crash();
    await expect(generating).rejects.toMatchObject({ code: 'engine_down' });
    await expect(session.sync(new Int32Array([65]))).rejects.toMatchObject({ code: 'engine_down' });
    const again = await model.openSession();
    await again.sync(new Int32Array([66]));
    expect((await again.generate({})).text).toBe('B');
    expect(hosts()).toBe(2);
    expect(states).toContain('down');
    expect(states.at(-1)).toBe('ready');
  });

  it('replaces a host that does not say hello in time, or says another version', async () => {
    let hosts = 0;
    const client = startEngine(
      () => {
        const pair = channelPair();
        hosts += 1;
        if (hosts === 2) setImmediate(() => pair.far.post({ type: 'hello', contract: CONTRACT_VERSION + 1, build: 'new', pid: 1 }));
        if (hosts === 3) setImmediate(() => serveEngine(pair.far, () => fakeAddon(), 'test'));
        return pair.near;
      },
      { backoffMs: 1, helloMs: 50 },
    );
    clients.push(client);
    const reasons: string[] = [];
    client.onState((state) => state.state === 'down' && reasons.push(state.reason));
    expect((await client.machine()).cpu).toBe('fake');
    expect(reasons).toHaveLength(2);
    expect(reasons[0]).toContain('did not answer');
    expect(reasons[1]).toContain(`version ${CONTRACT_VERSION + 1}`);
  });

  it('gives up after five failures in a row and tries once more when asked again', async () => {
    let hosts = 0;
    const client = startEngine(
      () => {
        hosts += 1;
        throw new Error('no such program');
      },
      { backoffMs: 1 },
    );
    clients.push(client);
    await expect(client.machine()).rejects.toMatchObject({ code: 'engine_down' });
    expect(hosts).toBe(5);
    await expect(client.machine()).rejects.toThrow('no such program');
    expect(hosts).toBe(6);
  });

  it('settles every call when it is disposed', async () => {
    const { client } = start(fakeAddon({ hang: true }));
    const session = await (await client.open('/a.gguf')).openSession();
    const generating = session.generate({});
    client.dispose();
    await expect(generating).rejects.toMatchObject({ code: 'engine_down' });
    await expect(client.machine()).rejects.toMatchObject({ code: 'engine_down' });
  });
});
