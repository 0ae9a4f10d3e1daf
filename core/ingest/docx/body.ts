// Body of a DOCX -> blocks: paragraphs with their computed numbers, tables as cells, notes, text boxes, running pages.
//
// Owns: the order of blocks, kinds, numbers put before the text as Word shows them, the page count of a flow document.
// Rule: a paragraph counts in its list even when it has no text; a paragraph whose mark was deleted joins the next one.
import type { Block } from '../../contract/document.ts';
import { bulletLength, isContentsLine, isContentsTitle, readLabel } from '../labels.ts';
import { within, type Watch } from '../limits.ts';
import type { Range } from '../raw.ts';
import { isSentence } from '../titles.ts';
import type { ListNumber, Numbering } from './numbering.ts';
import { emphasisOf, emptyContent, RunReader, type Counts, type ParagraphContent } from './runs.ts';
import { merge, readLook, type Styles, type StyleLook } from './styles.ts';
import { child, toggle, integer, valueOf, type XmlNode } from './xml.ts';

export interface Cell {
  readonly table: string;
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly header: boolean;
}

interface Context {
  readonly kind: 'body' | 'footnote' | 'furniture';
  readonly cell: Cell | null;
}

export type Notes = ReadonlyMap<string, XmlNode>;

const SIGNATURE = /^(?:(?:by|name|title|date|signature|signed|its|签字|签章|盖章|法定代表人|日期)\s*[:：]|[_\s]{6,}$|x?_{5,})/i;
/** 14 points, in half points: no contract sets its text so large, and titles without a heading style start here. */
const TITLE_SIZE = 28;
const BODY: Context = { kind: 'body', cell: null };

export class BodyReader {
  readonly blocks: Block[] = [];
  readonly emphasis = new Map<string, readonly Range[]>();
  readonly listLevel = new Map<string, number>();
  readonly counts: Counts = { insertions: 0, deletions: 0, hidden: 0 };
  page = 0;
  private readonly styles: Styles;
  private readonly numbering: Numbering;
  private readonly footnotes: Notes;
  private readonly endnotes: Notes;
  private readonly rendered: boolean;
  private readonly watch: Watch;
  private readonly fields: { instruction: boolean }[] = [];
  private carried: ParagraphContent | null = null;
  private tables = 0;

  constructor(parts: { styles: Styles; numbering: Numbering; footnotes: Notes; endnotes: Notes; rendered: boolean; watch: Watch }) {
    this.styles = parts.styles;
    this.numbering = parts.numbering;
    this.footnotes = parts.footnotes;
    this.endnotes = parts.endnotes;
    this.rendered = parts.rendered;
    this.watch = parts.watch;
  }

  read(node: XmlNode, context: Context = BODY): void {
    switch (node.name) {
      case 'w:p':
        return this.readParagraph(node, context);
      case 'w:tbl':
        return this.readTable(node, context);
      case 'w:del':
      case 'w:moveFrom':
        this.counts.deletions++;
        return;
      case 'w:sdt':
      case 'w:sdtContent':
      case 'w:customXml':
      case 'w:ins':
      case 'w:moveTo':
      case 'w:txbxContent':
      case 'w:footnote':
      case 'w:endnote':
        for (const entry of node.children) this.read(entry, context);
        return;
      case 'mc:AlternateContent': {
        const branch = child(node, 'mc:Choice') ?? child(node, 'mc:Fallback');
        for (const entry of branch?.children ?? []) this.read(entry, context);
        return;
      }
      default:
    }
  }

