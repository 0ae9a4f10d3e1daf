// Inline content of a paragraph -> ParagraphContent, in one view of its tracked changes.
//
// Owns: runs, fields, tracked insertions, deletions and moves, hidden text, alternate content read once, equations, places of notes, bookmarks, comments.
// Rule: what does not stand in the view is kept as the text of its change, never as text of the document.
import type { View } from '../../contract/document.ts';
import { addChange, addText, anchorOf, beginChange, changeKind, stands, type Change, type ChangeKind, type Hiding, type ParagraphContent } from './content.ts';
import { linearMath } from './math.ts';
import type { Counts, OpenField, Story } from './story.ts';
import { merge, readLook, type ListPlace, type Styles, type StyleLook } from './styles.ts';
import { readSymbols, symbolOf } from './symbols.ts';
import { child, toggle, valueOf, type XmlNode } from './xml.ts';

interface Surroundings {
  readonly styles: Styles;
  readonly view: View;
  readonly counts: Counts;
  readonly story: Story;
  readonly base: StyleLook;
  readonly place: ListPlace | null;
  /** White letters are only hidden where the page is white behind them: not in tables and boxes, whose styles draw grounds. */
  readonly plainGround: boolean;
}

const TRANSPARENT = new Set(['w:smartTag', 'w:customXml', 'w:sdtContent', 'w:dir', 'w:bdo', 'w:rt', 'w:rubyBase', 'm:oMathPara']);
/** Text below 2 points (here in half points) is not set to be read. */
const TINY = 4;

export class RunReader {
  private readonly about: Surroundings;
  private readonly out: ParagraphContent;
  private readonly open: Change[] = [];
  private standing = true;

  constructor(about: Surroundings, out: ParagraphContent) {
    this.about = about;
    this.out = out;
  }

  read(node: XmlNode): void {
    for (const entry of node.children) this.readInline(entry);
  }

  private readInline(node: XmlNode): void {
    switch (node.name) {
      case 'w:r':
        return this.readRun(node);
      case 'w:ins':
      case 'w:moveTo':
      case 'w:del':
      case 'w:moveFrom':
        return this.change(node, changeKind(node.name) ?? 'insert', () => this.read(node));
      case 'm:oMath':
        return this.readMath(node);
      case 'w:sdt':
        return this.readControl(node);
      case 'w:fldSimple':
        return this.readSimpleField(node);
      case 'w:hyperlink':
        return this.readLink(node);
      case 'w:ruby': {
        const base = child(node, 'w:rubyBase');
        if (base) this.read(base);
        return;
      }
      case 'mc:AlternateContent':
        return this.readAlternate(node);
      case 'w:subDoc':
        this.about.counts.subDocuments++;
        return;
      default:
        if (TRANSPARENT.has(node.name)) this.read(node);
        // The start of a tracked content control: the control comes or goes, its text stays.
        else if (changeKind(node.name)) this.change(node, changeKind(node.name) ?? 'format', () => undefined);
        else this.anchor(node);
    }
  }

  private anchor(node: XmlNode): void {
    const anchor = anchorOf(node, this.out.text.length);
    if (anchor) this.out.anchors.push(anchor);
  }

  private change(node: XmlNode, kind: ChangeKind, read: () => void): void {
    const before = this.standing;
    this.standing &&= stands(this.about.view, kind);
    const change = beginChange(node, kind, this.out);
    this.open.push(change);
    read();
    this.open.pop();
    this.standing = before;
    addChange(this.out, change);
  }

  private readControl(node: XmlNode): void {
    if (child(child(node, 'w:sdtPr'), 'w:showingPlcHdr')) this.about.counts.placeholders++;
    const content = child(node, 'w:sdtContent');
    if (content) this.read(content);
  }

  private readRun(run: XmlNode): void {
    const properties = child(run, 'w:rPr');
    const earlier = child(properties, 'w:rPrChange');
    const shown = earlier && this.about.view === 'original' ? child(earlier, 'w:rPr') : properties;
    const look = merge(merge(this.about.base, this.about.styles.character(valueOf(shown, 'w:rStyle'))), readLook(undefined, shown));
    const read = (): void => {
      for (const entry of run.children) this.readRunChild(entry, look);
    };
    if (earlier) this.change(earlier, 'format', read);
    else read();
  }

  private readRunChild(node: XmlNode, look: StyleLook): void {
    if (node.name === 'w:fldChar') return this.fieldSign(node, look);
    if (node.name === 'w:lastRenderedPageBreak') return void (this.out.renderedBreaks += this.standing ? 1 : 0);
    const instruction = this.instruction();
    if (instruction) {
      if (/^w:(?:instrText|delInstrText|t)$/.test(node.name)) instruction.instruction += node.text;
      return;
    }
    switch (node.name) {
      case 'w:t':
      case 'w:delText':
        return this.push(readSymbols(node.text, look.font), look);
      case 'w:tab':
      case 'w:ptab':
      case 'w:cr':
        return this.push(' ', look);
      case 'w:br':
        if (node.attributes['w:type'] === 'page' && this.standing) this.out.pageBreaks++;
        return this.push(' ', look);
      case 'w:noBreakHyphen':
        return this.push('-', look);
      case 'w:sym':
        return this.push(symbolOf(parseInt(node.attributes['w:char'] ?? '', 16) || 0, node.attributes['w:font']), look);
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        return this.note(node);
      case 'mc:AlternateContent':
        return this.readAlternate(node);
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        return this.findBoxes(node);
      case 'w:ruby':
        return this.readInline(node);
      default:
        return this.anchor(node);
    }
  }

