// What hangs on the text of paragraphs: tables, notes, comments, fields, controls, symbols, equations, hidden text.
import { describe, expect, it } from 'vitest';
import type { Block } from '../../contract/document.ts';
import { Watch } from '../limits.ts';
import { level, listed, makeDocx, p, run, type DocxParts } from './makeDocx.test-support.ts';
import { readDocx, type DocxContent } from './readDocx.ts';

const read = (parts: DocxParts): Promise<DocxContent> => readDocx(makeDocx(parts), 'test.docx', new Watch({}));
const textsOf = async (parts: DocxParts): Promise<string[]> => (await read(parts)).blocks.map((block) => block.text);
const cell = (content: string, properties = ''): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
const row = (cells: string, properties = ''): string => `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`;
const sign = (type: string, inside = ''): string => `<w:r><w:fldChar w:fldCharType="${type}">${inside}</w:fldChar></w:r>`;
const field = (instruction: string, shown: string): string =>
  `${sign('begin')}<w:r><w:instrText xml:space="preserve">${instruction}</w:instrText></w:r>${sign('separate')}${shown}${sign('end')}`;
const place = (block: Block): unknown => block.cell && [block.cell.row, block.cell.column, block.cell.rowSpan, block.cell.columnSpan];

describe('tables', () => {
  it('fault: merged cells are one cell with its height and width', async () => {
    const body = `<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>${row(cell(p('A'), '<w:vMerge w:val="restart"/>') + cell(p('B'), '<w:gridSpan w:val="2"/>'))}${row(
      cell(p(''), '<w:vMerge/>') + cell(p('C')) + cell(p('D')),
    )}${row(cell(p(''), '<w:vMerge/>') + cell(p('E')) + cell(p('F')))}</w:tbl>`;
    const { blocks, tables } = await read({ body });
    expect(blocks.map((block) => [block.text, place(block)])).toEqual([
      ['A', [0, 0, 3, 1]],
      ['B', [0, 1, 1, 2]],
      ['C', [1, 1, 1, 1]],
      ['D', [1, 2, 1, 1]],
      ['E', [2, 1, 1, 1]],
      ['F', [2, 2, 1, 1]],
    ]);
    expect(tables).toEqual([{ id: 't0', rows: 3, columns: 3, places: [{ page: 0, box: null }], captionId: null }]);
  });

  it('places rows that begin later, marks header rows, keeps rows in content controls and tables in cells', async () => {
    const inner = `<w:tbl>${row(cell(p('inner')))}</w:tbl>`;
    const body = `<w:tbl>${row(cell(p('Head')) + cell(p('Price')), '<w:tblHeader/>')}<w:sdt><w:sdtContent>${row(cell(p('late') + inner), '<w:gridBefore w:val="1"/>')}</w:sdtContent></w:sdt></w:tbl>`;
    const { blocks, tables } = await read({ body });
    expect(blocks.map((block) => [block.text, block.cell?.table, place(block), block.cell?.header])).toEqual([
      ['Head', 't0', [0, 0, 1, 1], true],
      ['Price', 't0', [0, 1, 1, 1], true],
      ['late', 't0', [1, 1, 1, 1], false],
      ['inner', 't1', [0, 0, 1, 1], false],
    ]);
    expect(tables.map(({ id, rows, columns }) => [id, rows, columns])).toEqual([
      ['t0', 2, 2],
      ['t1', 1, 1],
    ]);
  });

  it('ties a caption to its table', async () => {
    const styles = '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>';
    const { blocks, tables } = await read({ body: `${p('Table 1: Fees', '<w:pStyle w:val="C"/>')}<w:tbl>${row(cell(p('x')))}</w:tbl>`, styles });
    expect([blocks[0]?.kind, tables[0]?.captionId]).toEqual(['caption', 'b0']);
  });
});

