// XML parts of a DOCX -> small trees, one child of the part's body at a time, so that a long document is never a whole tree in memory.
//
// Owns: namespaces (transitional and strict WordprocessingML read alike), refusal of DOCTYPE (entities, external or nested, can not exist without one),
// a depth limit. Names come out with the usual prefixes: "w:p", "mc:AlternateContent".
import { SaxesParser } from 'saxes';
import { CodicilError } from '../../contract/errors.ts';

export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  /** Character data directly inside it. */
  text: string;
}

const PREFIXES: Readonly<Record<string, string>> = {
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
  'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r',
  'http://purl.oclc.org/ooxml/officeDocument/relationships': 'r',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/package/2006/relationships': 'rel',
  'http://schemas.microsoft.com/office/word/2010/wordml': 'w14',
  'http://schemas.microsoft.com/office/word/2012/wordml': 'w15',
  'urn:schemas-microsoft-com:vml': 'v',
  'http://www.w3.org/XML/1998/namespace': 'xml',
};
/** Word itself stops nesting tables near 64; text boxes add about ten levels each. */
const MAX_DEPTH = 400;

/** Calls `visit` with every element whose parent is `container` (all elements below the root for container null). */
export function readXml(bytes: Uint8Array, part: string, container: string | null, visit: (node: XmlNode) => void): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const stack: XmlNode[] = [];
  // Elements above and including the container are kept without children.
  let inside = -1;
  const fail = (what: string): never => {
    throw new CodicilError('corrupt_file', `Expected well-formed XML in the part "${part}"; ${what}. Open the file in Word and save it again.`);
  };
  parser.on('error', (error) => fail(error.message));
  parser.on('doctype', () => fail('it has a DOCTYPE, which Office files never have'));
  parser.on('opentag', (tag) => {
    if (stack.length >= MAX_DEPTH) fail(`it is nested deeper than ${MAX_DEPTH} levels`);
    const node: XmlNode = { name: nameOf(tag.uri, tag.prefix, tag.local), attributes: attributesOf(tag.attributes), children: [], text: '' };
    if (inside >= 0 && stack.length > inside + 1) stack.at(-1)?.children.push(node);
    stack.push(node);
    if (inside < 0 && (container === null ? stack.length === 1 : node.name === container)) inside = stack.length - 1;
  });
  const addText = (text: string): void => {
    const top = stack.at(-1);
    if (top && inside >= 0 && stack.length > inside + 1) top.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const node = stack.pop() as XmlNode;
    if (inside >= 0 && stack.length === inside + 1) visit(node);
    if (stack.length === inside) inside = -1;
  });
  const text = decode(bytes);
  // Chunks bound the parser's own buffer of a text node.
  for (let at = 0; at < text.length; at += 1 << 16) parser.write(text.slice(at, at + (1 << 16)));
  parser.close();
}

function nameOf(uri: string, prefix: string, local: string): string {
  const known = PREFIXES[uri] ?? prefix;
  return known === '' ? local : `${known}:${local}`;
}

function attributesOf(
  attributes: Readonly<Record<string, { readonly uri: string; readonly prefix: string; readonly local: string; readonly value: string }>>,
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const attribute of Object.values(attributes)) out[nameOf(attribute.uri, attribute.prefix, attribute.local)] = attribute.value;
  return out;
}

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

export function child(node: XmlNode | undefined, name: string): XmlNode | undefined {
  return node?.children.find((entry) => entry.name === name);
}

export function children(node: XmlNode | undefined, name: string): XmlNode[] {
  return node?.children.filter((entry) => entry.name === name) ?? [];
}

/** `w:val` of the child, undefined if there is no such child. */
export function valueOf(node: XmlNode | undefined, name: string): string | undefined {
  return child(node, name)?.attributes['w:val'];
}

/** A whole number, or undefined where the attribute is missing or no number. */
export function integer(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?\d{1,9}(?:\.\d+)?$/.test(text)) return undefined;
  return Math.trunc(Number(text));
}

/** A switch like w:b: on when present, off by val 0, false, off, none. Undefined when absent. */
export function toggle(node: XmlNode | undefined, name: string): boolean | undefined {
  const found = child(node, name);
  return found && isOn(found);
}

export function isOn(node: XmlNode): boolean {
  return !/^(?:0|false|off|none)$/.test(node.attributes['w:val'] ?? 'true');
}
