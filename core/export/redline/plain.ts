// Blocks of any document as a plain DOCX: what is written on when the older document is not a DOCX itself.
//
// Owns: paragraphs with their indents and tables from blocks, the least package that Word opens (ECMA-376 part 2), four heading styles.
// Limit: layout, pictures and running pages of the source are not there; numbers are part of the text.
import { strToU8, zipSync } from 'fflate';
import type { Block } from '../../contract/document.ts';
import { element, W_NAMESPACE, writeXml, type XmlElement } from './xml.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const FORMAT = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/** Styles of headings that `plainDocx` defines. */
export const HEADING_STYLES = ['Heading1', 'Heading2', 'Heading3', 'Heading4'] as const;

/** A body in the shape of word/document.xml; `each` learns which paragraph a block outside of tables became. */
export function bodyOf(blocks: readonly Block[], each: (block: Block, paragraph: XmlElement) => void = () => undefined): XmlElement {
  const body = element('w:body');
  const margin = Math.min(...blocks.filter(({ cell, kind }) => cell === null && kind !== 'heading').map(({ indent }) => indent));
  for (let at = 0; at < blocks.length;) {
    const table = blocks[at]!.cell?.table;
    let end = at + 1;
    if (table !== undefined) while (blocks[end]?.cell?.table === table) end++;
    const made = table === undefined ? [paragraphOf(blocks[at]!, margin)] : tableOf(blocks.slice(at, end));
    if (table === undefined) each(blocks[at]!, made[0]!);
    body.children.push(...made);
    at = end;
  }
  return body;
}

/** Points below which an indent is a matter of the measuring, and above which it is a column of the page. */
const LEAST_INDENT = 6;
const MOST_INDENT = 144;

function paragraphOf(block: Block, margin: number | null = null): XmlElement {
  const level = block.kind === 'heading' ? Math.min(4, Math.max(1, block.level ?? 2)) : 0;
  const indent = margin === null || level > 0 ? 0 : Math.min(MOST_INDENT, block.indent - margin);
  const properties = [
    ...(level > 0 ? [element('w:pStyle', { 'w:val': `Heading${level}` })] : []),
    // Twentieths of a point.
    ...(indent >= LEAST_INDENT ? [element('w:ind', { 'w:left': String(Math.round(indent * 20)) })] : []),
  ];
  const text = element('w:r', {}, [element('w:t', { 'xml:space': 'preserve' }, [block.text])]);
  return element('w:p', {}, [...(properties.length > 0 ? [element('w:pPr', {}, properties)] : []), ...(block.text === '' ? [] : [text])]);
}

/** Equal widths over 9,000 twentieths of a point: the text width of a page with usual margins. A paragraph keeps the next table apart. */
function tableOf(blocks: readonly Block[]): XmlElement[] {
  const columns = Math.max(...blocks.map((block) => block.cell!.column)) + 1;
  const width = String(Math.floor(9000 / columns));
  const cell = (row: number, column: number): XmlElement => {
    const inside = blocks.filter((block) => block.cell!.row === row && block.cell!.column === column).map((block) => paragraphOf(block));
    const properties = element('w:tcPr', {}, [element('w:tcW', { 'w:w': width, 'w:type': 'dxa' })]);
    return element('w:tc', {}, [properties, ...(inside.length > 0 ? inside : [element('w:p')])]);
  };
  const rows = [...new Set(blocks.map((block) => block.cell!.row))].sort((a, b) => a - b);
  const lines = Array.from({ length: columns }, (_unused, column) => column);
  const border = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map((side) => element(`w:${side}`, { 'w:val': 'single', 'w:sz': '4' }));
  const table = element('w:tbl', {}, [
    element('w:tblPr', {}, [element('w:tblW', { 'w:w': '0', 'w:type': 'auto' }), element('w:tblBorders', {}, border)]),
    element(
      'w:tblGrid',
      {},
      lines.map(() => element('w:gridCol', { 'w:w': width })),
    ),
    ...rows.map((row) =>
      element(
        'w:tr',
        {},
        lines.map((column) => cell(row, column)),
      ),
    ),
  ]);
  return [table, element('w:p')];
}

const STYLES = `<w:styles xmlns:w="${W_NAMESPACE}"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="SimSun" w:cs="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>${[
  1, 2, 3, 4,
]
  .map(
    (level) =>
      `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="240"/><w:outlineLvl w:val="${level - 1}"/></w:pPr><w:rPr><w:b/><w:sz w:val="${32 - 2 * level}"/></w:rPr></w:style>`,
  )
  .join('')}</w:styles>`;

/** The bytes of a DOCX with this body. */
export function plainDocx(body: XmlElement, date: string): Uint8Array {
  const page = element('w:sectPr', {}, [
    element('w:pgSz', { 'w:w': '12240', 'w:h': '15840' }),
    element('w:pgMar', { 'w:top': '1440', 'w:right': '1440', 'w:bottom': '1440', 'w:left': '1440', 'w:header': '720', 'w:footer': '720', 'w:gutter': '0' }),
  ]);
  const document = element('w:document', { 'xmlns:w': W_NAMESPACE }, [element('w:body', {}, [...body.children, page])]);
  const declared = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const text = (content: string): Uint8Array => strToU8(declared + content);
  return zipSync(
    {
      '[Content_Types].xml': text(
        `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${FORMAT}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${FORMAT}.styles+xml"/></Types>`,
      ),
      '_rels/.rels': text(
        `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
      ),
      'word/document.xml': writeXml(document),
      'word/_rels/document.xml.rels': text(
        `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
      ),
      'word/styles.xml': text(STYLES),
    },
    { mtime: new Date(date) },
  );
}
