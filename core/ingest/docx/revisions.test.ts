// Tracked changes in the three views: what stands, what joins, who did it and when.
import { describe, expect, it } from 'vitest';
import type { View } from '../../contract/document.ts';
import { Watch } from '../limits.ts';
import { level, listed, makeDocx, p, run, type DocxParts } from './makeDocx.test-support.ts';
import { readDocx, type DocxContent } from './readDocx.ts';

const read = (parts: DocxParts, view: View): Promise<DocxContent> => readDocx(makeDocx(parts), 'test.docx', new Watch({}), view);
const textsOf = async (parts: DocxParts, view: View): Promise<string[]> => (await read(parts, view)).blocks.map((block) => block.text);
const views = async (parts: DocxParts): Promise<string[][]> => [
  await textsOf(parts, 'accepted'),
  await textsOf(parts, 'original'),
  await textsOf(parts, 'both'),
];

const WHO = 'w:id="1" w:author="Ada" w:date="2026-01-02T03:04:05Z"';
const ins = (text: string): string => `<w:ins ${WHO}>${run(text)}</w:ins>`;
const del = (text: string): string => `<w:del ${WHO}><w:r><w:delText xml:space="preserve">${text}</w:delText></w:r></w:del>`;
const marked = (content: string, kind: 'ins' | 'del', more = ''): string => p(content, `${more}<w:rPr><w:${kind} ${WHO}/></w:rPr>`);

describe('views', () => {
  it('fault: deleted text is never read as live text', async () => {
    expect(await views({ body: p(`${run('The fee is ')}${del('ten')}${ins('twelve')}${run(' euros.')}`) })).toEqual([
      ['The fee is twelve euros.'],
      ['The fee is ten euros.'],
      ['The fee is tentwelve euros.'],
    ]);
  });

  it('keeps text that was inserted and deleted again out of both pure views', async () => {
    const nested = `<w:ins ${WHO}><w:del ${WHO}><w:r><w:delText>never </w:delText></w:r></w:del></w:ins>`;
    expect(await views({ body: p(`${run('It was ')}${nested}${run('so.')}`) })).toEqual([['It was so.'], ['It was so.'], ['It was never so.']]);
  });

  it('joins paragraphs whose mark does not stand, with the properties of the last', async () => {
    expect(await views({ body: marked(run('One '), 'del') + p('two.') + marked(ins('Three.'), 'ins') + p(' Four.') })).toEqual([
      ['One two.', 'Three.', 'Four.'],
      ['One', 'two.', 'Four.'],
      ['One', 'two.', 'Three.', 'Four.'],
    ]);
  });

  it('fault: a deleted last paragraph of a cell does not swallow the next cell', async () => {
    const cell = (content: string): string => `<w:tc>${content}</w:tc>`;
    const body = `<w:tbl><w:tr>${cell(marked(run('A'), 'del'))}${cell(p('B'))}</w:tr></w:tbl>`;
    expect(await textsOf({ body }, 'accepted')).toEqual(['A', 'B']);
  });

  it('reads moves at their new place, or at their old one', async () => {
    const from = `<w:moveFrom ${WHO}>${run('Moved. ')}</w:moveFrom>`;
    const to = `<w:moveTo ${WHO}>${run('Moved. ')}</w:moveTo>`;
    const { revisions } = await read({ body: p(from + run('A. ')) + p(run('B. ') + to) }, 'accepted');
    expect(revisions.map(({ kind, text, author }) => [kind, text, author])).toEqual([
      ['moveFrom', 'Moved. ', 'Ada'],
      ['moveTo', 'Moved. ', 'Ada'],
    ]);
    expect(await textsOf({ body: p(from + run('A.')) + p(run('B. ') + to) }, 'original')).toEqual(['Moved. A.', 'B.']);
  });

  it('leaves out rows that do not stand and counts the rows that do', async () => {
    const row = (text: string, change = ''): string => `<w:tr><w:trPr>${change}</w:trPr><w:tc>${p(text)}</w:tc></w:tr>`;
    const body = `<w:tbl>${row('kept')}${row('gone', `<w:del ${WHO}/>`)}${row('new', `<w:ins ${WHO}/>`)}</w:tbl>`;
    expect(await views({ body })).toEqual([
      ['kept', 'new'],
      ['kept', 'gone'],
      ['kept', 'gone', 'new'],
    ]);
    const { blocks, revisions, tables } = await read({ body }, 'accepted');
    expect(blocks.map((block) => block.cell?.row)).toEqual([0, 1]);
    expect(tables).toMatchObject([{ rows: 2, columns: 1 }]);
    expect(revisions.map(({ kind, text }) => [kind, text])).toEqual([
      ['delete', 'gone'],
      ['insert', 'new'],
    ]);
  });

  it('gives a deleted cell of a tracked merge to the cell before it', async () => {
    const cell = (text: string, change = ''): string => `<w:tc><w:tcPr>${change}</w:tcPr>${p(text)}</w:tc>`;
    const body = `<w:tbl><w:tr>${cell('A')}${cell('', `<w:cellDel ${WHO}/>`)}${cell('C')}</w:tr></w:tbl>`;
    const { blocks } = await read({ body }, 'accepted');
    expect(blocks.map((block) => [block.text, block.cell?.column, block.cell?.columnSpan])).toEqual([
      ['A', 0, 2],
      ['C', 2, 1],
    ]);
  });
});

