// An XML part as a tree that can be changed and written again: names, order of children and foreign namespaces stay as they were.
//
// Owns: parsing (saxes, no DOCTYPE, depth limit), writing (every character that XML forbids is left out, the rest escaped), small questions about nodes.
// Rule: WordprocessingML elements and attributes carry the prefix "w" here, whatever the file called it, and the root declares it.
// core/ingest/docx/xml.ts is the reader's tree: it forgets mixed content and prefixes, which a writer has to give back.
import { SaxesParser } from 'saxes';
import { CodicilError } from '../../contract/errors.ts';

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
}

export const W_NAMESPACE = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const W_NAMESPACES = new Set([W_NAMESPACE, 'http://purl.oclc.org/ooxml/wordprocessingml/main']);
/** The same limit as the reader's. */
const MAX_DEPTH = 400;

/** Errors: corrupt_file. */
export function parseXml(bytes: Uint8Array, part: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const top: XmlElement = { name: '', attributes: {}, children: [] };
  const stack = [top];
  const fail = (what: string): never => {
    throw new CodicilError('corrupt_file', `Expected well-formed XML in the part "${part}"; ${what}. Open the file in Word and save it again.`);
  };
  parser.on('error', (error) => fail(error.message));
  parser.on('doctype', () => fail('it has a DOCTYPE, which Office files never have'));
  parser.on('opentag', (tag) => {
    if (stack.length > MAX_DEPTH) fail(`it is nested deeper than ${MAX_DEPTH} levels`);
    const node: XmlElement = { name: W_NAMESPACES.has(tag.uri) ? `w:${tag.local}` : tag.name, attributes: {}, children: [] };
    for (const { uri, local, name, value } of Object.values(tag.attributes)) node.attributes[W_NAMESPACES.has(uri) ? `w:${local}` : name] = value;
    if (stack.length === 1 && W_NAMESPACES.has(tag.uri)) node.attributes['xmlns:w'] = tag.uri;
    stack.at(-1)!.children.push(node);
    stack.push(node);
  });
  const addText = (text: string): void => void (stack.length > 1 && stack.at(-1)!.children.push(text));
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void stack.pop());
  const marks = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  parser.write(new TextDecoder(marks).decode(bytes));
  parser.close();
  return elements(top)[0] ?? fail('it is empty');
}

/** What XML 1.0 can not hold (production 2, Char): control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escapeText = (text: string): string =>
  text.replace(FORBIDDEN, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');
const escapeAttribute = (text: string): string => escapeText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

export function writeXml(root: XmlElement): Uint8Array {
  const out: string[] = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'];
  const write = (node: XmlElement | string): void => {
    if (typeof node === 'string') return void out.push(escapeText(node));
    out.push('<', node.name);
    for (const [name, value] of Object.entries(node.attributes)) out.push(' ', name, '="', escapeAttribute(value), '"');
    if (node.children.length === 0) return void out.push('/>');
    out.push('>');
    for (const entry of node.children) write(entry);
    out.push('</', node.name, '>');
  };
  write(root);
  return new TextEncoder().encode(out.join(''));
}

export function element(name: string, attributes: Record<string, string> = {}, children: (XmlElement | string)[] = []): XmlElement {
  return { name, attributes, children };
}

export const elements = (node: XmlElement | undefined): XmlElement[] => node?.children.filter((entry): entry is XmlElement => typeof entry !== 'string') ?? [];
export const childOf = (node: XmlElement | undefined, name: string): XmlElement | undefined => elements(node).find((entry) => entry.name === name);
export const textIn = (node: XmlElement): string => node.children.map((entry) => (typeof entry === 'string' ? entry : textIn(entry))).join('');

export function clone(node: XmlElement): XmlElement {
  return { name: node.name, attributes: { ...node.attributes }, children: node.children.map((entry) => (typeof entry === 'string' ? entry : clone(entry))) };
}

/** Puts `nodes` where `node` stands in its parent. */
export function replaceChild(parent: XmlElement, node: XmlElement, nodes: readonly XmlElement[]): void {
  parent.children.splice(parent.children.indexOf(node), 1, ...nodes);
}

/** All elements below and including `node` for which `test` holds; does not look inside those found. */
export function findAll(node: XmlElement, test: (node: XmlElement) => boolean): XmlElement[] {
  return test(node) ? [node] : elements(node).flatMap((entry) => findAll(entry, test));
}

export function visit(node: XmlElement, each: (node: XmlElement) => void): void {
  each(node);
  for (const entry of node.children) if (typeof entry !== 'string') visit(entry, each);
}
