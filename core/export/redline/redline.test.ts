// Redlines as a reader of the file sees them: both views exact, marks where the standard puts them, untouched runs untouched.
//
// The views come from views.test-support.ts, which shares no code with the writer.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../contract/document.ts';
import { makeDocx, p, run } from '../../ingest/docx/makeDocx.test-support.ts';
import { ZipReader } from '../../ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../ingest/limits.ts';
import { parseDocument } from '../../structure/document.ts';
import { redlineDocx } from './redlineDocx.ts';
import { faultsOf } from './validity.test-support.ts';
import { bodyNodes, everyNode, linesOf } from './views.test-support.ts';

const OPTIONS = { author: 'R. "Ed" <Line>', date: '2026-01-02T03:04:05Z' };
const DOCX = { kind: 'docx', name: 'test.docx', blocks: [] } as unknown as Document;
const redline = (before: string, after: string): Uint8Array => redlineDocx(makeDocx({ body: before }), makeDocx({ body: after }), DOCX, DOCX, OPTIONS).bytes;
const xmlOf = (bytes: Uint8Array): string =>
  new TextDecoder().decode(new ZipReader(bytes, 'test', DEFAULT_LIMITS).read('word/document.xml') ?? new Uint8Array());
const names = (bytes: Uint8Array): string[] => everyNode(bodyNodes(bytes)).map((node) => node.name);

function expectExact(before: string, after: string): Uint8Array {
  const out = redline(before, after);
  expect(linesOf(out, 'accept')).toEqual(linesOf(makeDocx({ body: after }), 'accept'));
  expect(linesOf(out, 'reject')).toEqual(linesOf(makeDocx({ body: before }), 'accept'));
  return out;
}

const MARKS = /^w:(?:ins|del|moveFrom|moveTo|moveFromRangeStart|moveToRangeStart)$/;

const word = fc.constantFrom('the', 'Seller', 'Buyer', 'shall', 'pay', '1,000.50', 'days', '.', ',', 'notice', 'term', '甲方', '&amp;', '10%');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const paragraph = fc
  .array(fc.tuple(text, fc.constantFrom('', '<w:b/>', '<w:i/>')), { maxLength: 3 })
  .map((runs) => `<w:p><w:pPr><w:jc w:val="left"/></w:pPr>${runs.map(([content, properties]) => run(content, properties)).join('')}</w:p>`);
