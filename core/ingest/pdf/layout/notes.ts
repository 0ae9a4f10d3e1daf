// Notes tied to their marks: which characters of the text a footnote or endnote explains.
//
// A footnote's mark stands on its page, or on the page before where the note was pushed over; an endnote's anywhere before it. Marks are superscript digits
// (lineText.ts makes them) and the signs * † ‡. Rule: a mark is given to one note only, and a note without a mark in the text is no note.
import type { Block, Note } from '../../../contract/document.ts';
import { markOf, plainMark } from './footnotes.ts';

interface Mark {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
  readonly page: number;
  readonly label: string;
}

const MARKS = /[⁰¹²³⁴-⁹]+|[*†‡]+|\[\d{1,3}\]/gu;
/** "m²" and "10⁶" are no marks. */
const POWER = /(?:^|[\s(\d])(?:k?m|cm|mm|ft|in|s|sq|10|[a-z])$/;
const NOTES_TITLE = /^(?:end\s?notes?|notes?|footnotes?|注释|尾注)\s*:?$/i;

export interface TiedNotes {
  readonly blocks: readonly Block[];
  /** `mark.documentId` is written in by `readFile`. */
  readonly notes: readonly Note[];
}

export function tieNotes(blocks: readonly Block[]): TiedNotes {
  const footnotes = blocks.filter((block) => block.kind === 'footnote');
  const endnotes = findEndnotes(blocks);
  if (footnotes.length === 0 && endnotes.length === 0) return { blocks, notes: [] };
  const own = new Set(endnotes.flatMap((note) => note.blocks.map((block) => block.id)));
  const marks = readMarks(blocks.filter((block) => block.kind !== 'footnote' && block.kind !== 'furniture' && !own.has(block.id)));
  const onPages = Map.groupBy(marks, ({ label, page }) => `${label}@${page}`);
  const anywhere = Map.groupBy(marks, ({ label }) => label);
  const used = new Set<Mark>();
  // Queues in reading order: a mark that was taken is gone.
  const take = (queue: Mark[] | undefined): Mark | undefined => {
    let mark = queue?.shift();
    while (mark && used.has(mark)) mark = queue?.shift();
    if (mark) used.add(mark);
    return mark;
  };
  const notes: Note[] = [];
  const add = (kind: Note['kind'], mark: Mark | undefined, noted: readonly Block[]): void => {
    if (mark === undefined) return;
    notes.push({ kind, mark: { documentId: '', blockId: mark.block.id, start: mark.start, end: mark.end }, blockIds: noted.map((block) => block.id) });
  };
  for (const block of footnotes) {
    const page = block.at[0]?.page ?? 0;
    const label = markOf(block.text);
    add('footnote', take(onPages.get(`${label}@${page}`)) ?? take(onPages.get(`${label}@${page - 1}`)), [block]);
  }
  for (const note of endnotes) add('endnote', take(anywhere.get(note.label)), note.blocks);
  // Under "Notes" stand all notes or none: a list of remarks has no marks in the text.
  const kept = notes.filter((note) => note.kind === 'footnote' || endnotes.length <= 2 * notes.filter((other) => other.kind === 'endnote').length);
  const asNote = new Set(kept.filter((note) => note.kind === 'endnote').flatMap((note) => note.blockIds));
  return { blocks: asNote.size === 0 ? blocks : blocks.map((block) => (asNote.has(block.id) ? { ...block, kind: 'footnote' } : block)), notes: kept };
}

function readMarks(blocks: readonly Block[]): Mark[] {
  return blocks.flatMap((block) =>
    [...block.text.matchAll(MARKS)].flatMap((match): Mark[] => {
      const start = match.index;
      if (start === 0 || POWER.test(block.text.slice(Math.max(0, start - 4), start))) return [];
      const line = block.lines.find((entry) => entry.start <= start && entry.end > start);
      return [{ block, start, end: start + match[0].length, page: line?.page ?? block.at[0]?.page ?? 0, label: plainMark(match[0]) }];
    }),
  );
}

interface Endnote {
  readonly label: string;
  readonly blocks: Block[];
}

/** Numbered blocks under a heading "Notes". */
function findEndnotes(blocks: readonly Block[]): readonly Endnote[] {
  const title = blocks.findLastIndex((block) => block.kind === 'heading' && NOTES_TITLE.test(block.text));
  if (title < 0) return [];
  const notes: Endnote[] = [];
  for (const block of blocks.slice(title + 1)) {
    if (block.kind === 'heading') break;
    if (block.kind === 'furniture' || block.kind === 'footnote') continue;
    const label = markOf(block.text) ?? /^(\d{1,3})[.)]\s/.exec(block.text)?.[1] ?? null;
    if (label !== null && Number(label) === notes.length + 1) notes.push({ label, blocks: [block] });
    else notes.at(-1)?.blocks.push(block);
  }
  return notes.length >= 2 ? notes : [];
}
