// A channel in memory and an addon that counts, for tests of the client and the host without native code.
import { CodicilError } from '../../core/contract/errors.ts';
import type { Generated, ModelInfo } from '../../core/contract/engine.ts';
import type { NativeAddon, NativeEngine, NativeSession } from './addon.ts';
import type { Channel } from './channel.ts';

/** Two ends of one line. Messages are cloned and arrive later, as between processes; `cut` is a crash of the far side. */
export function channelPair(): { near: Channel; far: Channel; cut: (reason: string) => void } {
  const ends = [0, 1].map(() => ({ message: [] as ((message: unknown) => void)[], close: [] as ((reason: string) => void)[] }));
  let open = true;
  const cut = (reason: string): void => {
    if (!open) return;
    open = false;
    for (const end of ends) for (const listener of end.close) listener(reason);
  };
  const end = (own: number): Channel => ({
    post: (message) => {
      const copy = structuredClone(message);
      setImmediate(() => open && ends[1 - own]!.message.forEach((listener) => listener(copy)));
    },
    onMessage: (listener) => void ends[own]!.message.push(listener),
    onClose: (listener) => void ends[own]!.close.push(listener),
    close: () => cut('closed'),
  });
  return { near: end(0), far: end(1), cut };
}

const INFO: ModelInfo = {
  path: '/models/fake.gguf',
  name: 'fake',
  architecture: 'llama',
  fileType: 'F32',
  license: '',
  chatTemplate: '',
  parameters: 1,
  fileBytes: 1,
  contextTokens: 128,
  vocab: 256,
  layers: 1,
  eos: 0,
  endTokens: [0],
};

export interface FakeOptions {
  /** A generation never settles until it is cancelled. */
  readonly hang?: boolean;
  /** The answer to what the session holds; absent: the same text back. P(none) is 0.99 for `none`, else 0.01. */
  readonly reply?: (prompt: string) => string;
}

/** One token per character. */
export function fakeAddon(options: FakeOptions = {}): NativeAddon {
  const openSession = (): NativeSession => {
    let held: Int32Array = new Int32Array();
    let stop: ((value: Generated) => void) | null = null;
    const result = (text: string, end: Generated['end']): Generated => ({
      tokens: held,
      text,
      end,
      probeLogprobs: Float64Array.of(Math.log(text === 'none' ? 0.99 : 0.01)),
      logprobs: new Float64Array(held.length),
    });
    return {
      sync: async (prefix, onProgress) => {
        held = prefix;
        onProgress?.(prefix.length, prefix.length);
        return { reusedTokens: 0, computedTokens: prefix.length, ms: 1 };
      },
      generate: (_options, onFrame) => {
        if (options.hang) return new Promise((resolve) => (stop = resolve));
        const prompt = String.fromCharCode(...held);
        const text = options.reply?.(prompt) ?? prompt;
        onFrame?.({ tokens: held, text });
        return Promise.resolve(result(text, 'end_token'));
      },
      score: async (continuation) => new Float64Array(continuation.length).fill(-0.5),
      cancel: () => stop?.(result('', 'cancelled')),
      close: () => {},
    };
  };
  const engine = (path: string): NativeEngine => ({
    model: () => ({ ...INFO, path }),
    tokenize: (text) => Int32Array.from([...text], (letter) => letter.charCodeAt(0)),
    detokenize: (tokens) => String.fromCharCode(...tokens),
    openSession,
    stats: () => ({
      prefillTokensPerSecond: 0,
      decodeTokensPerSecond: 0,
      prefillTokens: 0,
      decodeTokens: 0,
      reusedTokens: 0,
      weightBytes: 0,
      scratchBytes: 0,
      residentBytes: 0,
      sessions: 1,
      running: 0,
      queued: 0,
      threads: 1,
      instructionSet: 'fake',
      kvBytes: 0,
      kvPages: 0,
      kvBudgetBytes: 0,
      firstTokenMs: 0,
      draftedTokens: 0,
      acceptedTokens: 0,
      telemetry: {
        cpuCelsius: null,
        cpuMhz: null,
        cpuBaseMhz: null,
        memorySomePercent: null,
        memoryFullPercent: null,
        memoryAvailableBytes: null,
        diskFreeBytes: null,
        diskFreeInodes: null,
        pageFaultsFromDisk: null,
        pace: 'full',
        paceReason: '',
        diskIsLow: false,
      },
      kvHits: 0,
      kvMisses: 0,
      kvEvictions: 0,
      storeBytes: 0,
      storePages: 0,
      storeSnapshots: 0,
      storeBudgetBytes: 0,
      storeReadBytes: 0,
      storeReadSeconds: 0,
      storeWrittenBytes: 0,
      storeEvictions: 0,
      storeDamaged: 0,
      storeFull: false,
      storeShared: false,
    }),
    known: () => 0,
    forget: () => ({ files: 0, bytes: 0 }),
    close: () => {},
  });
  return {
    open: async ({ modelPath }) => {
      if (modelPath.includes('missing')) throw new CodicilError('not_found', `A model was expected at ${modelPath}; there is none. Choose another file.`);
      return engine(modelPath);
    },
    inspect: async (modelPath) => ({ ...INFO, path: modelPath }),
    plan: async () => ({
      contextTokens: 128,
      weightBytes: 1,
      kvBytes: 1,
      scratchBytes: 1,
      availableBytes: 10,
      fits: true,
      largestContextTokens: 128,
      bottleneck: 'none',
      inputTokens: 120,
      usedBytes: 3,
      streamedBytes: 0,
      streamedBytesPerToken: 0,
      expertHitShare: 1,
      advice: '',
      parts: [],
      prefill: { tokensPerSecond: 1, bottleneck: 'none' },
      decode: { tokensPerSecond: 1, bottleneck: 'none' },
      decodeFull: { tokensPerSecond: 1, bottleneck: 'none' },
      measuredOn: '2026-01-01',
      kvFormat: 'f16',
      drafting: 'lookup',
    }),
    listStored: async () => ({ files: 0, bytes: 0, models: 0, owners: [] }),
    forgetStored: async () => ({ files: 0, bytes: 0 }),
    clearStored: async () => ({ files: 0, bytes: 0 }),
    endWithin: () => undefined,
    machine: () => ({ cpu: 'fake', cores: 1, memoryTotalBytes: 1, memoryFreeBytes: 1, cpuCelsius: null, gpus: [] }),
  };
}
