// The one place that loads mupdf, and a view of the memory that its structured text lies in.
//
// Its walker makes a font object, a string and three arrays for every character: 1.9 of 3.3 s for 300 pages. Reading the same C structures in the module's
// memory takes a hundredth of that and shows what the walker leaves out: characters above U+FFFF, how a glyph was painted, tagged structure.
// The offsets are those of mupdf 1.28.1 (include/mupdf/fitz/structured-text.h, wasm32), which package.json pins; stext.test.ts compares them with the walker.
import type * as mupdf from 'mupdf';
import { CodicilError } from '../../contract/errors.ts';

export type Mupdf = typeof mupdf;

/** Loaded on first use: the WASM module is large. */
export async function loadMupdf(): Promise<Mupdf> {
  const library = await import('mupdf');
  // mupdf prints every flaw that it repairs; a library does not print. What matters to a reader becomes a warning of the document.
  library.setLog({});
  return library;
}

/** The module's memory as it lies now: growing replaces it, so a view is taken after the call that may have grown it and dropped before the next one. */
export interface Memory {
  readonly bytes: Uint8Array;
  readonly shorts: Uint16Array;
  readonly words: Uint32Array;
  readonly floats: Float32Array;
}

/** An empty buffer of each module, through which its memory is found: every page asks three times. */
const probes = new WeakMap<Mupdf, mupdf.Buffer>();

export function viewMemory(library: Mupdf): Memory {
  const probe = probes.get(library) ?? new library.Buffer();
  probes.set(library, probe);
  const { buffer } = probe.asUint8Array();
  return { bytes: new Uint8Array(buffer), shorts: new Uint16Array(buffer), words: new Uint32Array(buffer), floats: new Float32Array(buffer) };
}

/** What mupdf said of a flaw in the file. Anything else that is thrown is a fault of the program, or has left the module's memory broken, and goes on. */
export function flawOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) throw thrown;
  if (thrown.name === 'RuntimeError' || thrown.name === 'RangeError')
    throw new CodicilError('corrupt_file', `Expected a PDF that can be read; the parser broke off in it (${thrown.message}). Print the file to a new PDF.`, {
      cause: thrown,
    });
  // The wrapper's own null object has no document: looking into it is how it meets a part of the file that is missing.
  if (thrown instanceof TypeError && thrown.message.includes('_fromPDFObjectKeep')) return 'a part of it is missing';
  if (thrown.name !== 'Error') throw thrown;
  return thrown.message;
}