describe('fields', () => {
  it('fault: the code of a field is never read as text, not even of a field inside a field', async () => {
    const nested = `${sign('begin')}<w:r><w:instrText>IF </w:instrText></w:r>${field('REF x', run('yes'))}<w:r><w:instrText> = "yes" "A" "B"</w:instrText></w:r>${sign('separate')}${run('A')}${sign('end')}`;
    const simple = `<w:fldSimple w:instr=" DOCPROPERTY Client ">${run('Acme')}</w:fldSimple>`;
    const silent = field(' SET Buyer "Acme" ', run('Acme'));
    expect(await textsOf({ body: p(`${run('1 ')}${nested}${silent}${run(' 2 ')}${simple}`) })).toEqual(['1 A 2 Acme']);
  });

  it('leads a cross-reference to the block of its bookmark', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '(%2)')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`;
    const target = listed('x', 1, 1).replace('<w:r>', '<w:bookmarkStart w:id="0" w:name="_Ref7"/><w:r>');
    const { crossReferences, numbers } = await read({
      body: listed('a', 1) + target + p(`${run('see ')}${field(' REF _Ref7 \\w \\h ', run('1(a)'))}`),
      numbering,
    });
    expect(crossReferences).toEqual([{ span: { documentId: '', blockId: 'b2', start: 4, end: 8 }, instruction: 'REF _Ref7 \\w \\h', targetBlockId: 'b1' }]);
    expect(numbers.get('b1')?.context).toEqual(['1.', '(a)']);
  });

  it('shows the state of form fields and the words of a macro button', async () => {
    const box = (checked: number): string =>
      `${sign('begin', `<w:ffData><w:checkBox><w:default w:val="0"/><w:checked w:val="${checked}"/></w:checkBox></w:ffData>`)}<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>${sign('end')}`;
    const list = `${sign('begin', '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Delaware"/><w:listEntry w:val="New York"/></w:ddList></w:ffData>')}<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r>${sign('end')}`;
    const button = `${sign('begin')}<w:r><w:instrText>MACROBUTTON NoMacro [Name of buyer]</w:instrText></w:r>${sign('end')}`;
    expect(await textsOf({ body: p(`${box(1)}${run(' yes ')}${box(0)}${run(' no ')}${list}${run(' ')}${button}`) })).toEqual([
      '☒ yes ☐ no New York [Name of buyer]',
    ]);
  });

  it('fault: text behind a field without an end is not lost in silence', async () => {
    const { warnings } = await read({ body: p(`${run('a')}${sign('begin')}<w:r><w:instrText>REF x</w:instrText></w:r>`) + p('swallowed') });
    expect(warnings).toMatchObject([{ code: 'unclosed_field' }]);
  });

  it('fault: a sentence that trails off in points is no line of a contents table', async () => {
    const { blocks } = await read({ body: p('to be agreed .....') + p('Definitions ........ 12') });
    expect(blocks.map((block) => block.kind)).toEqual(['paragraph', 'furniture']);
  });

  it('reads a table of contents in its content control as furniture', async () => {
    const toc = `<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>${p('Inhalt')}${p('1. Preis')}</w:sdtContent></w:sdt>`;
    const { blocks } = await read({ body: toc + p('1. Preis') });
    expect(blocks.map((block) => block.kind)).toEqual(['furniture', 'furniture', 'paragraph']);
  });
});

describe('notes and comments', () => {
  it('ties foot- and endnotes to their marks', async () => {
    const footnotes = `<w:footnote w:id="2">${p('Net of tax.')}${p('Always.')}</w:footnote>`;
    const endnotes = `<w:endnote w:id="2">${p('See law.')}</w:endnote>`;
    const body = p(`${run('Price')}<w:r><w:footnoteReference w:id="2"/></w:r>${run(' due')}<w:r><w:endnoteReference w:id="2"/></w:r>`);
    const { notes, blocks } = await read({ body, footnotes, endnotes });
    expect(notes).toEqual([
      { kind: 'footnote', mark: { documentId: '', blockId: 'b0', start: 5, end: 5 }, blockIds: ['b1', 'b2'] },
      { kind: 'endnote', mark: { documentId: '', blockId: 'b0', start: 9, end: 9 }, blockIds: ['b3'] },
    ]);
    expect(blocks.map((block) => block.text)).toEqual(['Price due', 'Net of tax.', 'Always.', 'See law.']);
  });

  it('reads a note that only another note cites, once', async () => {
    const cite = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
    const footnotes = `<w:footnote w:id="2">${p(run('First') + cite(3))}</w:footnote><w:footnote w:id="3">${p(run('Second') + cite(2))}</w:footnote>`;
    expect(await textsOf({ body: p(run('x') + cite(2)), footnotes })).toEqual(['x', 'First', 'Second']);
  });

  it('reads comments with their range, answers and whether they are settled', async () => {
    const comment = (id: number, text: string): string =>
      `<w:comment w:id="${id}" w:author="Ada" w:date="2026-01-02T03:04:05Z"><w:p w14:paraId="0000000${id}">${run(text)}</w:p></w:comment>`;
    const commentsExtended =
      '<w15:commentEx w15:paraId="00000001" w15:done="1"/><w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001" w15:done="0"/>';
    const body = p(
      `${run('The ')}<w:commentRangeStart w:id="1"/><w:commentRangeStart w:id="2"/>${run('fee')}<w:commentRangeEnd w:id="1"/><w:commentRangeEnd w:id="2"/><w:r><w:commentReference w:id="1"/></w:r>${run(' is due.')}`,
    );
    const { comments } = await read({ body, comments: comment(1, 'Too high?') + comment(2, 'No.'), commentsExtended });
    const span = { documentId: '', blockId: 'b0', start: 4, end: 7 };
    const rest = { author: 'Ada', date: '2026-01-02T03:04:05Z', span };
    expect(comments).toEqual([
      { id: '1', text: 'Too high?', parentId: null, resolved: true, ...rest },
      { id: '2', text: 'No.', parentId: '1', resolved: false, ...rest },
    ]);
  });

  it('bounds a comment over several paragraphs by its first one', async () => {
    const comments = '<w:comment w:id="1"><w:p/></w:comment>';
    const { comments: found } = await read({
      body: p(`${run('a ')}<w:commentRangeStart w:id="1"/>${run('bc')}`) + p(`${run('de')}<w:commentRangeEnd w:id="1"/>`),
      comments,
    });
    expect(found).toMatchObject([{ span: { blockId: 'b0', start: 2, end: 4 } }]);
  });
});

describe('what is hidden or special', () => {
  it('fault: hidden and white text is kept apart and not glued into a sentence', async () => {
    const white = '<w:color w:val="FFFFFF"/>';
    const body =
      p(`${run('Pay ')}${run('no ', '<w:vanish/>')}${run('ten')}${run('ignore this', white)}`) + `<w:tbl>${row(cell(p(run('Head', white))))}</w:tbl>`;
    const { blocks } = await read({ body });
    expect(blocks.map((block) => [block.text, block.hidden])).toEqual([
      ['Pay ten', null],
      ['no', 'vanish'],
      ['ignore this', 'white'],
      // White letters in tables stand on the ground of the table's style.
      ['Head', null],
    ]);
  });

  it('fault: a text box is read once, whatever versions of it the file holds', async () => {
    const box = (text: string): string => `<w:txbxContent>${p(text)}</w:txbxContent>`;
    const both = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box('In the box')}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>${box('In the box')}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
    expect(await textsOf({ body: p(run('Outside') + both) + p(`<w:r><w:pict>${box('Old box')}</w:pict></w:r>`) })).toEqual([
      'Outside',
      'In the box',
      'Old box',
    ]);
  });

  it('reads content controls of every level, and says which show their placeholder', async () => {
    const control = (content: string, more = ''): string => `<w:sdt><w:sdtPr>${more}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
    const inline = control(run('Acme'), '<w:text/>');
    const empty = control(run('Choose a date'), '<w:showingPlcHdr/><w:date/>');
    const { blocks, warnings } = await read({
      body: control(p(`${run('Buyer: ')}${inline}${run(', ')}${empty}`)) + `<w:tbl>${row(control(cell(p('x'))))}</w:tbl>`,
    });
    expect(blocks.map((block) => block.text)).toEqual(['Buyer: Acme, Choose a date', 'x']);
    expect(warnings).toMatchObject([{ code: 'placeholders' }]);
  });

  it('shows signs of symbol fonts by what they draw', async () => {
    const symbol = (font: string, char: string): string => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
    const greek = run('ab', '<w:rFonts w:ascii="Symbol"/>');
    expect(await textsOf({ body: p(`${symbol('Wingdings', 'F0FE')}${symbol('Wingdings', 'F0A8')}${symbol('Symbol', 'F0B3')}${greek}`) })).toEqual(['☑☐≥αβ']);
  });

  it('keeps hyphens that do not break, drops those that may, reads tabs and breaks as spaces', async () => {
    expect(
      await textsOf({
        body: p('<w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t><w:softHyphen/><w:t>eration</w:t><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r>'),
      }),
    ).toEqual(['co-operation x y']);
  });

  it('reads the base of ruby text and what smart tags and links hold', async () => {
    const ruby = `<w:r><w:ruby><w:rt>${run('かん')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby></w:r>`;
    expect(await textsOf({ body: p(`${ruby}<w:smartTag>${run('字')}</w:smartTag><w:hyperlink w:anchor="x">${run('。')}</w:hyperlink>`) })).toEqual(['漢字。']);
  });

  it('writes an equation in one line', async () => {
    const t = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
    const fraction = `<m:f><m:num>${t('a+b')}</m:num><m:den>${t('2')}</m:den></m:f>`;
    const root = `<m:rad><m:deg/><m:e>${t('x')}</m:e></m:rad>`;
    const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${t('i=1')}</m:sub><m:sup>${t('n')}</m:sup><m:e>${t('i')}</m:e></m:nary>`;
    expect(await textsOf({ body: p(`<m:oMathPara><m:oMath>${fraction}${t('=')}${root}${t('+')}${sum}</m:oMath></m:oMathPara>`) })).toEqual([
      '(a+b)/2=√(x)+∑_(i=1)^n i',
    ]);
  });

  it('tells of embedded documents that it does not read', async () => {
    const { warnings } = await read({ body: `${p('x')}<w:altChunk r:id="r9"/>${p('<w:subDoc r:id="r8"/>')}` });
    expect(warnings.map((warning) => warning.code)).toEqual(['embedded_documents', 'subdocuments']);
  });
});