const table = fc
  .array(fc.array(paragraph, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map(
    (rows) =>
      `<w:tbl><w:tblPr/><w:tblGrid/>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc><w:tcPr/>${cell}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`,
  );
const block = fc.oneof({ weight: 6, arbitrary: paragraph }, { weight: 1, arbitrary: table.map((entry) => entry + p('after a table')) });
const blocks = fc.array(block, { maxLength: 8 });
/** Versions as they come about: blocks kept, dropped, added, exchanged. */
const versions = fc
  .tuple(blocks, fc.array(fc.tuple(fc.nat(8), fc.constantFrom('drop', 'add', 'move', 'replace'), block), { maxLength: 4 }))
  .map(([before, edits]) => {
    const after = [...before];
    for (const [at, kind, extra] of edits) {
      const taken = kind === 'add' ? [] : after.splice(at, 1);
      if (kind === 'add' || kind === 'replace') after.splice(at, 0, extra);
      if (kind === 'move') after.unshift(...taken);
    }
    return [`${before.join('')}<w:p/>`, `${after.join('')}<w:p/>`] as const;
  });

describe('a redline of two DOCX', () => {
  it('gives both texts back, whatever was edited', () => {
    fc.assert(
      fc.property(versions, ([before, after]) => {
        expect(faultsOf(expectExact(before, after))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps two edits apart that could slide into each other', () => {
    expectExact(p('the days , the shall the') + p(''), p('days shall') + p(''));
  });

  it('gives both texts back when the last paragraphs come and go', () => {
    const bodies = fc.array(paragraph, { minLength: 1, maxLength: 5 }).map((entries) => entries.join(''));
    fc.assert(
      fc.property(bodies, bodies, (before, after) => {
        expect(faultsOf(expectExact(before, after))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('marks nothing in equal documents', () => {
    const body = p('The Seller delivers.') + p(run('Bold', '<w:b/>') + run(' and not'));
    expect(names(redline(body, body)).filter((name) => MARKS.test(name))).toEqual([]);
  });

  it('cuts only the run that changed and gives new words its look', () => {
    const out = xmlOf(expectExact(p(run('Payment within ', '<w:i/>') + run('30 days of invoice', '<w:b/>')), p('Payment within 45 days of invoice')));
    expect(out).toContain('<w:r><w:rPr><w:i/></w:rPr><w:t xml:space="preserve">Payment within </w:t></w:r>');
    expect(out).toMatch(/<w:del [^>]*><w:r><w:rPr><w:b\/><\/w:rPr><w:delText xml:space="preserve">30<\/w:delText><\/w:r><\/w:del>/);
    expect(out).toMatch(
      /<w:ins [^>]*w:author="R\. &quot;Ed&quot; &lt;Line&gt;"[^>]*><w:r><w:rPr><w:b\/><\/w:rPr><w:t xml:space="preserve">45<\/w:t><\/w:r><\/w:ins>/,
    );
  });

  it('tells a whole paragraph that moved as a move with its ranges', () => {
    const [a, b, c] = ['The Seller delivers the goods in May.', 'The Buyer pays within thirty days.', 'This agreement ends after two years.'];
    const out = expectExact(p(a) + p(b) + p(c) + p('End'), p(c) + p(a) + p(b) + p('End'));
    expect(faultsOf(out)).toEqual([]);
    expect(
      names(out)
        .filter((name) => /move/.test(name))
        .sort(),
    ).toEqual(
      ['moveFrom', 'moveFrom', 'moveFromRangeEnd', 'moveFromRangeStart', 'moveTo', 'moveTo', 'moveToRangeEnd', 'moveToRangeStart'].map((name) => `w:${name}`),
    );
    const ranges = everyNode(bodyNodes(out)).filter((node) => node.name.endsWith('RangeStart'));
    expect(new Set(ranges.map((node) => node.attributes['w:name'])).size).toBe(1);
  });

  it('compares tables of one shape cell by cell and marks rows that came or went', () => {
    const rows = (...texts: string[][]): string =>
      `<w:tbl><w:tblPr/><w:tblGrid/>${texts.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${p(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>${p('')}`;
    expect(names(expectExact(rows(['Fee', '10']), rows(['Fee', '20']))).filter((name) => name === 'w:trPr')).toEqual([]);
    const out = expectExact(rows(['Fee', '10'], ['Tax rate', '5']), rows(['Fee', '10'], ['Late charge', '7'], ['Tax rate', '5'], ['Cap', '9']));
    expect(faultsOf(out)).toEqual([]);
    expect(names(out).filter((name) => name === 'w:trPr')).toHaveLength(2);
  });

  it('takes tracked changes of the inputs as accepted', () => {
    const before = `<w:p>${run('Fee of ')}<w:del w:id="7" w:author="x"><w:r><w:delText>5</w:delText></w:r></w:del><w:ins w:id="8" w:author="x"><w:r><w:t>6</w:t></w:r></w:ins></w:p>`;
    const out = redline(before, p('Fee of 7'));
    expect([linesOf(out, 'accept'), linesOf(out, 'reject')]).toEqual([['Fee of 7'], ['Fee of 6']]);
    expect(faultsOf(out)).toEqual([]);
  });

  it('keeps fields, links, tabs and breaks and deletes a field as a whole', () => {
    const field = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF a</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('4.2')}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const before = `<w:p>${run('See Section ')}${field}${run(' and')}<w:r><w:tab/><w:br/></w:r><w:hyperlink w:anchor="x">${run('this link')}</w:hyperlink>${run(' here')}</w:p>`;
    const after = `<w:p>${run('See and')}<w:r><w:tab/><w:br/></w:r><w:hyperlink w:anchor="x">${run('this link')}</w:hyperlink>${run(' or there')}</w:p>`;
    const out = expectExact(before, after);
    expect(names(out).filter((name) => name === 'w:instrText')).toEqual([]);
    expect(names(out).filter((name) => name === 'w:delInstrText')).toHaveLength(1);
    expect(xmlOf(out)).toMatch(/<\/w:hyperlink>.*<w:ins /);
  });

  it('gives the text of boxes and foreign prefixes back', () => {
    const box = (inner: string): string =>
      p(
        `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><w:txbxContent>${inner}</w:txbxContent></w:drawing></mc:Choice></mc:AlternateContent></w:r>`,
      );
    expectExact(box(p('Inside the box')) + p('x'), box(p('Inside this box')) + p('x'));
    const strange = makeDocx({ body: p('Old fee') });
    const out = redlineDocx(strange, makeDocx({ body: p('New fee') }), DOCX, DOCX, OPTIONS).bytes;
    expect(linesOf(out, 'accept')).toEqual(['New fee']);
  });
});

describe('a redline with other formats', () => {
  const parse = (content: string, name: string): ReturnType<typeof parseDocument> => parseDocument(new TextEncoder().encode(content), name);

  it('writes a plain DOCX when the older document is none', async () => {
    const [before, after] = [
      await parse('1. Term\n\nTwo years.\n\n2. Law\n\nDelaware.\n', 'a.txt'),
      await parse('1. Term\n\nThree years.\n\n2. Law\n\nDelaware & Ohio.\n', 'b.txt'),
    ];
    const out = redlineDocx(new Uint8Array(), null, before, after, OPTIONS).bytes;
    expect(linesOf(out, 'accept')).toEqual(after.blocks.map((entry) => entry.text));
    expect(linesOf(out, 'reject')).toEqual(before.blocks.map((entry) => entry.text));
    expect(faultsOf(out)).toEqual([]);
    expect((await parseDocument(out, 'out.docx')).blocks.map((entry) => entry.text)).toEqual(after.blocks.map((entry) => entry.text));
  });

  it('takes spacing and quotes of another format as no change', async () => {
    const before = makeDocx({ body: p('The “Seller”  delivers the goods.') + p('The Buyer pays.') });
    const after = await parse('The "Seller" delivers the goods.\n\nThe Buyer pays now.\n', 'b.txt');
    const out = redlineDocx(before, null, await parseDocument(before, 'a.docx'), after, OPTIONS).bytes;
    expect(linesOf(out, 'accept')).toEqual(['The “Seller”  delivers the goods.', 'The Buyer pays now.']);
    expect(linesOf(out, 'reject')).toEqual(['The “Seller”  delivers the goods.', 'The Buyer pays.']);
  });
});
