// Content of one paragraph -> text with emphasis, notes, text boxes and page breaks, in the accepted view of tracked changes.
//
// Owns: runs, fields (result kept, instruction dropped), deletions and moves, hidden text, alternate content read once, equations as plain characters.
// Rule: counts what it leaves out (deletions, hidden text), so that the reader of the file can be told.
import { repairCharacter } from '../characters.ts';
import type { Range } from '../raw.ts';
import { merge, readLook, type Styles, type StyleLook } from './styles.ts';
import { child, type XmlNode } from './xml.ts';

export interface Counts {
  insertions: number;
  deletions: number;
  hidden: number;
}

export interface ParagraphContent {
  text: string;
  readonly marks: boolean[];
  /** Characters that are bold, for the font of the block. */
  bold: number;
  italic: number;
  readonly footnotes: string[];
  readonly endnotes: string[];
  /** w:txbxContent nodes, to be read as blocks after this paragraph. */
  readonly boxes: XmlNode[];
  pageBreaks: number;
  renderedBreaks: number;
  size: number | undefined;
}

export function emptyContent(): ParagraphContent {
  return { text: '', marks: [], bold: 0, italic: 0, footnotes: [], endnotes: [], boxes: [], pageBreaks: 0, renderedBreaks: 0, size: undefined };
}

const TRANSPARENT = new Set([
  'w:hyperlink',
  'w:smartTag',
  'w:customXml',
  'w:sdt',
  'w:sdtContent',
  'w:fldSimple',
  'w:dir',
  'w:bdo',
  'w:rt',
  'w:rubyBase',
  'm:oMathPara',
]);

export class RunReader {
  private readonly styles: Styles;
  private readonly counts: Counts;
  private readonly base: StyleLook;
  private readonly out: ParagraphContent;
  /** Depth of fields, and whether each is in its instruction. Fields span runs, and rarely paragraphs: those show their result in each. */
  private readonly fields: { instruction: boolean }[];

