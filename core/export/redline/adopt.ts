// What of the newer document may stand in the older one: formats that the older knows, objects that need nothing outside themselves.
//
// Owns: the runs of a stretch of the newer text, cleaned properties of its paragraphs, rows and tables.
// Limit: what points at another part (pictures, notes, links) is not carried over; the text around it is.
import { propertiesAt, type Paragraph } from './leaves.ts';
import { runsOf } from './paragraph.ts';
import { childOf, clone, element, elements, visit, type XmlElement } from './xml.ts';

/** What the older package defines, and the namespaces of both roots. */
export interface Known {
  readonly styles: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

const STYLES = new Set(['w:pStyle', 'w:rStyle', 'w:tblStyle']);
const DROPPED = /^w:(?:sectPr|\w+PrChange|tblGridChange|ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge|divId|cnfStyle)$/;
const OUTSIDE = /^w:(?:footnoteReference|endnoteReference|commentReference|object|control|subDoc|commentRangeStart)$/;
/** Marks of the newer file's own ranges: a second one with the same id would break them. */
const RANGES = /^w:(?:bookmark|perm)(?:Start|End)$|^w:proofErr$/;
const SESSION = /^(?:w:rsid\w*|w14:paraId|w14:textId|wp14:anchorId|wp14:editId)$/;

/** Properties without what the older package does not define; undefined where nothing is left to copy. */
export function adoptProperties(properties: XmlElement | undefined, known: Known): XmlElement | undefined {
  if (!properties) return undefined;
  const copy = element(properties.name, {}, []);
  for (const entry of elements(properties)) {
    const value = entry.attributes['w:val'] ?? '';
    if (DROPPED.test(entry.name) || (STYLES.has(entry.name) && !known.styles.has(value))) continue;
    if (entry.name === 'w:numPr' && !known.numbers.has(childOf(entry, 'w:numId')?.attributes['w:val'] ?? '0')) continue;
    copy.children.push(entry.name === 'w:rPr' ? (adoptProperties(entry, known) ?? element('w:rPr')) : clone(entry));
  }
  return copy;
}

/** A copy that stands on its own, or null if it needs another part of its package. */
function adoptObject(node: XmlElement, known: Known): XmlElement | null {
  let whole = true;
  const copy = clone(node);
  const prefixes = new Set<string>();
  const prefixOf = (name: string): void => void (name.includes(':') && prefixes.add(name.slice(0, name.indexOf(':'))));
  visit(copy, (entry) => {
    entry.children = entry.children.filter((inner) => typeof inner === 'string' || !RANGES.test(inner.name));
    if (OUTSIDE.test(entry.name) || Object.keys(entry.attributes).some((name) => name.startsWith('r:'))) whole = false;
    for (const name of Object.keys(entry.attributes)) if (SESSION.test(name)) delete entry.attributes[name];
    prefixOf(entry.name);
    for (const [name, value] of Object.entries(entry.attributes)) {
      prefixOf(name);
      // mc:Choice names prefixes in the value of Requires.
      if (name === 'Requires') for (const prefix of value.split(/\s+/)) prefixes.add(prefix);
    }
  });
  if (!whole) return null;
  for (const prefix of prefixes) {
    const uri = known.after[prefix];
    if (uri !== undefined && known.before[prefix] !== uri && copy.attributes[`xmlns:${prefix}`] === undefined) copy.attributes[`xmlns:${prefix}`] = uri;
  }
  return copy;
}

/** Runs for after[from, to). `like` gives every run the same properties; null keeps its own. */
export function adoptRuns(
  after: Paragraph,
  from: number,
  to: number,
  like: { readonly properties: XmlElement | undefined } | null,
  known: Known,
): XmlElement[] {
  const out: XmlElement[] = [];
  let held = '';
  let heldRun: XmlElement | null = null;
  const propertiesFor = (run: XmlElement | null): XmlElement | undefined =>
    like ? like.properties : adoptProperties(childOf(run ?? undefined, 'w:rPr'), known);
  const flush = (): void => {
    out.push(...runsOf(held, propertiesFor(heldRun)));
    held = '';
  };
  for (const leaf of after.leaves) {
    const text = leaf.text.slice(Math.max(0, from - leaf.start), Math.max(0, to - leaf.start));
    if (text === '' || leaf.kind === 'control') continue;
    if (leaf.kind === 'object' || (!like && leaf.run !== heldRun)) flush();
    heldRun = leaf.run;
    if (leaf.kind === 'text') {
      held += text;
      continue;
    }
    const copy = adoptObject(leaf.node, known);
    if (!copy) continue;
    const properties = propertiesFor(leaf.run);
    out.push(leaf.run === null ? copy : element('w:r', {}, [...(properties ? [clone(properties)] : []), copy]));
  }
  flush();
  return out;
}

/** Runs that take the place of before[at...): they look like the text before them. */
export function adoptAt(before: Paragraph, at: number, after: Paragraph, from: number, to: number, known: Known): XmlElement[] {
  const properties = propertiesAt(before, at);
  const copy = properties
    ? element(
        'w:rPr',
        {},
        elements(properties).filter((entry) => !/^w:(?:ins|del|moveFrom|moveTo)$/.test(entry.name)),
      )
    : undefined;
  return adoptRuns(after, from, to, { properties: copy }, known);
}
