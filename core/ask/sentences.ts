// A document as numbered sentences: the only form in which the Reader ever sees text.
//
// Owns: which blocks are read (furniture is not; tables row by row), where a sentence ends, and the way back from every sentence to spans.
// The rules are those the Reader was trained with (READER.md, format 1): sentence ends, `;` and `:` before a capital, digit or bracket,
// pieces of at most about 420 characters, headings on their own, white space folded, the document's own numbering kept.
// Rule that must stay true: sentences of a document never overlap, and their spans lie inside their blocks.
import { isContent, type Block, type Document, type Span } from '../contract/document.ts';
import { Owners } from '../structure/context.ts';
import { columnNames, foldSpace, rowText } from './tableSentences.ts';

export interface Sentence {
  /** Index in the document, from 0. */
  readonly index: number;
  readonly text: string;
  readonly spans: readonly Span[];
  /** Clause it belongs to; null for text outside every clause. */
  readonly clauseId: string | null;
  readonly page: number;
}

/** Longest piece in characters; a longer sentence is cut behind a comma, semicolon or bracket (training used the same length). */
const MAX_CHARS = 420;
/** Longest row of a table that is read as one piece; the cells of a longer one are running text and read as such. */
const MAX_ROW_CHARS = 2 * MAX_CHARS;
/** A piece shorter than this is no sentence of its own: "3. Users." stays with what follows. */
const MIN_CHARS = 20;
/** Words before a full stop that does not end a sentence. */
const ABBREVIATIONS =
  /(?:^|[\s("“])(?:Inc|Ltd|Co|Corp|LLC|No|Nos|Sec|Art|Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e|etc|cf|approx|U\.S|U\.S\.A|a\.m|p\.m|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|[A-Z])$/;
const LIST_NUMBER = /(?:^|\s)\(?(?:\d+(?:\.\d+)*|[ivxlc]+|[a-zA-Z])\)?$/;
const BOUNDARY = /[.?!;:]["”’)\]]*(?=\s+["“(‘[]?[A-Z0-9([])|[。！？；](?=\s*\S)/gu;

/** Offsets [start, end) of the sentences of one text, white space around them trimmed. */
export function splitSentences(text: string): { start: number; end: number }[] {
  const cuts: number[] = [];
  let from = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    if (end - from < MIN_CHARS) continue;
    if (match[0].startsWith('.') && endsInsideSentence(text.slice(from, match.index))) continue;
    cuts.push(end);
    from = end;
  }
  const pieces: { start: number; end: number }[] = [];
  let start = 0;
  for (const end of [...cuts, text.length]) {
    pieces.push(...cutLong(text, start, end));
    start = end;
  }
  return pieces.map((piece) => trim(text, piece)).filter((piece) => piece.end > piece.start);
}

function endsInsideSentence(before: string): boolean {
  const tail = before.slice(-16);
  return ABBREVIATIONS.test(tail) || LIST_NUMBER.test(tail);
}

function cutLong(text: string, start: number, end: number): { start: number; end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let from = start;
  while (end - from > MAX_CHARS) {
    const part = text.slice(from, from + MAX_CHARS - 20);
    const soft = Math.max(part.lastIndexOf(', '), part.lastIndexOf('; '), part.lastIndexOf(') '), part.lastIndexOf('，'), part.lastIndexOf('；'));
    const space = part.lastIndexOf(' ');
    const cut = soft > MAX_CHARS / 3 ? soft + 1 : space > MAX_CHARS / 3 ? space : part.length;
    pieces.push({ start: from, end: from + cut });
    from += cut;
  }
  pieces.push({ start: from, end });
  return pieces;
}

function trim(text: string, piece: { start: number; end: number }): { start: number; end: number } {
  let { start, end } = piece;
  while (start < end && /\s/.test(text.charAt(start))) start += 1;
  while (end > start && /\s/.test(text.charAt(end - 1))) end -= 1;
  return { start, end };
}

/** All sentences of a document in reading order. */
export function documentSentences(document: Document): readonly Sentence[] {
  const owners = new Owners(document.clauses);
  const sentences: Sentence[] = [];
  const add = (blocks: readonly Block[], text: string, spans: readonly Span[]): void => {
    const first = blocks[0];
    if (!first || text === '') return;
    const clauseId = spans[0] === undefined ? null : owners.of(spans[0]);
    sentences.push({ index: sentences.length, text, spans, clauseId, page: first.at[0]?.page ?? 0 });
  };
  const blocks = document.blocks;
  const names = columnNames(blocks);
  for (let i = 0; i < blocks.length; i += 1) {
    const block = blocks[i]!;
    if (!isContent(block) || block.kind === 'table') continue;
    if (block.cell) {
      const row = tableRow(blocks, i);
      i += row.length - 1;
      const filled = row.filter((cell) => cell.text.trim() !== '');
      const text = rowText(filled, names);
      if (text.length <= MAX_ROW_CHARS) {
        add(
          filled,
          text,
          filled.map((cell) => ({ documentId: document.id, blockId: cell.id, start: 0, end: cell.text.length })),
        );
        continue;
      }
      i -= row.length - 1;
    }
    for (const piece of splitSentences(block.text)) {
      const pageOf = block.lines.find((line) => line.end > piece.start)?.page;
      const span = { documentId: document.id, blockId: block.id, ...piece };
      add([block], foldSpace(block.text.slice(piece.start, piece.end)), [span]);
      if (pageOf !== undefined) sentences[sentences.length - 1] = { ...sentences[sentences.length - 1]!, page: pageOf };
    }
  }
  return sentences;
}

function tableRow(blocks: readonly Block[], from: number): readonly Block[] {
  const cell = blocks[from]!.cell!;
  let end = from + 1;
  while (end < blocks.length && blocks[end]!.cell?.table === cell.table && blocks[end]!.cell?.row === cell.row) end += 1;
  return blocks.slice(from, end);
}