  constructor(styles: Styles, counts: Counts, base: StyleLook, out: ParagraphContent, fields: { instruction: boolean }[]) {
    this.styles = styles;
    this.counts = counts;
    this.base = base;
    this.out = out;
    this.fields = fields;
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
        this.counts.insertions++;
        return this.read(node);
      case 'w:del':
      case 'w:moveFrom':
        this.counts.deletions++;
        return;
      case 'm:oMath':
        return this.readMath(node);
      case 'w:ruby': {
        const base = child(node, 'w:rubyBase');
        if (base) this.read(base);
        return;
      }
      case 'mc:AlternateContent':
        return this.readAlternate(node);
      default:
        if (TRANSPARENT.has(node.name)) this.read(node);
    }
  }

  private readRun(run: XmlNode): void {
    const properties = child(run, 'w:rPr');
    const style = properties ? child(properties, 'w:rStyle')?.attributes['w:val'] : undefined;
    const look = merge(merge(this.base, this.styles.character(style)), readLook(undefined, properties, undefined));
    if (look.hidden === true) {
      if (run.children.some((entry) => entry.name === 'w:t')) this.counts.hidden++;
      return;
    }
    for (const entry of run.children) this.readRunChild(entry, look);
  }

  private readRunChild(node: XmlNode, look: StyleLook): void {
    if (node.name === 'w:fldChar') return this.field(node.attributes['w:fldCharType'] ?? '');
    if (node.name === 'w:lastRenderedPageBreak') {
      this.out.renderedBreaks++;
      return;
    }
    if (this.fields.some((field) => field.instruction)) return;
    switch (node.name) {
      case 'w:t':
        return this.push(node.text, look);
      case 'w:tab':
      case 'w:ptab':
      case 'w:cr':
        return this.push(' ', look);
      case 'w:br':
        if (node.attributes['w:type'] === 'page') this.out.pageBreaks++;
        return this.push(' ', look);
      case 'w:noBreakHyphen':
        return this.push('-', look);
      case 'w:sym':
        return this.push(symbolOf(node.attributes['w:char'] ?? ''), look);
      case 'w:footnoteReference':
        return pushId(this.out.footnotes, node);
      case 'w:endnoteReference':
        return pushId(this.out.endnotes, node);
      case 'mc:AlternateContent':
        return this.readAlternate(node);
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        return this.findBoxes(node);
      case 'w:ruby':
        return this.readInline(node);
      default:
    }
  }

  private field(type: string): void {
    if (type === 'begin') this.fields.push({ instruction: true });
    else if (type === 'separate') {
      const field = this.fields.at(-1);
      if (field) field.instruction = false;
    } else if (type === 'end') this.fields.pop();
  }

  /** The first choice is what Word shows; the fallback repeats it for old readers. */
  private readAlternate(node: XmlNode): void {
    const choice = child(node, 'mc:Choice');
    const before = this.out.boxes.length + this.out.text.length;
    const read = (branch: XmlNode | undefined): void => {
      if (!branch) return;
      this.read(branch);
      for (const entry of branch.children) if (!/^w:r$|^mc:/.test(entry.name)) this.findBoxes(entry);
    };
    read(choice);
    if (this.out.boxes.length + this.out.text.length === before) read(child(node, 'mc:Fallback'));
  }

  private findBoxes(node: XmlNode): void {
    if (node.name === 'w:txbxContent') {
      this.out.boxes.push(node);
      return;
    }
    if (node.name === 'mc:AlternateContent') return this.readAlternate(node);
    for (const entry of node.children) this.findBoxes(entry);
  }

  private readMath(node: XmlNode): void {
    if (node.name === 'w:del' || node.name === 'w:moveFrom') {
      this.counts.deletions++;
      return;
    }
    if (node.name === 'm:t') this.push(node.text, this.base);
    for (const entry of node.children) this.readMath(entry);
  }

  private push(source: string, look: StyleLook): void {
    const { out } = this;
    const mark = look.bold === true || look.italic === true || look.underline === true;
    for (const character of source.normalize('NFC')) {
      const text = repairCharacter(character);
      if (text === '' || (text === ' ' && (out.text === '' || out.text.endsWith(' ')))) continue;
      out.text += text;
      for (let index = 0; index < text.length; index++) out.marks.push(mark);
      if (look.bold === true) out.bold += text.length;
      if (look.italic === true) out.italic += text.length;
    }
    if (out.size === undefined && source.trim() !== '') out.size = look.size;
  }
}

function pushId(ids: string[], node: XmlNode): void {
  const id = node.attributes['w:id'];
  if (id !== undefined) ids.push(id);
}

/** Symbol fonts keep their signs in U+F000..F0FF; those without a meaning of their own are left out. */
function symbolOf(hex: string): string {
  const code = parseInt(hex, 16);
  if (!(code > 0x20)) return '';
  const low = code >= 0xf000 ? code - 0xf000 : code;
  const known: Readonly<Record<number, string>> = {
    0xb7: '•',
    0xa7: '§',
    0xa8: '☐',
    0xfe: '☒',
    0xfc: '✓',
    0x6f: '☐',
    0xd3: '©',
    0xd2: '®',
    0xd4: '™',
    0xe3: '©',
    0xe2: '®',
    0xe4: '™',
  };
  return known[low] ?? (code < 0xe000 ? String.fromCharCode(code) : '');
}

/** Emphasised stretches, or none where nearly everything is emphasised. */
export function emphasisOf(marks: readonly boolean[], text: string): Range[] {
  const ranges: Range[] = [];
  let start = -1;
  for (let index = 0; index <= text.length; index++) {
    const on = index < text.length && (marks[index] === true || (start >= 0 && text[index] === ' ' && marks[index + 1] === true));
    if (on && start < 0) start = index;
    if (!on && start >= 0) {
      ranges.push({ start, end: start + text.slice(start, index).trimEnd().length });
      start = -1;
    }
  }
  return ranges;
}
