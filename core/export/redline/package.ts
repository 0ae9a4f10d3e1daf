// The parts of a DOCX that a redline reads and writes, and the container around them (ISO/IEC 29500-2).
//
// Owns: finding parts by their relationships, parts as trees in the accepted view, new parts and relationships, writing all other parts back
// as they were. Rule: a part is written anew only if it was touched.
import { zipSync, type Zippable } from 'fflate';
import { CodicilError } from '../../contract/errors.ts';
import { openContainer, type Container } from '../../ingest/docx/parts.ts';
import { resolvePart } from '../../ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../ingest/limits.ts';
import { acceptChanges } from './accepted.ts';
import { childOf, element, elements, parseXml, visit, writeXml, type XmlElement } from './xml.ts';

export interface Relation {
  readonly id: string;
  /** The last step of the type's URI: "footnotes". */
  readonly type: string;
  readonly uri: string;
  /** Name of a part, or an address outside the package. */
  readonly target: string;
  readonly outside: boolean;
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = '[Content_Types].xml';

export class DocxPackage {
  readonly main: string;
  readonly document: XmlElement;
  readonly body: XmlElement;
  /** Tracked changes that the parts read so far held, all accepted. */
  accepted = 0;
  private readonly container: Container;
  private readonly trees = new Map<string, XmlElement>();
  private readonly added = new Map<string, Uint8Array>();
  private readonly touched = new Set<string>();
  private readonly known = new Map<string, Relation[]>();
  /** Length and checksum of parts, for a picture is compared with every one that is brought in. */
  private readonly sums = new Map<string, string | null>();

  /** Errors: corrupt_file, too_large, encrypted. */
  constructor(bytes: Uint8Array, name: string) {
    this.container = openContainer(bytes, name, DEFAULT_LIMITS);
    this.main = this.relations('').find((relation) => relation.type === 'officeDocument')?.target ?? 'word/document.xml';
    const document = this.tree(this.main);
    const body = childOf(document, 'w:body');
    if (!document || !body)
      throw new CodicilError('corrupt_file', `Expected a DOCX with a document in "${this.main}"; "${name}" has none. Open it in Word and save it again.`);
    this.document = document;
    this.body = body;
  }

  /** Name of the part that the main part points at by a type of relationship. */
  partName(type: string): string | undefined {
    return this.relations(this.main).find((relation) => relation.type === type)?.target;
  }

  part(type: string): XmlElement | undefined {
    const name = this.partName(type);
    return name === undefined ? undefined : this.tree(name);
  }

  /** A part as a tree in the accepted view. */
  tree(name: string): XmlElement | undefined {
    const known = this.trees.get(name);
    if (known) return known;
    const bytes = this.bytes(name);
    if (!bytes) return undefined;
    const tree = parseXml(bytes, name);
    this.accepted += acceptChanges(tree);
    this.trees.set(name, tree);
    return tree;
  }

  bytes(name: string): Uint8Array | null {
    return this.added.get(name) ?? this.container.read(name);
  }

  has(name: string): boolean {
    return this.trees.has(name) || this.added.has(name) || this.container.has(name);
  }

  /** Says that the tree of a part has changed. */
  touch(name: string): void {
    this.touched.add(name);
  }

  relations(part: string): readonly Relation[] {
    const known = this.known.get(part);
    if (known) return known;
    const folder = folderOf(part);
    const found = elements(this.tree(relationsName(part))).map(({ attributes }): Relation => {
      const outside = attributes['TargetMode'] === 'External';
      const [target, uri] = [attributes['Target'] ?? '', attributes['Type'] ?? ''];
      const type = uri.slice(uri.lastIndexOf('/') + 1);
      return { id: attributes['Id'] ?? '', type, uri, target: outside ? target : resolvePart(folder, target), outside };
    });
    this.known.set(part, found);
    return found;
  }

  /** What a relationship points at: the same text for the same picture in two packages. */
  relationKey(part: string, id: string): string {
    const relation = this.relations(part).find((entry) => entry.id === id);
    return relation ? this.targetKey(relation) : id;
  }

  targetKey(relation: Relation): string {
    if (relation.outside) return relation.target;
    const sum = this.sumOf(relation.target);
    return sum === null ? relation.target : `${relation.type}:${sum}`;
  }

  private sumOf(name: string): string | null {
    const known = this.sums.get(name);
    if (known !== undefined) return known;
    const bytes = this.bytes(name);
    const sum = bytes && `${bytes.length}:${checksum(bytes)}`;
    this.sums.set(name, sum);
    return sum;
  }

