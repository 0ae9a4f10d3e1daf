// Edits with known truth on a real contract: clauses inserted, deleted, changed, moved, moved and changed, renumbered, split, merged, and a term
// renamed throughout, several in one document, with the numbers and cross-references following.
//
// Owns: choosing and making the edits. What the words of an edit are is rewording.test-support.ts, what a reader would call each truth.test-support.ts.
import type { Document } from '../contract/document.ts';
import { allNodes, readOutline, writeDocument, type OutlineNode, type Style } from './outline.test-support.ts';
import { pick, plainText, randomFrom, reword, wordsChanged, wordsOf } from './rewording.test-support.ts';
import { followers, settle, type Truth } from './truth.test-support.ts';

export interface EditedPair {
  readonly before: Document;
  readonly after: Document;
  readonly truths: readonly Truth[];
  /** Clauses in which a reference follows a new number, whatever else was edited there. */
  readonly following: ReadonlySet<string>;
}

interface Job {
  readonly random: () => number;
  readonly nodes: OutlineNode[];
  readonly touched: Set<string>;
  readonly donors: readonly string[];
  readonly truths: Truth[];
  count: number;
}

interface Place {
  readonly siblings: OutlineNode[];
  readonly at: number;
  readonly parent: OutlineNode | null;
}

/** Fewer words make no clause of their own that a reader would recognise elsewhere. */
const LEAST_WORDS = 14;

function findPlace(nodes: OutlineNode[], id: string, parent: OutlineNode | null = null): Place | null {
  const at = nodes.findIndex((node) => node.id === id);
  if (at !== -1) return { siblings: nodes, at, parent };
  for (const node of nodes) {
    const found = findPlace(node.children, id, node);
    if (found !== null) return found;
  }
  return null;
}

const weight = (node: OutlineNode): number => allNodes([node]).reduce((sum, each) => sum + wordsOf(plainText(each)).length, 0);
const ids = (node: OutlineNode): string[] => allNodes([node]).map(({ id }) => id);
const numbered = (node: OutlineNode): boolean => node.style !== null && node.paragraphs.length > 0 && node.paragraphs.every(({ cell }) => cell === null);
const targets = (node: OutlineNode): string[] =>
  node.paragraphs.flatMap(({ pieces }) => pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.to])));

function isCited(nodes: readonly OutlineNode[], node: OutlineNode): boolean {
  const own = new Set(ids(node));
  return allNodes(nodes).some((other) => !own.has(other.id) && targets(other).some((id) => own.has(id)));
}

function freeNodes(job: Job, accept: (node: OutlineNode) => boolean): OutlineNode[] {
  const blocked = (node: OutlineNode): boolean => ids(node).some((id) => job.touched.has(id));
  const inTouched = new Set(
    allNodes(job.nodes)
      .filter(({ id }) => job.touched.has(id))
      .flatMap((node) => ids(node)),
  );
  return allNodes(job.nodes).filter((node) => numbered(node) && !blocked(node) && !inTouched.has(node.id) && accept(node));
}

const isLeaf = (node: OutlineNode): boolean => node.children.length === 0 && wordsOf(plainText(node)).length >= LEAST_WORDS;

function fresh(job: Job, model: OutlineNode, text: string): OutlineNode {
  const heading = /^([A-Z][^.]{2,60})\.\s/.exec(text)?.[1] ?? '';
  return {
    id: `new${job.count++}`,
    style: model.style,
    first: model.first,
    gap: model.gap,
    heading,
    paragraphs: [{ kind: 'paragraph', cell: null, pieces: [text] }],
    children: [],
  };
}

function insert(job: Job): boolean {
  const beside = pick(job.random, freeNodes(job, isLeaf));
  const known = allNodes(job.nodes).map(plainText);
  // Ten donors are tried: boilerplate that the contract has already would not be new to it.
  const text = Array.from({ length: 10 }, () => pick(job.random, job.donors)).find((donor) => known.every((other) => wordsChanged(donor, other) > 0.6));
  if (beside === undefined || text === undefined) return false;
  const { siblings, at } = findPlace(job.nodes, beside.id)!;
  const node = fresh(job, beside, text);
  siblings.splice(job.random() < 0.5 ? at : at + 1, 0, node);
  job.touched.add(node.id);
  job.truths.push({ kind: 'inserted', before: [], after: [node.id] });
  return true;
}

