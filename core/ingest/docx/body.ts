// Body of a DOCX -> blocks: paragraphs with their computed numbers, tables as cells, notes, text boxes, running pages.
//
// Owns: the order of blocks, which paragraphs join, the numbers put before the text as Word shows them, the page count of a flow document.
// Rules: a paragraph counts in its list even when it has no text or is hidden; one whose mark does not stand in the view joins the next and counts with it;
// one whose mark is hidden (Word's style separator) joins the next and keeps its own number. Nothing joins across a table or the end of a cell.
import type { Block, Note, Table, View, Warning } from '../../contract/document.ts';
import { invisibleWarning } from '../invisible.ts';
import { within, type Watch } from '../limits.ts';
import type { Range } from '../raw.ts';
import { draftBlock, hiddenBlocks, type Drafted, type Paragraph } from './blocks.ts';
import { anchorOf, beginChange, changeKind, emptyContent, type Anchor, type ParagraphContent } from './content.ts';
import type { ListNumber } from './counters.ts';
import { Evidence, spanOf, type Position } from './evidence.ts';
import { changeStands, formatChanges, isBareBreak, markStands, plainText, propertiesOf, readMarkChanges } from './marks.ts';
import type { Numbering } from './numbering.ts';
import { hidesMark, RunReader } from './runs.ts';
import { newContext, newStory, type Context, type Counts, type Story } from './story.ts';
import { merge, readLook, type ListPlace, type Styles } from './styles.ts';
import { cellsOf, gridChanges, gridOf, gridStands, rowsOf, type GridCell, type GridRow } from './tables.ts';
import { child, toggle, valueOf, type XmlNode } from './xml.ts';

type Cell = NonNullable<Block['cell']>;

interface Carried {
  readonly content: ParagraphContent;
  readonly own: Paragraph;
  /** List of a paragraph that has not counted yet. */
  readonly place: ListPlace | null;
  /** Whether the next paragraph takes its number and heading level from this one. */
  readonly leads: boolean;
  readonly context: Context;
  readonly first: number;
}

export interface BodyParts {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly notes: ReadonlyMap<string, XmlNode>;
  /** Whether Word left marks of the pages it last made. */
  readonly rendered: boolean;
  readonly view: View;
  readonly watch: Watch;
}

export class BodyReader {
  readonly blocks: Block[] = [];
  /** About places of single blocks. */
  readonly warnings: Warning[] = [];
  readonly emphasis = new Map<string, readonly Range[]>();
  readonly listLevel = new Map<string, number>();
  readonly numbers = new Map<string, ListNumber>();
  readonly tables: Table[] = [];
  readonly notes: Note[] = [];
  readonly sections: XmlNode[] = [];
  readonly evidence = new Evidence();
  readonly counts: Counts = { placeholders: 0, subDocuments: 0, chunks: 0 };
  page = 0;
  private readonly parts: BodyParts;
  /** Footnotes and text boxes count apart from the body, each kind in one sequence. */
  private readonly noteStory: Story;
  private readonly boxStory: Story;
  readonly body: Context;
  private readonly notesRead = new Set<XmlNode>();
  private carried: Carried | null = null;
  private anchors: Anchor[] = [];
  private nextTable = 0;

  constructor(parts: BodyParts) {
    this.parts = parts;
    this.noteStory = this.newStory();
    this.boxStory = this.newStory();
    this.body = newContext('body', this.newStory());
  }

  newStory(): Story {
    return newStory(this.parts.numbering);
  }

  read(node: XmlNode, context: Context): void {
    switch (node.name) {
      case 'w:p':
        return this.readParagraph(node, context);
      case 'w:tbl':
        return this.readTable(node, context);
      case 'w:sdt':
        return this.readControl(node, context);
      case 'w:customXml':
      case 'w:sdtContent':
        return this.readAll(node, context);
      case 'mc:AlternateContent': {
        const branch = child(node, 'mc:Choice') ?? child(node, 'mc:Fallback');
        return branch && this.readAll(branch, context);
      }
      case 'w:sectPr':
        this.sections.push(node);
        return;
      case 'w:altChunk':
        this.counts.chunks++;
        return;
      default: {
        const anchor = anchorOf(node, 0);
        if (anchor) this.anchors.push(anchor);
        // A change around whole paragraphs, or the start of a content control that comes or goes.
        if (changeKind(node.name)) this.readChanged(node, node, () => this.readAll(node, context));
      }
    }
  }

  /** Reads the blocks of a part of the document that ends by itself: a cell, a note, a text box, a header. */
  readContainer(node: XmlNode, context: Context): void {
    this.flush();
    this.readAll(node, context);
    this.flush();
  }

  private readAll(node: XmlNode, context: Context): void {
    for (const entry of node.children) this.read(entry, context);
  }

  finish(): void {
    this.flush();
    this.evidence.finish(this.blocks.at(-1));
  }

