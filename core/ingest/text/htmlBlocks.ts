// The tree of an HTML page -> blocks: what a browser shows, in its order.
//
// Owns: where paragraphs begin and end, headings, lists, quotes, preformatted text, what is never shown (scripts, templates), hidden text apart,
// inserted and deleted text. Leaves styles, list numbers and tables to their files and ids and numbers to flow.ts.
// Rule: text that a style hides comes out as a block of its own that says why; it is neither dropped nor mixed into what is seen.
import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { Block, View } from '../../contract/document.ts';
import { readLabel } from '../labels.ts';
import type { Watch } from '../limits.ts';
import type { FlowBuilder, FlowRevision, Marker } from './flow.ts';
import { nextMarker, openList, type OpenList } from './htmlLists.ts';
import {
  attribute,
  BLOCKS,
  concealment,
  isEmphasised,
  isStruck,
  NEVER_SHOWN,
  PAPER,
  paintOf,
  pointsOf,
  styleOf,
  type Element,
  type Paint,
  type StyleSheet,
} from './htmlStyle.ts';
import { isElement, isLayoutTable, numberedRow, readGrid, type Grid, type GridCell } from './htmlTables.ts';
import { EMPHASIS, REVISION, withoutMarks } from './marks.ts';
import { readPlain } from './paragraphs.ts';

/** A browser's own indent of lists and quotes: 40 CSS pixels. */
const INDENT = 30;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

interface Context {
  readonly strong: boolean;
  readonly upper: boolean;
  readonly raised: boolean;
  readonly paint: Paint;
  readonly indent: number;
  readonly level: number | null;
  readonly revision: FlowRevision | null;
  readonly lists: readonly OpenList[];
}

const START: Context = {
  strong: false,
  upper: false,
  raised: false,
  paint: PAPER,
  indent: 0,
  level: null,
  revision: null,
  lists: [],
};

export class HtmlReader {
  private readonly out: FlowBuilder;
  private readonly sheet: StyleSheet;
  private readonly view: View;
  private readonly watch: Watch;
  /** Source of the paragraph under way, in pieces: it is asked about at every text node and must not be searched each time. */
  private parts: string[] = [];
  /** Nothing but white space and marks so far. */
  private blank = true;
  /** Line breaks at its end. */
  private breaks = 0;
  private concealed = new Map<NonNullable<Block['hidden']>, string>();
  private revisions: FlowRevision[] = [];
  private open: Context = START;
  private marker: Marker | null = null;
  /** Above 0 the text of one table cell is being gathered: ends of paragraphs are spaces. */
  private cells = 0;
  private nodes = 0;

  constructor(out: FlowBuilder, sheet: StyleSheet, view: View, watch: Watch) {
    this.out = out;
    this.sheet = sheet;
    this.view = view;
    this.watch = watch;
  }

  read(root: Tree.ParentNode, indent: number): void {
    this.children(root, { ...START, indent });
    this.flush();
  }

  private children(parent: Tree.ParentNode, context: Context): void {
    for (const node of parent.childNodes) {
      if (++this.nodes % 5000 === 0) this.watch.check();
      if (node.nodeName === '#text') this.text((node as Tree.TextNode).value, context);
      else if (isElement(node)) this.element(node, context);
    }
  }

  private element(element: Element, outer: Context): void {
    const name = element.tagName;
    if (NEVER_SHOWN.has(name)) return;
    const context = this.contextOf(element, outer);
    if (name === 'br') return this.lineBreak(context);
    if (name === 'input' || name === 'select' || name === 'img') return this.control(element, context);
    if (name === 'table') return this.table(element, context);
    if (name === 'pre') return this.preformatted(element, context);
    const revised = context.revision !== null && context.revision !== outer.revision ? context.revision : null;
    if (revised) this.beginRevision(revised);
    if (name === 'q') this.append('“', context);
    if (!BLOCKS.has(name)) this.children(element, context);
    else this.block(element, context);
    if (name === 'q') this.append('”', context);
    if (revised) this.parts.push(REVISION.off);
  }

