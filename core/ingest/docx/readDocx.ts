// DOCX bytes -> blocks of a flow document, in one view of its tracked changes.
//
// Owns: which parts are read and in what order, running pages, what is warned about. Also reads DOCM, DOTX (the same parts) and Flat OPC.
// Limits: pages are those Word last rendered, or explicit breaks; embedded documents (altChunk, subDoc) are told of, not read.
import { isContent, type Page, type View, type Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import type { Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import { BodyReader } from './body.ts';
import { readComments } from './comments.ts';
import { beginChange, emptyContent } from './content.ts';
import type { ListNumber } from './counters.ts';
import { Numbering } from './numbering.ts';
import { Package } from './parts.ts';
import { newContext } from './story.ts';
import { Styles } from './styles.ts';
import { children, isOn, readXml, toggle, type XmlNode } from './xml.ts';

export interface DocxContent extends Required<Omit<RawContent, 'outline' | 'attachments'>> {
  /** Computed numbers by block id, with their context: what Word's REF fields show. */
  readonly numbers: ReadonlyMap<string, ListNumber>;
}

export async function readDocx(bytes: Uint8Array, name: string, watch: Watch, view: View = 'accepted'): Promise<DocxContent> {
  const parts = new Package(bytes, name, watch.limits);
  await watch.tick(0, 1);
  const reader = readBody(parts, watch, view);
  const { blocks, evidence, page } = reader;
  readRunningPages(parts, reader);
  if (!blocks.some(isContent))
    throw new CodicilError('no_text', `Expected a document with text; "${name}" has none (it may hold pictures only). Check that the right file was chosen.`);
  await watch.tick(1, 1);
  const lengths = new Map(blocks.map((block) => [block.id, block.text.length]));
  const comments = readComments(parts.part('comments'), parts.part('commentsExtended'));
  return {
    pages: Array.from({ length: page + 1 }, (_unused, index): Page => ({
      width: 612,
      height: 792,
      label: String(index + 1),
      source: 'flow',
      confidence: null,
    })),
    blocks,
    emphasis: reader.emphasis,
    listLevel: reader.listLevel,
    numbers: reader.numbers,
    // A table inside a cell is complete before the one around it.
    tables: reader.tables.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))),
    notes: reader.notes,
    comments: comments.map((comment) => ({ ...comment, span: evidence.commentSpan(comment.id, (id) => lengths.get(id) ?? 0) })),
    revisions: evidence.revisions,
    crossReferences: evidence.crossReferences(),
    warnings: warningsOf(reader, view),
  };
}

function readBody(parts: Package, watch: Watch, view: View): BodyReader {
  const body = parts.body();
  const styles = new Styles(parts.part('styles'), view);
  const reader = new BodyReader({
    styles,
    numbering: new Numbering(parts.part('numbering')),
    notes: new Map([...readNotes(parts.part('footnotes'), 'footnote'), ...readNotes(parts.part('endnotes'), 'endnote')]),
    rendered: new TextDecoder('utf-8').decode(body).includes('lastRenderedPageBreak'),
    view,
    watch,
  });
  // A style changes the look of many places and has none of its own.
  for (const change of styles.changes) reader.evidence.addChange(beginChange(change, 'format', emptyContent()), null);
  readXml(body, parts.main, 'w:body', (node) => reader.read(node, reader.body));
  reader.finish();
  return reader;
}

/** Notes by kind and id; separators (with a type) are drawn lines, not text. */
function readNotes(bytes: Uint8Array | null, kind: string): Map<string, XmlNode> {
  const notes = new Map<string, XmlNode>();
  if (!bytes) return notes;
  readXml(bytes, `${kind}s.xml`, null, (node) => {
    const id = node.attributes['w:id'];
    if (id !== undefined && (node.attributes['w:type'] ?? 'normal') === 'normal') notes.set(`${kind} ${id}`, node);
  });
  return notes;
}

/** Headers and footers that some section shows, each once: first pages only where a section has one of its own, even pages where the document says so. */
function readRunningPages(parts: Package, reader: BodyReader): void {
  let even = false;
  const settings = parts.part('settings');
  if (settings) readXml(settings, 'settings.xml', null, (node) => (even ||= node.name === 'w:evenAndOddHeaders' && isOn(node)));
  const seen = new Set<string>();
  for (const section of reader.sections) {
    const titlePage = toggle(section, 'w:titlePg') ?? false;
    for (const reference of [...children(section, 'w:headerReference'), ...children(section, 'w:footerReference')]) {
      const id = reference.attributes['r:id'] ?? '';
      const type = reference.attributes['w:type'] ?? 'default';
      if (seen.has(id) || (type === 'first' && !titlePage) || (type === 'even' && !even)) continue;
      seen.add(id);
      const bytes = parts.byId(id);
      const context = newContext('furniture', reader.newStory());
      if (bytes) readXml(bytes, id, null, (node) => reader.read(node, context));
      reader.finish();
    }
  }
}

function warningsOf(reader: BodyReader, view: View): Warning[] {
  const warnings: Warning[] = [...reader.warnings];
  const warn = (count: number, code: string, message: string): void => {
    if (count > 0) warnings.push({ code, message, page: null });
  };
  const { revisions } = reader.evidence;
  const insertions = revisions.filter(({ kind }) => kind === 'insert' || kind === 'moveTo').length;
  const deletions = revisions.filter(({ kind }) => kind === 'delete' || kind === 'moveFrom').length;
  const READ_AS = { accepted: 'as if all were accepted', original: 'as if none had been made', both: 'with inserted and deleted text side by side' };
  warn(
    revisions.length,
    'tracked_changes',
    `The document has tracked changes (${insertions} insertions, ${deletions} deletions, ${revisions.length - insertions - deletions} of format); it is read ${READ_AS[view]}.`,
  );
  warn(reader.blocks.filter((block) => block.hidden !== null).length, 'hidden_text', 'The document has hidden text; it is kept apart and not read.');
  const { placeholders, chunks, subDocuments } = reader.counts;
  const unclosed = reader.body.story.fields.filter((field) => field.inInstruction).length;
  warn(
    unclosed,
    'unclosed_field',
    `${unclosed} fields have no end; what follows them can not be told from their code. Open the file in Word and save it again.`,
  );
  warn(placeholders, 'placeholders', `${placeholders} content controls are not filled in; their placeholder text is read as it stands.`);
  warn(chunks, 'embedded_documents', `${chunks} embedded documents (altChunk) are not read. Open the file in Word and save it, which takes them in.`);
  warn(subDocuments, 'subdocuments', `${subDocuments} subdocuments of this master document are separate files and not read. Add them by themselves.`);
  return warnings;
}
