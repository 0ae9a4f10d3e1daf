// What a paragraph is as a block: its text with its number, its kind, its indent.
//
// Owns: evidence that makes a heading, a signature line, a list item; the shift between a paragraph's text and its block's.
// Leaves the clause tree to core/structure.
import type { Block } from '../../contract/document.ts';
import { bulletLength, isContentsLine, isContentsTitle, readLabel } from '../labels.ts';
import type { Range } from '../raw.ts';
import { isSentence, isSignatureLine } from '../titles.ts';
import { emphasisOf, type ParagraphContent } from './content.ts';
import type { ListNumber } from './counters.ts';
import type { StyleLook } from './styles.ts';
import type { XmlNode } from './xml.ts';

/** 14 points, in half points: no contract sets its text so large, and titles without a heading style start here. */
const TITLE_SIZE = 28;

/** A paragraph as it shall appear: of joined ones the properties of one count. */
export interface Paragraph {
  readonly properties: XmlNode | undefined;
  readonly styleName: string;
  readonly look: StyleLook;
  readonly number: ListNumber | null;
}

export interface Surrounding {
  readonly kind: 'body' | 'footnote' | 'furniture';
  readonly cell: Block['cell'];
  /** Inside a table of contents: furniture, for its numbers would begin every clause a second time. */
  readonly contents: boolean;
}

export interface Drafted {
  readonly block: Omit<Block, 'id' | 'lines' | 'at'>;
  readonly emphasis: readonly Range[];
  /** Place in the block's text of a place in the paragraph's. */
  offset(at: number): number;
}

/** The block of a paragraph; null where it shows neither text nor number. */
export function draftBlock(content: ParagraphContent, paragraph: Paragraph, around: Surrounding): Drafted | null {
  const { number, look, styleName } = paragraph;
  const body = content.text.trimEnd();
  const shown = number?.text ?? '';
  if (body === '' && shown === '') return null;
  const bullet = number === null ? bulletLength(body) : 0;
  const prefix = shown === '' ? '' : body === '' ? shown : `${shown} `;
  const text = prefix + body.slice(bullet);
  const offset = (at: number): number => Math.min(text.length, Math.max(0, at + prefix.length - bullet));
  const bold = content.bold > 0.85 * body.length;
  const kind = around.kind === 'body' && (around.contents || isContents(body, styleName, shown !== '')) ? 'furniture' : around.kind;
  const cell = kind === 'body' ? around.cell : null;
  const printed = shown === '' ? (kind === 'body' ? (readLabel(text)?.number ?? null) : null) : numberIn(shown, text);
  const level = kind === 'body' && cell === null ? headingLevel(look, styleName) : null;
  const titled = bold || (content.size ?? 0) >= TITLE_SIZE;
  const traits = { text, number: printed, level, bold: titled, look, list: number, bulleted: bullet > 0, styleName };
  return {
    block: {
      kind: kind !== 'body' ? kind : cell ? 'tableCell' : kindOfBody(traits),
      text,
      number: printed,
      level,
      indent: indentOf(look, number),
      font: { size: (content.size ?? look.size ?? 20) / 2, bold, italic: content.italic > 0.85 * body.length },
      cell,
      hidden: null,
    },
    emphasis: emphasisOf(content.marks, body)
      .map((range) => ({ start: offset(range.start), end: offset(range.end) }))
      .filter((range) => range.end > range.start),
    offset,
  };
}

/** Hidden text stands in blocks of its own, so that nothing reads it by mistake and a person can still see it. */
export function hiddenBlocks(content: ParagraphContent, around: Surrounding): Drafted['block'][] {
  const kind = around.kind !== 'body' ? around.kind : around.cell ? 'tableCell' : 'paragraph';
  return content.hidden.flatMap(({ why, text }) => {
    const clean = text.replace(/\s+/g, ' ').trim();
    if (clean === '') return [];
    const font = { size: (content.size ?? 20) / 2, bold: false, italic: false };
    return [{ kind, text: clean, number: null, level: null, indent: 0, font, cell: around.kind === 'body' ? around.cell : null, hidden: why }];
  });
}

/** Lines of a contents table have their numbers as text; a paragraph that Word numbers is none, whatever leaders it ends in. */
function isContents(body: string, styleName: string, numbered: boolean): boolean {
  if (/^toc\s?(?:\d|heading)/i.test(styleName)) return true;
  return !numbered && (isContentsLine(body) || isContentsTitle(body.trim()));
}

interface Traits {
  readonly text: string;
  /** Number as it stands at the beginning of the text. */
  readonly number: string | null;
  readonly level: number | null;
  readonly bold: boolean;
  readonly look: StyleLook;
  readonly list: ListNumber | null;
  readonly bulleted: boolean;
  readonly styleName: string;
}

function kindOfBody(traits: Traits): Block['kind'] {
  const { text, number, level, bold, look, list, bulleted } = traits;
  if (/^caption$/i.test(traits.styleName)) return 'caption';
  if (isSignatureLine(text)) return 'signature';
  if (isTitle(text.slice(number?.length ?? 0), level, bold, look)) return 'heading';
  if (list?.bullet === true || bulleted || (number !== null && /^[(（]|[)）]$/.test(number))) return 'listItem';
  return 'paragraph';
}

function headingLevel(look: StyleLook, styleName: string): number | null {
  if (look.outline !== undefined && look.outline >= 0 && look.outline <= 8) return look.outline + 1;
  const named = /^heading\s?([1-9])$/i.exec(styleName);
  return named ? Number(named[1]) : null;
}

/** The shown number without its closing point: what `Block.number` holds. */
function numberIn(shown: string, text: string): string {
  const label = readLabel(text);
  if (label && label.number.length >= shown.length - 1 && label.number.length <= shown.length) return label.number;
  return shown.replace(/[.:、．]\s*$/, '');
}

/** Points. */
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
