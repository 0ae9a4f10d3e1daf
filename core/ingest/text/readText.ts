// Text and Markdown bytes -> blocks of a flow document. It has one page: where a printer would end its pages is not known.
//
// Owns: blocks and their numbers; ordered items of Markdown get the number a reader sees ("1.2" for the second item inside the first).
import type { Table } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import { repairText } from '../characters.ts';
import { readLabel, type Label } from '../labels.ts';
import { within, type Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import { decodeText, encodingWarnings } from './decode.ts';
import { contentOf, FLOW_PAGE, FlowBuilder, type Marker } from './flow.ts';
import { readInline } from './inline.ts';
import { takeMarks, withoutMarks } from './marks.ts';
import { readMarkdown, readPlain, type TextParagraph } from './paragraphs.ts';

export function readText(bytes: Uint8Array, name: string, markdown: boolean, watch: Watch): RawContent {
  const { text, encoding } = decodeText(bytes);
  if (text.trim() === '') throw new CodicilError('empty_file', `Expected a text; "${name}" has only white space. Check that the right file was chosen.`);
  const paragraphs = markdown ? readMarkdown(text) : readPlain(text);
  watch.check();
  within(paragraphs.length, watch.limits.blocks, 'paragraphs');
  const flow = new FlowBuilder();
  const reader = new TextReader(flow, markdown);
  paragraphs.forEach((paragraph, index) => {
    if (index % 1000 === 0) watch.check();
    reader.add(paragraph, () => nextItem(paragraphs, index));
  });
  reader.endTable();
  return { pages: [FLOW_PAGE], ...contentOf(flow), warnings: [...encodingWarnings(encoding), ...flow.warnings] };
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

/** A column of a fixed-pitch text is about 6 points wide (Courier 10). */
const COLUMN = 6;

class TextReader {
  private readonly flow: FlowBuilder;
  private readonly markdown: boolean;
  /** Numbers of the open ordered items by depth; a bullet leaves an empty entry. */
  private open: string[] = [];
  /** Rows so far of the table under way, and its widest. */
  private rows = 0;
  private columns = 0;

  constructor(flow: FlowBuilder, markdown: boolean) {
    this.flow = flow;
    this.markdown = markdown;
  }

  add(paragraph: TextParagraph, next: () => TextParagraph | null): void {
    if (paragraph.cells) return this.row(paragraph.cells, COLUMN * paragraph.indent);
    this.endTable();
    const source = this.inline(paragraph.source);
    const { text } = takeMarks(repairText(source));
    if (text === '') return;
    const { level, depth } = paragraph;
    this.flow.add({ source, level, depth, indent: COLUMN * paragraph.indent, marker: this.markerOf(paragraph, text, next) });
  }

  endTable(): void {
    if (this.rows > 0) this.flow.tables.push({ id: this.tableId(), rows: this.rows, columns: this.columns, places: [{ page: 0, box: null }], captionId: null });
    this.rows = 0;
    this.columns = 0;
  }

  private row(cells: readonly string[], indent: number): void {
    const row = this.rows++;
    this.columns = Math.max(this.columns, cells.length);
    cells.forEach((cell, column) =>
      this.flow.add({
        source: this.inline(cell),
        indent,
        cell: { table: this.tableId(), row, column, rowSpan: 1, columnSpan: 1, header: row === 0 },
      }),
    );
  }

  private tableId(): Table['id'] {
    return `t${this.flow.tables.length}`;
  }

  private inline(source: string): string {
    return this.markdown ? readInline(source) : withoutMarks(source);
  }

  /** The number an ordered item shows; null where the text itself begins with that number or there is none. */
  private markerOf(paragraph: TextParagraph, text: string, next: () => TextParagraph | null): Marker | null {
    const { depth } = paragraph;
    if (depth === null) {
      if (paragraph.level !== null) this.open = [];
      return null;
    }
    this.open.length = Math.min(this.open.length, depth);
    while (this.open.length < depth) this.open.push('');
    const typed = readLabel(text);
    const ordinal = paragraph.ordinal?.replace(/[.)]$/, '') ?? '';
    const parent = this.open.findLast((number) => number !== '') ?? '';
    const replaced = typed !== null && !beginsInside(typed, next());
    const own = ordinal === '' || replaced ? '' : parent === '' ? ordinal : `${parent}.${ordinal}`;
    this.open.push(own);
    if (own !== '') return { text: `${own}.`, depth, besideTyped: true };
    return paragraph.bullet ? { text: '', depth } : null;
  }
}
