// What a strict reader of ISO/IEC 29500 would refuse in a DOCX, as sentences: the structural half of a validator.
//
// Owns: order of properties as the schema has them, ids that are unique, ranges that are paired, marks under parents that may hold them,
// everything that is pointed at being there. Reads with the program's reader of parts, not with the writer's tree.
import { readXml, type XmlNode } from '../../ingest/docx/xml.ts';
import { resolvePart, ZipReader } from '../../ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../ingest/limits.ts';

const words = (list: string): string[] => list.split(' ').map((name) => `w:${name}`);
/** Sequences of CT_RPr (17.3.2.28) with the marks of CT_ParaRPr in front, CT_PPr (17.3.1.26), CT_TcPr (17.4.69), CT_TblPr (17.4.59). */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'w:rPr': words(
    'ins del moveFrom moveTo rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange',
  ),
  'w:pPr': words(
    'pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange',
  ),
  'w:tcPr': words(
    'cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark headers cellIns cellDel cellMerge tcPrChange',
  ),
  'w:tblPr': words(
    'tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange',
  ),
};
const MARKS = new Set(words('ins del moveFrom moveTo'));
const HOLDERS = new Set([...words('p hyperlink smartTag customXml sdtContent fldSimple dir bdo ins del moveFrom moveTo rPr trPr numPr'), 'm:r', 'm:ctrlPr']);
/** What a mark may hold (EG_ContentRunContent): no paragraphs, links or simple fields. */
const HELD = new Set([
  ...words('r smartTag customXml sdt dir bdo ins del moveFrom moveTo proofErr bookmarkStart bookmarkEnd'),
  'm:oMath',
  'm:oMathPara',
  'm:r',
  'mc:AlternateContent',
]);

class Inspector {
  readonly found: string[] = [];
  readonly relations: string[] = [];
  readonly styles: string[] = [];
  readonly lists: string[] = [];
  readonly notes: string[] = [];
  private readonly ids = new Set<string>();
  private readonly drawings = new Set<string>();
  private readonly open = new Map<string, string>();
  private readonly names = new Map<string, string[]>();

  inspect(node: XmlNode, parent: string, deleted: boolean, branch = false): void {
    this.order(node);
    this.marks(node, parent);
    this.pointers(node);
    if (!branch) this.drawing(node);
    if ((node.name === 'w:t' && deleted) || (node.name === 'w:delText' && !deleted)) this.found.push(`${node.name} in the wrong place`);
    if (node.name === 'w:tc' && node.children.at(-1)?.name !== 'w:p') this.found.push('a cell does not end in a paragraph');
    if (node.name === 'w:tbl' && node.children[0]?.name !== 'w:tblPr') this.found.push('a table does not begin with its properties');
    for (const entry of node.children)
      this.inspect(entry, node.name, node.name !== 'w:txbxContent' && (deleted || node.name === 'w:del'), branch || entry.name === 'mc:Fallback');
  }

  end(): void {
    for (const id of this.open.keys()) this.found.push(`the range ${id} does not end`);
    for (const [name, kinds] of this.names) if (String(kinds.toSorted()) !== 'w:moveFrom,w:moveTo') this.found.push(`the move ${name} has ${kinds.join()}`);
  }

  private order(node: XmlNode): void {
    const sequence = ORDERS[node.name];
    if (!sequence) return;
    const places = node.children.map((entry) => sequence.indexOf(entry.name)).filter((place) => place >= 0);
    if (places.some((place, index) => index > 0 && place <= places[index - 1]!))
      this.found.push(`${node.name} is out of order: ${node.children.map((entry) => entry.name).join(' ')}`);
  }

