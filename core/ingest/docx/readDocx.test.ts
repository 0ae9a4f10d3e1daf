// What Word shows is what is read: computed numbers, accepted changes, fields, tables, notes; and what is refused.
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, Watch } from '../limits.ts';
import { level, listed, makeDocx, p, run, type DocxParts } from './makeDocx.test-support.ts';
import { readDocx, type DocxContent } from './readDocx.ts';
import { ZipReader } from './zip.ts';

function read(parts: DocxParts): Promise<DocxContent> {
  return readDocx(makeDocx(parts), 'test.docx', new Watch({}));
}

async function textsOf(parts: DocxParts): Promise<string[]> {
  return (await read(parts)).blocks.map((block) => block.text);
}

const LEGAL = `<w:abstractNum w:abstractNumId="1">${level(0, 'upperRoman', 'Article %1.')}${level(1, 'decimalZero', 'Section %1.%2', '<w:isLgl/>')}${level(2, 'lowerLetter', '(%3)')}</w:abstractNum>`;
const OUTLINE = `<w:abstractNum w:abstractNumId="2">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerRoman', '(%3)')}</w:abstractNum>`;

describe('numbers of Word', () => {
  it('counts levels, restarts deeper ones and shows legal numbers in digits', async () => {
    const numbering = `${LEGAL}<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`;
    const body =
      listed('Purpose', 1) + listed('Name', 1, 1) + listed('a', 1, 2) + listed('b', 1, 2) + listed('Term', 1) + listed('Start', 1, 1) + listed('c', 1, 2);
    expect(await textsOf({ body, numbering })).toEqual([
      'Article I. Purpose',
      'Section 1.01 Name',
      '(a) a',
      '(b) b',
      'Article II. Term',
      'Section 2.01 Start',
      '(a) c',
    ]);
  });

  it('goes on across two lists of one definition and restarts where an instance says so', async () => {
    const numbering = `${OUTLINE}<w:num w:numId="1"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="2"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`;
    expect(await textsOf({ body: listed('a', 1) + listed('b', 2) + listed('c', 3) + listed('d', 3), numbering })).toEqual(['1. a', '2. b', '7. c', '8. d']);
  });

  it('never restarts a level whose lvlRestart is 0', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="3">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%2)', '<w:lvlRestart w:val="0"/>')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="3"/></w:num>`;
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1, 1) + listed('c', 1) + listed('d', 1, 1), numbering })).toEqual([
      '1. a',
      '1) b',
      '2. c',
      '2) d',
    ]);
  });

  it('finds the level of a style through its basedOn chain', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="4">${level(0, 'decimal', '%1.', '<w:pStyle w:val="H1"/>')}${level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>')}</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="4"/></w:num>`;
    const styles = `<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>`;
    const { blocks } = await read({
      body: p('Scope', '<w:pStyle w:val="H1"/>') + p('Use', '<w:pStyle w:val="H2"/>') + p('Data', '<w:pStyle w:val="H2"/>'),
      numbering,
      styles,
    });
    expect(blocks.map((block) => [block.kind, block.number, block.level, block.text])).toEqual([
      ['heading', '1', 1, '1. Scope'],
      ['heading', '1.1', 2, '1.1 Use'],
      ['heading', '1.2', 2, '1.2 Data'],
    ]);
  });

  it('counts a numbered paragraph that has no text', async () => {
    const numbering = `${OUTLINE}<w:num w:numId="1"><w:abstractNumId w:val="2"/></w:num>`;
    expect(
      await textsOf({
        body: listed('a', 1) + `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr></w:p>` + listed('c', 1),
        numbering,
      }),
    ).toEqual(['1. a', '2.', '3. c']);
  });

  it('leaves bullets without a number', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="6">${level(0, 'bullet', '•')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="6"/></w:num>`;
    const { blocks } = await read({ body: listed('point', 1), numbering });
    expect(blocks).toMatchObject([{ kind: 'listItem', text: 'point', number: null }]);
  });
});

describe('readDocx', () => {
  it('reads tracked changes as accepted and says how many there are', async () => {
    const { blocks, warnings } = await read({
      body: p(`${run('The fee is ')}<w:del><w:r><w:delText>ten</w:delText></w:r></w:del><w:ins>${run('twelve')}</w:ins>${run(' euros.')}`),
    });
    expect(blocks[0]?.text).toBe('The fee is twelve euros.');
    expect(warnings).toMatchObject([{ code: 'tracked_changes', message: expect.stringContaining('1 insertions, 1 deletions') as string }]);
  });

  it('joins a paragraph whose mark was deleted to the next one', async () => {
    expect(await textsOf({ body: p(run('One '), '<w:rPr><w:del/></w:rPr>') + p('two.') })).toEqual(['One two.']);
  });

  it('keeps the result of a field and drops its instruction', async () => {
    const field =
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF _Ref1</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>2.1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>';
    expect(await textsOf({ body: p(`${run('See Section ')}${field}${run('.')}`) })).toEqual(['See Section 2.1.']);
  });

  it('reads alternate content once and text boxes after their paragraph', async () => {
    const box = (text: string): string => `<w:txbxContent>${p(text)}</w:txbxContent>`;
    const drawing = `<w:r><mc:AlternateContent><mc:Choice><w:drawing>${box('In the box')}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box('In the box')}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
    expect(await textsOf({ body: p(`${run('Outside')}${drawing}`) })).toEqual(['Outside', 'In the box']);
  });

  it('gives table cells their row and column', async () => {
    const cell = (text: string, span = ''): string => `<w:tc><w:tcPr>${span}</w:tcPr>${p(text)}</w:tc>`;
    const { blocks } = await read({
      body: `<w:tbl><w:tr>${cell('A', '<w:gridSpan w:val="2"/>')}${cell('B')}</w:tr><w:tr>${cell('C')}${cell('D')}${cell('E')}</w:tr></w:tbl>`,
    });
    expect(blocks.map((block) => [block.kind, block.text, block.cell?.row, block.cell?.column])).toEqual([
      ['tableCell', 'A', 0, 0],
      ['tableCell', 'B', 0, 2],
      ['tableCell', 'C', 1, 0],
      ['tableCell', 'D', 1, 1],
      ['tableCell', 'E', 1, 2],
    ]);
  });

  it('puts footnotes after their paragraph and headers to the furniture', async () => {
    const footnotes = `<w:footnote w:id="-1" w:type="separator">${p('-')}</w:footnote><w:footnote w:id="2">${p('Net of tax.')}</w:footnote>`;
    const { blocks } = await read({
      body: p(`${run('The price')}<w:r><w:footnoteReference w:id="2"/></w:r>`) + p('Next.'),
      footnotes,
      header: p('Confidential'),
    });
    expect(blocks.map((block) => [block.kind, block.text])).toEqual([
      ['paragraph', 'The price'],
      ['footnote', 'Net of tax.'],
      ['paragraph', 'Next.'],
      ['furniture', 'Confidential'],
    ]);
  });

  it('counts pages by the breaks that Word rendered', async () => {
    const { blocks, pages } = await read({ body: p('one') + p(`<w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r>`) + p('still two') });
    expect(pages).toHaveLength(2);
    expect(blocks.map((block) => block.at.at(-1))).toEqual([
      { page: 0, box: null },
      { page: 1, box: null },
      { page: 1, box: null },
    ]);
  });
});

