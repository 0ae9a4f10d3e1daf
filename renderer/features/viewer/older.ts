// What pdf.js takes for granted and Chromium 108 (the oldest that this window is made for) does not have yet. Each is used only where it is missing.
export {};

interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolve!: Resolvers<T>['resolve'];
  let reject!: Resolvers<T>['reject'];
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

Promise.withResolvers ??= withResolvers as typeof Promise.withResolvers;

/** A copy instead of a move: costs memory, changes no result. */
ArrayBuffer.prototype.transferToFixedLength ??= function copy(this: ArrayBuffer, length?: number): ArrayBuffer {
  const out = new Uint8Array(length ?? this.byteLength);
  out.set(new Uint8Array(this, 0, Math.min(out.length, this.byteLength)));
  return out.buffer;
};
