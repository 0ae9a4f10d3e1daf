// A contract as an outline that can be edited and written out as a Document again, so that a comparison can be judged against known edits.
//
// Owns: reading a Document into numbered nodes, and writing nodes into a Document with numbers and cross-references computed anew, as a word
// processor would: whoever moves a clause moves its number and every reference to it.
// Rule: both sides of a test are written by `writeDocument`, so nothing but the edits differs; each node knows the clause it became.
import type { Block, Clause, Definition, Document, Reference } from '../contract/document.ts';
import { plainBlock } from '../contract/make.test-support.ts';

/** How siblings are counted: "(a)" is {open: '(', counter: 'lower', close: ')'}; `dotted` numbers begin with that of their parent. */
export interface Style {
  readonly open: string;
  readonly counter: 'decimal' | 'lower' | 'upper' | 'roman' | 'upperRoman' | 'chinese';
  readonly close: string;
  readonly dotted: boolean;
}

/** Text of a block; an object stands for the number of the node it points at. */
export type Piece = string | { readonly to: string };

export interface Paragraph {
  readonly kind: Block['kind'];
  readonly cell: Block['cell'];
  pieces: Piece[];
}

export interface OutlineNode {
  readonly id: string;
  style: Style | null;
  /** Number of the first of its siblings; 1 for most. */
  first: number;
  /** What stands between the number and the text: ". ". */
  gap: string;
  heading: string;
  paragraphs: Paragraph[];
  children: OutlineNode[];
}

const DIGITS = '零一二三四五六七八九十';
const ROMANS: readonly (readonly [number, string])[] = [
  [1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'], [50, 'l'], [40, 'xl'], [10, 'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i'],
]; // prettier-ignore

function roman(value: number): string {
  let [rest, text] = [value, ''];
  for (const [size, letters] of ROMANS) for (; rest >= size; rest -= size) text += letters;
  return text;
}

function letters(value: number): string {
  return value <= 26 ? String.fromCharCode(96 + value) : letters(Math.floor((value - 1) / 26)) + letters(((value - 1) % 26) + 1);
}

function chinese(value: number): string {
  if (value <= 10) return DIGITS[value]!;
  if (value < 20) return `十${DIGITS[value - 10]!}`;
  return `${DIGITS[Math.floor(value / 10)]!}十${value % 10 === 0 ? '' : DIGITS[value % 10]!}`;
}

export function printCounter(counter: Style['counter'], value: number): string {
  if (counter === 'decimal') return String(value);
  if (counter === 'lower') return letters(value);
  if (counter === 'upper') return letters(value).toUpperCase();
  if (counter === 'chinese') return chinese(value);
  return counter === 'roman' ? roman(value) : roman(value).toUpperCase();
}

/** The style of a printed number; null where it cannot be counted on ("Exhibit A-1", "12bis"). */
function styleOf(number: string, romanList: boolean): { style: Style; value: number } | null {
  const dotted = /^(.*\d\.)(\d+)$/.exec(number);
  if (dotted !== null) return { style: { open: '', counter: 'decimal', close: '', dotted: true }, value: Number(dotted[2]) };
  const match =
    /^((?:Article|ARTICLE|Section|SECTION|Clause|Exhibit|EXHIBIT|Schedule|SCHEDULE|Annex|ANNEX|第|附件)?\s*[(（]?)([\p{L}\p{N}]+?)([)）条章节款]?)$/u.exec(
      number,
    );
  if (match === null) return null;
  const [, open, label, close] = match as unknown as [string, string, string, string];
  const counters: Style['counter'][] = romanList
    ? ['decimal', 'roman', 'upperRoman', 'lower', 'upper', 'chinese']
    : ['decimal', 'lower', 'upper', 'upperRoman', 'roman', 'chinese'];
  for (const counter of counters) {
    const value = Array.from({ length: 99 }, (_, at) => at + 1).find((at) => printCounter(counter, at) === label);
    if (value !== undefined) return { style: { open, counter, close, dotted: false }, value };
  }
  return null;
}

/** Top nodes of a document. Text outside every clause and furniture are left out. */
export function readOutline(document: Document): OutlineNode[] {
  const blocks = new Map(document.blocks.map((block) => [block.id, block]));
  const byId = new Map(document.clauses.map((clause) => [clause.id, clause]));
  const make = (clause: Clause, romanList: boolean): OutlineNode => {
    const styled = clause.number === '' ? null : styleOf(clause.number, romanList);
    const children = clause.children.map((id) => byId.get(id)!);
    const romans = /^[(（]?[iI][)）.]?$/.test(children[0]?.number ?? '') && /^[(（]?(?:ii|II)[)）.]?$/.test(children[1]?.number ?? 'ii');
    const paragraphs = clause.spans.flatMap((span, order): Paragraph[] => {
      const block = blocks.get(span.blockId)!;
      const text = block.text.slice(span.start, span.end);
      const from = order === 0 && styled !== null && text.startsWith(clause.number) ? clause.number.length + gapOf(text.slice(clause.number.length)).length : 0;
      if (block.kind === 'furniture' || block.kind === 'annotation' || block.kind === 'table') return [];
      return [{ kind: block.kind, cell: block.cell, pieces: piecesOf(document, byId, block, span.start + from, span.end) }];
    });
    const first = clause.spans[0];
    const lead = first === undefined ? '' : (blocks.get(first.blockId)?.text ?? '').slice(first.start);
    const gap = styled !== null && lead.startsWith(clause.number) ? gapOf(lead.slice(clause.number.length)) : ' ';
    return {
      id: clause.id,
      style: styled?.style ?? null,
      first: 1,
      gap: gap === '' ? ' ' : gap,
      heading: clause.heading,
      paragraphs,
      children: children.map((child) => make(child, romans)),
    };
  };
  return document.clauses.filter((clause) => clause.parentId === null).map((clause) => make(clause, /^(?:[Aa]rticle|ARTICLE) ?[IVX]+$/.test(clause.number)));
}

function gapOf(rest: string): string {
  return /^[\s.:)、．]*/.exec(rest)![0];
}

