// The addon as JavaScript meets it: promises, frames, errors as codes, closing while work runs. Needs the built addon and the Reader.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Session {
  sync(prefix: Int32Array, onProgress?: (done: number, total: number) => void): Promise<{ reusedTokens: number; computedTokens: number; ms: number }>;
  generate(options: object, onFrame?: (frame: { tokens: Int32Array; text: string }) => void): Promise<{ tokens: Int32Array; text: string; end: string; probeLogprobs: Float64Array; logprobs: Float64Array }>;
  offerMask(step: number, bits: Uint32Array): void;
  score(continuation: Int32Array): Promise<Float64Array>;
  fork(): Session;
  cancel(): void;
  tokens(): number;
  close(): void;
}
interface Engine {
  model(): { name: string; vocab: number; endTokens: number[] };
  tokenize(text: string, special: boolean): Int32Array;
  detokenize(tokens: Int32Array): string;
  openSession(): Session;
  stats(): { decodeTokens: number; kvBytes: number };
  close(): void;
}
interface Addon {
  open(options: object, onProgress?: (share: number) => void): Promise<Engine>;
  inspect(path: string): Promise<{ vocab: number }>;
  plan(options: object): Promise<{ fits: boolean; weightBytes: number }>;
  machine(): { cores: number; memoryTotalBytes: number };
}

const root = path.resolve(import.meta.dirname, '../..');
const binary = path.join(root, 'build/native/codicil.node');
const modelPath = path.join(root, 'assets/models/codicil-reader-135m-q4_0.gguf');

