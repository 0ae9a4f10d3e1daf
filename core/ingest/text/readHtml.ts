// HTML bytes or text -> blocks of a flow document. parse5 makes the tree as browsers do, whatever is missing or wrongly nested in the source.
//
// Owns: the encoding (HTML standard, 13.2.3), the limit on nesting, the warning when the page shows nothing.
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { View } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import { within, type Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import { decodeText, encodingWarnings, type Decoded } from './decode.ts';
import { contentOf, FLOW_PAGE, FlowBuilder } from './flow.ts';
import { HtmlReader } from './htmlBlocks.ts';
import { readStyleSheet, type StyleSheet } from './htmlStyle.ts';

/** Browsers stop nesting at 512. */
const DEEPEST = 512;

export function readHtml(bytes: Uint8Array, name: string, view: View, watch: Watch): RawContent {
  const { text, encoding } = decodeHtml(bytes);
  const flow = new FlowBuilder();
  addHtml(text, flow, view, watch, 0);
  if (flow.blocks.length === 0)
    throw new CodicilError(
      'no_text',
      `Expected a page with text; "${name}" shows none without its scripts. Open it in a browser and save it as PDF or as a complete page.`,
    );
  within(flow.blocks.length, watch.limits.blocks, 'paragraphs');
  return { pages: [FLOW_PAGE], ...contentOf(flow), warnings: [...encodingWarnings(encoding), ...flow.warnings] };
}

/** Appends the blocks of a page (or of a mail's HTML body) to `flow`. */
export function addHtml(html: string, flow: FlowBuilder, view: View, watch: Watch, indent: number): void {
  const tree = parse(html, { scriptingEnabled: false });
  refuseDepth(tree);
  new HtmlReader(flow, sheetOf(tree), view, watch).read(tree, indent);
}

function refuseDepth(tree: Tree.Document): void {
  let level: Tree.ParentNode[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new CodicilError('too_large', `Expected elements at most ${DEEPEST} deep; the page nests deeper. Save it again from a browser.`);
    level = level.flatMap((node) => node.childNodes.filter((child): child is Tree.Element => 'childNodes' in child));
  }
}

function sheetOf(tree: Tree.Document): StyleSheet {
  let css = '';
  const visit = (node: Tree.Node): void => {
    if (node.nodeName === 'style') {
      for (const child of node.childNodes) css += child.nodeName === '#text' ? (child as Tree.TextNode).value : '';
    } else if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(tree);
  return readStyleSheet(css);
}

/** A byte order mark, then valid UTF-8, then what the page declares, then what the bytes look like: many pages declare what they are not. */
export function decodeHtml(bytes: Uint8Array): Decoded {
  const decoded = decodeText(bytes);
  const declared = declaredEncoding(bytes);
  if (declared === null || decoded.encoding.startsWith('utf-16') || /^utf-?(?:8|16)/.test(declared)) return decoded;
  const plain = decoded.encoding === 'utf-8';
  // A seven-bit encoding (ISO-2022-JP) is valid UTF-8 as well; of all others valid UTF-8 with high bytes is not an accident.
  if (plain && !declared.startsWith('iso-2022')) return decoded;
  try {
    return { text: new TextDecoder(declared).decode(bytes), encoding: declared };
  } catch {
    return decoded; // A name that no browser knows.
  }
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const head = new TextDecoder('windows-1252').decode(bytes.subarray(0, 2048));
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(head)?.[1]?.toLowerCase() ??
    /^<\?xml[^>]{0,100}encoding=["']([\w.-]+)/i.exec(head)?.[1]?.toLowerCase() ??
    null
  );
}