  private marks(node: XmlNode, parent: string): void {
    const range = /^(w:move(?:From|To))Range(Start|End)$/.exec(node.name);
    const id = node.attributes['w:id'] ?? '';
    if (range?.[2] === 'End') {
      if (this.open.get(id) !== range[1]) this.found.push(`the range ${id} ends without a beginning`);
      this.open.delete(id);
      return;
    }
    if (!MARKS.has(node.name) && !range) return;
    if (id === '' || this.ids.has(id)) this.found.push(`${node.name} has the id "${id}", which is taken`);
    this.ids.add(id);
    if (!node.attributes['w:author'] || !node.attributes['w:date']) this.found.push(`${node.name} has no author or no date`);
    if (range) {
      this.open.set(id, range[1]!);
      this.names.set(node.attributes['w:name'] ?? '', [...(this.names.get(node.attributes['w:name'] ?? '') ?? []), range[1]!]);
      return;
    }
    if (!HOLDERS.has(parent)) this.found.push(`${node.name} stands in ${parent}`);
    for (const entry of node.children) if (!HELD.has(entry.name)) this.found.push(`${entry.name} stands in ${node.name}`);
  }

  private pointers(node: XmlNode): void {
    for (const [name, value] of Object.entries(node.attributes)) if (name.startsWith('r:') && value !== '') this.relations.push(value);
    const value = node.attributes['w:val'] ?? '';
    if (/^w:(?:pStyle|rStyle|tblStyle)$/.test(node.name)) this.styles.push(value);
    if (node.name === 'w:numId' && value !== '0') this.lists.push(value);
    if (/^w:(?:foot|end)noteReference$/.test(node.name)) this.notes.push(`${node.name.slice(2).replace('Reference', '')} ${node.attributes['w:id']}`);
  }

  private drawing(node: XmlNode): void {
    if (node.name !== 'wp:docPr') return;
    const id = node.attributes['id'] ?? '';
    if (this.drawings.has(id)) this.found.push(`two drawings have the id ${id}`);
    this.drawings.add(id);
  }
}

function childrenOf(zip: ZipReader, part: string, container: string | null = null): XmlNode[] {
  const nodes: XmlNode[] = [];
  const bytes = zip.read(part);
  if (bytes) readXml(bytes, part, container, (node) => void nodes.push(node));
  return nodes;
}

/** Faults of a DOCX, each a sentence; empty for a sound one. The parts have the names that Word gives them. */
export function faultsOf(bytes: Uint8Array): string[] {
  const zip = new ZipReader(bytes, 'test', DEFAULT_LIMITS);
  const inspector = new Inspector();
  for (const node of childrenOf(zip, 'word/document.xml', 'w:body')) inspector.inspect(node, 'w:body', false);
  inspector.end();
  const found = [...inspector.found];
  const relations = childrenOf(zip, 'word/_rels/document.xml.rels');
  const ids = relations.map(({ attributes }) => attributes['Id'] ?? '');
  if (new Set(ids).size < ids.length) found.push('two relationships have one id');
  const missing = (names: readonly string[], known: readonly string[], what: string): void => {
    for (const name of new Set(names)) if (!known.includes(name)) found.push(`${what} ${name} is not there`);
  };
  missing(inspector.relations, ids, 'the relationship');
  const styles = childrenOf(zip, 'word/styles.xml');
  if (styles.length > 0)
    missing(
      inspector.styles,
      styles.map(({ attributes }) => attributes['w:styleId'] ?? ''),
      'the style',
    );
  const numbering = childrenOf(zip, 'word/numbering.xml');
  missing(
    inspector.lists,
    numbering.filter(({ name }) => name === 'w:num').map(({ attributes }) => attributes['w:numId'] ?? ''),
    'the list',
  );
  if (
    numbering.findIndex(({ name }) => name === 'w:num') >= 0 &&
    numbering.findLastIndex(({ name }) => name === 'w:abstractNum') > numbering.findIndex(({ name }) => name === 'w:num')
  )
    found.push('a list stands before a definition');
  const notes = ['footnote', 'endnote'].flatMap((kind) => childrenOf(zip, `word/${kind}s.xml`).map(({ attributes }) => `${kind} ${attributes['w:id']}`));
  missing(inspector.notes, notes, 'the note');
  missing(
    relations.filter(({ attributes }) => attributes['TargetMode'] !== 'External').map(({ attributes }) => resolvePart('word/', attributes['Target'] ?? '')),
    zip.names(),
    'the part',
  );
  return found;
}
