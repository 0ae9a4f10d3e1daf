// The parts of a Word file and how they point at each other, from a ZIP container or from Flat OPC (one XML file with all parts).
//
// Owns: the main part, relationships, refusals of files that are no Word documents. Relationships that lead outside are never followed.
import { CodicilError } from '../../contract/errors.ts';
import { within, type Limits } from '../limits.ts';
import { readXml } from './xml.ts';
import { resolvePart, ZipReader } from './zip.ts';

export interface Relation {
  readonly id: string;
  /** Last word of its type: "styles", "footnotes", "header". Strict and transitional files differ only before it. */
  readonly type: string;
  readonly target: string;
}

interface Container {
  names(): string[];
  has(name: string): boolean;
  read(name: string): Uint8Array | null;
}

export class Package {
  readonly main: string;
  readonly relations: readonly Relation[];
  private readonly container: Container;

  constructor(bytes: Uint8Array, name: string, limits: Limits) {
    this.container = bytes[0] === 0x50 && bytes[1] === 0x4b ? new ZipReader(bytes, name, limits) : new FlatContainer(bytes, limits);
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

function mainPart(parts: Container, name: string): string {
  const target = readRelations(parts, '').find((relation) => relation.type === 'officeDocument')?.target ?? 'word/document.xml';
  if (parts.has('xl/workbook.xml')) throw unsupported(name, 'an Excel workbook', 'save the sheet as PDF');
  if (parts.has('ppt/presentation.xml')) throw unsupported(name, 'a PowerPoint presentation', 'save it as PDF');
  if (parts.has(target)) return target;
  if (parts.has('mimetype')) throw unsupported(name, 'an OpenDocument or EPUB file', 'save it as DOCX or PDF');
  if (parts.has('[Content_Types].xml') || parts.names().some((entry) => entry.startsWith('word/')))
    throw new CodicilError('corrupt_file', `Expected a DOCX with the part "word/document.xml"; "${name}" has none. Open it in Word and save it again.`);
  throw unsupported(name, 'a ZIP archive', 'unpack it and add the files');
}

function unsupported(name: string, what: string, advice: string): CodicilError {
  return new CodicilError('unsupported_format', `Expected a PDF, DOCX, text or Markdown file; "${name}" is ${what}. Please ${advice}.`);
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

const FLAT_PART = /<pkg:part\b([^>]*)>\s*<pkg:xmlData\b[^>]*>([\s\S]*?)<\/pkg:xmlData>/g;

/** Flat OPC: the XML of each part stands inside one file; pictures (pkg:binaryData) are left where they are. */
class FlatContainer implements Container {
  private readonly entries = new Map<string, string>();

  constructor(bytes: Uint8Array, limits: Limits) {
    const text = new TextDecoder('utf-8').decode(bytes);
    for (const [, attributes = '', xml = ''] of text.matchAll(FLAT_PART)) {
      const name = /pkg:name="\/([^"]+)"/.exec(attributes)?.[1];
      if (name !== undefined) this.entries.set(name, xml);
    }
    within(this.entries.size, limits.entries, 'parts');
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  read(name: string): Uint8Array | null {
    const xml = this.entries.get(name);
    return xml === undefined ? null : new TextEncoder().encode(xml);
  }
}