  private note(node: XmlNode): void {
    const id = node.attributes['w:id'];
    const kind = node.name === 'w:footnoteReference' ? 'footnote' : 'endnote';
    if (id !== undefined && this.standing) this.out.notes.push({ kind, id, at: this.out.text.length });
  }

  /** The innermost field whose instruction is being read. */
  private instruction(): OpenField | undefined {
    return this.about.story.fields.findLast((field) => field.inInstruction);
  }

  private fieldSign(node: XmlNode, look: StyleLook): void {
    const { fields } = this.about.story;
    const type = node.attributes['w:fldCharType'];
    if (type === 'begin') fields.push({ instruction: '', inInstruction: true, content: null, start: 0, since: 0, form: child(node, 'w:ffData') });
    const field = fields.at(-1);
    // The result of a field that only sets a bookmark or asks is stored and not shown.
    if (type === 'separate' && field && !/^\s*(?:SET|ASK)\s/i.test(field.instruction))
      Object.assign(field, { inInstruction: false, content: this.out, start: this.out.text.length, since: this.out.read });
    if (type === 'end' && field) {
      fields.pop();
      this.endField(field, look);
    }
  }

  private readSimpleField(node: XmlNode): void {
    const field: OpenField = {
      instruction: node.attributes['w:instr'] ?? '',
      inInstruction: false,
      content: this.out,
      start: this.out.text.length,
      since: this.out.read,
      form: child(node, 'w:ffData'),
    };
    this.read(node);
    this.endField(field, this.about.base);
  }

  private endField(field: OpenField, look: StyleLook): void {
    const { out } = this;
    // Fields of a text that does not stand do not count; a result that began in an earlier paragraph has no place in this one.
    if (this.instruction() || !this.standing || (field.content !== null && field.content !== out)) return;
    const start = field.content === null ? out.text.length : field.start;
    if (field.content === null || field.since === out.read)
      this.push(this.about.story.numbers.resultOf(field.instruction, this.about.place, this.about.base.outline, field.form), look);
    out.fields.push({ instruction: field.instruction.trim(), start, end: out.text.length });
  }

  /** A link into the document is a cross-reference like a HYPERLINK field. */
  private readLink(node: XmlNode): void {
    const start = this.out.text.length;
    this.read(node);
    const target = node.attributes['w:anchor'];
    if (target !== undefined && this.standing) this.out.fields.push({ instruction: `HYPERLINK \\l "${target}"`, start, end: this.out.text.length });
  }

  /** The first choice is what Word shows; the fallback repeats it for old readers. */
  private readAlternate(node: XmlNode): void {
    const before = this.out.boxes.length + this.out.read;
    const read = (branch: XmlNode | undefined): void => {
      if (!branch) return;
      this.read(branch);
      for (const entry of branch.children) if (!/^w:r$|^mc:/.test(entry.name)) this.findBoxes(entry);
    };
    read(child(node, 'mc:Choice'));
    if (this.out.boxes.length + this.out.read === before) read(child(node, 'mc:Fallback'));
  }

  private findBoxes(node: XmlNode): void {
    if (node.name === 'w:txbxContent') {
      if (this.standing) this.out.boxes.push(node);
      return;
    }
    if (node.name === 'mc:AlternateContent') return this.readAlternate(node);
    for (const entry of node.children) this.findBoxes(entry);
  }

  private readMath(node: XmlNode): void {
    const start = this.out.text.length;
    const changes: Change[] = [];
    const text = (entry: XmlNode): string => {
      if (/^(?:m:t|w:t|w:delText)$/.test(entry.name)) return entry.text;
      const inner = entry.children.map(text).join('');
      const kind = changeKind(entry.name);
      if (!kind || kind === 'format') return inner;
      changes.push({ ...beginChange(entry, kind, this.out), text: inner });
      return stands(this.about.view, kind) ? inner : '';
    };
    this.push(linearMath(node, text), this.about.base);
    // A change inside an equation has the whole equation as its place: the line of text has no exact one.
    for (const change of changes) addChange(this.out, { ...change, start: stands(this.about.view, change.kind) ? start : this.out.text.length });
  }

  private push(source: string, look: StyleLook): void {
    const { out } = this;
    if (source === '') return;
    let text = source;
    if (!this.standing) out.read += source.length;
    else {
      const why = this.hiding(look);
      if (why === null) text = addText(out, source, look);
      else {
        const last = out.hidden.at(-1);
        if (last?.why === why) last.text += source;
        else out.hidden.push({ why, text: source });
        out.read += source.length;
      }
    }
    for (const change of this.open) change.text += text;
  }

  private hiding(look: StyleLook): Hiding | null {
    if (look.hidden === true) return 'vanish';
    if (look.size !== undefined && look.size < TINY) return 'tiny';
    return look.color?.toLowerCase() === 'ffffff' && look.shaded !== true && this.about.plainGround ? 'white' : null;
  }
}

/** Whether a paragraph's mark is hidden: its text then runs on into the next paragraph (Word's style separator). */
export function hidesMark(properties: XmlNode | undefined, inherited: StyleLook): boolean {
  return toggle(child(properties, 'w:rPr'), 'w:vanish') ?? inherited.hidden ?? false;
}
