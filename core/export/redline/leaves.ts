// A paragraph as a row of leaves: pieces of text, objects and controls, each with the run and the place it stands in.
//
// Owns: what is text (tabs, breaks and hyphens are characters), what is an object (one U+FFFC, compared by what it shows), what is a control
// (fields' marks and rendered breaks: no characters), and the tokens of a paragraph, which cover its text without gaps.
// Rule: `loose` tokens forget noise (white space, quote styles) for pairs of different formats; exact tokens forget nothing.
import { normalForm, type Token, type Vocabulary } from '../../compare/tokens.ts';
import { childOf, elements, textIn, type XmlElement } from './xml.ts';

export interface Leaf {
  readonly kind: 'text' | 'object' | 'control';
  readonly node: XmlElement;
  /** Null for what stands between runs (equations). */
  readonly run: XmlElement | null;
  readonly parent: XmlElement;
  /** The link around it, and what the link stands in. */
  readonly link: XmlElement | null;
  readonly linkParent: XmlElement | null;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Wrappers and fields around the place right after it. */
  readonly depth: number;
}

export interface Paragraph {
  readonly node: XmlElement;
  readonly leaves: readonly Leaf[];
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** How one side names what its relationships point at, so that the same picture is the same under another id. */
export interface Side {
  readonly vocabulary: Vocabulary;
  readonly loose: boolean;
  relation(id: string): string;
}

export const OBJECT = '\ufffc';
const WRAPPERS = new Set(['w:hyperlink', 'w:smartTag', 'w:customXml', 'w:sdt', 'w:sdtContent', 'w:fldSimple', 'w:dir', 'w:bdo']);
const BETWEEN = new Set(['m:oMath', 'm:oMathPara', 'mc:AlternateContent']);
const CONTROLS = new Set(
  'fldChar instrText lastRenderedPageBreak annotationRef footnoteRef endnoteRef separator continuationSeparator commentReference delText delInstrText'
    .split(' ')
    .map((name) => `w:${name}`),
);
const CHARACTERS: Readonly<Record<string, string>> = { 'w:tab': '\t', 'w:cr': '\n', 'w:noBreakHyphen': '\u2011', 'w:softHyphen': '\u00ad' };

function characterOf(node: XmlElement): string | undefined {
  if (node.name === 'w:br') return (node.attributes['w:type'] ?? 'textWrapping') === 'textWrapping' ? '\n' : undefined;
  return CHARACTERS[node.name];
}

/** Without xml:space="preserve" white space at the ends is not text. */
function shownText(node: XmlElement): string {
  const text = textIn(node);
  return node.attributes['xml:space'] === 'preserve' ? text : text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

class LeafReader {
  readonly leaves: Leaf[] = [];
  text = '';
  private fields = 0;
  private link: XmlElement | null = null;
  private linkParent: XmlElement | null = null;

  read(parent: XmlElement, depth: number): void {
    for (const node of elements(parent)) {
      if (node.name === 'w:r') {
        for (const entry of elements(node)) if (entry.name !== 'w:rPr') this.readRunChild(entry, node, parent, depth);
      } else if (BETWEEN.has(node.name)) this.add('object', node, null, parent, OBJECT, depth);
      else if (WRAPPERS.has(node.name)) {
        const outer = [this.link, this.linkParent] as const;
        if (node.name === 'w:hyperlink') [this.link, this.linkParent] = [node, parent];
        this.read(node, depth + 1);
        [this.link, this.linkParent] = outer;
      }
    }
  }

  private readRunChild(node: XmlElement, run: XmlElement, parent: XmlElement, depth: number): void {
    if (node.name === 'w:fldChar') {
      const type = node.attributes['w:fldCharType'];
      if (type === 'begin') this.fields++;
      else if (type === 'end' && this.fields > 0) this.fields--;
    }
    const character = characterOf(node);
    if (node.name === 'w:t') this.add('text', node, run, parent, shownText(node), depth);
    else if (character !== undefined) this.add('text', node, run, parent, character, depth);
    else if (CONTROLS.has(node.name)) this.add('control', node, run, parent, '', depth);
    else this.add('object', node, run, parent, OBJECT, depth);
  }

  private add(kind: Leaf['kind'], node: XmlElement, run: XmlElement | null, parent: XmlElement, text: string, depth: number): void {
    const start = this.text.length;
    this.text += text;
    this.leaves.push({ kind, node, run, parent, link: this.link, linkParent: this.linkParent, text, start, end: this.text.length, depth: depth + this.fields });
  }
}

export function readParagraph(node: XmlElement, side: Side): Paragraph {
  const reader = new LeafReader();
  reader.read(node, 0);
  return { node, leaves: reader.leaves, text: reader.text, tokens: tokensOf(reader.text, reader.leaves, side) };
}

const TOKEN = /\s+|\p{N}+(?:[.,:\/]\p{N}+)*%?|\p{Script=Han}|[[\p{L}\p{M}\p{N}]--\p{Script=Han}]+(?:['’][[\p{L}\p{M}\p{N}]--\p{Script=Han}]+)*|[^]/gv;

function tokensOf(text: string, leaves: readonly Leaf[], side: Side): Token[] {
  const objects = new Map(leaves.filter((leaf) => leaf.kind === 'object').map((leaf) => [leaf.start, leaf]));
  const target = linkTargets(leaves, side);
  return [...text.matchAll(TOKEN)].map((match) => {
    const [word] = match;
    const object = word === OBJECT ? objects.get(match.index) : undefined;
    const shown = object ? OBJECT + objectKey(object.node, side) : side.loose ? looseForm(word) : word;
    const form = shown + target(match.index);
    return { id: side.vocabulary.idOf(form), text: word, start: match.index, end: match.index + word.length, spaced: true, block: 0 };
  });
}

/** Where the text at a place leads, if out of the document: words under another address are other words. Bookmarks change their names from save to save. */
function linkTargets(leaves: readonly Leaf[], side: Side): (at: number) => string {
  const linked = side.loose ? [] : leaves.filter((leaf) => leaf.link?.attributes['r:id'] !== undefined && leaf.end > leaf.start);
  if (linked.length === 0) return () => '';
  return (at) => {
    const leaf = linked.find(({ start, end }) => start <= at && at < end);
    return leaf ? `→${side.relation(leaf.link!.attributes['r:id']!)}` : '';
  };
}

const looseForm = (word: string): string => (/^\s/.test(word) ? ' ' : normalForm(word, false) || word);

/** Attributes that differ from save to save. */
const VOLATILE = /^(?:w:rsid\w*|w14:.*|wp14:.*|o:spid|o:gfxdata|xmlns.*|id|name|type|w:id)$/;
const UNSEEN = new Set(['w:proofErr', 'w:bookmarkStart', 'w:bookmarkEnd', 'w:lang', 'w:noProof', 'w:lastRenderedPageBreak']);

/** What an object is, without the words of its text boxes: those are compared on their own. */
export function objectKey(node: XmlElement, side: Side): string {
  const attributes = Object.entries(node.attributes)
    .filter(([name]) => !VOLATILE.test(name))
    .map(([name, value]) => `${name}=${name.startsWith('r:') ? side.relation(value) : value}`)
    .sort();
  const inner = node.name === 'w:txbxContent' ? '' : node.children.map((entry) => innerKey(entry, side)).join('');
  return `<${node.name} ${attributes.join(' ')}>${inner}</>`;
}

function innerKey(entry: XmlElement | string, side: Side): string {
  if (typeof entry === 'string') return entry.trim();
  return UNSEEN.has(entry.name) ? '' : objectKey(entry, side);
}

/** Properties of the run whose text stands before `offset`, or else after it: what a person who typed there would get. */
export function propertiesAt(paragraph: Paragraph, offset: number): XmlElement | undefined {
  const texts = paragraph.leaves.filter((leaf) => leaf.kind === 'text' && leaf.run !== null && leaf.end > leaf.start);
  const near = texts.findLast((leaf) => leaf.start < offset) ?? texts[0];
  if (near) return childOf(near.run as XmlElement, 'w:rPr');
  return childOf(childOf(paragraph.node, 'w:pPr'), 'w:rPr');
}