  private readControl(node: XmlNode, context: Context): void {
    const properties = child(node, 'w:sdtPr');
    if (child(properties, 'w:showingPlcHdr')) this.counts.placeholders++;
    const gallery = valueOf(child(properties, 'w:docPartObj'), 'w:docPartGallery') ?? '';
    this.readAll(node, { ...context, contents: context.contents || /^table of contents$/i.test(gallery) });
  }

  /** Reads content under a tracked change around whole paragraphs or rows, or keeps its text where it does not stand. */
  private readChanged(change: XmlNode, content: XmlNode, read: () => void): void {
    const draft = beginChange(change, changeKind(change.name) ?? 'format', emptyContent());
    if (!changeStands(change, this.parts.view)) {
      draft.text = plainText(content).trimEnd();
      return this.evidence.waitChange(draft);
    }
    const before = this.blocks.length;
    read();
    const [first, ...rest] = this.blocks.slice(before);
    draft.text = [first, ...rest].map((block) => block?.text ?? '').join('\n');
    if (first) this.evidence.addChange(draft, spanOf(first.id, 0, first.text.length));
    else this.evidence.waitChange(draft);
  }

  private readParagraph(node: XmlNode, context: Context): void {
    const { styles, numbering, view } = this.parts;
    const mark = child(node, 'w:pPr');
    const properties = propertiesOf(node, 'w:pPr', view);
    const style = valueOf(properties, 'w:pStyle');
    const inherited = styles.paragraph(style);
    const joins = !markStands(mark, view);
    const numbers = child(properties, 'w:numPr');
    const inserted = view === 'original' && child(numbers, 'w:ins') !== undefined;
    const place = isBareBreak(node, mark) ? null : styles.listOf(style, inserted ? undefined : numbers, numbering);
    const number = place && !joins ? context.story.lists.numberOf(place, view === 'original' || markStands(mark, 'accepted')) : null;
    // A paragraph with a number of its own is not the run-on text of a heading.
    if (this.carried?.leads === true && number !== null) this.flush();
    const lead = this.carried;
    this.carried = null;
    if (!this.parts.rendered && context.kind === 'body' && toggle(properties, 'w:pageBreakBefore') === true && this.blocks.length > 0) this.page++;
    const first = lead?.first ?? this.page;
    const content = this.beginContent(lead);
    const look = merge(inherited, readLook(properties, undefined));
    const plainGround = context.cell === null && !context.box && look.shaded !== true;
    new RunReader({ styles, view, counts: this.counts, story: context.story, base: inherited, place, plainGround }, content).read(node);
    readMarkChanges(mark, content);
    const hidden = hidesMark(mark, inherited);
    const leads = lead?.leads === true || (!joins && hidden && content.text.trim() !== '');
    const own: Paragraph = lead?.leads === true ? lead.own : { properties: mark, styleName: styles.nameOf(style), look, number };
    if (joins || (leads && hidden)) this.carried = { content, own, place: joins ? place : null, leads, context, first };
    else this.end(content, hidden ? { ...own, number: null } : own, context, first);
  }

  /** Content of the paragraph that joins this one, or none; marks that stood between paragraphs belong to it. */
  private beginContent(lead: Carried | null): ParagraphContent {
    const content = lead?.content ?? emptyContent();
    content.anchors.push(...this.anchors.map((anchor) => ({ ...anchor, at: content.text.length })));
    this.anchors = [];
    return content;
  }

  /** Ends a paragraph that found no next one to join: the last of a cell keeps its mark whatever the changes say. */
  private flush(): void {
    const { carried } = this;
    this.carried = null;
    if (!carried) return;
    const { content, own, place, context, first } = carried;
    const number = place && content.text !== '' ? context.story.lists.next(place.numId, place.level) : own.number;
    this.end(content, { ...own, number }, context, first);
  }

  private end(content: ParagraphContent, paragraph: Paragraph, context: Context, first: number): void {
    const { properties } = paragraph;
    const drafted = draftBlock(content, paragraph, context);
    const id = drafted && this.emit(drafted, content, paragraph, first);
    if (!id) this.evidence.wait(content);
    for (const block of hiddenBlocks(content, context)) this.push({ ...block, at: [{ page: this.page, box: null }] });
    this.turnPages(content, properties, context);
    for (const box of content.boxes) this.readContainer(box, { ...context, story: this.boxStory, box: true });
    const last = this.blocks.at(-1);
    for (const { kind, id: note, at } of content.notes) {
      const mark = id ? { blockId: id, at: drafted.offset(at) } : last && { blockId: last.id, at: last.text.length };
      this.readNote(kind, note, mark, context);
    }
    const section = child(properties, 'w:sectPr');
    if (!section) return;
    this.sections.push(section);
    context.story.lists.breakSection();
  }

