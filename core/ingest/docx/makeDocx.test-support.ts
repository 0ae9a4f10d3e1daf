// Small DOCX files for tests: the parts a reader looks at, zipped.
import { strToU8, zipSync, type Zippable } from 'fflate';

export const W =
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"';

export interface DocxParts {
  readonly body: string;
  readonly numbering?: string;
  readonly styles?: string;
  readonly footnotes?: string;
  readonly endnotes?: string;
  /** Default header of the last section. */
  readonly header?: string;
  readonly comments?: string;
  readonly commentsExtended?: string;
  readonly settings?: string;
}

const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function makeDocx(parts: DocxParts): Uint8Array {
  const relations: string[] = [];
  const files: Zippable = {
    '[Content_Types].xml': strToU8('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
    '_rels/.rels': strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${TYPE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
  };
  const add = (name: keyof DocxParts, root: string): void => {
    const content = parts[name];
    if (content === undefined) return;
    files[`word/${name}.xml`] = strToU8(`<w:${root} ${W}>${content}</w:${root}>`);
    relations.push(`<Relationship Id="${name}" Type="${TYPE}/${name}" Target="${name}.xml"/>`);
  };
  for (const name of ['numbering', 'styles', 'footnotes', 'endnotes', 'comments', 'settings'] as const) add(name, name);
  add('commentsExtended', 'commentsEx');
  add('header', 'hdr');
  const section = parts.header === undefined ? '' : '<w:sectPr><w:headerReference w:type="default" r:id="header"/></w:sectPr>';
  files['word/document.xml'] = strToU8(`<?xml version="1.0"?><w:document ${W}><w:body>${parts.body}${section}</w:body></w:document>`);
  files['word/_rels/document.xml.rels'] = strToU8(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`,
  );
  return zipSync(files);
}

export function run(text: string, properties = ''): string {
  return `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

export function p(content: string, properties = ''): string {
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${content.startsWith('<') ? content : run(content)}</w:p>`;
}

export function listed(text: string, numId: number, level = 0): string {
  return p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`);
}

export function level(index: number, format: string, text: string, more = ''): string {
  return `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
}
