// Tables: cell by cell where a row has its partner with as many cells, else row by row.
//
// Owns: rows and cells through content controls, the marks of rows (w:trPr/w:ins, w:trPr/w:del: 17.13.5.16 and .17).
// Limit: columns that came or went are told as rows replaced; merged cells are compared as they are stored.
import { adoptProperties } from './adopt.ts';
import { alignUnits, type Unit } from './align.ts';
import { copyOf, insertBlocks, redlineContainer, removeBlocks, unitsIn, type Redline } from './blocks.ts';
import type { Side } from './leaves.ts';
import { childOf, element, elements, type XmlElement } from './xml.ts';

export function rowsOf(table: XmlElement): XmlElement[] {
  return elements(table).flatMap((node) => (node.name === 'w:tr' ? [node] : /^w:(?:sdt|sdtContent|customXml)$/.test(node.name) ? rowsOf(node) : []));
}

export function cellsOf(row: XmlElement): XmlElement[] {
  return elements(row).flatMap((node) => (node.name === 'w:tc' ? [node] : /^w:(?:sdt|sdtContent|customXml)$/.test(node.name) ? cellsOf(node) : []));
}

interface RowUnit extends Unit {
  readonly node: XmlElement;
}

function rowUnit(node: XmlElement, side: Side): RowUnit {
  const cells = cellsOf(node).map((cell) => unitsIn(cell, side));
  const words = new Map<number, number>();
  for (const unit of cells.flat()) for (const [word, count] of unit.words) words.set(word, (words.get(word) ?? 0) + count);
  const size = cells.flat().reduce((sum, unit) => sum + unit.size, 0);
  return { kind: `row of ${cells.length}`, key: cells.map((cell) => cell.map((unit) => unit.key).join('¶')).join('|'), words, size, node };
}

export function redlineTable(before: XmlElement, after: XmlElement, redline: Redline): void {
  const [olds, news] = [rowsOf(before), rowsOf(after)];
  const sameShape = olds.length === news.length && olds.every((row, index) => cellsOf(row).length === cellsOf(news[index]!).length);
  if (sameShape) return olds.forEach((row, index) => redlineRow(row, news[index]!, redline));
  const entries = alignUnits(
    olds.map((row) => rowUnit(row, redline.before)),
    news.map((row) => rowUnit(row, redline.after)),
  );
  let last: XmlElement | null = null;
  for (const entry of entries) {
    if (entry.before && entry.after) redlineRow(entry.before.node, entry.after.node, redline);
    else if (entry.before) removeRow(entry.before.node, redline);
    const row = entry.before?.node ?? insertRow(entry.after!.node, redline);
    if (!entry.before) putAfter(before, last, row);
    last = row;
  }
}

/** New rows stand after the last row, in whatever wraps it; in front before the first. */
function putAfter(table: XmlElement, last: XmlElement | null, row: XmlElement): void {
  const parent = last ? parentIn(table, last) : table;
  const first = parent.children.findIndex((node) => typeof node !== 'string' && !/^w:tbl(?:Pr|Grid)$/.test(node.name));
  parent.children.splice(last ? parent.children.indexOf(last) + 1 : first < 0 ? parent.children.length : first, 0, row);
}

function parentIn(node: XmlElement, row: XmlElement): XmlElement {
  if (node.children.includes(row)) return node;
  const inner = elements(node).find((entry) => /^w:(?:sdt|sdtContent|customXml)$/.test(entry.name) && rowsOf(entry).includes(row));
  return inner ? parentIn(inner, row) : node;
}

function redlineRow(before: XmlElement, after: XmlElement, redline: Redline): void {
  const news = cellsOf(after);
  cellsOf(before).forEach((cell, index) => redlineContainer(cell, news[index]!, redline));
}

function removeRow(row: XmlElement, redline: Redline): void {
  redline.revisions.markRow(row, 'w:del');
  for (const cell of cellsOf(row)) removeBlocks(cell, redline);
}

export function removeTable(table: XmlElement, redline: Redline): void {
  for (const row of rowsOf(table)) removeRow(row, redline);
}

function insertRow(row: XmlElement, redline: Redline): XmlElement {
  const cells = cellsOf(row).map((cell) => {
    const properties = adoptProperties(childOf(cell, 'w:tcPr'), redline.carrier);
    return element('w:tc', {}, [...(properties ? [properties] : []), ...insertBlocks(cell, redline)]);
  });
  const properties = adoptProperties(childOf(row, 'w:trPr'), redline.carrier);
  const copy = element('w:tr', {}, [...copyOf(childOf(row, 'w:tblPrEx')), ...(properties ? [properties] : []), ...cells]);
  redline.revisions.markRow(copy, 'w:ins');
  return copy;
}

export function insertTable(table: XmlElement, redline: Redline): XmlElement {
  const properties = adoptProperties(childOf(table, 'w:tblPr'), redline.carrier) ?? element('w:tblPr');
  return element('w:tbl', {}, [properties, ...copyOf(childOf(table, 'w:tblGrid')), ...rowsOf(table).map((row) => insertRow(row, redline))]);
}
