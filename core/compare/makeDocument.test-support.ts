// Builds a Document from plain lines for tests, so that comparison, extraction, review and export are tested apart from the parsers.
// One line is one block. A line that begins with "1.", "1.2", "(a)", "Section 3." or "Exhibit A" begins a clause; "# " makes a heading; a line
// "| a | b |" is a row of a table, each cell a block.
import type { Block, Clause, Definition, Document, Reference } from '../contract/document.ts';
import { plainBlock, plainDocument } from '../contract/make.test-support.ts';

const NUMBER =
  /^(第[一二三四五六七八九十]+条|(?:Section|Article|Clause)\s+[\dIVX.]+|(?:Exhibit|Schedule|Annex)\s+[A-Z\d]+|\d+(?:\.\d+)*|\([a-z]+\)|[A-Z])(?:[.:)]\s|\s)/;
const TERM = /[(（](?:each |an? |the |collectively |hereinafter |以下简称)*["“]([^"”]+)["”][)）]|\*{0,2}["“]([^"”]+)["”]\*{0,2} (?:means|includes|shall mean)/g;
const REFERENCE = /(?:Section|Article|Clause|Exhibit|Schedule|Annex) (\d+(?:\.\d+)*(?:\([a-z]\))*|[A-Z]\b)/g;

interface Made {
  readonly blocks: Block[];
  readonly clauses: (Omit<Clause, 'spans' | 'children'> & {
    spans: { documentId: string; blockId: string; start: number; end: number }[];
    children: string[];
  })[];
}

function depthOf(number: string): number {
  if (number.startsWith('(')) return 9;
  return number.split('.').filter((part) => part !== '').length - 1;
}

export function makeDocument(
  text: string,
  options: { readonly id?: string; readonly kind?: Document['kind']; readonly language?: string; readonly source?: Document['pages'][number]['source'] } = {},
): Document {
  const id = options.id ?? 'document';
  const made: Made = { blocks: [], clauses: [] };
  for (const line of text.split('\n')) {
    if (/^\s*\|.*\|\s*$/.test(line)) addRow(made, id, line);
    else if (line.trim() !== '') addLine(made, id, line.trim());
  }
  const definitions: Definition[] = [];
  const references: Reference[] = [];
  const owner = new Map(made.clauses.flatMap((clause) => clause.spans.map((span) => [span.blockId, clause.id])));
  for (const block of made.blocks) {
    const clauseId = owner.get(block.id) ?? null;
    for (const match of block.text.matchAll(TERM)) {
      // As the parser does: the span is the term without its quotes.
      const term = match[1] ?? match[2]!;
      const start = match.index + match[0].indexOf(term);
      definitions.push({ term, span: { documentId: id, blockId: block.id, start, end: start + term.length }, clauseId });
    }
    for (const match of block.text.matchAll(REFERENCE)) {
      const start = match.index;
      if (start === 0) continue;
      const target = made.clauses.find((clause) => clause.path === match[1] || clause.path === match[0] || clause.number === match[0]);
      references.push({ text: match[0], span: { documentId: id, blockId: block.id, start, end: start + match[0].length }, targetId: target?.id ?? null });
    }
  }
  return plainDocument({
    id,
    name: `${id}.txt`,
    kind: options.kind ?? 'docx',
    language: options.language ?? 'en',
    pages: [{ width: 612, height: 792, label: '1', source: options.source ?? 'flow', confidence: null }],
    blocks: made.blocks,
    clauses: made.clauses,
    definitions,
    references,
  });
}

/** Cells of one row; they belong to the clause before. */
function addRow(made: Made, documentId: string, line: string): void {
  const last = made.blocks.at(-1)?.cell ?? null;
  const [table, row] = last === null ? [`t${made.blocks.length}`, 0] : [last.table, last.row + 1];
  const cells = line.trim().slice(1, -1).split('|');
  for (const [column, text] of cells.map((cell) => cell.trim()).entries()) {
    addLine(made, documentId, text, { table, row, column, rowSpan: 1, columnSpan: 1, header: row === 0 });
  }
}

function addLine(made: Made, documentId: string, line: string, cell: Block['cell'] = null): void {
  const isHeading = line.startsWith('# ');
  const text = isHeading ? line.slice(2) : line;
  const number = cell === null ? (NUMBER.exec(text)?.[1] ?? null) : null;
  const block = plainBlock({
    id: `b${made.blocks.length}`,
    kind: cell !== null ? 'tableCell' : isHeading ? 'heading' : number === null ? 'paragraph' : 'listItem',
    text,
    number,
    font: { size: 11, bold: isHeading, italic: false },
    cell,
  });
  made.blocks.push(block);
  const span = { documentId, blockId: block.id, start: 0, end: text.length };
  if (number === null) {
    const last = made.clauses.at(-1);
    if (last === undefined)
      made.clauses.push({ id: 'c0', parentId: null, path: '', number: '', heading: '', depth: 0, spans: [span], children: [], type: null });
    else last.spans.push(span);
    return;
  }
  const depth = depthOf(number);
  const parent = made.clauses.findLast((clause) => clause.number !== '' && depthOf(clause.number) < depth);
  const path = parent !== undefined && number.startsWith('(') ? parent.path + number : number;
  // A heading ends at the first full stop if it is short: "1. Services. The Provider ...".
  const heading = /^\s*[.:)]?\s*([^.]{3,70}?)(?:\.\s|\.?$)/.exec(text.slice(number.length))?.[1] ?? '';
  const clause = {
    id: `c${made.clauses.length}`,
    parentId: parent?.id ?? null,
    path,
    number,
    heading: heading.trim(),
    depth: parent === undefined ? 0 : parent.depth + 1,
    spans: [span],
    children: [],
    type: null,
  };
  parent?.children.push(clause.id);
  made.clauses.push(clause);
}
