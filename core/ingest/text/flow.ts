// Blocks of a document without pages (HTML, mail, text): text with marks goes in, blocks with ids, numbers, emphasis and revisions come out.
//
// Owns: ids, the number of a block, defaults. A flow document has one page; its printed pages are unknown.
// Rule: a number that only the renderer shows (an ordered list) becomes the beginning of the text, as a person sees it.
import type { Block, Page, Revision, Table, Warning } from '../../contract/document.ts';
import { repairText } from '../characters.ts';
import { invisibleWarning, markInvisible } from '../invisible.ts';
import { bulletLength, readLabel } from '../labels.ts';
import type { Range, RawContent } from '../raw.ts';
import { INVISIBLE, takeMarks } from './marks.ts';

/** Letter paper; nothing is placed on it. */
export const FLOW_PAGE: Page = { width: 612, height: 792, label: '1', source: 'flow', confidence: null };

/** A number or bullet that a list shows before the text. */
export interface Marker {
  /** "1.", "a.", "(iv)"; '' for a bullet. */
  readonly text: string;
  /** Depth of its list from 0. */
  readonly depth: number;
  /** A number that the text begins with belongs to a list inside the item: both stand. */
  readonly besideTyped?: boolean;
}

export interface FlowRevision {
  readonly kind: 'insert' | 'delete';
  readonly date: string | null;
  /** Source of the text, without marks. */
  text: string;
}

export interface FlowParagraph {
  /** With marks (marks.ts). */
  readonly source: string;
  readonly level?: number | null;
  readonly indent?: number;
  readonly marker?: Marker | null;
  /** Depth from 0 of the list it stands in, where no marker says so. */
  readonly depth?: number | null;
  readonly cell?: Block['cell'];
  readonly hidden?: Block['hidden'];
  readonly caption?: boolean;
  /** Revisions whose marks are in `source`, in their order. */
  readonly revisions?: readonly FlowRevision[];
}

export class FlowBuilder {
  readonly blocks: Block[] = [];
  readonly emphasis = new Map<string, readonly Range[]>();
  readonly listLevel = new Map<string, number>();
  readonly tables: Table[] = [];
  readonly revisions: Revision[] = [];
  readonly warnings: Warning[] = [];

  /** Returns the block's id, or null when there was nothing to be said; an empty cell is a block all the same. */
  add(paragraph: FlowParagraph): string | null {
    const marked = takeMarks(repairText(markInvisible(paragraph.source, INVISIBLE)));
    const { marker = null, cell = null } = paragraph;
    if (marked.text === '' && cell === null && (marker === null || marker.text === '')) {
      this.noteRevisions(paragraph, null, []);
      return null;
    }
    const id = `b${this.blocks.length}`;
    const bullet = cell === null && (marker === null || marker.text === '') ? bulletLength(marked.text) : 0;
    const body = marked.text.slice(bullet);
    const typed = cell === null ? readLabel(body) : null;
    // "1. 1. Term": where the author typed the number as well, one of the two is enough.
    const once = typed !== null && !typed.weak && !marker?.besideTyped;
    const prefix = marker === null || marker.text === '' || once ? '' : `${marker.text} `;
    const text = (prefix + body).trimEnd();
    const shift = prefix.length - bullet;
    const emphasis = moved(marked.emphasis, shift, text.length).filter((range) => range.end > range.start);
    const number = cell ? null : prefix === '' ? (typed?.number ?? null) : (marker?.text ?? '').replace(/[.:]$/, '');
    const emphasised = emphasis.reduce((sum, range) => sum + range.end - range.start, 0);
    this.blocks.push({
      id,
      kind: kindOf(paragraph, number, bullet > 0),
      text,
      at: [{ page: 0, box: null }],
      lines: [],
      number,
      level: paragraph.level ?? null,
      indent: paragraph.indent ?? 0,
      font: { size: 0, bold: emphasised > 0 && emphasised >= 0.9 * (text.length - prefix.length), italic: false },
      cell,
      hidden: paragraph.hidden ?? null,
    });
    if (emphasis.length > 0) this.emphasis.set(id, emphasis);
    const told = marked.invisible.length === 0 ? null : invisibleWarning({ id, text }, marked.invisible.map((at) => at + shift), null); // prettier-ignore
    if (told) this.warnings.push(told);
    const depth = depthOf(paragraph);
    if (depth !== null && cell === null) this.listLevel.set(id, depth);
    this.noteRevisions(paragraph, id, moved(marked.revisions, shift, text.length));
    return id;
  }

  private noteRevisions({ revisions = [] }: FlowParagraph, blockId: string | null, ranges: readonly Range[]): void {
    revisions.forEach((revision, index) => {
      const text = repairText(revision.text);
      const range = ranges[index];
      if (text === '') return;
      const span = blockId === null || !range ? null : { documentId: '', blockId, start: range.start, end: range.end };
      this.revisions.push({ id: `r${this.revisions.length}`, kind: revision.kind, author: '', date: revision.date, text, span });
    });
  }
}

export function contentOf(flow: FlowBuilder): Pick<RawContent, 'blocks' | 'emphasis' | 'listLevel' | 'tables' | 'revisions'> {
  const { blocks, emphasis, listLevel, tables, revisions } = flow;
  return { blocks, emphasis, listLevel, tables, revisions };
}

function moved(ranges: readonly Range[], shift: number, length: number): Range[] {
  const at = (offset: number): number => Math.max(0, Math.min(length, offset + shift));
  return ranges.map((range) => ({ start: at(range.start), end: at(range.end) }));
}

function depthOf({ marker, depth }: FlowParagraph): number | null {
  return marker?.depth ?? depth ?? null;
}

function kindOf(paragraph: FlowParagraph, number: string | null, bulleted: boolean): Block['kind'] {
  if (paragraph.cell) return 'tableCell';
  if (paragraph.caption) return 'caption';
  if (paragraph.level !== null && paragraph.level !== undefined) return 'heading';
  // As in Markdown: the first level of a numbered list are clauses, what is bracketed or deeper are items.
  if (bulleted || paragraph.marker?.text === '' || (depthOf(paragraph) ?? 0) > 1) return 'listItem';
  return number !== null && /^[(（]|[)）]$/.test(number) ? 'listItem' : 'paragraph';
}
