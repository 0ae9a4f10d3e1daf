// The parts of a Word file and how they point at each other, from a ZIP container or from Flat OPC (one XML file with all parts).
//
// Owns: the main part, relationships, refusals of files that are no Word documents. Relationships that lead outside are never followed.
import { CodicilError } from '../../contract/errors.ts';
import { within, type Limits } from '../limits.ts';
import { unsupported } from '../magic.ts';
import { readXml } from './xml.ts';
import { resolvePart, ZipReader } from './zip.ts';

export interface Relation {
  readonly id: string;
  /** Last word of its type: "styles", "footnotes", "header". Strict and transitional files differ only before it. */
  readonly type: string;
  readonly target: string;
}

export interface Container {
  names(): string[];
  has(name: string): boolean;
  read(name: string): Uint8Array | null;
}

export class Package {
  readonly main: string;
  readonly relations: readonly Relation[];
  private readonly container: Container;

  constructor(bytes: Uint8Array, name: string, limits: Limits) {
    this.container = openContainer(bytes, name, limits);
    this.main = mainPart(this.container, name);
    this.relations = readRelations(this.container, this.main);
  }

  body(): Uint8Array {
    return this.container.read(this.main) as Uint8Array;
  }

  /** Bytes of the first part that the document relates to by this type; null if there is none. */
  part(type: string): Uint8Array | null {
    const target = this.relations.find((relation) => relation.type === type)?.target;
    return target === undefined ? null : this.container.read(target);
  }

  byId(id: string): Uint8Array | null {
    const target = this.relations.find((relation) => relation.id === id)?.target;
    return target === undefined ? null : this.container.read(target);
  }
}

/** Errors: corrupt_file, too_large, encrypted. */
export function openContainer(bytes: Uint8Array, name: string, limits: Limits): Container {
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? new ZipReader(bytes, name, limits) : new FlatContainer(bytes, limits);
}

function mainPart(parts: Container, name: string): string {
  const target = readRelations(parts, '').find((relation) => relation.type === 'officeDocument')?.target ?? 'word/document.xml';
  if (parts.has('xl/workbook.xml')) throw unsupported(name, 'an Excel workbook', 'save the sheet as PDF');
  if (parts.has('ppt/presentation.xml')) throw unsupported(name, 'a PowerPoint presentation', 'save it as PDF');
  if (parts.has(target)) return target;
  if (parts.has('mimetype')) throw unsupported(name, 'an OpenDocument or EPUB file', 'save it as DOCX or PDF');
  if (parts.has(CONTENT_TYPES) || parts.names().some((entry) => entry.startsWith('word/')))
    throw new CodicilError('corrupt_file', `Expected a DOCX with the part "word/document.xml"; "${name}" has none. Open it in Word and save it again.`);
  throw unsupported(name, 'a ZIP archive', 'unpack it and add the files');
}

/** Relationships of a part ('' for the package). */
function readRelations(parts: Container, part: string): Relation[] {
  const slash = part.lastIndexOf('/');
  const folder = part.slice(0, slash + 1);
  const path = `${folder}_rels/${part.slice(slash + 1)}.rels`;
  const bytes = parts.read(path);
  const relations: Relation[] = [];
  if (!bytes) return relations;
  readXml(bytes, path, null, (node) => {
    const { Id = '', Target, Type, TargetMode } = node.attributes;
    if (Target === undefined || Type === undefined || TargetMode === 'External') return;
    relations.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target: resolvePart(folder, Target) });
  });
  return relations;
}

const FLAT_PART = /<pkg:part\b([^>]*)>\s*<pkg:(xmlData|binaryData)\b[^>]*>([\s\S]*?)<\/pkg:\2>/g;
const CONTENT_TYPES = '[Content_Types].xml';
const RELATIONS_TYPE = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>';

/** Flat OPC: all parts stand inside one file, XML as it is and pictures in base 64; media types are attributes, not a part. */
class FlatContainer implements Container {
  private readonly entries = new Map<string, { readonly text: string; readonly binary: boolean }>();

  constructor(bytes: Uint8Array, limits: Limits) {
    const text = new TextDecoder('utf-8').decode(bytes);
    const types: string[] = [];
    for (const [, attributes = '', form, content = ''] of text.matchAll(FLAT_PART)) {
      const name = /pkg:name="\/([^"]+)"/.exec(attributes)?.[1];
      if (name === undefined) continue;
      this.entries.set(name, { text: content, binary: form === 'binaryData' });
      if (!name.endsWith('.rels')) types.push(`<Override PartName="/${name}" ContentType="${/pkg:contentType="([^"]*)"/.exec(attributes)?.[1] ?? ''}"/>`);
    }
    within(this.entries.size, limits.entries, 'parts');
    const declared = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${RELATIONS_TYPE}${types.join('')}</Types>`;
    this.entries.set(CONTENT_TYPES, { text: declared, binary: false });
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  read(name: string): Uint8Array | null {
    const entry = this.entries.get(name);
    if (!entry) return null;
    return entry.binary ? fromBase64(entry.text, name) : new TextEncoder().encode(entry.text);
  }
}

function fromBase64(text: string, part: string): Uint8Array {
  try {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
    return bytes;
  } catch {
    throw new CodicilError('corrupt_file', `Expected base 64 in the part "${part}"; it holds other signs. Open the file in Word and save it as .docx.`);
  }
}