/** The text with every reference that can be counted anew cut out. */
function piecesOf(document: Document, byId: ReadonlyMap<string, Clause>, block: Block, from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const { span, text, targetId } of document.references) {
    if (span.blockId !== block.id || span.start < at || span.end > to || targetId === null) continue;
    const cited = citeOf(byId, targetId);
    const offset = cited === '' ? -1 : text.lastIndexOf(cited);
    if (offset === -1 || /[\p{L}\p{N}]/u.test(text[offset + cited.length] ?? '') || /[\p{L}\p{N}.]/u.test(text[offset - 1] ?? '')) continue;
    pieces.push(block.text.slice(at, span.start + offset), { to: targetId });
    at = span.start + offset + cited.length;
  }
  pieces.push(block.text.slice(at, to));
  return pieces;
}

function citeOf(byId: ReadonlyMap<string, Clause>, id: string): string {
  const clause = byId.get(id)!;
  if (clause.number === '') return '';
  const label = clause.number.replace(/^(?:Article|Section|Clause|Exhibit|Schedule|Annex)\s+/i, '');
  if (!/^[(（]/.test(label)) return label;
  return clause.parentId === null ? '' : citeOf(byId, clause.parentId) + label;
}

export function allNodes(nodes: readonly OutlineNode[]): OutlineNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}

export interface Written {
  readonly document: Document;
  /** Printed number of every node. */
  readonly numbers: ReadonlyMap<string, string>;
  /** How a reference names it: "5.3(a)". */
  readonly cites: ReadonlyMap<string, string>;
  /** The node's own text as written, without its number. */
  readonly texts: ReadonlyMap<string, string>;
}

const sameStyle = (x: Style | null, y: Style | null): boolean =>
  x !== null && y !== null && x.open === y.open && x.counter === y.counter && x.close === y.close && x.dotted === y.dotted;

