// What one paragraph holds, before it is a block: text with emphasis, and everything that hangs on places in it.
//
// Owns: the shape of that content, how text is added to it (one space between words, invisible signs dropped), tracked changes as they are collected.
// Rule: all places are offsets into `text`; body.ts shifts them by the length of the number that it puts before.
import type { Block, Revision, View } from '../../contract/document.ts';
import { repairCharacter } from '../characters.ts';
import { isInvisibleSign } from '../invisible.ts';
import type { Range } from '../raw.ts';
import type { StyleLook } from './styles.ts';
import type { XmlNode } from './xml.ts';

export type ChangeKind = Revision['kind'];

export interface Change {
  readonly kind: ChangeKind;
  readonly author: string;
  readonly date: string | null;
  text: string;
  start: number;
  end: number;
  /** Characters of the paragraph read, standing or not, where it begins and ends: a change that begins where one ends goes on with it. */
  readonly since: number;
  until: number;
}

export type Hiding = NonNullable<Block['hidden']>;

export interface Anchor {
  readonly kind: 'bookmark' | 'commentStart' | 'commentEnd' | 'comment';
  readonly id: string;
  readonly at: number;
}

/** Elements that mark a place: kind of anchor and the attribute that names it. */
const ANCHORS: Readonly<Record<string, readonly [kind: Anchor['kind'], attribute: string]>> = {
  'w:bookmarkStart': ['bookmark', 'w:name'],
  'w:commentRangeStart': ['commentStart', 'w:id'],
  'w:commentRangeEnd': ['commentEnd', 'w:id'],
  'w:commentReference': ['comment', 'w:id'],
};

/** The anchor that an element sets at `at`; undefined if it is none. */
export function anchorOf(node: XmlNode, at: number): Anchor | undefined {
  const [kind, attribute] = ANCHORS[node.name] ?? [];
  const id = attribute === undefined ? undefined : node.attributes[attribute];
  return kind === undefined || id === undefined ? undefined : { kind, id, at };
}

export interface FieldRange extends Range {
  /** "REF _Ref137575642 \\r \\h". */
  readonly instruction: string;
}

export interface ParagraphContent {
  text: string;
  readonly marks: boolean[];
  /** Characters that are bold, for the font of the block. */
  bold: number;
  italic: number;
  size: number | undefined;
  /** Characters read so far, those included that do not stand in the view. */
  read: number;
  /** Places of the text where invisible signs were left out. */
  readonly invisible: number[];
  readonly hidden: { readonly why: Hiding; text: string }[];
  readonly notes: { readonly kind: 'footnote' | 'endnote'; readonly id: string; readonly at: number }[];
  readonly anchors: Anchor[];
  readonly fields: FieldRange[];
  readonly changes: Change[];
  /** w:txbxContent nodes, to be read as blocks after this paragraph. */
  readonly boxes: XmlNode[];
  pageBreaks: number;
  renderedBreaks: number;
}

export function emptyContent(): ParagraphContent {
  return {
    text: '',
    marks: [],
    bold: 0,
    italic: 0,
    size: undefined,
    read: 0,
    invisible: [],
    hidden: [],
    notes: [],
    anchors: [],
    fields: [],
    changes: [],
    boxes: [],
    pageBreaks: 0,
    renderedBreaks: 0,
  };
}

/** Adds text that stands in the view; returns what was added. */
export function addText(out: ParagraphContent, source: string, look: StyleLook): string {
  const mark = look.bold === true || look.italic === true || look.underline === true;
  let added = '';
  for (const character of source.normalize('NFC')) {
    const text = repairCharacter(character);
    if (text === '' && isInvisibleSign(character)) out.invisible.push(out.text.length + added.length);
    const before = added === '' ? out.text : added;
    if (text === '' || (text === ' ' && (before === '' || before.endsWith(' ')))) continue;
    added += text;
    for (let index = 0; index < text.length; index++) out.marks.push(mark);
    if (look.bold === true) out.bold += text.length;
    if (look.italic === true) out.italic += text.length;
  }
  out.text += added;
  out.read += source.length;
  if (out.size === undefined && source.trim() !== '') out.size = look.size;
  return added;
}

/** Whether a change's text is in the text of the view. */
export function stands(view: View, kind: ChangeKind): boolean {
  if (view === 'both' || kind === 'format') return true;
  return view === 'accepted' ? kind === 'insert' || kind === 'moveTo' : kind === 'delete' || kind === 'moveFrom';
}

const KINDS: Readonly<Record<string, ChangeKind>> = {
  'w:ins': 'insert',
  'w:cellIns': 'insert',
  'w:del': 'delete',
  'w:cellDel': 'delete',
  'w:moveFrom': 'moveFrom',
  'w:moveTo': 'moveTo',
  'w:customXmlInsRangeStart': 'insert',
  'w:customXmlDelRangeStart': 'delete',
  'w:customXmlMoveFromRangeStart': 'moveFrom',
  'w:customXmlMoveToRangeStart': 'moveTo',
};

/** Kind of change that an element announces; every `...Change` keeps an earlier format. */
export function changeKind(name: string): ChangeKind | undefined {
  return KINDS[name] ?? (/^w:(?:\w+Change|cellMerge)$/.test(name) ? 'format' : undefined);
}

export function beginChange(node: XmlNode, kind: ChangeKind, out: ParagraphContent): Change {
  const at = out.text.length;
  const { 'w:author': author = '', 'w:date': date = null } = node.attributes as Readonly<Record<string, string | undefined>>;
  return { kind, author, date, text: '', start: at, end: at, since: out.read, until: out.read };
}

/** Word cuts one change into a run after the other: neighbours of one kind, author and time are one. */
export function addChange(out: ParagraphContent, change: Change): void {
  change.end = out.text.length;
  change.until = out.read;
  const last = out.changes.at(-1);
  if (
    last &&
    last.until === change.since &&
    last.kind === change.kind &&
    last.author === change.author &&
    last.date === change.date &&
    last.end === change.start
  ) {
    last.text += change.text;
    last.end = change.end;
    last.until = change.until;
  } else out.changes.push(change);
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
