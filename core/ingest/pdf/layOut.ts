// Lines of all pages -> blocks in reading order, with their kinds: the one door between the page loop (readPdf.ts) and the files of layout/ and tables/.
//
// Order of work: what is no text of the document (contents, furniture), what stands below it (footnotes), paragraphs, kinds, notes tied to their marks.
// Rule: every line ends in exactly one block; furniture and footnotes come at the end of their page, so that a sentence over a page break stays in one piece.
import type { Block, Note, Page, Table, Warning } from '../../contract/document.ts';
import { invisibleWarning } from '../invisible.ts';
import { within, type Watch } from '../limits.ts';
import type { OutlineEntry, Range } from '../raw.ts';
import { BlockBuilder } from './layout/blocks.ts';
import { findContents } from './layout/contents.ts';
import { splitFootnotes } from './layout/footnotes.ts';
import { findFurniture } from './layout/furniture.ts';
import { collectWords } from './layout/hyphens.ts';
import type { PdfLine } from './layout/lines.ts';
import { tieNotes } from './layout/notes.ts';
import { splitParagraphs } from './layout/paragraphs.ts';
import { readTableGroups, settleTables, tieCaptions, type Cell, type CellGroup } from './tables/tableBlocks.ts';
import type { Vector } from './text/vectors.ts';

export interface Layout {
  readonly blocks: readonly Block[];
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  readonly notes: readonly Note[];
  readonly tables: readonly Table[];
  readonly warnings: readonly Warning[];
}

/** One page as read: its lines in the order of `readLines`, and what is drawn on it. */
export interface PageLayout {
  readonly page: Page;
  readonly lines: readonly PdfLine[];
  readonly vectors: readonly Vector[];
}

interface Group {
  readonly lines: readonly PdfLine[];
  readonly set: 'furniture' | 'footnote' | null;
  readonly cell: Cell | null;
}

export function layOut(pages: readonly PageLayout[], outline: readonly OutlineEntry[], watch: Watch): Layout {
  const lines = pages.flatMap((entry) => entry.lines);
  const contents = findContents(lines);
  const furniture = findFurniture(lines, pages.length);
  const kept = settleTables(
    lines,
    lines.map((_line, index) => furniture[index] !== true && contents[index] !== true),
  );
  const isText = (index: number): boolean => kept[index] === true;
  const { notes, rest: body } = splitFootnotes(
    lines.filter((_line, index) => isText(index)),
    pages,
  );
  const text = body.filter((line) => line.cell === null);
  const { groups: cells, tables } = readTableGroups(body);
  const groups: Group[] = [
    ...inOrder(body, splitParagraphs(text, linesAfterBreaks(lines, kept)), cells),
    ...notes.map((note) => ({ lines: note, set: 'footnote' as const, cell: null })),
    ...lines.filter((_line, index) => !isText(index)).map((line) => ({ lines: [line], set: 'furniture' as const, cell: null })),
  ];
  within(groups.length, watch.limits.blocks, 'paragraphs');
  const pageOf = (group: Group): number => (group.lines[0] as PdfLine).page;
  const rankOf = ({ set }: Group): number => (set === null ? 0 : set === 'footnote' ? 1 : 2);
  groups.sort((a, b) => pageOf(a) - pageOf(b) || rankOf(a) - rankOf(b));
  const builder = new BlockBuilder(body, collectWords(body), outline);
  const blocks: Block[] = [];
  const warnings: Warning[] = [];
  const emphasis = new Map<string, readonly Range[]>();
  for (const group of groups) {
    const built = builder.build(group.lines, `b${blocks.length}`, group.cell ? 'furniture' : group.set);
    blocks.push(group.cell ? { ...built.block, kind: 'tableCell', cell: group.cell } : built.block);
    if (built.emphasis.length > 0) emphasis.set(built.block.id, built.emphasis);
    const told = built.invisible.length === 0 ? null : invisibleWarning(built.block, built.invisible, pageOf(group));
    if (told) warnings.push(told);
  }
  const tied = tieCaptions(blocks, tables);
  return { ...tieNotes(blocks), emphasis, tables: tied, warnings };
}

/** Paragraphs and cells in the order of their first lines. */
function inOrder(body: readonly PdfLine[], paragraphs: readonly (readonly PdfLine[])[], cells: readonly CellGroup[]): Group[] {
  const place = new Map(body.map((line, index) => [line, index]));
  const at = (group: Group): number => place.get(group.lines[0] as PdfLine) ?? 0;
  const groups: Group[] = [
    ...paragraphs.map((lines) => ({ lines, set: null, cell: null })),
    ...cells.map(({ lines, cell }) => ({ lines, set: cell ? null : ('furniture' as const), cell })),
  ];
  return groups.sort((a, b) => at(a) - at(b));
}

/** Lines that follow furniture inside their page: web pages printed to PDF carry old page breaks. An underline of signs ends no page. */
function linesAfterBreaks(lines: readonly PdfLine[], kept: readonly boolean[]): ReadonlySet<PdfLine> {
  const after = new Set<PdfLine>();
  let broken = false;
  lines.forEach((line, index) => {
    const last = lines[index - 1];
    if (last === undefined || last.page !== line.page || last.region !== line.region) broken = false;
    if (kept[index] !== true) broken ||= !line.aside && /[\p{L}\d]/u.test(line.text);
    else if (broken) {
      after.add(line);
      broken = false;
    }
  });
  return after;
}
