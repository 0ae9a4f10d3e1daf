// The line between two processes: what a message looks like and what a port can do, whatever carries it.
//
// Owns: the envelope, the hello, and `Port` (Electron's MessagePort, a WebSocket or a child process's channel each implement it in one file).
// Binary values inside a message are Uint8Array; a carrier without structured clone (WebSocket) frames them with `packMessage` / `unpackMessage`.
import { z } from 'zod';
import { FailureSchema } from './errors.ts';
import type { Route } from './requests.ts';
import type { WorkspaceEvent } from './events.ts';

export const HelloSchema = z.object({ type: z.literal('hello'), contract: z.number().int(), build: z.string() });
export const RequestMessageSchema = z.object({ type: z.literal('request'), id: z.number().int(), route: z.string(), body: z.unknown() });
export const ResponseMessageSchema = z.object({
  type: z.literal('response'),
  id: z.number().int(),
  result: z.union([z.object({ ok: z.literal(true), value: z.unknown() }), z.object({ ok: z.literal(false), failure: FailureSchema })]),
});

export type Hello = z.infer<typeof HelloSchema>;
export type RequestMessage = { readonly type: 'request'; readonly id: number; readonly route: Route; readonly body: unknown };
export type ResponseMessage = z.infer<typeof ResponseMessageSchema>;
export type EventMessage = { readonly type: 'event'; readonly event: WorkspaceEvent };
export type Message = Hello | RequestMessage | ResponseMessage | EventMessage;

export interface Port {
  send(message: Message): void;
  onMessage(listener: (message: unknown) => void): void;
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

const BYTES_KEY = '$bytes';

/** One binary frame: u32 little-endian length of the JSON, the JSON (each Uint8Array replaced by {"$bytes": [offset, length]}), then all bytes. */
export function packMessage(message: unknown): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let offset = 0;
  // The holder's own value: `value` has gone through toJSON already, and Node's Buffer has one.
  const json = JSON.stringify(message, function (this: Record<string, unknown>, key, value: unknown) {
    const bytes = this[key];
    if (!(bytes instanceof Uint8Array)) return value;
    chunks.push(bytes);
    offset += bytes.length;
    return { [BYTES_KEY]: [offset - bytes.length, bytes.length] };
  });
  const head = new TextEncoder().encode(json);
  const out = new Uint8Array(4 + head.length + offset);
  new DataView(out.buffer).setUint32(0, head.length, true);
  out.set(head, 4);
  let at = 4 + head.length;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** Inverse of packMessage. Throws a RangeError or SyntaxError on a frame that is not one; a caller closes the port then. */
export function unpackMessage(frame: Uint8Array): unknown {
  if (frame.length < 4) throw new RangeError(`a frame has at least 4 bytes, found ${frame.length}`);
  const size = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  if (size > frame.length - 4) throw new RangeError(`a frame of ${frame.length} bytes cannot hold ${size} bytes of JSON`);
  const base = 4 + size;
  return JSON.parse(new TextDecoder().decode(frame.subarray(4, base)), (_key, value: unknown) => {
    const place = (value as Record<string, unknown> | null)?.[BYTES_KEY];
    if (!Array.isArray(place)) return value;
    const [start, length] = place as [number, number];
    if (!(start >= 0 && length >= 0 && base + start + length <= frame.length)) throw new RangeError('a byte range of a frame lies outside it');
    // A plain copy: `slice` of Node's Buffer would be a view that keeps the whole frame alive.
    return new Uint8Array(frame.subarray(base + start, base + start + length));
  });
}