  private emit(drafted: Drafted, content: ParagraphContent, { number }: Paragraph, first: number): string {
    const id = this.push({ ...drafted.block, at: this.places(first, content) });
    if (drafted.emphasis.length > 0) this.emphasis.set(id, drafted.emphasis);
    const told = invisibleWarning({ id, text: drafted.block.text }, content.invisible.map((at) => drafted.offset(at)), null); // prettier-ignore
    if (told) this.warnings.push(told);
    if (number) this.numbers.set(id, number);
    if (number && !number.bullet) this.listLevel.set(id, number.depth);
    this.evidence.place(content, id, (at) => drafted.offset(at));
    return id;
  }

  private turnPages(content: ParagraphContent, properties: XmlNode | undefined, context: Context): void {
    if (context.kind !== 'body' || context.box) return;
    if (this.parts.rendered) this.page += content.renderedBreaks;
    else {
      this.page += content.pageBreaks;
      const section = child(properties, 'w:sectPr');
      if (section && !/^(?:continuous|nextColumn)$/.test(valueOf(section, 'w:type') ?? 'nextPage')) this.page++;
    }
  }

  private readNote(kind: Note['kind'], id: string, mark: Position | undefined, context: Context): void {
    const note = this.parts.notes.get(`${kind} ${id}`);
    if (!note || context.kind === 'furniture' || this.notesRead.has(note)) return;
    this.notesRead.add(note);
    const before = this.blocks.length;
    this.readContainer(note, newContext('footnote', this.noteStory));
    const blockIds = this.blocks.slice(before).map((block) => block.id);
    if (mark && blockIds.length > 0) this.notes.push({ kind, mark: spanOf(mark.blockId, mark.at, mark.at), blockIds });
  }

  private push(block: Omit<Block, 'id' | 'lines'>): string {
    const id = `b${this.blocks.length}`;
    this.blocks.push({ id, ...block, lines: [] });
    if (this.blocks.length % 1000 === 0) {
      this.parts.watch.check();
      within(this.blocks.length, this.parts.watch.limits.blocks, 'paragraphs');
    }
    return id;
  }

  private places(first: number, content: ParagraphContent): Block['at'] {
    const start = Math.max(first, this.page);
    const breaks = this.parts.rendered ? content.renderedBreaks : 0;
    return Array.from({ length: breaks + 1 }, (_unused, index) => ({ page: start + index, box: null }));
  }

  private readTable(table: XmlNode, context: Context): void {
    this.flush();
    const id = `t${this.nextTable++}`;
    const before = this.blocks.length;
    const caption = this.blocks.at(-1);
    const { page } = this;
    const grid = gridOf(table, this.parts.view);
    const rows = new Map(grid.rows.map((row, index) => [row.node, { ...row, index }]));
    for (const change of formatChanges(table)) this.evidence.waitChange(beginChange(change, 'format', emptyContent()));
    for (const node of rowsOf(table)) {
      const row = rows.get(node);
      const change = gridChanges(node).toSorted((a, b) => Number(changeStands(a, this.parts.view)) - Number(changeStands(b, this.parts.view)))[0];
      const read = (): void => this.readRow(node, row, { table: id, row: row?.index ?? 0, header: row?.header ?? false }, context);
      if (change) this.readChanged(change, node, read);
      else read();
    }
    if (grid.rows.length === 0 || context.kind !== 'body') return;
    const pages = new Set([page, ...this.blocks.slice(before).flatMap((block) => block.at.map((place) => place.page))]);
    const places = [...pages].toSorted((a, b) => a - b).map((at) => ({ page: at, box: null }));
    this.tables.push({ id, rows: grid.rows.length, columns: grid.columns, places, captionId: caption?.kind === 'caption' ? caption.id : null });
  }

  private readRow(node: XmlNode, row: GridRow | undefined, place: Pick<Cell, 'table' | 'row' | 'header'>, context: Context): void {
    for (const change of formatChanges(node)) this.evidence.waitChange(beginChange(change, 'format', emptyContent()));
    const cells = new Map(row?.cells.map((cell) => [cell.node, cell]));
    for (const entry of cellsOf(node)) {
      const cell = cells.get(entry);
      const read = (): void => (cell && cell.merge !== 'continue' ? this.readCell(cell, place, context) : undefined);
      for (const change of formatChanges(entry)) this.evidence.waitChange(beginChange(change, 'format', emptyContent()));
      const change = gridChanges(entry)[0];
      if (change && gridStands(entry, this.parts.view) === changeStands(change, this.parts.view)) this.readChanged(change, entry, read);
      else read();
    }
  }

  private readCell(cell: GridCell, row: Pick<Cell, 'table' | 'row' | 'header'>, context: Context): void {
    const { column, rowSpan, columnSpan } = cell;
    this.readContainer(cell.node, { ...context, cell: { ...row, column, rowSpan, columnSpan } });
  }
}
