// The accepted view of a part: tracked changes that the file already has are taken as they stand at the end (ISO/IEC 29500-1, 17.13.5).
//
// Owns: insertions and move targets unwrapped, deletions and move sources removed, deleted rows and cells removed, former properties forgotten,
// paragraphs whose mark was deleted joined to the next.
import { childOf, elements, type XmlElement } from './xml.ts';

const GONE = new Set(['w:del', 'w:moveFrom', 'w:cellIns', 'w:cellMerge', 'w:numberingChange']);
const CHANGES = /^w:(?:ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge|\w+PrChange|numberingChange)$/;
const OPENED = new Set(['w:ins', 'w:moveTo']);
const FORMER = /^w:(?:\w+PrChange|tblPrExChange|tblGridChange|move(?:From|To)Range(?:Start|End)|customXml(?:Ins|Del|MoveFrom|MoveTo)Range(?:Start|End))$/;

/** Accepts all changes below a node; how many there were (a change of formatting counts, the mark of a range does not). */
export function acceptChanges(node: XmlElement): number {
  return accept(node).count;
}

interface Accepted {
  readonly count: number;
  /** Paragraphs whose mark was deleted and that found no next one here. */
  readonly open: readonly XmlElement[];
}

function accept(node: XmlElement): Accepted {
  let count = 0;
  const joins = new Set<XmlElement>();
  node.children = node.children.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    if (CHANGES.test(entry.name)) count++;
    if (GONE.has(entry.name) || FORMER.test(entry.name)) return [];
    if (entry.name === 'w:tr' && childOf(childOf(entry, 'w:trPr'), 'w:del')) return [];
    if (entry.name === 'w:tc' && childOf(childOf(entry, 'w:tcPr'), 'w:cellDel')) return [];
    // The mark has to be read before its own w:del goes.
    if (entry.name === 'w:p' && markGoes(entry)) joins.add(entry);
    const inner = accept(entry);
    count += inner.count;
    if (!OPENED.has(entry.name)) return [entry];
    for (const paragraph of inner.open) joins.add(paragraph);
    return entry.children;
  });
  return { count, open: joinParagraphs(node, joins) };
}

function markGoes(paragraph: XmlElement): boolean {
  const mark = childOf(childOf(paragraph, 'w:pPr'), 'w:rPr');
  return (childOf(mark, 'w:del') ?? childOf(mark, 'w:moveFrom')) !== undefined;
}

/** Joins these paragraphs of a parent to the next; those that stay. */
function joinParagraphs(parent: XmlElement, joins: ReadonlySet<XmlElement>): XmlElement[] {
  const open: XmlElement[] = [];
  for (const paragraph of elements(parent)) {
    if (!joins.has(paragraph)) continue;
    const after = elements(parent);
    const next = after.slice(after.indexOf(paragraph) + 1).find((entry) => entry.name === 'w:p' || entry.name === 'w:tbl' || entry.name === 'w:sdt');
    const content = paragraph.children.filter((entry) => typeof entry === 'string' || entry.name !== 'w:pPr');
    if (next?.name === 'w:p') {
      const properties = childOf(next, 'w:pPr');
      next.children.splice(properties ? next.children.indexOf(properties) + 1 : 0, 0, ...content);
    } else if ((next === undefined && parent.name !== 'w:sdtContent') || content.some((entry) => typeof entry !== 'string' && entry.name === 'w:r')) {
      open.push(paragraph);
      continue;
    }
    parent.children.splice(parent.children.indexOf(paragraph), 1);
  }
  return open;
}