  private block(element: Element, context: Context): void {
    this.flush();
    if (element.tagName === 'ol' || element.tagName === 'ul' || element.tagName === 'menu' || element.tagName === 'dir') {
      const list = openList(element, this.sheet, context.lists.length);
      return this.children(element, { ...context, lists: [...context.lists, list], indent: context.indent + INDENT });
    }
    const list = context.lists.at(-1);
    if (element.tagName === 'li' && list) this.marker = nextMarker(list, element, this.sheet, context.lists.slice(0, -1));
    this.children(element, context);
    this.flush();
    if (element.tagName === 'li') this.marker = null;
  }

  private contextOf(element: Element, outer: Context): Context {
    const style = styleOf(element, this.sheet);
    const name = element.tagName;
    const struck = isStruck(element, style);
    return {
      strong: (outer.strong && style.get('font-weight') !== 'normal') || isEmphasised(element, style),
      upper: style.has('text-transform') ? style.get('text-transform') === 'uppercase' : outer.upper,
      raised: outer.raised || name === 'sup' || style.get('vertical-align') === 'super',
      paint: paintOf(element, style, outer.paint),
      indent: outer.indent + (name === 'blockquote' || name === 'dd' ? INDENT : 0) + pointsOf(style.get('margin-left')) + pointsOf(style.get('padding-left')),
      level: /^h[1-6]$/.test(name) ? Number(name[1]) : outer.level,
      revision: struck || name === 'ins' ? { kind: struck ? 'delete' : 'insert', date: attribute(element, 'datetime'), text: '' } : outer.revision,
      lists: outer.lists,
    };
  }