  private readParagraph(node: XmlNode, context: Context): void {
    const properties = child(node, 'w:pPr');
    const style = valueOf(properties, 'w:pStyle');
    const inherited = this.styles.paragraph(style);
    const content = this.carried ?? emptyContent();
    this.carried = null;
    const first = this.page;
    if (!this.rendered && context.kind === 'body' && toggle(properties, 'w:pageBreakBefore') === true && this.blocks.length > 0) this.page++;
    new RunReader(this.styles, this.counts, inherited, content, this.fields).read(node);
    const mark = child(properties, 'w:rPr');
    if (child(mark, 'w:del') ?? child(mark, 'w:moveFrom')) {
      this.counts.deletions++;
      this.carried = content;
      return;
    }
    if (child(mark, 'w:ins')) this.counts.insertions++;
    const look = merge(inherited, readLook(properties, undefined, undefined));
    const direct = valueOf(child(properties, 'w:numPr'), 'w:numId') !== undefined;
    const number = this.numberOf(look, style, direct);
    // Tables of contents are furniture: their numbers would begin every clause a second time.
    const contents =
      context.kind === 'body' &&
      (/^toc\s?(?:\d|heading)/i.test(this.styles.nameOf(style)) || isContentsLine(content.text) || isContentsTitle(content.text.trim()));
    this.emit(content, look, style, number, contents ? { kind: 'furniture', cell: null } : context, first);
    this.turnPages(content, properties, context);
    for (const box of content.boxes) this.read(box, { ...context, cell: context.cell });
    for (const id of content.footnotes) this.readNote(this.footnotes.get(id));
    for (const id of content.endnotes) this.readNote(this.endnotes.get(id));
  }

  private turnPages(content: ParagraphContent, properties: XmlNode | undefined, context: Context): void {
    if (context.kind !== 'body') return;
    if (this.rendered) this.page += content.renderedBreaks;
    else {
      this.page += content.pageBreaks;
      const section = child(properties, 'w:sectPr');
      if (section && !/^(?:continuous|nextColumn)$/.test(valueOf(section, 'w:type') ?? 'nextPage')) this.page++;
    }
  }

  private readNote(note: XmlNode | undefined): void {
    if (note) this.read(note, { kind: 'footnote', cell: null });
  }

  private numberOf(look: StyleLook, style: string | undefined, direct: boolean): (ListNumber & { readonly depth: number }) | null {
    if (look.numId === undefined || look.numId === '0') return null;
    const linked = direct
      ? undefined
      : ((style === undefined ? undefined : this.numbering.levelOfStyle(look.numId, style)) ??
        (look.numStyle === undefined ? undefined : this.numbering.levelOfStyle(look.numId, look.numStyle)));
    const depth = linked ?? look.listLevel ?? 0;
    const number = this.numbering.next(look.numId, depth);
    return number ? { ...number, depth } : null;
  }

  private emit(
    content: ParagraphContent,
    look: StyleLook,
    style: string | undefined,
    number: (ListNumber & { readonly depth: number }) | null,
    context: Context,
    first: number,
  ): void {
    const body = content.text.trimEnd();
    const shown = number?.text ?? '';
    if (body === '' && (shown === '' || context.cell !== null)) return;
    const bullet = number === null ? bulletLength(body) : 0;
    const prefix = shown === '' ? '' : body === '' ? shown : `${shown} `;
    const text = prefix + body.slice(bullet);
    const id = `b${this.blocks.length}`;
    const shift = prefix.length - bullet;
    const bold = content.bold > 0.85 * body.length;
    const italic = content.italic > 0.85 * body.length;
    const emphasis = emphasisOf(content.marks, body)
      .map((range) => ({ start: Math.max(0, range.start + shift), end: range.end + shift }))
      .filter((range) => range.end > range.start);
    const printed = shown === '' ? (context.kind === 'body' ? (readLabel(text)?.number ?? null) : null) : numberIn(shown, text);
    const level = context.kind === 'body' && context.cell === null ? this.headingLevel(look, style) : null;
    this.blocks.push({
      id,
      kind: this.kindOf(text, printed, level, bold || (content.size ?? 0) >= TITLE_SIZE, look, number, bullet > 0, context),
      text,
      at: this.places(first, content),
      lines: [],
      number: printed,
      level,
      indent: indentOf(look, number),
      font: { size: (content.size ?? look.size ?? 20) / 2, bold, italic },
      cell: context.cell,
      hidden: null,
    });
    if (emphasis.length > 0) this.emphasis.set(id, emphasis);
    if (number && !number.bullet) this.listLevel.set(id, number.depth);
    if (this.blocks.length % 1000 === 0) {
      this.watch.check();
      within(this.blocks.length, this.watch.limits.blocks, 'paragraphs');
    }
  }

