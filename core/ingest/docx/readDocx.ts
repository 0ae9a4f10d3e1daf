// DOCX bytes -> blocks of a flow document.
//
// Owns: finding the parts by their relationships, what is warned about. Numbers are computed as Word shows them, tracked changes read as accepted.
// Limits: comments are counted, not read; equations come as a row of characters; pages are those Word last rendered, or explicit breaks.
import { isContent, type Block, type Page, type Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import type { Watch } from '../limits.ts';
import type { Range } from '../raw.ts';
import { BodyReader, type Notes } from './body.ts';
import { Numbering } from './numbering.ts';
import { Styles } from './styles.ts';
import { readXml, type XmlNode } from './xml.ts';
import { resolvePart, ZipReader } from './zip.ts';

export interface DocxContent {
  readonly pages: readonly Page[];
  readonly blocks: readonly Block[];
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  readonly listLevel: ReadonlyMap<string, number>;
  readonly warnings: readonly Warning[];
}

interface Relation {
  readonly type: string;
  readonly target: string;
}

export async function readDocx(bytes: Uint8Array, name: string, watch: Watch): Promise<DocxContent> {
  const zip = new ZipReader(bytes, name, watch.limits);
  const main = mainPart(zip, name);
  await watch.tick(0, 1);
  const relations = readRelations(zip, main);
  const partOf = (type: string): Uint8Array | null => {
    const target = relations.find((relation) => relation.type === type)?.target;
    return target === undefined ? null : zip.read(target);
  };
  const body = zip.read(main) as Uint8Array;
  const rendered = new TextDecoder('utf-8').decode(body).includes('lastRenderedPageBreak');
  const reader = new BodyReader({
    styles: new Styles(partOf('styles')),
    numbering: new Numbering(partOf('numbering')),
    footnotes: readNotes(partOf('footnotes')),
    endnotes: readNotes(partOf('endnotes')),
    rendered,
    watch,
  });
  await watch.tick(0, 1);
  readXml(body, main, 'w:body', (node) => reader.read(node));
  const last = reader.page;
  for (const relation of relations)
    if (relation.type === 'header' || relation.type === 'footer') readFurniture(zip.read(relation.target), relation.target, reader);
  if (!reader.blocks.some(isContent))
    throw new CodicilError('no_text', `Expected a document with text; "${name}" has none (it may hold pictures only). Check that the right file was chosen.`);
  await watch.tick(1, 1);
  return {
    pages: Array.from({ length: last + 1 }, (_unused, index): Page => ({
      width: 612,
      height: 792,
      label: String(index + 1),
      source: 'flow',
      confidence: null,
    })),
    blocks: reader.blocks,
    emphasis: reader.emphasis,
    listLevel: reader.listLevel,
    warnings: warningsOf(reader, zip, relations),
  };
}

function mainPart(zip: ZipReader, name: string): string {
  const root = readRelations(zip, '');
  const target = root.find((relation) => relation.type === 'officeDocument')?.target ?? 'word/document.xml';
  if (zip.has(target) && /(?:^|\/)document\d*\.xml$/i.test(target)) return target;
  if (zip.has('xl/workbook.xml')) throw unsupported(name, 'an Excel workbook', 'save the sheet as PDF');
  if (zip.has('ppt/presentation.xml')) throw unsupported(name, 'a PowerPoint presentation', 'save it as PDF');
  if (zip.has('mimetype')) throw unsupported(name, 'an OpenDocument or EPUB file', 'save it as DOCX or PDF');
  if (zip.has('[Content_Types].xml') || zip.names().some((entry) => entry.startsWith('word/')))
    throw new CodicilError('corrupt_file', `Expected a DOCX with the part "word/document.xml"; "${name}" has none. Open it in Word and save it again.`);
  throw unsupported(name, 'a ZIP archive', 'unpack it and add the files');
}

function unsupported(name: string, what: string, advice: string): CodicilError {
  return new CodicilError('unsupported_format', `Expected a PDF, DOCX, text or Markdown file; "${name}" is ${what}. Please ${advice}.`);
}

/** Relationships of a part ('' for the package). Outside targets are never followed. */
function readRelations(zip: ZipReader, part: string): Relation[] {
  const slash = part.lastIndexOf('/');
  const folder = part.slice(0, slash + 1);
  const path = `${folder}_rels/${part.slice(slash + 1)}.rels`;
  const bytes = zip.read(path);
  const relations: Relation[] = [];
  if (!bytes) return relations;
  readXml(bytes, path, null, (node) => {
    const { Target, Type, TargetMode } = node.attributes;
    if (Target === undefined || Type === undefined || TargetMode === 'External') return;
    relations.push({ type: Type.slice(Type.lastIndexOf('/') + 1), target: resolvePart(folder, Target) });
  });
  return relations;
}

/** Notes by id; separators (ids below 1 or with a type) are drawn lines, not text. */
function readNotes(bytes: Uint8Array | null): Notes {
  const notes = new Map<string, XmlNode>();
  if (!bytes) return notes;
  readXml(bytes, 'notes', null, (node) => {
    const id = node.attributes['w:id'];
    if (id !== undefined && (node.attributes['w:type'] ?? 'normal') === 'normal') notes.set(id, node);
  });
  return notes;
}

function readFurniture(bytes: Uint8Array | null, part: string, reader: BodyReader): void {
  if (!bytes) return;
  readXml(bytes, part, null, (node) => reader.read(node, { kind: 'furniture', cell: null }));
}

function warningsOf(reader: BodyReader, zip: ZipReader, relations: readonly Relation[]): Warning[] {
  const { insertions, deletions, hidden } = reader.counts;
  const warnings: Warning[] = [];
  if (insertions + deletions > 0)
    warnings.push({
      code: 'tracked_changes',
      message: `The document has tracked changes (${insertions} insertions, ${deletions} deletions); it is read as if all were accepted.`,
      page: null,
    });
  if (hidden > 0) warnings.push({ code: 'hidden_text', message: `${hidden} pieces of hidden text are not read.`, page: null });
  const comments = relations.find((relation) => relation.type === 'comments');
  const bytes = comments ? zip.read(comments.target) : null;
  let count = 0;
  if (bytes) readXml(bytes, 'comments.xml', null, () => void count++);
  if (count > 0) warnings.push({ code: 'comments', message: `The document has ${count} comments; they are not read.`, page: null });
  return warnings;
}