function remove(job: Job): boolean {
  const total = job.nodes.reduce((sum, node) => sum + weight(node), 0);
  const node = pick(
    job.random,
    freeNodes(job, (each) => weight(each) >= LEAST_WORDS && weight(each) < total / 6 && !isCited(job.nodes, each)),
  );
  if (node === undefined) return false;
  const { siblings, at } = findPlace(job.nodes, node.id)!;
  if (siblings.length < 2) return false;
  siblings.splice(at, 1);
  job.truths.push({ kind: 'deleted', before: ids(node), after: [] });
  return true;
}

function change(job: Job): boolean {
  const node = pick(job.random, freeNodes(job, isLeaf));
  if (node === undefined || !reword(job.random, node, 0.01, 0.35)) return false;
  job.touched.add(node.id);
  job.truths.push({ kind: 'changed', before: [node.id], after: [node.id] });
  return true;
}

/** Words that stand between two places of the document: what a moved clause jumps over. */
function wordsBetween(nodes: readonly OutlineNode[], moved: OutlineNode, before: ReadonlyMap<string, number>): number {
  const order = allNodes(nodes);
  const own = new Set(ids(moved));
  const here = order.findIndex((node) => node.id === moved.id);
  const was = before.get(moved.id)!;
  return order.reduce((sum, node, at) => {
    const old = before.get(node.id);
    return old === undefined || own.has(node.id) || old < was === at < here ? sum : sum + wordsOf(plainText(node)).length;
  }, 0);
}

function move(job: Job, edited: boolean): boolean {
  const total = job.nodes.reduce((sum, node) => sum + weight(node), 0);
  const movable = freeNodes(job, (each) => weight(each) >= LEAST_WORDS && weight(each) < total / 8 && (!edited || isLeaf(each)));
  const node = pick(job.random, movable);
  if (node === undefined) return false;
  const own = new Set(ids(node));
  const order = new Map(allNodes(job.nodes).map((each, at) => [each.id, at]));
  const from = findPlace(job.nodes, node.id)!;
  if (from.siblings.length < 2) return false;
  const beside = pick(
    job.random,
    freeNodes(job, (each) => !own.has(each.id) && (each.style!.dotted === node.style!.dotted || each.children.length > 0 === node.children.length > 0)),
  );
  if (beside === undefined) return false;
  from.siblings.splice(from.at, 1);
  const to = findPlace(job.nodes, beside.id)!;
  to.siblings.splice(to.at + 1, 0, node);
  // Who jumps over less text than he carries has moved the other text: a reader may say either, so such a move is no truth.
  if (wordsBetween(job.nodes, node, order) < 2 * weight(node)) {
    to.siblings.splice(to.siblings.indexOf(node), 1);
    from.siblings.splice(from.at, 0, node);
    return false;
  }
  node.style = beside.style;
  node.gap = beside.gap;
  if (edited && !reword(job.random, node, 0.05, 0.25)) return false;
  for (const id of own) job.touched.add(id);
  job.truths.push({ kind: edited ? 'movedChanged' : 'moved', before: [node.id], after: [node.id] });
  return true;
}

/** The list gets other marks: (a), (b) become (i), (ii), or counting begins elsewhere. */
function restyle(job: Job): boolean {
  const parents = allNodes(job.nodes).filter(
    ({ children }) => children.length >= 2 && children.every((child) => numbered(child) && !child.style!.dotted && isLeaf(child) && !job.touched.has(child.id)),
  );
  const parent = pick(job.random, parents);
  if (parent === undefined) return false;
  const { counter } = parent.children[0]!.style!;
  const other: Style['counter'] = counter === 'lower' ? 'roman' : counter === 'roman' ? 'lower' : counter === 'decimal' ? 'lower' : 'decimal';
  for (const child of parent.children) child.style = { ...child.style!, counter: other };
  return true;
}