  /** Adds a relationship of `part`; `id` is chosen when none is given. */
  relate(part: string, relation: Omit<Relation, 'id' | 'type'>, id = this.freshRelation(part)): string {
    const name = relationsName(part);
    const root = this.tree(name) ?? element('Relationships', { xmlns: `${PACKAGE}/relationships` });
    const target = relation.outside ? relation.target : `/${relation.target}`;
    const prefix = root.name.includes(':') ? root.name.slice(0, root.name.indexOf(':') + 1) : '';
    const mode: Record<string, string> = relation.outside ? { TargetMode: 'External' } : {};
    root.children.push(element(`${prefix}Relationship`, { Id: id, Type: relation.uri, Target: target, ...mode }));
    this.trees.set(name, root);
    this.touch(name);
    const list = this.relations(part) as Relation[];
    if (!list.some((entry) => entry.id === id)) list.push({ ...relation, id, type: relation.uri.slice(relation.uri.lastIndexOf('/') + 1) });
    return id;
  }

  /** Adds a part under this name. */
  add(name: string, content: Uint8Array | XmlElement, type: string): void {
    if (content instanceof Uint8Array) this.added.set(name, content);
    else this.trees.set(name, content);
    this.sums.delete(name);
    this.touch(name);
    if (this.contentType(name) !== type) {
      const root = this.tree(TYPES)!;
      const prefix = root.name.includes(':') ? root.name.slice(0, root.name.indexOf(':') + 1) : '';
      root.children.push(element(`${prefix}Override`, { PartName: `/${name}`, ContentType: type }));
      this.touch(TYPES);
    }
  }

  /** Media type that the package declares for a part; '' if it declares none. */
  contentType(name: string): string {
    const entries = elements(this.tree(TYPES));
    const own = entries.find(({ attributes }) => attributes['PartName']?.toLowerCase() === `/${name}`.toLowerCase());
    const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    return (own ?? entries.find(({ attributes }) => attributes['Extension']?.toLowerCase() === extension))?.attributes['ContentType'] ?? '';
  }

  /** Declares the prefixes of another package's part that content brought from there may use (w14:textFill, r:id). */
  declare(name: string, namespaces: Readonly<Record<string, string>>, ignorable: readonly string[]): void {
    const root = this.trees.get(name);
    if (!root) return;
    const used = prefixesIn(root);
    const added = [...used].filter((prefix) => namespaces[prefix] !== undefined && root.attributes[`xmlns:${prefix}`] === undefined);
    for (const prefix of added) root.attributes[`xmlns:${prefix}`] = namespaces[prefix]!;
    // A reader may refuse what it neither knows nor may ignore (ISO/IEC 29500-3, 7.2).
    const ignored = added.filter((prefix) => ignorable.includes(prefix));
    if (ignored.length === 0) return;
    root.attributes['xmlns:mc'] ??= 'http://schemas.openxmlformats.org/markup-compatibility/2006';
    root.attributes['mc:Ignorable'] = [root.attributes['mc:Ignorable'] ?? '', ...ignored].join(' ').trim();
  }

  write(date: string): Uint8Array {
    const files: Zippable = {};
    const stamp = { mtime: new Date(date) };
    for (const name of new Set([...this.container.names(), ...this.touched])) {
      if (name.endsWith('/')) continue;
      const tree = this.touched.has(name) ? this.trees.get(name) : undefined;
      const content = tree ? writeXml(tree) : this.bytes(name)!;
      // Pictures are packed already.
      files[name] = [content, { ...stamp, level: /\.(?:png|jpe?g|gif)$/i.test(name) ? 0 : 6 }];
    }
    return zipSync(files);
  }

  private freshRelation(part: string): string {
    const taken = new Set(this.relations(part).map(({ id }) => id));
    let number = taken.size + 1;
    while (taken.has(`rId${number}`)) number++;
    return `rId${number}`;
  }
}

const folderOf = (part: string): string => part.slice(0, part.lastIndexOf('/') + 1);
const relationsName = (part: string): string => `${folderOf(part)}_rels/${part.slice(part.lastIndexOf('/') + 1)}.rels`;

function prefixesIn(root: XmlElement): Set<string> {
  const prefixes = new Set<string>();
  const add = (name: string): void => void (name.includes(':') && prefixes.add(name.slice(0, name.indexOf(':'))));
  visit(root, (node) => {
    add(node.name);
    for (const name of Object.keys(node.attributes)) add(name);
  });
  for (const bound of ['xml', 'xmlns', 'w']) prefixes.delete(bound);
  return prefixes;
}

/** FNV-1a, 32 bits: tells pictures of equal length apart; nothing is kept by it. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
