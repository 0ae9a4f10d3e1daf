// Lines of all pages -> blocks in reading order, with their kinds: the one door between the page loop (readPdf.ts) and the layout files.
//
// Order of work: what is no text of the document (contents, furniture), what stands below it (footnotes), paragraphs, kinds, notes tied to their marks.
// Rule: every line ends in exactly one block; furniture and footnotes come at the end of their page, so that a sentence over a page break stays in one piece.
import type { Block, Note, Page } from '../../contract/document.ts';
import { within, type Watch } from '../limits.ts';
import type { OutlineEntry, Range } from '../raw.ts';
import { BlockBuilder } from './blocks.ts';
import { findContents } from './contents.ts';
import { findFurniture } from './furniture.ts';
import { collectWords } from './hyphens.ts';
import type { PdfLine } from './lines.ts';
import { splitParagraphs } from './paragraphs.ts';

export interface Layout {
  readonly blocks: readonly Block[];
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  readonly notes: readonly Note[];
}

/** `lines` in page order, within a page in the order of `readLines`. */
export function layOut(lines: readonly PdfLine[], pages: readonly Page[], outline: readonly OutlineEntry[], watch: Watch): Layout {
  const contents = findContents(lines);
  const furniture = findFurniture(lines, pages.length).map((found, index) => found || contents[index] === true);
  const body = lines.filter((_line, index) => furniture[index] !== true);
  const builder = new BlockBuilder(body, collectWords(body), outline);
  const groups = [
    ...splitParagraphs(body).map((group) => ({ lines: group, furniture: false })),
    ...lines.filter((_line, index) => furniture[index] === true).map((line) => ({ lines: [line], furniture: true })),
  ];
  within(groups.length, watch.limits.blocks, 'paragraphs');
  const pageOf = (group: readonly PdfLine[]): number => (group.at(-1) as PdfLine).page;
  groups.sort((a, b) => pageOf(a.lines) - pageOf(b.lines) || Number(a.furniture) - Number(b.furniture));
  const blocks: Block[] = [];
  const emphasis = new Map<string, readonly Range[]>();
  for (const group of groups) {
    const built = builder.build(group.lines, `b${blocks.length}`, group.furniture);
    blocks.push(built.block);
    if (built.emphasis.length > 0) emphasis.set(built.block.id, built.emphasis);
  }
  return { blocks, emphasis, notes: [] };
}
