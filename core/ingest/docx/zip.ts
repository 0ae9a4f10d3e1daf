// A ZIP container read by its central directory under limits (APPNOTE 6.3.10, sections 4.3 and 4.4).
//
// Owns: the entry list, refused names, refused sizes (declared and real: the stream is cut at the limit), decompression of single entries.
// Rule: nothing is written anywhere and no entry is expanded that nobody asks for. Zip64 records are read; limit: encrypted entries are refused.
import { Inflate } from 'fflate';
import { CodicilError } from '../../contract/errors.ts';
import { within, type Limits } from '../limits.ts';

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly declared: number;
  readonly offset: number;
  readonly encrypted: boolean;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END64_SIGNATURE = 0x06064b50;
const LOCATOR64_SIGNATURE = 0x07064b50;
/** Below this a ratio says nothing: a small part of repeated XML packs 500 times. */
const RATIO_FLOOR = 1024 * 1024;

export class ZipReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly name: string;
  private readonly limits: Limits;
  private readonly entries = new Map<string, Entry>();
  /** Entries read so far: one that is read again costs nothing more of the limit. */
  private readonly counted = new Set<string>();
  private expanded = 0;

  constructor(bytes: Uint8Array, name: string, limits: Limits) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.name = name;
    this.limits = limits;
    this.readDirectory();
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Expanded bytes of one entry; null if there is none of that name. */
  read(name: string): Uint8Array | null {
    const entry = this.entries.get(name);
    if (!entry) return null;
    if (entry.encrypted)
      throw new CodicilError(
        'encrypted',
        `Expected a readable container; "${name}" in "${this.name}" is encrypted. Save the file without a password and add it again.`,
      );
    if (!this.counted.has(name)) within(entry.declared + this.expanded, this.limits.expandedBytes, 'bytes when unpacked');
    const packed = this.dataOf(entry);
    if (entry.method === 0) return this.count(packed, entry);
    if (entry.method !== 8) throw this.corrupt(`"${name}" is packed by method ${entry.method}, expected 0 or 8`);
    return this.inflate(packed, entry);
  }

  private readDirectory(): void {
    const directory = this.findDirectory();
    within(directory.count, this.limits.entries, 'entries in its container');
    let { at } = directory;
    for (let index = 0; index < directory.count; index++) {
      if (at + 46 > this.bytes.length || this.view.getUint32(at, true) !== ENTRY_SIGNATURE) throw this.corrupt(`entry ${index} of its directory is damaged`);
      const nameLength = this.view.getUint16(at + 28, true);
      const extraLength = this.view.getUint16(at + 30, true);
      const name = new TextDecoder('utf-8').decode(this.bytes.subarray(at + 46, at + 46 + nameLength));
      this.checkName(name);
      const entry: Entry = {
        name,
        method: this.view.getUint16(at + 10, true),
        encrypted: (this.view.getUint16(at + 8, true) & 1) === 1,
        ...this.sizesOf(at, at + 46 + nameLength, extraLength),
      };
      this.checkRatio(entry.packed, entry.declared, name);
      this.entries.set(name, entry);
      at += 46 + nameLength + extraLength + this.view.getUint16(at + 32, true);
    }
  }

  /** Start of the directory and its number of entries, from the Zip64 end record where the short one is full (APPNOTE 4.3.14-4.3.16). */
  private findDirectory(): { readonly at: number; readonly count: number } {
    const end = this.findEnd();
    const short = { at: this.view.getUint32(end + 16, true), count: this.view.getUint16(end + 10, true) };
    const locator = end - 20;
    if (locator < 0 || this.view.getUint32(locator, true) !== LOCATOR64_SIGNATURE) return short;
    const end64 = Number(this.view.getBigUint64(locator + 8, true));
    if (end64 + 56 > this.bytes.length || this.view.getUint32(end64, true) !== END64_SIGNATURE) throw this.corrupt('its Zip64 end record is missing');
    return { at: Number(this.view.getBigUint64(end64 + 48, true)), count: Number(this.view.getBigUint64(end64 + 32, true)) };
  }

  /** Sizes and place of an entry; the Zip64 extra field (id 1) holds those that do not fit, in this order (APPNOTE 4.5.3). */
  private sizesOf(at: number, extra: number, length: number): Pick<Entry, 'packed' | 'declared' | 'offset'> {
    const sizes = [this.view.getUint32(at + 24, true), this.view.getUint32(at + 20, true), this.view.getUint32(at + 42, true)];
    for (let field = extra; field + 4 <= Math.min(extra + length, this.bytes.length); field += 4 + this.view.getUint16(field + 2, true)) {
      if (this.view.getUint16(field, true) !== 1) continue;
      let value = field + 4;
      for (const [index, size] of sizes.entries()) {
        if (size !== 0xffffffff || value + 8 > Math.min(extra + length, this.bytes.length)) continue;
        sizes[index] = Number(this.view.getBigUint64(value, true));
        value += 8;
      }
    }
    const [declared = 0, packed = 0, offset = 0] = sizes;
    return { declared, packed, offset };
  }

  /** The end record is the last 22 bytes, or earlier by the length of a comment (at most 65,535). */
  private findEnd(): number {
    for (let at = this.bytes.length - 22; at >= Math.max(0, this.bytes.length - 22 - 65_535); at--)
      if (this.view.getUint32(at, true) === END_SIGNATURE) return at;
    throw this.corrupt('its container has no directory, so its end is missing');
  }

  private checkName(name: string): void {
    if (/^[/\\]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/i.test(name))
      throw this.corrupt(`its container has an entry that points outside it (${JSON.stringify(name.slice(0, 80))})`);
    if (this.entries.has(name)) throw this.corrupt(`its container has two entries named ${JSON.stringify(name.slice(0, 80))}`);
  }

  private checkRatio(packed: number, expanded: number, name: string): void {
    if (expanded > RATIO_FLOOR && expanded > packed * this.limits.expansionRatio)
      throw new CodicilError(
        'too_large',
        `Expected parts that unpack to at most ${this.limits.expansionRatio} times their size; "${name}" in "${this.name}" unpacks ${Math.round(expanded / Math.max(1, packed))} times (a zip bomb). Do not open this file.`,
      );
  }

  private dataOf(entry: Entry): Uint8Array {
    const at = entry.offset;
    if (at + 30 > this.bytes.length || this.view.getUint32(at, true) !== LOCAL_SIGNATURE) throw this.corrupt(`the data of "${entry.name}" is missing`);
    const start = at + 30 + this.view.getUint16(at + 26, true) + this.view.getUint16(at + 28, true);
    if (start + entry.packed > this.bytes.length) throw this.corrupt(`the data of "${entry.name}" is cut off`);
    return this.bytes.subarray(start, start + entry.packed);
  }

  private count(data: Uint8Array, entry: Entry): Uint8Array {
    if (!this.counted.has(entry.name)) this.expanded += data.length;
    this.counted.add(entry.name);
    within(this.expanded, this.limits.expandedBytes, 'bytes when unpacked');
    if (data.length !== entry.declared) throw this.corrupt(`"${entry.name}" unpacks to ${data.length} bytes, its directory says ${entry.declared}`);
    return data;
  }

  /** Streams, so that an entry that declares 1 KB and holds 1 GB is stopped at its first surplus chunk. */
  private inflate(packed: Uint8Array, entry: Entry): Uint8Array {
    const out = new Uint8Array(entry.declared);
    let size = 0;
    const stream = new Inflate((chunk) => {
      if (size + chunk.length > entry.declared)
        throw new CodicilError(
          'too_large',
          `Expected "${entry.name}" in "${this.name}" to unpack to the ${entry.declared} bytes it declares; it holds more (a zip bomb). Do not open this file.`,
        );
      out.set(chunk, size);
      size += chunk.length;
    });
    try {
      // 64 KiB of packed data give at most 66 MiB at a time.
      for (let at = 0; at < packed.length; at += 65_536) stream.push(packed.subarray(at, at + 65_536), at + 65_536 >= packed.length);
    } catch (thrown) {
      if (thrown instanceof CodicilError) throw thrown;
      throw this.corrupt(`"${entry.name}" can not be unpacked (${thrown instanceof Error ? thrown.message : String(thrown)})`);
    }
    return this.count(out.subarray(0, size), entry);
  }

  private corrupt(what: string): CodicilError {
    return new CodicilError(
      'corrupt_file',
      `Expected a DOCX that keeps the rules of its container; in "${this.name}" ${what}. Open it in Word and save it again.`,
    );
  }
}

/** Name of a part that a relationship of a part in `folder` points at (ISO/IEC 29500-2, 6.5: a target is relative to its source, or begins at the root). */
export function resolvePart(folder: string, target: string): string {
  const parts = target.startsWith('/') ? [] : folder.split('/').filter((part) => part !== '');
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
