// Content of the newer document as it may stand in the older one: runs, properties, objects, each with what it needs through the carrier.
//
// Owns: the runs of a stretch of the newer text with their links, properties in the older package's styles and lists, copies of objects.
// Limit: fields come as the text that they show; comments and bookmarks of the newer file stay there.
import type { Carrier } from './carry.ts';
import { propertiesAt, type Leaf, type Paragraph } from './leaves.ts';
import { runsOf } from './paragraph.ts';
import { childOf, clone, element, elements, visit, type XmlElement } from './xml.ts';

const STYLES = new Set(['w:pStyle', 'w:rStyle', 'w:tblStyle']);
const DROPPED = /^w:(?:sectPr|\w+PrChange|tblGridChange|ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge|divId|cnfStyle)$/;
/** What runs or loads something when it is opened. */
const OUTSIDE = /^w:(?:control|subDoc|altChunk)$/;
/** Marks of the newer file's own ranges: a second one with the same id would break them. */
const RANGES = /^w:(?:bookmark|perm|commentRange)(?:Start|End)$|^w:(?:proofErr|commentReference)$/;
const SESSION = /^(?:w:rsid\w*|w14:paraId|w14:textId|wp14:anchorId|wp14:editId)$/;
const NOTE = /^w:(?:foot|end)noteReference$/;
const RELATIONSHIPS = /\/officeDocument\/(?:2006\/)?relationships$/;

/** Properties in terms of the older package; undefined where there are none. */
export function adoptProperties(properties: XmlElement | undefined, carrier: Carrier): XmlElement | undefined {
  if (!properties) return undefined;
  const copy = element(properties.name, {}, []);
  for (const entry of elements(properties)) {
    if (DROPPED.test(entry.name)) continue;
    if (entry.name === 'w:rPr') copy.children.push(adoptProperties(entry, carrier) ?? element('w:rPr'));
    else if (STYLES.has(entry.name)) {
      const style = carrier.style(entry.attributes['w:val'] ?? '');
      if (style !== null) copy.children.push(element(entry.name, { 'w:val': style }));
    } else if (entry.name === 'w:numPr') {
      const list = childOf(entry, 'w:numId');
      const carried = list ? carrier.list(list.attributes['w:val'] ?? '0') : null;
      if (list && carried === null) continue;
      copy.children.push(
        element(
          entry.name,
          {},
          elements(entry).flatMap((inner) => (inner === list ? [element('w:numId', { 'w:val': carried! })] : inner.name === 'w:ilvl' ? [clone(inner)] : [])),
        ),
      );
    } else copy.children.push(clone(entry));
  }
  return copy;
}

/** A copy that stands in the older package, or null if it needs what can not be carried. */
function adoptObject(node: XmlElement, carrier: Carrier): XmlElement | null {
  const copy = clone(node);
  const prefixes = new Set<string>();
  const prefixOf = (name: string): void => void (name.includes(':') && prefixes.add(name.slice(0, name.indexOf(':'))));
  let whole = true;
  visit(copy, (entry) => {
    if (OUTSIDE.test(entry.name)) whole = false;
    if (!whole) return;
    entry.children = entry.children.filter((inner) => typeof inner === 'string' || !RANGES.test(inner.name));
    for (const name of Object.keys(entry.attributes)) if (SESSION.test(name)) delete entry.attributes[name];
    if (entry.name.endsWith(':docPr')) entry.attributes['id'] = carrier.drawing();
    whole &&= adoptReferences(entry, carrier);
    prefixOf(entry.name);
    for (const [name, value] of Object.entries(entry.attributes)) {
      prefixOf(name);
      // mc:Choice names prefixes in the value of Requires.
      if (name === 'Requires') for (const prefix of value.split(/\s+/)) prefixes.add(prefix);
    }
  });
  if (!whole) return null;
  for (const prefix of prefixes) {
    const uri = carrier.after[prefix];
    if (uri !== undefined && carrier.before[prefix] !== uri && copy.attributes[`xmlns:${prefix}`] === undefined) copy.attributes[`xmlns:${prefix}`] = uri;
  }
  return copy;
}