describe('refusals', () => {
  const withDocument = (xml: string): Uint8Array => zipSync({ '[Content_Types].xml': strToU8('<Types/>'), 'word/document.xml': strToU8(xml) });

  it('refuses a DOCTYPE, so that no entity can exist', async () => {
    const bytes = withDocument(
      '<!DOCTYPE x [<!ENTITY a "b">]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body/></w:document>',
    );
    await expect(readDocx(bytes, 'x.docx', new Watch({}))).rejects.toMatchObject({
      code: 'corrupt_file',
      message: expect.stringContaining('DOCTYPE') as string,
    });
  });

  it('refuses XML that is cut off', async () => {
    await expect(
      readDocx(withDocument('<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p>'), 'x.docx', new Watch({})),
    ).rejects.toMatchObject({ code: 'corrupt_file' });
  });

  it('refuses a part that unpacks out of proportion', async () => {
    const bytes = withDocument(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${' '.repeat(3_000_000)}</w:body></w:document>`,
    );
    await expect(readDocx(bytes, 'x.docx', new Watch({}))).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('zip bomb') as string });
  });

  it('stops at the declared size when a part holds more', () => {
    const bytes = withDocument(`<a>${'b'.repeat(5000)}</a>`);
    const view = new DataView(bytes.buffer);
    // The directory entry of word/document.xml declares 100 bytes instead of 5,007.
    for (let at = 0; at < bytes.length - 4; at++)
      if (view.getUint32(at, true) === 0x02014b50 && view.getUint32(at + 24, true) === 5007) view.setUint32(at + 24, 100, true);
    expect(() => new ZipReader(bytes, 'x.docx', DEFAULT_LIMITS).read('word/document.xml')).toThrow(/zip bomb/);
  });

  it('refuses entry names that point outside the container', () => {
    expect(() => new ZipReader(zipSync({ '../evil.xml': strToU8('x') }), 'x.docx', DEFAULT_LIMITS)).toThrow(/points outside/);
  });

  it('tells a DOCX without its main part from another archive', async () => {
    await expect(readDocx(zipSync({ '[Content_Types].xml': strToU8('<Types/>') }), 'x.docx', new Watch({}))).rejects.toMatchObject({ code: 'corrupt_file' });
    await expect(readDocx(zipSync({ 'photo.txt': strToU8('x') }), 'x.docx', new Watch({}))).rejects.toMatchObject({ code: 'unsupported_format' });
  });
});
