// The few globals that a browser worker and Node share and that `core` may use; everything else needs an import or a parameter.
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
}
/** Base 64 to one character per byte; throws on other signs. */
declare function atob(text: string): string;
declare const performance: { now(): number };
declare const crypto: {
  readonly subtle: { digest(algorithm: 'SHA-256', data: ArrayBufferView<ArrayBuffer>): Promise<ArrayBuffer> };
  randomUUID(): string;
};
declare function setTimeout(callback: () => void, ms?: number): unknown;
declare class AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