/** What an element points at, in terms of the older package; false if that can not be had. */
function adoptReferences(entry: XmlElement, carrier: Carrier): boolean {
  if (NOTE.test(entry.name)) {
    const id = carrier.note(entry);
    if (id === null) return false;
    entry.attributes['w:id'] = id;
  }
  if (STYLES.has(entry.name)) entry.attributes['w:val'] = carrier.style(entry.attributes['w:val'] ?? '') ?? entry.attributes['w:val']!;
  for (const [name, value] of Object.entries(entry.attributes)) {
    const colon = name.indexOf(':');
    const prefix = name.slice(0, Math.max(0, colon));
    const pointer = prefix === 'r' || name === 'o:relid' || RELATIONSHIPS.test(carrier.after[prefix] ?? '');
    if (colon < 0 || prefix === 'xmlns' || !pointer || value === '') continue;
    const id = carrier.relation(value);
    if (id === null) return false;
    entry.attributes[name] = id;
  }
  return true;
}

/** The link around new text, empty; null if it leads to a place that the older document does not have. */
function adoptLink(link: XmlElement | null, carrier: Carrier): XmlElement | null {
  if (link === null) return null;
  const copy = element(link.name, { ...link.attributes });
  delete copy.attributes['w:rsidR'];
  if (copy.attributes['r:id'] === undefined) return carrier.anchor(copy.attributes['w:anchor'] ?? '') ? copy : null;
  return adoptReferences(copy, carrier) ? copy : null;
}

type Like = { readonly properties: XmlElement | undefined } | null;

/** Runs and links for after[from, to). `like` gives text outside of links the same properties; null keeps its own. */
export function adoptRuns(after: Paragraph, from: number, to: number, like: Like, carrier: Carrier): XmlElement[] {
  const out: XmlElement[] = [];
  let held = '';
  let last: Leaf | null = null;
  let link: XmlElement | null = null;
  const propertiesFor = (leaf: Leaf | null): XmlElement | undefined =>
    like && leaf?.kind !== 'object' && !leaf?.link ? like.properties : adoptProperties(childOf(leaf?.run ?? undefined, 'w:rPr'), carrier);
  const put = (nodes: readonly XmlElement[]): void => void (link ? link.children : out).push(...nodes);
  const flush = (): void => {
    put(runsOf(held, held === '' ? undefined : propertiesFor(last)));
    held = '';
  };
  for (const leaf of after.leaves) {
    const text = leaf.text.slice(Math.max(0, from - leaf.start), Math.max(0, to - leaf.start));
    if (text === '' || leaf.kind === 'control') continue;
    const turns = leaf.link !== (last?.link ?? null);
    if (leaf.kind === 'object' || turns || (!like && leaf.run !== last?.run)) flush();
    if (turns) {
      link = adoptLink(leaf.link, carrier);
      if (link) out.push(link);
    }
    last = leaf;
    if (leaf.kind === 'text') held += text;
    else put(objectRun(leaf, propertiesFor(leaf), carrier));
  }
  flush();
  return out.filter((node) => node.name !== 'w:hyperlink' || node.children.length > 0);
}

function objectRun(leaf: Leaf, properties: XmlElement | undefined, carrier: Carrier): XmlElement[] {
  const copy = adoptObject(leaf.node, carrier);
  if (!copy) {
    carrier.lost(leaf.node.name);
    return [];
  }
  return [leaf.run === null ? copy : element('w:r', {}, [...(properties ? [clone(properties)] : []), copy])];
}

/** Runs that take the place of before[at...): they look like the text before them. */
export function adoptAt(before: Paragraph, at: number, after: Paragraph, from: number, to: number, carrier: Carrier): XmlElement[] {
  const properties = propertiesAt(before, at);
  const copy = properties
    ? element(
        'w:rPr',
        {},
        elements(properties).filter((entry) => !/^w:(?:ins|del|moveFrom|moveTo)$/.test(entry.name)),
      )
    : undefined;
  return adoptRuns(after, from, to, { properties: copy }, carrier);
}
