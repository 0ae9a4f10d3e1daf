// The parts of a DOCX that a redline reads and writes, and the container around them.
//
// Owns: finding the main part and its notes by relationships, what the package defines (styles, numbers), writing all other parts back as they were.
import { zipSync, type Zippable } from 'fflate';
import { CodicilError } from '../../contract/errors.ts';
import { resolvePart, ZipReader } from '../../ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../ingest/limits.ts';
import { acceptChanges } from './accepted.ts';
import { childOf, elements, findAll, parseXml, writeXml, type XmlElement } from './xml.ts';

interface Relation {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly outside: boolean;
}

export class DocxPackage {
  readonly document: XmlElement;
  readonly body: XmlElement;
  private readonly zip: ZipReader;
  private readonly relations: readonly Relation[];
  /** Parts that are trees by now. */
  private readonly trees = new Map<string, XmlElement>();

  /** Errors: corrupt_file, too_large, encrypted. */
  constructor(bytes: Uint8Array, name: string) {
    this.zip = new ZipReader(bytes, name, DEFAULT_LIMITS);
    const main = readRelations(this.zip, '').find((relation) => relation.type === 'officeDocument')?.target ?? 'word/document.xml';
    const document = this.tree(main);
    const body = childOf(document, 'w:body');
    if (!document || !body)
      throw new CodicilError('corrupt_file', `Expected a DOCX with a document in "${main}"; "${name}" has none. Open it in Word and save it again.`);
    this.document = document;
    this.body = body;
    this.relations = readRelations(this.zip, main);
  }

  /** Part of a type of relationship, as a tree in the accepted view. */
  part(type: string): XmlElement | undefined {
    const target = this.relations.find((relation) => relation.type === type)?.target;
    return target === undefined ? undefined : this.tree(target);
  }

  styles(): Set<string> {
    return new Set(elements(this.part('styles')).map((node) => node.attributes['w:styleId'] ?? ''));
  }

  numbers(): Set<string> {
    return new Set(['0', ...findAll(this.part('numbering') ?? this.body, (node) => node.name === 'w:num').map((node) => node.attributes['w:numId'] ?? '')]);
  }

  /** What a relationship points at: the same text for the same picture in two packages. */
  relationKey(id: string): string {
    const relation = this.relations.find((entry) => entry.id === id);
    if (!relation || relation.outside) return relation?.target ?? id;
    const bytes = this.zip.read(relation.target);
    return bytes ? `${relation.type}:${bytes.length}:${checksum(bytes)}` : relation.target;
  }

  write(changed: readonly XmlElement[], date: string): Uint8Array {
    const files: Zippable = {};
    const stamp = { mtime: new Date(date) };
    for (const name of this.zip.names()) {
      if (name.endsWith('/')) continue;
      const tree = this.trees.get(name);
      const content = tree && changed.includes(tree) ? writeXml(tree) : this.zip.read(name)!;
      // Pictures are packed already.
      files[name] = [content, { ...stamp, level: /\.(?:png|jpe?g|gif)$/i.test(name) ? 0 : 6 }];
    }
    return zipSync(files);
  }

  private tree(name: string): XmlElement | undefined {
    const known = this.trees.get(name);
    if (known) return known;
    const bytes = this.zip.read(name);
    if (!bytes) return undefined;
    const tree = parseXml(bytes, name);
    acceptChanges(tree);
    this.trees.set(name, tree);
    return tree;
  }
}

/** FNV-1a, 32 bits: tells pictures of equal length apart; nothing is kept by it. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function readRelations(zip: ZipReader, part: string): Relation[] {
  const slash = part.lastIndexOf('/');
  const folder = part.slice(0, slash + 1);
  const path = `${folder}_rels/${part.slice(slash + 1)}.rels`;
  const bytes = zip.read(path);
  if (!bytes) return [];
  return elements(parseXml(bytes, path)).map(({ attributes }) => {
    const outside = attributes['TargetMode'] === 'External';
    const target = attributes['Target'] ?? '';
    const type = attributes['Type'] ?? '';
    return { id: attributes['Id'] ?? '', type: type.slice(type.lastIndexOf('/') + 1), target: outside ? target : resolvePart(folder, target), outside };
  });
}
