// Two documents -> a DOCX in which the newer stands on the older as native tracked changes (ISO/IEC 29500-1, 17.13.5).
//
// Rule: accepting all changes gives the paragraphs of the newer text, rejecting all those of the older. Runs, styles and everything that did not
// change stay as the older file has them. Between files of different formats white space and quote styles are no changes.
// Limits: formatting, headers and footers are not compared; pictures and notes that only the newer file has are not carried over.
import { isContent, type Block, type Document } from '../../contract/document.ts';
import { Vocabulary } from '../../compare/tokens.ts';
import { redlineContainer, type Redline } from './blocks.ts';
import type { Known } from './adopt.ts';
import type { Side } from './leaves.ts';
import { DocxPackage } from './package.ts';
import { bodyOf, plainDocx } from './plain.ts';
import { Revisions } from './revisions.ts';
import { elements, findAll, textIn, type XmlElement } from './xml.ts';

export interface RedlineOptions {
  /** Who the changes are said to be by. */
  readonly author: string;
  /** ISO 8601 with seconds, UTC: "2026-01-31T09:00:00Z". */
  readonly date: string;
}

/** Errors: corrupt_file, too_large, encrypted (of a DOCX that can not be read). `afterBytes` may be null: then the newer text is that of its blocks. */
export function redlineDocx(beforeBytes: Uint8Array, afterBytes: Uint8Array | null, before: Document, after: Document, options: RedlineOptions): Uint8Array {
  const vocabulary = new Vocabulary();
  const loose = before.kind !== after.kind;
  if (before.kind !== 'docx') {
    const body = bodyOf(shownBlocks(before));
    const side: Side = { vocabulary, loose, relation: (id) => id };
    const known: Known = { styles: new Set(['Heading1', 'Heading2', 'Heading3', 'Heading4']), numbers: new Set(['0']), before: {}, after: {} };
    const redline: Redline = { revisions: new Revisions(options.author, options.date, []), known, before: side, after: side, notes: () => null };
    redlineContainer(body, bodyOf(shownBlocks(after)), redline, true);
    return plainDocx(body, options.date);
  }
  const older = new DocxPackage(beforeBytes, before.name);
  const newer = after.kind === 'docx' && afterBytes ? new DocxPackage(afterBytes, after.name) : null;
  const notes = notePairs(older, newer);
  const known: Known = {
    styles: older.styles(),
    numbers: older.numbers(),
    before: namespacesOf(older.document),
    after: newer ? namespacesOf(newer.document) : {},
  };
  const redline: Redline = {
    revisions: new Revisions(options.author, options.date, [older.document, ...notes.trees]),
    known,
    before: { vocabulary, loose, relation: (id) => older.relationKey(id) },
    after: { vocabulary, loose, relation: (id) => newer?.relationKey(id) ?? id },
    notes: notes.find,
  };
  redlineContainer(older.body, newer?.body ?? bodyOf(withoutComputed(after, older.body)), redline, true);
  return older.write([older.document, ...notes.trees], options.date);
}

/** Running heads are no text of the document; notes stand where they are read. */
const shownBlocks = ({ blocks }: Document): readonly Block[] => blocks.filter((block) => isContent(block) && block.kind !== 'annotation');

/** In a DOCX numbers are computed and notes stand elsewhere: a number is text only where the older file has it typed. */
function withoutComputed(after: Document, body: XmlElement): Block[] {
  const typed = new Set(findAll(body, (node) => node.name === 'w:p').map((node) => /^\S*/.exec(textIn(node).trimStart())![0]));
  return shownBlocks(after)
    .filter((block) => block.kind !== 'footnote')
    .map((block) => {
      const first = /^\S*/.exec(block.text)![0];
      if (block.number === null || typed.has(first)) return block;
      return { ...block, text: block.text.slice(block.number.length).replace(/^[.):、．]?\s*/, '') };
    });
}

function namespacesOf(root: XmlElement): Record<string, string> {
  return Object.fromEntries(
    Object.entries(root.attributes)
      .filter(([name]) => name.startsWith('xmlns:'))
      .map(([name, uri]) => [name.slice('xmlns:'.length), uri]),
  );
}

/** Footnotes and endnotes of both sides by their references. A note that was compared once is not compared again. */
function notePairs(older: DocxPackage, newer: DocxPackage | null): { trees: XmlElement[]; find: Redline['notes'] } {
  const done = new Set<XmlElement>();
  const noteOf = (docx: DocxPackage, reference: XmlElement): XmlElement | undefined =>
    elements(docx.part(reference.name === 'w:footnoteReference' ? 'footnotes' : 'endnotes')).find(
      (note) => note.attributes['w:id'] === reference.attributes['w:id'],
    );
  return {
    trees: newer ? ['footnotes', 'endnotes'].flatMap((type) => older.part(type) ?? []) : [],
    find: (before, after) => {
      if (!newer || before.name !== after.name || !/^w:(?:foot|end)noteReference$/.test(before.name)) return null;
      const [old, now] = [noteOf(older, before), noteOf(newer, after)];
      if (!old || !now || done.has(old)) return null;
      done.add(old);
      return [old, now];
    },
  };
}
