// Blocks of any document as a plain DOCX: what is written on when the older document is not a DOCX itself.
//
// Owns: paragraphs with their indents and tables from blocks, the least package that Word opens (ECMA-376 part 2), four heading styles.
// Limit: layout, pictures and running pages of the source are not there; numbers are part of the text.
import { strToU8, zipSync } from 'fflate';
import { isContent, type Block } from '../../contract/document.ts';
import { element, W_NAMESPACE, writeXml, type XmlElement } from './xml.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const FORMAT = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/** Styles of headings that `plainDocx` defines. */
export const HEADING_STYLES = ['Heading1', 'Heading2', 'Heading3', 'Heading4'] as const;

/**
 * A body in the shape of word/document.xml; `each` learns which paragraph a block outside of tables became. A table stands where its first cell does:
 * between its cells may stand what a page break put there (running pages, footnotes) and tables inside of cells.
 */
export function bodyOf(blocks: readonly Block[], each: (block: Block, paragraph: XmlElement) => void = () => undefined): XmlElement {
  const body = element('w:body');
  const shown = blocks.filter(isContent);
  const margin = shown.reduce((least, { cell, kind, indent }) => (cell === null && kind !== 'heading' ? Math.min(least, indent) : least), Infinity);
  const tables = Map.groupBy(shown, (block) => block.cell?.table);
  for (const block of shown) {
    if (block.cell === null) {
      const paragraph = paragraphOf(block, margin);
      each(block, paragraph);
      body.children.push(paragraph);
    } else if (tables.get(block.cell.table)?.[0] === block) body.children.push(...tableOf(tables.get(block.cell.table)!));
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
  const columns = blocks.reduce((most, block) => Math.max(most, block.cell!.column), 0) + 1;
  const width = String(Math.floor(9000 / columns));
  const rows = [...Map.groupBy(blocks, (block) => block.cell!.row)]
    .sort(([a], [b]) => a - b)
    .map(([, cells]) => Map.groupBy(cells, (block) => block.cell!.column));
  const cell = (inside: readonly Block[] = []): XmlElement => {
    const properties = element('w:tcPr', {}, [element('w:tcW', { 'w:w': width, 'w:type': 'dxa' })]);
    return element('w:tc', {}, [properties, ...(inside.length > 0 ? inside.map((block) => paragraphOf(block)) : [element('w:p')])]);
  };
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
        lines.map((column) => cell(row.get(column))),
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
