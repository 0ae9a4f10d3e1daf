// Tracked changes that stand in properties: of paragraph marks, of formats, of rows and cells; and the text of what a view leaves out.
import type { View } from '../../contract/document.ts';
import { addChange, beginChange, changeKind, stands, type ParagraphContent } from './content.ts';
import { child, type XmlNode } from './xml.ts';

/** Insertions, deletions and moves of a paragraph's mark. */
export function markChanges(properties: XmlNode | undefined): XmlNode[] {
  return child(properties, 'w:rPr')?.children.filter((entry) => /^w:(?:ins|del|moveFrom|moveTo)$/.test(entry.name)) ?? [];
}

/** Whether the paragraph's mark is there in the view; without it the text runs on into the next paragraph. */
export function markStands(properties: XmlNode | undefined, view: View): boolean {
  return markChanges(properties).every((entry) => changeStands(entry, view));
}

/** Properties of a paragraph (`w:pPr`) or a cell (`w:tcPr`) in the view: a tracked change of them keeps the earlier ones. */
export function propertiesOf(node: XmlNode, name: string, view: View): XmlNode | undefined {
  const properties = child(node, name);
  const earlier = view === 'original' ? child(child(properties, `${name}Change`), name) : undefined;
  return earlier ?? properties;
}

export function changeStands(change: XmlNode, view: View): boolean {
  return stands(view, changeKind(change.name) ?? 'format');
}

/** Adds the changes of a paragraph's mark (as a line feed at its end) and of its format (over all of it). */
export function readMarkChanges(properties: XmlNode | undefined, content: ParagraphContent): void {
  if (!properties) return;
  const numbers = child(properties, 'w:numPr');
  const formats = [...properties.children, ...(child(properties, 'w:rPr')?.children ?? []), ...(numbers?.children ?? [])];
  for (const node of [...formats, ...(child(properties, 'w:sectPr')?.children ?? [])]) {
    const isFormat = changeKind(node.name) === 'format' || (node.name === 'w:ins' && numbers?.children.includes(node) === true);
    if (isFormat) addChange(content, { ...beginChange(node, 'format', content), text: content.text, start: 0, since: -1 });
  }
  for (const node of markChanges(properties)) {
    const change = beginChange(node, changeKind(node.name) ?? 'format', content);
    change.text = '\n';
    addChange(content, change);
  }
}

/** Whether the paragraph is nothing but a section break: Word gives such a one no number, whatever its style. */
export function isBareBreak(node: XmlNode, properties: XmlNode | undefined): boolean {
  return child(properties, 'w:sectPr') !== undefined && !node.children.some(holdsContent);
}

function holdsContent(node: XmlNode): boolean {
  if (node.name === 'w:pPr' || node.name === 'w:rPr') return false;
  if (/^(?:w:t|w:delText|m:t)$/.test(node.name)) return node.text !== '';
  return /^w:(?:tab|ptab|br|cr|sym|drawing|pict|object|fldChar|fldSimple|(?:foot|end)noteReference)$/.test(node.name) || node.children.some(holdsContent);
}

/** Changes of a table's own properties: of its grid, its rows' and its cells' formats. */
export function formatChanges(node: XmlNode): XmlNode[] {
  const properties = node.children.filter((entry) => /^w:(?:tblPr|trPr|tcPr|tblPrEx|tblGrid)$/.test(entry.name));
  return properties.flatMap((entry) => entry.children.filter((inner) => changeKind(inner.name) === 'format'));
}

/** All text below a node, deleted text included, paragraphs on lines of their own. */
export function plainText(node: XmlNode): string {
  if (node.name === 'w:t' || node.name === 'w:delText' || node.name === 'm:t') return node.text;
  const text = node.children.map(plainText).join('');
  return node.name === 'w:p' ? `${text}\n` : text;
}
