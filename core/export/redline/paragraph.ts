// One paragraph with its edits marked: deleted leaves in w:del, inserted runs in w:ins, everything else as it was.
//
// Owns: the word diff of a pair as ranges of characters, runs cut at those ranges (their properties kept), fields that go as a whole,
// the place of an insertion (outside of links and fields where it may be).
// Rule: runs without an edit stay the same nodes.
import { wordHunks } from '../../compare/wordDiff.ts';
import type { Leaf, Paragraph } from './leaves.ts';
import type { MarkKind, Revisions } from './revisions.ts';
import { childOf, clone, element, elements, replaceChild, type XmlElement } from './xml.ts';

/** before[a0, a1) becomes after[b0, b1), in characters. */
export interface Edit {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

export function editsOf(before: Paragraph, after: Paragraph): Edit[] {
  const at = ({ tokens, text }: Paragraph, index: number): number => tokens[index]?.start ?? text.length;
  return wordHunks(before.tokens, after.tokens).map(({ a0, a1, b0, b1 }) => ({
    a0: at(before, a0),
    a1: at(before, a1),
    b0: at(after, b0),
    b1: at(after, b1),
  }));
}

/** Runs to put in at a character of the older text. */
export interface Insertion {
  readonly at: number;
  readonly nodes: readonly XmlElement[];
}

interface Item {
  readonly state: 'kept' | 'deleted' | 'inserted';
  readonly node: XmlElement;
}

/** Marks the edits in the paragraph's own nodes. */
export function markEdits(paragraph: Paragraph, edits: readonly Edit[], insertions: readonly Insertion[], revisions: Revisions): void {
  const { leaves, node } = paragraph;
  const doomed = deletedLeaves(leaves, edits);
  const placed = new Map<number, Insertion[]>();
  for (const insertion of insertions) {
    const index = placeOf(leaves, insertion.at);
    placed.set(index, [...(placed.get(index) ?? []), insertion]);
  }
  const items = leaves.map((leaf, index) => itemsOf(leaf, doomed.has(leaf), edits, placed.get(index) ?? []));
  const freed = new Set<XmlElement>();
  for (let from = 0; from < leaves.length;) {
    const leaf = leaves[from]!;
    let to = from + 1;
    while (leaf.run !== null && leaves[to]?.run === leaf.run) to++;
    rebuild(leaf, items.slice(from, to).flat(), revisions, freed);
    from = to;
  }
  const links = new Map(leaves.flatMap(({ link, linkParent }) => (link && linkParent ? [[link, linkParent] as const] : [])));
  for (const [link, parent] of links) if (elements(link).some((entry) => freed.has(entry))) partLink(link, parent, freed);
  const front = (placed.get(-1) ?? []).flatMap((insertion) => revisions.insertion(insertion.nodes));
  const properties = childOf(node, 'w:pPr');
  node.children.splice(properties ? node.children.indexOf(properties) + 1 : 0, 0, ...front);
}

function deletedLeaves(leaves: readonly Leaf[], edits: readonly Edit[]): Set<Leaf> {
  const covered = (leaf: Leaf): boolean => leaf.end > leaf.start && edits.some(({ a0, a1 }) => a0 <= leaf.start && leaf.end <= a1);
  const doomed = new Set(leaves.filter(covered));
  // A field that shows nothing any more would compute its result again: it goes with its instruction.
  const open: number[] = [];
  leaves.forEach((leaf, index) => {
    const type = leaf.node.name === 'w:fldChar' ? leaf.node.attributes['w:fldCharType'] : undefined;
    if (type === 'begin') open.push(index);
    const begin = type === 'end' ? open.pop() : undefined;
    if (begin === undefined) return;
    const inner = leaves.slice(begin, index + 1);
    const shown = inner.filter((entry) => entry.end > entry.start);
    if (shown.length > 0 && shown.every((entry) => doomed.has(entry))) for (const entry of inner) doomed.add(entry);
  });
  return doomed;
}

/** Index of the leaf in or after which an insertion stands; -1 for the front. */
function placeOf(leaves: readonly Leaf[], at: number): number {
  const inside = leaves.findIndex((leaf) => leaf.start < at && at < leaf.end);
  if (inside >= 0) return inside;
  let best = at === 0 ? -1 : leaves.findIndex((leaf) => leaf.end === at && leaf.end > leaf.start);
  if (best < 0) return best;
  for (let index = best; index < leaves.length && leaves[index]!.end === at; index++) if (leaves[index]!.depth < leaves[best]!.depth) best = index;
  return best;
}

/** A leaf cut where edits begin and end. */
function itemsOf(leaf: Leaf, doomed: boolean, edits: readonly Edit[], insertions: readonly Insertion[]): Item[] {
  const inserted = (at: number): Item[] =>
    insertions.filter((insertion) => insertion.at === at).flatMap((insertion) => insertion.nodes.map((node) => ({ state: 'inserted', node })));
  if (leaf.kind !== 'text' || leaf.end - leaf.start <= 1 || doomed) return [{ state: doomed ? 'deleted' : 'kept', node: leaf.node }, ...inserted(leaf.end)];
  const within = (offset: number): boolean => offset > leaf.start && offset < leaf.end;
  const cuts = new Set([leaf.start, leaf.end, ...edits.flatMap(({ a0, a1 }) => [a0, a1]).filter(within), ...insertions.map(({ at }) => at).filter(within)]);
  const points = [...cuts].sort((a, b) => a - b);
  return points.slice(1).flatMap((end, index): Item[] => {
    const start = points[index]!;
    const whole = start === leaf.start && end === leaf.end;
    const node = whole ? leaf.node : textNode(leaf.text.slice(start - leaf.start, end - leaf.start));
    const gone = edits.some(({ a0, a1 }) => a0 <= start && end <= a1);
    return [{ state: gone ? 'deleted' : 'kept', node }, ...inserted(end)];
  });
}

const sameLink = (node: XmlElement, link: XmlElement): boolean =>
  node.name === 'w:hyperlink' && ['r:id', 'w:anchor'].every((name) => node.attributes[name] === link.attributes[name]);

/** Parts a link where new text stands in it that leads elsewhere or nowhere. */
function partLink(link: XmlElement, parent: XmlElement, freed: ReadonlySet<XmlElement>): void {
  const parts: XmlElement[] = [];
  for (const entry of link.children) {
    if (typeof entry !== 'string' && freed.has(entry)) parts.push(entry);
    else if (parts.at(-1)?.name === link.name && !freed.has(parts.at(-1)!)) parts.at(-1)!.children.push(entry);
    else parts.push(element(link.name, { ...link.attributes }, [entry]));
  }
  replaceChild(parent, link, parts);
}

/** Puts runs of one state each in the place of a run that has edits; new text that is no part of the link around it goes to `freed`. */
function rebuild(leaf: Leaf, items: readonly Item[], revisions: Revisions, freed: Set<XmlElement>): void {
  if (items.every((item) => item.state === 'kept')) return;
  const out: XmlElement[] = [];
  for (let from = 0; from < items.length;) {
    const { state } = items[from]!;
    let to = from + 1;
    while (items[to]?.state === state) to++;
    const nodes = items.slice(from, to).map((item) => item.node);
    if (state === 'inserted')
      for (const node of nodes) {
        const own = leaf.link !== null && sameLink(node, leaf.link);
        const marks = revisions.insertion(own ? elements(node) : [node]);
        out.push(...marks);
        if (leaf.link !== null && !own) for (const mark of marks) freed.add(mark);
      }
    else {
      const own = leaf.run === null ? nodes : [runLike(leaf.run, nodes)];
      out.push(...(state === 'deleted' ? [revisions.deletion(own)] : own));
    }
    from = to;
  }
  replaceChild(leaf.parent, leaf.run ?? leaf.node, out);
}

function runLike(run: XmlElement, nodes: readonly XmlElement[]): XmlElement {
  const properties = childOf(run, 'w:rPr');
  return element('w:r', { ...run.attributes }, [...(properties ? [clone(properties)] : []), ...nodes]);
}

const textNode = (text: string): XmlElement => element('w:t', { 'xml:space': 'preserve' }, [text]);

/** Runs that show `text`: tabs and breaks are elements of their own. */
export function runsOf(text: string, properties: XmlElement | undefined): XmlElement[] {
  const nodes = text
    .split(/([\t\n\u00ad\u2011])/)
    .filter((part) => part !== '')
    .map((part) => (SPECIAL[part] === undefined ? textNode(part) : element(SPECIAL[part])));
  return nodes.length === 0 ? [] : [element('w:r', {}, [...(properties ? [clone(properties)] : []), ...nodes])];
}

const SPECIAL: Readonly<Record<string, string>> = { '\t': 'w:tab', '\n': 'w:br', '\u00ad': 'w:softHyphen', '\u2011': 'w:noBreakHyphen' };

/** The whole paragraph as deleted or moved away; its mark too unless it has to stay. */
export function removeParagraph(paragraph: Paragraph, kind: 'w:del' | 'w:moveFrom', withMark: boolean, revisions: Revisions): void {
  const seen = new Set<XmlElement>();
  for (const { run, node, parent } of paragraph.leaves) {
    const whole = run ?? node;
    if (seen.has(whole)) continue;
    seen.add(whole);
    replaceChild(parent, whole, [kind === 'w:del' ? revisions.deletion([whole]) : revisions.mark(kind, [whole])]);
  }
  if (withMark) revisions.markParagraph(paragraph.node, kind);
}

/** A new paragraph of runs that are marked already. */
export function newParagraph(properties: XmlElement | undefined, content: readonly XmlElement[], mark: MarkKind | null, revisions: Revisions): XmlElement {
  const paragraph = element('w:p', {}, [...(properties ? [properties] : []), ...content]);
  if (mark !== null) revisions.markParagraph(paragraph, mark);
  return paragraph;
}
