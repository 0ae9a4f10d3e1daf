// What pdf.js takes for granted and Chromium 108 does not have yet. Each is lent only where it is missing.

/** The oldest version that this window is made for. */
export const OLDEST_CHROMIUM = 108;

function lend(target: object, name: string, value: unknown): void {
  if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T | PromiseLike<T>) => void; reject: (reason?: unknown) => void } {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (reason?: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** A copy instead of a move: costs memory, changes no result. */
function transferToFixedLength(this: ArrayBuffer, length?: number): ArrayBuffer {
  const out = new Uint8Array(length ?? this.byteLength);
  out.set(new Uint8Array(this, 0, Math.min(out.length, this.byteLength)));
  return out.buffer;
}

lend(Promise, 'withResolvers', withResolvers);
lend(ArrayBuffer.prototype, 'transferToFixedLength', transferToFixedLength);