  private places(first: number, content: ParagraphContent): Block['at'] {
    const start = Math.max(first, this.page);
    const breaks = this.rendered ? content.renderedBreaks : 0;
    return Array.from({ length: breaks + 1 }, (_unused, index) => ({ page: start + index, box: null }));
  }

  private headingLevel(look: StyleLook, style: string | undefined): number | null {
    if (look.outline !== undefined && look.outline >= 0 && look.outline <= 8) return look.outline + 1;
    const named = /^heading\s?([1-9])$/i.exec(this.styles.nameOf(style));
    return named ? Number(named[1]) : null;
  }

  private kindOf(
    text: string,
    number: string | null,
    level: number | null,
    bold: boolean,
    look: StyleLook,
    list: ListNumber | null,
    bulleted: boolean,
    context: Context,
  ): Block['kind'] {
    if (context.kind !== 'body') return context.kind;
    if (context.cell) return 'tableCell';
    if (SIGNATURE.test(text)) return 'signature';
    if (isTitle(text.slice(number?.length ?? 0), level, bold, look)) return 'heading';
    if (list?.bullet === true || bulleted || (number !== null && /^[(（]|[)）]$/.test(number))) return 'listItem';
    return 'paragraph';
  }

  private readTable(table: XmlNode, context: Context): void {
    // A table inside a cell belongs to that cell: its words stay, its own grid does not.
    const id = context.cell?.table ?? `t${this.tables++}`;
    let row = 0;
    for (const entry of rowsOf(table)) {
      if (child(child(entry, 'w:trPr'), 'w:del')) {
        this.counts.deletions++;
        continue;
      }
      let column = integer(valueOf(child(entry, 'w:trPr'), 'w:gridBefore')) ?? 0;
      for (const cell of cellsOf(entry)) {
        const properties = child(cell, 'w:tcPr');
        const place = context.cell ?? { table: id, row, column, rowSpan: 1, columnSpan: 1, header: false };
        for (const inner of cell.children) this.read(inner, { kind: context.kind, cell: place });
        column += Math.max(1, Math.min(64, integer(valueOf(properties, 'w:gridSpan')) ?? 1));
      }
      row++;
    }
  }
}

function rowsOf(node: XmlNode): XmlNode[] {
  return node.children.flatMap((entry) =>
    entry.name === 'w:tr' ? [entry] : /^w:(?:sdt|sdtContent|customXml|ins|moveTo)$/.test(entry.name) ? rowsOf(entry) : [],
  );
}

function cellsOf(node: XmlNode): XmlNode[] {
  return node.children.flatMap((entry) => (entry.name === 'w:tc' ? [entry] : /^w:(?:sdt|sdtContent|customXml)$/.test(entry.name) ? cellsOf(entry) : []));
}

/** The shown number without its closing point: what `Block.number` holds. */
function numberIn(shown: string, text: string): string {
  const label = readLabel(text);
  if (label && label.number.length >= shown.length - 1 && label.number.length <= shown.length) return label.number;
  return shown.replace(/[.:、．]\s*$/, '');
}

function indentOf(look: StyleLook, number: ListNumber | null): number {
  const left = look.left ?? number?.level.left ?? 0;
  const hanging = look.firstLine ?? (number?.level.hanging === undefined ? 0 : -number.level.hanging);
  return Math.round((left + hanging) / 2) / 10;
}

function isTitle(text: string, level: number | null, bold: boolean, look: StyleLook): boolean {
  const title = text.replace(/^[.:、．\s]+/, '');
  const words = title.split(' ').length;
  if (title === '') return level !== null;
  if (title.length > 140 || words > 16 || /[,;，；]$/.test(title) || /_{4}/.test(title) || isSentence(title)) return false;
  // Styled headings often carry a whole clause ("Heading 2" as body text): two sentences are no title.
  if (level !== null) return !/[.。][\s]+\p{Lu}/u.test(title);
  const capitals = title === title.toUpperCase() && /\p{Lu}{3}/u.test(title);
  return (bold || capitals) && words <= 12 && !/[.。:：]$/.test(title) && (look.centered === true || bold || words <= 8);
}
