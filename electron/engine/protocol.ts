// What the engine host and its client say to each other: every method with its request and its value in one entry.
// Token arrays are Int32Array and travel by structured clone. Private to electron/engine; the workspace sees contract/engine.ts.
import type {
  EngineFigures,
  EngineReply,
  Forgotten,
  GenerateOptions,
  Generated,
  KvFormat,
  MachineFigures,
  ModelInfo,
  Plan,
  Stored,
  SyncOptions,
  SyncReport,
} from '../../core/contract/engine.ts';

export interface OpenOptions {
  /** 0 or absent: one per physical core. */
  readonly threads?: number;
  readonly contextTokens?: number;
  readonly ramBudgetBytes?: number;
  /** For everything; weights that do not fit are streamed from the file. */
  readonly memoryBudgetBytes?: number;
  /** Where checksums and the machine's measurements are kept. */
  readonly checksumFolder?: string;
  readonly batchTokens?: number;
  readonly instructionSet?: string;
  /** Where what was read is kept on disk; absent: nowhere. */
  readonly storeFolder?: string;
  readonly storeBudgetBytes?: number;
  /** Of keys and values; absent: what the engine takes by itself. */
  readonly kvFormat?: KvFormat;
}

type ModelPath = { readonly path: string };
type OfModel = { readonly model: number };
type OfSession = { readonly session: number };

export interface EngineMethods {
  'model.open': { request: ModelPath & { readonly options: OpenOptions }; value: { readonly model: number; readonly info: ModelInfo } };
  'model.close': { request: OfModel; value: null };
  'model.tokenize': { request: OfModel & { readonly text: string; readonly special: boolean }; value: Int32Array };
  'model.detokenize': { request: OfModel & { readonly tokens: Int32Array }; value: string };
  'model.known': { request: OfModel & { readonly prefix: Int32Array }; value: number };
  'model.figures': { request: OfModel; value: EngineFigures };
  'model.inspect': { request: ModelPath; value: ModelInfo };
  'model.plan': { request: ModelPath & { readonly options: OpenOptions }; value: Plan };
  'session.open': { request: OfModel; value: number };
  'session.sync': { request: OfSession & { readonly prefix: Int32Array; readonly progress: boolean; readonly options: SyncOptions }; value: SyncReport };
  'session.generate': { request: OfSession & { readonly options: GenerateOptions; readonly stream: boolean }; value: Generated };
  'session.score': { request: OfSession & { readonly continuation: Int32Array }; value: Float64Array };
  'session.close': { request: OfSession; value: null };
  'session.cancel': { request: OfSession; value: null };
  'store.list': { request: { readonly folder: string }; value: Stored };
  'store.forget': { request: { readonly folder: string; readonly owner: string }; value: Forgotten };
  'store.clear': { request: { readonly folder: string }; value: Forgotten };
  'machine.figures': { request: null; value: MachineFigures };
}
export type Method = keyof EngineMethods;
export type MethodRequest<M extends Method> = EngineMethods[M]['request'];
export type MethodValue<M extends Method> = EngineMethods[M]['value'];

export interface EngineHello {
  readonly type: 'hello';
  readonly contract: number;
  readonly build: string;
  readonly pid: number;
}
export type EngineRequest = {
  [M in Method]: { readonly type: 'request'; readonly id: number; readonly method: M; readonly request: MethodRequest<M> };
}[Method];
export interface EngineResponse {
  readonly type: 'response';
  readonly id: number;
  readonly reply: EngineReply;
}
/** Progress of a sync as [done, total], or more text of a generation. */
export interface EngineFrame {
  readonly type: 'frame';
  readonly id: number;
  readonly value: readonly [number, number] | string;
}
export type EngineMessage = EngineHello | EngineResponse | EngineFrame;