/** Numbers by position: siblings of one style count on. */
function numberAll(nodes: readonly OutlineNode[], parent: string, parentCite: string, numbers: Map<string, string>, cites: Map<string, string>): void {
  nodes.forEach((node, at) => {
    const before = nodes.slice(0, at).filter((sibling) => sameStyle(sibling.style, node.style)).length;
    const first = nodes.find((sibling) => sameStyle(sibling.style, node.style))!;
    const { style } = node;
    const label = style === null ? '' : printCounter(style.counter, (first ?? node).first + before);
    const number = style === null ? '' : style.dotted ? `${parent === '' ? '1' : parent}.${label}` : style.open + label + style.close;
    const bare = number.replace(/^(?:Article|Section|Clause|Exhibit|Schedule|Annex)\s+/i, '');
    const cite = /^[(（]/.test(bare) ? parentCite + bare : bare;
    numbers.set(node.id, number);
    cites.set(node.id, cite);
    numberAll(node.children, style === null ? parent : bare, cite, numbers, cites);
  });
}

interface Writing {
  readonly id: string;
  readonly terms: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, string>;
  readonly cites: ReadonlyMap<string, string>;
  readonly texts: Map<string, string>;
  readonly blocks: Block[];
  readonly clauses: Clause[];
  readonly definitions: Definition[];
  readonly references: Reference[];
}

/** Writes the nodes as a Document like `model` under another id; `terms` are the names that count as defined where they stand in quotes. */
export function writeDocument(model: Document, nodes: readonly OutlineNode[], id: string, terms: readonly string[]): Written {
  const [numbers, cites] = [new Map<string, string>(), new Map<string, string>()];
  numberAll(nodes, '', '', numbers, cites);
  const writing: Writing = { id, terms: new Set(terms), numbers, cites, texts: new Map(), blocks: [], clauses: [], definitions: [], references: [] };
  for (const node of nodes) writeNode(writing, node, null, '', 0);
  const { blocks, clauses, definitions, references, texts } = writing;
  return { document: { ...model, id, name: `${id}.docx`, kind: 'docx', blocks, clauses, definitions, references }, numbers, cites, texts };
}

function writeNode(writing: Writing, node: OutlineNode, parentId: string | null, parentPath: string, depth: number): void {
  const { id, numbers, texts, clauses } = writing;
  const number = numbers.get(node.id)!;
  const spans = node.paragraphs.map((paragraph, order) => {
    const lead = order === 0 && number !== '' ? number + node.gap : '';
    const block = writeBlock(writing, node, paragraph, lead, lead === '' ? null : number);
    texts.set(node.id, `${texts.has(node.id) ? `${texts.get(node.id)!}\n` : ''}${block.text.slice(lead.length)}`);
    return { documentId: id, blockId: block.id, start: 0, end: block.text.length };
  });
  const path = number === '' ? parentPath : /^[(（]/.test(number) ? parentPath + number : number;
  const children = node.children.map((child) => child.id);
  clauses.push({ id: node.id, parentId, path, number, heading: node.heading, depth, spans, children, type: null });
  for (const child of node.children) writeNode(writing, child, node.id, path, depth + 1);
}

function writeBlock(writing: Writing, node: OutlineNode, paragraph: Paragraph, lead: string, number: string | null): Block {
  const blockId = `b${writing.blocks.length}`;
  const span = (start: number, end: number) => ({ documentId: writing.id, blockId, start, end });
  let text = lead;
  for (const piece of paragraph.pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      const cited = writing.cites.get(piece.to) ?? '?';
      const start = text.length - (/(?:[\p{L}]+\s*)?$/u.exec(text)?.[0].length ?? 0);
      text += cited;
      writing.references.push({ text: text.slice(start), span: span(start, text.length), targetId: piece.to });
    }
  }
  for (const match of text.matchAll(/["“]([^"“”]{2,60})["”]/g)) {
    const term = match[1]!;
    if (writing.terms.has(term)) writing.definitions.push({ term, span: span(match.index + 1, match.index + 1 + term.length), clauseId: node.id });
  }
  const block = plainBlock({
    id: blockId,
    kind: paragraph.kind,
    text,
    number,
    font: { size: 11, bold: paragraph.kind === 'heading', italic: false },
    cell: paragraph.cell,
  });
  writing.blocks.push(block);
  return block;
}