  private text(value: string, context: Context): void {
    const plain = withoutMarks(value).replace(/[\s]+/g, ' ');
    const raised = context.raised ? plain.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] as string) : plain;
    this.append(context.upper ? raised.toUpperCase() : raised, context);
  }

  private append(text: string, context: Context): void {
    if (text === '') return;
    const hidden = concealment(context.paint);
    if (hidden !== null) {
      this.concealed.set(hidden, (this.concealed.get(hidden) ?? '') + text);
      return;
    }
    const { revision } = context;
    if (revision) {
      revision.text += text;
      const leftOut = this.view === 'accepted' ? 'delete' : this.view === 'original' ? 'insert' : null;
      if (revision.kind === leftOut) return;
    }
    if (this.blank) this.open = context;
    if (text.trim() !== '') {
      this.blank = false;
      this.breaks = 0;
    } else if (text === '\n') this.breaks++;
    this.parts.push(context.strong ? EMPHASIS.on + text + EMPHASIS.off : text);
  }

  private beginRevision(revision: FlowRevision): void {
    this.parts.push(REVISION.on);
    this.revisions.push(revision);
  }

  /** One break keeps a paragraph together unless a number follows; two end it. */
  private lineBreak(context: Context): void {
    if (this.cells > 0) return this.append(' ', context);
    this.append('\n', context);
    if (this.breaks >= 2) this.flush();
  }

  private control(element: Element, context: Context): void {
    const type = attribute(element, 'type')?.toLowerCase() ?? 'text';
    const checked = attribute(element, 'checked') !== null;
    if (element.tagName === 'select') {
      const options = element.childNodes.filter(isElement).filter((option) => option.tagName === 'option');
      const chosen = options.find((option) => attribute(option, 'selected') !== null) ?? options[0];
      if (chosen) this.children(chosen, context);
    } else if (element.tagName === 'input' && (type === 'checkbox' || type === 'radio')) this.append(checked ? '☒ ' : '☐ ', context);
    else if (element.tagName === 'input' && !['hidden', 'password', 'image', 'file', 'color', 'range'].includes(type))
      this.append(withoutMarks(attribute(element, 'value') ?? ''), context);
  }

  private preformatted(element: Element, context: Context): void {
    if (this.cells > 0) return this.children(element, context);
    this.flush();
    const hidden = concealment(context.paint);
    let raw = '';
    const visit = (node: Tree.ChildNode, outer: Context): void => {
      if (node.nodeName === '#text') raw += (node as Tree.TextNode).value;
      else if (node.nodeName === 'br') raw += '\n';
      else if (isElement(node) && !NEVER_SHOWN.has(node.tagName)) {
        const inner = this.contextOf(node, outer);
        if (concealment(inner.paint) === hidden) for (const child of node.childNodes) visit(child, inner);
        else this.children(node, inner);
      }
    };
    for (const child of element.childNodes) visit(child, context);
    // A column of fixed-pitch text is about 6 points wide, as in plain text.
    for (const paragraph of readPlain(withoutMarks(raw))) this.out.add({ source: paragraph.source, indent: context.indent + 6 * paragraph.indent, hidden });
  }

  private table(element: Element, context: Context): void {
    // A table inside a cell of data is part of that cell's text.
    if (this.cells > 0) return this.children(element, context);
    this.flush();
    const grid = readGrid(element);
    if (isLayoutTable(element, grid)) this.layoutTable(grid, context);
    else this.dataTable(grid, context);
  }

  private layoutTable(grid: Grid, context: Context): void {
    for (const cells of grid.rows) {
      const numbered = numberedRow(cells);
      if (numbered) {
        // Typed by the author, so it stands as it is: "1.1", "(a)", "•".
        this.marker = readLabel(`${numbered.number} x`) ? { text: numbered.number, depth: context.lists.length } : { text: '', depth: context.lists.length };
        this.cell(numbered.body.element, context);
        this.marker = null;
      } else for (const cell of cells) this.cell(cell.element, context);
    }
  }

  private cell(element: Element, context: Context): void {
    this.flush();
    this.children(element, this.contextOf(element, context));
    this.flush();
  }

  private dataTable(grid: Grid, context: Context): void {
    const id = `t${this.out.tables.length}`;
    let captionId: string | null = null;
    if (grid.caption) {
      this.children(grid.caption, context);
      captionId = this.flush({ caption: true });
    }
    for (const cells of grid.rows) for (const cell of cells) this.dataCell(cell, id, context);
    this.out.tables.push({ id, rows: grid.rows.length, columns: grid.columns, places: [{ page: 0, box: null }], captionId });
  }

  private dataCell({ element, ...place }: GridCell, table: string, context: Context): void {
    this.cells++;
    this.children(element, this.contextOf(element, context));
    this.cells--;
    const { row, column, rowSpan, columnSpan, header } = place;
    this.flush({ cell: { table, row, column, rowSpan, columnSpan, header } });
  }

  /** Ends the paragraph that is under way. Inside a cell it only ends a line of it. */
  private flush(as: { readonly caption?: boolean; readonly cell?: Block['cell'] } = {}): string | null {
    if (this.cells > 0) {
      if (this.parts.at(-1)?.endsWith(' ') === false) this.parts.push(' ');
      return null;
    }
    const { level, indent } = this.open;
    const whole = this.parts.join('');
    const lines = as.cell || this.revisions.length > 0 ? [whole] : linesOf(whole);
    let id: string | null = null;
    for (const source of lines) {
      // A list's number waits for the first text of its item.
      const marker = as.cell || source.trim() === '' ? null : this.marker;
      const added = this.out.add({ source, level: as.cell ? null : level, indent, marker, revisions: this.revisions, ...as });
      if (added !== null && marker !== null) this.marker = null;
      id ??= added;
    }
    for (const [hidden, source] of this.concealed) this.out.add({ source, hidden });
    this.parts = [];
    this.blank = true;
    this.breaks = 0;
    this.revisions = [];
    this.concealed = new Map();
    this.open = START;
    return id;
  }
}

/** Lines after a break that begin with a number are paragraphs of their own; others go on. */
function linesOf(source: string): string[] {
  if (!source.includes('\n')) return [source];
  const out: string[] = [];
  for (const line of source.split('\n')) {
    const bare = line.replace(/[\uE000-\uE003]/g, '').trim();
    const label = readLabel(bare);
    if (out.length === 0 || (label !== null && !label.weak)) out.push(line);
    else out[out.length - 1] += ` ${line}`;
  }
  return out;
}
