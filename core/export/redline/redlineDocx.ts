// Two documents -> a DOCX in which the newer stands on the older as native tracked changes (ISO/IEC 29500-1, 17.13.5).
//
// Rule: accepting all changes gives the paragraphs of the newer text, rejecting all those of the older. Runs, styles and everything that did not
// change stay as the older file has them. Between files of different formats white space and quote styles are no changes.
// Limits: formatting, headers and footers are not compared; comments of the older file stay, those of the newer do not come.
import type { Block, Document } from '../../contract/document.ts';
import { Vocabulary } from '../../compare/tokens.ts';
import { redlineContainer, type Redline } from './blocks.ts';
import { PackageCarrier, plainCarrier } from './carry.ts';
import type { Side } from './leaves.ts';
import { NO_NOTES, PackageNotes } from './notes.ts';
import { DocxPackage } from './package.ts';
import { bodyOf, HEADING_STYLES, plainDocx } from './plain.ts';
import { Revisions } from './revisions.ts';
import { elements, findAll, textIn, type XmlElement } from './xml.ts';

export interface RedlineOptions {
  /** Who the changes are said to be by. */
  readonly author: string;
  /** ISO 8601 with seconds, UTC: "2026-01-31T09:00:00Z". */
  readonly date: string;
}

export interface RedlineReport {
  /** Marks around text, paragraphs and rows. */
  readonly insertions: number;
  readonly deletions: number;
  readonly moves: number;
  /** Tracked changes that the inputs held; they were accepted before the comparison. */
  readonly acceptedBefore: number;
  readonly acceptedAfter: number;
  /** Objects of the newer file that the redline does not show, by the name of their element. */
  readonly lost: Readonly<Record<string, number>>;
}

export interface RedlinedDocx {
  readonly bytes: Uint8Array;
  readonly report: RedlineReport;
}

/** Errors: corrupt_file, too_large, encrypted (of a DOCX that can not be read). `afterBytes` may be null: then the newer text is that of its blocks. */
export function redlineDocx(beforeBytes: Uint8Array, afterBytes: Uint8Array | null, before: Document, after: Document, options: RedlineOptions): RedlinedDocx {
  const vocabulary = new Vocabulary();
  const loose = before.kind !== after.kind;
  const plain: Side = { vocabulary, loose, relation: (id) => id };
  if (before.kind !== 'docx') {
    const body = bodyOf(shownBlocks(before));
    const revisions = new Revisions(options.author, options.date, []);
    const carrier = plainCarrier(new Set(HEADING_STYLES));
    redlineContainer(body, bodyOf(shownBlocks(after)), { revisions, carrier, before: plain, after: plain, notes: NO_NOTES }, true);
    return { bytes: plainDocx(body, options.date), report: reportOf(revisions, 0, 0, new Map()) };
  }
  const older = new DocxPackage(beforeBytes, before.name);
  const own: Side = { vocabulary, loose, relation: (id) => older.relationKey(older.main, id) };
  const revisions = new Revisions(options.author, options.date, [older.document, ...['footnotes', 'endnotes'].flatMap((type) => older.part(type) ?? [])]);
  older.touch(older.main);
  if (after.kind !== 'docx' || !afterBytes) {
    const styles = new Set(elements(older.part('styles')).map((node) => node.attributes['w:styleId'] ?? ''));
    const forms = new Map<XmlElement, string>();
    const redline: Redline = { revisions, carrier: plainCarrier(styles), before: own, after: plain, notes: NO_NOTES, forms };
    redlineContainer(older.body, withoutComputed(after, older.body, forms), redline, true);
    return { bytes: older.write(options.date), report: reportOf(revisions, older.accepted, 0, new Map()) };
  }
  const newer = new DocxPackage(afterBytes, after.name);
  const carrier = new PackageCarrier(older, newer);
  const notes = new PackageNotes(older, newer, carrier, () => redline);
  carrier.noteOf = (reference) => notes.bring(reference);
  const side: Side = { vocabulary, loose, relation: (id) => newer.relationKey(newer.main, id) };
  const redline: Redline = { revisions, carrier, before: own, after: side, notes };
  redlineContainer(older.body, newer.body, redline, true);
  carrier.finish();
  return { bytes: older.write(options.date), report: reportOf(revisions, older.accepted, newer.accepted, carrier.losses) };
}

function reportOf({ counts }: Revisions, acceptedBefore: number, acceptedAfter: number, losses: ReadonlyMap<string, number>): RedlineReport {
  const count = (name: string): number => counts.get(name) ?? 0;
  return {
    insertions: count('w:ins'),
    deletions: count('w:del'),
    moves: count('w:moveFromRangeStart'),
    acceptedBefore,
    acceptedAfter,
    lost: Object.fromEntries(losses),
  };
}

/** `bodyOf` leaves out running heads and hidden text; annotations stand beside the text. */
const shownBlocks = ({ blocks }: Document): readonly Block[] => blocks.filter((block) => block.kind !== 'annotation');

/**
 * The newer document as paragraphs to stand in a DOCX, where numbers are computed and notes stand elsewhere: a number is text only where the older
 * file has it typed. `forms` learns which paragraphs lost a number, and of what form ("1.1", "(a)").
 */
function withoutComputed(after: Document, body: XmlElement, forms: Map<XmlElement, string>): XmlElement {
  const typed = new Set(findAll(body, (node) => node.name === 'w:p').map((node) => /^\S*/.exec(textIn(node).trimStart())![0]));
  const computed = (block: Block): boolean => block.number !== null && !typed.has(/^\S*/.exec(block.text)![0]);
  const blocks = shownBlocks(after)
    .filter((block) => block.kind !== 'footnote')
    .map((block) =>
      computed(block) ? { ...block, text: block.text.slice(block.number!.length).replace(/^[.):、．]?\s*/, ''), cut: true } : { ...block, cut: false },
    );
  const cut = new Map(blocks.map((block) => [block.id, block.cut]));
  return bodyOf(blocks, (block, paragraph) => {
    if (cut.get(block.id) === true) forms.set(paragraph, formOf(block.number!));
  });
}

const formOf = (number: string): string =>
  number
    .replace(/\d+/g, '1')
    .replace(/[A-Z]+/g, 'A')
    .replace(/[a-z]+/g, 'a')
    .replace(/[一二三四五六七八九十百]+/g, '一');