describe('numbers in views', () => {
  const numbering = `<w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`;
  const LIST = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';

  it('fault: a deleted numbered paragraph uses up no number once it is accepted', async () => {
    const body = listed('a', 1) + marked(del('b'), 'del', LIST) + listed('c', 1);
    // With all changes shown Word gives the struck paragraph the number that the next one has.
    expect(await views({ body, numbering })).toEqual([
      ['1. a', '2. c'],
      ['1. a', '2. b', '3. c'],
      ['1. a', '2. b', '2. c'],
    ]);
  });

  it('numbers an inserted paragraph only where it stands', async () => {
    const body = listed('a', 1) + marked(ins('b'), 'ins', LIST) + listed('c', 1);
    expect((await views({ body, numbering })).slice(0, 2)).toEqual([
      ['1. a', '2. b', '3. c'],
      ['1. a', '2. c'],
    ]);
  });

  it('takes numbering that was put on or changed under tracking away in the original', async () => {
    const numbered = p('a', `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/><w:ins ${WHO}/></w:numPr>`);
    const changed = p('b', `${LIST}<w:pPrChange ${WHO}><w:pPr/></w:pPrChange>`);
    expect((await views({ body: numbered + changed, numbering })).slice(0, 2)).toEqual([
      ['1. a', '2. b'],
      ['a', 'b'],
    ]);
  });
});

describe('the list of revisions', () => {
  it('says who, when and where: where the text stands, or the empty place where it stood', async () => {
    const { blocks, revisions } = await read({ body: p(`${run('Pay ')}${del('ten')}${ins('twelve')}${run(' euros.')}`) }, 'accepted');
    expect(revisions).toEqual([
      { id: 'r0', kind: 'delete', author: 'Ada', date: '2026-01-02T03:04:05Z', text: 'ten', span: { documentId: '', blockId: 'b0', start: 4, end: 4 } },
      { id: 'r1', kind: 'insert', author: 'Ada', date: '2026-01-02T03:04:05Z', text: 'twelve', span: { documentId: '', blockId: 'b0', start: 4, end: 10 } },
    ]);
    expect(blocks[0]?.text.slice(4, 10)).toBe('twelve');
  });

  it('is one revision where Word cuts one change into many runs', async () => {
    const { revisions } = await read({ body: p(`${run('x ')}${ins('one ')}${ins('two ')}${run('y ')}${ins('three')}`) }, 'accepted');
    expect(revisions.map((revision) => revision.text)).toEqual(['one two ', 'three']);
  });

  it('places the change of a wholly deleted paragraph at the next one', async () => {
    const { revisions } = await read({ body: p('a') + marked(del('gone'), 'del') + p('b') }, 'accepted');
    expect(revisions).toMatchObject([{ kind: 'delete', text: 'gone\n', span: { blockId: 'b1', start: 0, end: 0 } }]);
  });

  it('lists changes of format with the text they are about, and no change of text', async () => {
    const bold = `<w:r><w:rPr><w:b/><w:rPrChange ${WHO}><w:rPr/></w:rPrChange></w:rPr><w:t>bold</w:t></w:r>`;
    const { revisions, warnings } = await read({ body: p(run('now ') + bold, `<w:jc w:val="center"/><w:pPrChange ${WHO}><w:pPr/></w:pPrChange>`) }, 'accepted');
    expect(revisions.map(({ kind, text }) => [kind, text])).toEqual([
      ['format', 'bold'],
      ['format', 'now bold'],
    ]);
    expect(warnings).toMatchObject([{ code: 'tracked_changes', message: expect.stringContaining('0 insertions, 0 deletions, 2 of format') as string }]);
  });

  it('keeps a change inside an equation', async () => {
    const equation = `<m:oMath><m:r><m:t>A=</m:t></m:r><m:r><w:del ${WHO}><m:t>2</m:t></w:del></m:r><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>`;
    expect(await views({ body: p(equation) })).toEqual([['A=r^2'], ['A=2r^2'], ['A=2r^2']]);
    expect((await read({ body: p(equation) }, 'accepted')).revisions).toMatchObject([{ kind: 'delete', text: '2' }]);
  });
});
