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

/** Batch work gets what interactive work leaves of every step, and a small share of it always. */
export type Priority = 'interactive' | 'batch';
/** Tokens are guessed and several confirmed by one step; every token is the same with and without. */
export type Drafting = 'off' | 'lookup' | 'mtp' | 'auto';

/** Of keys and values; see native/kv/FORMAT.md. */
export const KV_FORMATS = ['f16', 'q8_0', 'k8v5', 'k8v4', 'q4', 'nf4'] as const;
export type KvFormat = (typeof KV_FORMATS)[number];

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
  /** Absent: interactive. */
  readonly priority?: Priority;
  /** Absent: auto. */
  readonly drafting?: Drafting;
}

export type GenerationEnd = 'end_token' | 'max_tokens' | 'stop_string' | 'mask' | 'context_full' | 'cancelled';
export interface Generated {
  readonly tokens: Int32Array;
  readonly text: string;
  readonly end: GenerationEnd;
  readonly probeLogprobs: Float64Array;
  readonly logprobs: Float64Array;
}
/** Who waits, and what of a prefix others will have in common with it and so is kept on disk; see native/engine/engine.h `SyncOptions`. */
export interface SyncOptions {
  /** Absent: interactive. */
  readonly priority?: Priority;
  /** Positions, in tokens, where others go on. Pages behind the last one stay in memory; an empty list keeps nothing on disk. */
  readonly keep?: readonly number[];
  /** The document whose text it is: with it, what is kept goes. */
  readonly owner?: string;
}
export interface Forgotten {
  readonly files: number;
  readonly bytes: number;
}
/** The document store of all models; a file of two owners counts for both. */
export interface Stored extends Forgotten {
  readonly models: number;
  readonly owners: readonly (Forgotten & { readonly owner: string })[];
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
  /** Of the window; the rest is headroom for questions and answers. */
  readonly inputTokens: number;
  readonly usedBytes: number;
  /** Weights that are read from the file while the model runs. */
  readonly streamedBytes: number;
  readonly streamedBytesPerToken: number;
  readonly expertHitShare: number;
  /** What does not fit and the nearest thing that does; empty where it fits. */
  readonly advice: string;
  readonly parts: readonly { readonly tier: string; readonly tag: string; readonly bytes: number }[];
  readonly prefill: PlannedSpeed;
  readonly decode: PlannedSpeed;
  /** At the end of a full context. */
  readonly decodeFull: PlannedSpeed;
  readonly measuredOn: string;
  /** Of keys and values: as asked for, or chosen. */
  readonly kvFormat: KvFormat;
  /** What will guess; mtp: the model's own head, and where auto was asked for lookup before it. */
  readonly drafting: Exclude<Drafting, 'auto'>;
}
export interface PlannedSpeed {
  readonly tokensPerSecond: number;
  readonly bottleneck: string;
}

/** Read about once a second; null where the machine does not say. */
export interface EngineTelemetry {
  readonly cpuCelsius: number | null;
  readonly cpuMhz: number | null;
  readonly cpuBaseMhz: number | null;
  /** Of the last ten seconds in which some, or all, work waited for memory. */
  readonly memorySomePercent: number | null;
  readonly memoryFullPercent: number | null;
  readonly memoryAvailableBytes: number | null;
  readonly diskFreeBytes: number | null;
  readonly diskFreeInodes: number | null;
  readonly pageFaultsFromDisk: number | null;
  /** Of reading; answers are never slowed. The reason is empty at full pace. */
  readonly pace: 'full' | 'slower' | 'pause';
  readonly paceReason: string;
  readonly diskIsLow: boolean;
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
  readonly kvPages: number;
  readonly kvBudgetBytes: number;
  /** Of the last generation; 0: none yet. */
  readonly firstTokenMs: number;
  readonly draftedTokens: number;
  readonly acceptedTokens: number;
  readonly telemetry: EngineTelemetry;
  /** Of the prefix index, in pages. */
  readonly kvHits: number;
  readonly kvMisses: number;
  readonly kvEvictions: number;
  /** On disk: pages and snapshots. */
  readonly storeBytes: number;
  readonly storePages: number;
  readonly storeSnapshots: number;
  readonly storeBudgetBytes: number;
  readonly storeReadBytes: number;
  readonly storeReadSeconds: number;
  readonly storeWrittenBytes: number;
  readonly storeEvictions: number;
  readonly storeDamaged: number;
  /** The disk has too little room: nothing is written. */
  readonly storeFull: boolean;
  /** Another process writes to the folder; this one only reads. */
  readonly storeShared: boolean;
}

export interface MachineFigures {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryTotalBytes: number;
  readonly memoryFreeBytes: number;
  readonly cpuCelsius: number | null;
  /** NVIDIA's, as the driver tells of them; empty where there is none, or where asking would wake it. */
  readonly gpus: readonly GpuFigures[];
}
export interface GpuFigures {
  readonly name: string;
  readonly memoryUsedBytes: number | null;
  readonly memoryTotalBytes: number | null;
  readonly celsius: number | null;
  /** Where it begins to slow itself down. */
  readonly slowdownCelsius: number | null;
  readonly mhz: number | null;
  readonly watts: number | null;
  readonly busyPercent: number | null;
  /** '' where nothing slows it down that should not. */
  readonly throttledBy: string;
}

/** A loaded model as the workspace sees it, whatever process it lives in. Every method rejects with a CodicilError. */
export interface EngineModel {
  readonly info: ModelInfo;
  /** `special` only for text that the program itself wrote (chat markup), never for documents or questions. */
  tokenize(text: string, special: boolean): Promise<Int32Array>;
  detokenize(tokens: Int32Array): Promise<string>;
  openSession(): Promise<EngineSession>;
  /** Tokens of the prefix that need not be computed, by what is kept in memory and on disk; nothing is read. */
  known(prefix: Int32Array): Promise<number>;
  figures(): Promise<EngineFigures>;
  close(): Promise<void>;
}

export interface EngineSession {
  sync(prefix: Int32Array, onProgress?: (done: number, total: number) => void, options?: SyncOptions): Promise<SyncReport>;
  generate(options: GenerateOptions, onText?: (text: string) => void): Promise<Generated>;
  score(continuation: Int32Array): Promise<Float64Array>;
  cancel(): void;
  close(): void;
}

export type EngineReply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };
