// Text and Markdown bytes -> blocks of a flow document. It has one page: where a printer would end its pages is not known.
//
// Owns: blocks and their numbers; ordered items of Markdown get the number a reader sees ("1.2" for the second item inside the first).
import type { Block, Page, Table, Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import { bulletLength, readLabel, type Label } from '../labels.ts';
import { within, type Watch } from '../limits.ts';
import type { Range } from '../raw.ts';
import { decodeText, encodingWarnings } from './decode.ts';
import { FLOW_PAGE } from './flow.ts';
import { readInline, type Inline } from './inline.ts';
import { readMarkdown, readPlain, type TextParagraph } from './paragraphs.ts';
import { repairText } from '../characters.ts';

export interface TextContent {
  readonly pages: readonly Page[];
  readonly blocks: readonly Block[];
  readonly emphasis: ReadonlyMap<string, readonly Range[]>;
  readonly listLevel: ReadonlyMap<string, number>;
  readonly tables: readonly Table[];
  readonly warnings: readonly Warning[];
}

export function readText(bytes: Uint8Array, name: string, markdown: boolean, watch: Watch): TextContent {
  const { text, encoding } = decodeText(bytes);
  if (text.trim() === '') throw new CodicilError('empty_file', `Expected a text; "${name}" has only white space. Check that the right file was chosen.`);
  const paragraphs = markdown ? readMarkdown(text) : readPlain(text);
  watch.check();
  within(paragraphs.length, watch.limits.blocks, 'paragraphs');
  const builder = new TextBuilder(markdown);
  paragraphs.forEach((paragraph, index) => {
    if (index % 1000 === 0) watch.check();
    builder.add(paragraph, () => nextItem(paragraphs, index));
  });
  return {
    pages: [FLOW_PAGE],
    blocks: builder.blocks,
    emphasis: builder.emphasis,
    listLevel: builder.listLevel,
    tables: builder.tables(),
    warnings: encodingWarnings(encoding),
  };
}

/** Paragraphs of one item that are looked through for the item behind it. */
const ITEM_PARAGRAPHS = 100;

/** The ordered item that follows in the same list; null where the list ends. */
function nextItem(paragraphs: readonly TextParagraph[], index: number): TextParagraph | null {
  const depth = paragraphs[index]?.depth ?? 0;
  for (const next of paragraphs.slice(index + 1, index + 1 + ITEM_PARAGRAPHS)) {
    if (next.level !== null) return null;
    if (next.ordinal !== null && next.depth !== null && next.depth <= depth) return next.depth === depth ? next : null;
  }
  return null;
}

/** "2. (a) ...": the first bracket of a list inside the item, unless the next item has the second and the ordinals are notation only ("1. (a)", "2. (b)"). */
function beginsInside(label: Label, next: TextParagraph | null): boolean {
  const first = label.readings.find(({ form, values }) => form.startsWith('(') && values.length === 1 && values[0] === 1);
  const second = next && readLabel(next.source.trimStart());
  return first !== undefined && !second?.readings.some(({ form, values }) => form === first.form && values[0] === 2);
}

class TextBuilder {
  readonly blocks: Block[] = [];
  readonly emphasis = new Map<string, readonly Range[]>();
  readonly listLevel = new Map<string, number>();
  private readonly markdown: boolean;
  /** Numbers of the open ordered items by depth; a bullet leaves an empty entry. */
  private open: string[] = [];
  private table = 0;
  private row = -1;

  constructor(markdown: boolean) {
    this.markdown = markdown;
  }

  add(paragraph: TextParagraph, next: () => TextParagraph | null): void {
    if (paragraph.cells) {
      this.row = this.row < 0 ? 0 : this.row + 1;
      paragraph.cells.forEach((cell, column) =>
        this.block(paragraph, this.inline(cell), { table: `t${this.table}`, row: this.row, column, rowSpan: 1, columnSpan: 1, header: this.row === 0 }, null),
      );
      return;
    }
    if (this.row >= 0) {
      this.table++;
      this.row = -1;
    }
    const inline = this.inline(paragraph.source);
    if (inline.text === '') return;
    this.block(paragraph, inline, null, this.numberOf(paragraph, inline.text, next));
  }

  tables(): Table[] {
    const sizes = new Map<string, { rows: number; columns: number }>();
    for (const { cell } of this.blocks) {
      if (!cell) continue;
      const size = sizes.get(cell.table) ?? { rows: 0, columns: 0 };
      sizes.set(cell.table, { rows: Math.max(size.rows, cell.row + 1), columns: Math.max(size.columns, cell.column + 1) });
    }
    return [...sizes].map(([id, size]) => ({ id, ...size, places: [{ page: 0, box: null }], captionId: null }));
  }

  private inline(source: string): Inline {
    return this.markdown ? readInline(source) : { text: repairText(source), emphasis: [] };
  }

  /** The number an ordered item shows; null where the text itself begins with that number or there is none. */
  private numberOf(paragraph: TextParagraph, text: string, next: () => TextParagraph | null): string | null {
    if (paragraph.depth === null) {
      if (paragraph.level !== null) this.open = [];
      return null;
    }
    this.open.length = Math.min(this.open.length, paragraph.depth);
    while (this.open.length < paragraph.depth) this.open.push('');
    const typed = readLabel(text);
    const ordinal = paragraph.ordinal?.replace(/[.)]$/, '') ?? '';
    const parent = this.open.findLast((number) => number !== '') ?? '';
    const replaced = typed !== null && !beginsInside(typed, next());
    const own = ordinal === '' || replaced ? '' : parent === '' ? ordinal : `${parent}.${ordinal}`;
    this.open.push(own);
    return own === '' ? null : own;
  }

  private block(paragraph: TextParagraph, inline: Inline, cell: Block['cell'], computed: string | null): void {
    if (inline.text === '' && cell === null) return;
    const id = `b${this.blocks.length}`;
    const bullet = paragraph.ordinal === null && cell === null ? bulletLength(inline.text) : 0;
    const prefix = computed === null ? '' : `${computed}. `;
    const text = prefix + inline.text.slice(bullet);
    const shift = prefix.length - bullet;
    const emphasis = inline.emphasis.map((range) => ({ start: Math.max(0, range.start + shift), end: range.end + shift }));
    const number = cell ? null : (computed ?? readLabel(text)?.number ?? null);
    const bold = emphasis.length > 0 && emphasis.reduce((sum, range) => sum + range.end - range.start, 0) >= 0.9 * (text.length - prefix.length);
    this.blocks.push({
      id,
      kind: cell ? 'tableCell' : paragraph.level !== null ? 'heading' : this.isListItem(paragraph, number) ? 'listItem' : 'paragraph',
      text,
      at: [{ page: 0, box: null }],
      lines: [],
      number,
      level: paragraph.level,
      // A column of a fixed-pitch text is about 6 points wide (Courier 10).
      indent: paragraph.indent * 6,
      font: { size: 0, bold, italic: false },
      cell,
      hidden: null,
    });
    if (emphasis.length > 0) this.emphasis.set(id, emphasis);
    if (paragraph.depth !== null && !cell) this.listLevel.set(id, paragraph.depth);
  }

  private isListItem(paragraph: TextParagraph, number: string | null): boolean {
    return paragraph.bullet || (number !== null && /^[(（]|[)）]$/.test(number)) || (paragraph.depth ?? 0) > 1;
  }
}
