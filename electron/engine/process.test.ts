// The engine client against a real host process with the native engine and the Reader. Skips loudly where the engine is not built.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineModel } from '../../core/contract/engine.ts';
import { findAddon } from './addon.ts';
import { forkEngine, startEngine, type EngineClient } from './client.ts';

const READER = path.resolve(import.meta.dirname, '../../assets/models/codicil-reader-135m-q4_0.gguf');
const missing = !findAddon() ? 'build/native/codicil.node' : !existsSync(READER) ? 'assets/models' : null;
if (missing) process.stderr.write(`SKIPPED: 3 tests of the engine process, because ${missing} is not there.\n`);

describe.skipIf(missing !== null)('the engine process', () => {
  let client: EngineClient;
  let reader: EngineModel;
  beforeAll(async () => {
    client = startEngine(forkEngine, { backoffMs: 10 });
    reader = await client.open(READER);
  });
  afterAll(() => client.dispose());

  const prompt = '<|im_start|>user\nName one colour.<|im_end|>\n<|im_start|>assistant\n';

  async function answer(): Promise<string> {
    const session = await reader.openSession();
    await session.sync(await reader.tokenize(prompt, true));
    const { text } = await session.generate({ maxTokens: 4 });
    session.close();
    return text;
  }

  it('knows the model and the machine', async () => {
    expect(reader.info.architecture).toBe('llama');
    expect(reader.info.vocab).toBe(49_152);
    expect((await client.machine()).cores).toBeGreaterThan(0);
    const tokens = await reader.tokenize('The parties agree.', false);
    expect(await reader.detokenize(tokens)).toBe('The parties agree.');
  });

  it('is killed in the middle of a generation, comes back and gives the same answer', async () => {
    const before = await answer();
    const session = await reader.openSession();
    await session.sync(await reader.tokenize(prompt, true));
    const killed = client.pid!;
    const generating = session.generate({ maxTokens: 4000, temperature: 1.5, seed: 7 }, () => process.kill(killed, 'SIGKILL'));
    await expect(generating).rejects.toMatchObject({ code: 'engine_down' });
    expect(client.state.state).toBe('down');
    expect(await answer()).toBe(before);
    expect(client.pid).not.toBe(killed);
    expect(client.state.state).toBe('ready');
  });

  it('refuses what is no model and lives on', async () => {
    await expect(client.open(path.resolve(import.meta.filename))).rejects.toMatchObject({ code: 'model_invalid' });
    await expect(client.inspect('/nowhere/none.gguf')).rejects.toMatchObject({ code: 'not_found' });
    expect(await reader.detokenize(await reader.tokenize('alive', false))).toBe('alive');
  });
});