describe.skipIf(!existsSync(binary) || !existsSync(modelPath))('the addon', () => {
  const addon = existsSync(binary) ? (createRequire(import.meta.url)(binary) as Addon) : (undefined as never);
  let engine: Engine;
  beforeAll(async () => {
    const shares: number[] = [];
    engine = await addon.open({ modelPath, threads: 2, contextTokens: 2048 }, (share) => shares.push(share));
    expect(shares.at(-1)).toBeGreaterThan(0.5);
  });
  afterAll(() => engine.close());
  const codeOf = (work: Promise<unknown>) => work.then(() => 'resolved', (error: Error & { code: string }) => error.code);

  it('refuses a missing or damaged file with a code and does not crash', async () => {
    expect(await codeOf(addon.inspect('/nowhere/at/all.gguf'))).toBe('not_found');
    expect(await codeOf(addon.inspect(import.meta.filename))).toBe('model_invalid');
    expect(await codeOf(addon.open({ modelPath: import.meta.filename }))).toBe('model_invalid');
    expect(await codeOf(addon.open({}))).toBe('invalid_request');
    expect((await addon.plan({ modelPath, contextTokens: 1024 })).fits).toBe(true);
    expect(addon.machine().cores).toBeGreaterThan(0);
  });

  it.each([
    ['closed', 'session.close(); engine.close();'],
    ['open', ''],
  ])('lets a process end by itself with engine and session left %s', (_how, closing) => {
    const script = `const addon = require(${JSON.stringify(binary)});
      addon.open({ modelPath: ${JSON.stringify(modelPath)}, threads: 2, contextTokens: 1024 }).then(async (engine) => {
        const session = engine.openSession();
        await session.sync(engine.tokenize('The parties agree that', false));
        ${closing}
        console.log('done');
      });`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 30_000 });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'done\n', stderr: '' });
  });

  it('ends a process that does not end by itself', () => {
    const script = `require(${JSON.stringify(binary)}).endWithin(100); for (;;);`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 30_000 });
    expect(stderr).toContain('its process is ended');
    expect(status).toBe(1);
  });

  it('waits for the mask of every step while other sessions go on', async () => {
    const session = engine.openSession();
    const other = engine.openSession();
    const prefix = engine.tokenize('The parties agree that', false);
    await Promise.all([session.sync(prefix), other.sync(prefix)]);
    const words = Math.ceil(engine.model().vocab / 32);
    const only = (token: number): Uint32Array => {
      const bits = new Uint32Array(words);
      bits[token >> 5] = (1 << (token & 31)) >>> 0;
      return bits;
    };
    const wanted = [100, 2000, 30000];
    const running = session.generate({ maxTokens: 3, stepMasks: true, presencePenalty: 0.5 }, (frame) => {
      for (const token of frame.tokens) {
        const next = wanted.indexOf(token) + 1;
        if (next < wanted.length) session.offerMask(next, only(wanted[next]));
      }
    });
    expect((await other.generate({ maxTokens: 4 })).tokens.length).toBe(4); // while the first has no mask at all
    session.offerMask(0, only(wanted[0]));
    expect([...(await running).tokens]).toEqual(wanted);
    const waiting = session.generate({ maxTokens: 3, stepMasks: true });
    session.cancel();
    expect((await waiting).end).toBe('cancelled');
    expect(() => session.offerMask(0, 'x' as never)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(await codeOf(session.generate({ stepMasks: 1 }))).toBe('invalid_request');
    session.close();
    other.close();
  });

  it('streams in frames that add up to the result', async () => {
    const session = engine.openSession();
    const prefix = engine.tokenize('The parties agree that the supplier shall deliver the goods', false);
    const report = await session.sync(prefix);
    expect(report.reusedTokens + report.computedTokens).toBe(prefix.length);
    const tokens: number[] = [];
    let text = '';
    const result = await session.generate({ maxTokens: 24, probes: [1, 2] }, (frame) => {
      tokens.push(...frame.tokens);
      text += frame.text;
    });
    expect(text).toBe(result.text);
    expect(tokens).toEqual([...result.tokens]);
    expect(result.probeLogprobs.length).toBe(2);
    expect(result.logprobs.length).toBe(result.tokens.length);
    expect(session.tokens()).toBe(prefix.length + result.tokens.length);
    session.close();
    expect(await codeOf(session.sync(prefix))).toBe('invalid_request');
  });

  it('obeys a token mask and scores what it generated', async () => {
    const session = engine.openSession();
    await session.sync(engine.tokenize('Section', false));
    const mask = { edgeToken: Int32Array.of(34, 33), edgeNext: Int32Array.of(1, 1), stateOffset: Int32Array.of(0, 2, 2), anyNext: Int32Array.of(-1, -1), mayEnd: Uint8Array.of(0, 1) };
    const result = await session.generate({ maxTokens: 8, mask });
    expect(result.tokens.length).toBe(1);
    expect([33, 34]).toContain(result.tokens[0]);
    expect(result.end).toBe('end_token');
    const fresh = engine.openSession();
    await fresh.sync(engine.tokenize('Section', false));
    expect([...(await fresh.score(result.tokens))]).toEqual([...result.logprobs]);
    expect(await codeOf(fresh.generate({ mask: { ...mask, stateOffset: Int32Array.of(0, 9, 2) } }))).toBe('invalid_request');
    fresh.close();
    session.close();
  });

  it('ends a cancelled generation with what it has and a cancelled sync with a code', async () => {
    const session = engine.openSession();
    const prefix = new Int32Array(1500).fill(100);
    const syncing = codeOf(session.sync(prefix));
    session.cancel();
    expect(await syncing).toBe('cancelled');
    await session.sync(prefix.subarray(0, 10));
    const generating = session.generate({ maxTokens: 1000, temperature: 1 }, () => session.cancel());
    expect((await generating).end).toBe('cancelled');
    session.close();
  });

  it('answers every open job when the engine is closed', async () => {
    const other = await addon.open({ modelPath, threads: 1, contextTokens: 1024 });
    const session = other.openSession();
    const job = codeOf(session.sync(new Int32Array(900).fill(7)));
    other.close();
    expect(await job).toBe('cancelled');
    expect(await codeOf(session.sync(Int32Array.of(1)))).toBe('engine_down');
    expect(() => other.openSession()).toThrow(/closed/);
    other.close();
  });
});