const SENTENCE_END = /(?<=[a-z)”"][.;])\s+(?=[A-Z])/g;

function split(job: Job): boolean {
  const node = pick(
    job.random,
    freeNodes(job, (each) => isLeaf(each) && each.paragraphs.length === 1 && each.paragraphs[0]!.pieces.length === 1),
  );
  if (node === undefined) return false;
  const [text] = node.paragraphs[0]!.pieces as [string];
  const cuts = [...text.matchAll(SENTENCE_END)]
    .map(({ index }) => index)
    .filter((at) => wordsOf(text.slice(0, at)).length >= LEAST_WORDS && wordsOf(text.slice(at)).length >= LEAST_WORDS);
  const at = pick(job.random, cuts);
  if (at === undefined) return false;
  node.paragraphs[0]!.pieces = [text.slice(0, at)];
  const second = fresh(job, node, text.slice(at).trim());
  second.heading = '';
  const { siblings, at: place } = findPlace(job.nodes, node.id)!;
  siblings.splice(place + 1, 0, second);
  job.touched.add(node.id).add(second.id);
  job.truths.push({ kind: 'split', before: [node.id], after: [second.id] });
  return true;
}

function merge(job: Job): boolean {
  const leaf = (node: OutlineNode | undefined): node is OutlineNode =>
    node !== undefined && isLeaf(node) && numbered(node) && !job.touched.has(node.id) && node.paragraphs.length === 1;
  const first = pick(
    job.random,
    freeNodes(job, (node) => {
      const { siblings, at } = findPlace(job.nodes, node.id)!;
      return leaf(node) && leaf(siblings[at + 1]) && /[.;]\s*$/.test(plainText(node));
    }),
  );
  if (first === undefined) return false;
  const { siblings, at } = findPlace(job.nodes, first.id)!;
  const second = siblings[at + 1]!;
  first.paragraphs[0]!.pieces.push(' ', ...second.paragraphs[0]!.pieces);
  siblings.splice(at + 1, 1);
  for (const node of allNodes(job.nodes))
    for (const paragraph of node.paragraphs)
      paragraph.pieces = paragraph.pieces.map((piece) => (typeof piece === 'object' && piece.to === second.id ? { to: first.id } : piece));
  job.touched.add(first.id).add(second.id);
  job.truths.push({ kind: 'merged', before: [second.id], after: [first.id] });
  return true;
}

const NEW_TERMS = ['Counterparty', 'Undertaking', 'Principal', 'Covered Item', 'Instrument', 'Deliverable Set', 'Operator', 'Grantor'];

/** A defined term that stands in four clauses or more gets another name everywhere. Gives the clauses it touched. */
function rename(job: Job, document: Document): Set<string> | null {
  const texts = allNodes(job.nodes).map((node) => ({ node, text: plainText(node) }));
  const pattern = (term: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])${term}(?=s?(?:['’]s)?(?![\\p{L}\\p{N}]))`, 'gu');
  const terms = [...new Set(document.definitions.map(({ term }) => term))].filter(
    (term) => /^[A-Z][a-z]+(?: [A-Z][a-z]+)?$/.test(term) && texts.filter(({ text }) => pattern(term).test(text)).length >= 4,
  );
  const term = pick(job.random, terms);
  const name = pick(
    job.random,
    NEW_TERMS.filter((word) => texts.every(({ text }) => !text.includes(word))),
  );
  if (term === undefined || name === undefined) return null;
  const used = new Set<string>();
  for (const { node } of texts) {
    for (const paragraph of node.paragraphs) {
      paragraph.pieces = paragraph.pieces.map((piece) => {
        if (typeof piece !== 'string') return piece;
        const renamed = piece.replace(pattern(term), name);
        if (renamed !== piece) used.add(node.id);
        return renamed;
      });
    }
    node.heading = node.heading.replace(pattern(term), name);
  }
  job.truths.push({ kind: 'rename', before: [...used], after: [...used] });
  return used;
}

/** One document edited several times; null if it has too few numbered clauses to be edited so. */
export function editDocument(document: Document, donors: readonly string[], seed: number): EditedPair | null {
  const random = randomFrom(seed);
  const original = readOutline(document);
  const terms = document.definitions.map(({ term }) => term);
  const before = writeDocument(document, original, `before-${seed}`, terms);
  const job: Job = { random, nodes: structuredClone(original), touched: new Set(), donors, truths: [], count: 0 };
  const leaves = allNodes(job.nodes).filter((node) => numbered(node) && isLeaf(node)).length;
  if (leaves < 10) return null;
  const edits = [insert, remove, change, (each: Job) => move(each, false), (each: Job) => move(each, true), split, merge, change];
  const wanted = Math.min(9, Math.max(3, Math.floor(leaves / 4)));
  const start = Math.floor(random() * edits.length);
  for (let done = 0, turn = 0; done < wanted && turn < 60; turn++) if (edits[(start + turn) % edits.length]!(job)) done++;
  if (random() < 0.3) restyle(job);
  const renamed = random() < 0.35 ? rename(job, before.document) : null;
  const after = writeDocument(document, job.nodes, `after-${seed}`, [...terms, ...NEW_TERMS]);
  const following = new Set(
    allNodes(job.nodes)
      .filter((node) => targets(node).some((id) => before.cites.get(id) !== after.cites.get(id)))
      .map(({ id }) => id),
  );
  return {
    before: before.document,
    after: after.document,
    truths: [...settle(job.truths, before, after), ...followers(before, after, job.truths, renamed)],
    following,
  };
}
