// What the workspace asks of the engine host. Token arrays travel as Int32Array (structured clone), never as JSON.
//
// Owns: the message forms of the private port between the two hosts, and the compact form of a token mask.
// Rule: `sync` always carries the full prefix; what is cached is the engine's business.
import type { Failure } from './errors.ts';

/** A finite automaton over tokens, state 0 first; see native/engine/engine.h `TokenMask`. Edges of state s: [stateOffset[s], stateOffset[s+1]). */
export interface TokenMask {
  readonly edgeToken: Int32Array;
  readonly edgeNext: Int32Array;
  readonly stateOffset: Int32Array;
  readonly anyNext: Int32Array;
  readonly mayEnd: Uint8Array;
}

export interface GenerateOptions {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  readonly repetitionPenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly mask?: TokenMask;
  readonly probes?: readonly number[];
}

export type GenerationEnd = 'end_token' | 'max_tokens' | 'stop_string' | 'mask' | 'context_full' | 'cancelled';
export interface Generated {
  readonly tokens: Int32Array;
  readonly text: string;
  readonly end: GenerationEnd;
  readonly probeLogprobs: Float64Array;
  readonly logprobs: Float64Array;
}
export interface SyncReport {
  readonly reusedTokens: number;
  readonly computedTokens: number;
  readonly ms: number;
}

export interface ModelInfo {
  readonly path: string;
  readonly name: string;
  readonly architecture: string;
  readonly fileType: string;
  readonly license: string;
  readonly chatTemplate: string;
  readonly parameters: number;
  readonly fileBytes: number;
  readonly contextTokens: number;
  readonly vocab: number;
  readonly layers: number;
  readonly eos: number;
  readonly endTokens: readonly number[];
}

export interface Plan {
  readonly contextTokens: number;
  readonly weightBytes: number;
  readonly kvBytes: number;
  readonly scratchBytes: number;
  readonly availableBytes: number;
  readonly fits: boolean;
  readonly largestContextTokens: number;
  readonly bottleneck: string;
}

export interface EngineFigures {
  readonly prefillTokensPerSecond: number;
  readonly decodeTokensPerSecond: number;
  readonly prefillTokens: number;
  readonly decodeTokens: number;
  readonly reusedTokens: number;
  readonly weightBytes: number;
  readonly scratchBytes: number;
  readonly residentBytes: number;
  readonly sessions: number;
  readonly running: number;
  readonly queued: number;
  readonly threads: number;
  readonly instructionSet: string;
  readonly kvBytes: number;
  readonly kvBudgetBytes: number;
}

export interface MachineFigures {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryTotalBytes: number;
  readonly memoryFreeBytes: number;
  readonly cpuCelsius: number | null;
}

/** A loaded model as the workspace sees it, whatever process it lives in. Every method rejects with a CodicilError. */
export interface EngineModel {
  readonly info: ModelInfo;
  /** `special` only for text that the program itself wrote (chat markup), never for documents or questions. */
  tokenize(text: string, special: boolean): Promise<Int32Array>;
  detokenize(tokens: Int32Array): Promise<string>;
  openSession(): Promise<EngineSession>;
  figures(): Promise<EngineFigures>;
  close(): Promise<void>;
}

export interface EngineSession {
  sync(prefix: Int32Array, onProgress?: (done: number, total: number) => void): Promise<SyncReport>;
  generate(options: GenerateOptions, onText?: (text: string) => void): Promise<Generated>;
  score(continuation: Int32Array): Promise<Float64Array>;
  cancel(): void;
  close(): void;
}

export type EngineReply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };
