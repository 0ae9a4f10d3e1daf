// What new content brings along, and the faults that people report for redlines: each on the smallest pair of files that shows it.
import { strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../contract/document.ts';
import { level, listed, makeDocx, p, run, type DocxParts } from '../../ingest/docx/makeDocx.test-support.ts';
import { parseDocument } from '../../structure/document.ts';
import { redlineDocx, type RedlineReport } from './redlineDocx.ts';
import { faultsOf } from './validity.test-support.ts';
import { linesOf, noteLinesOf, richLinesOf } from './views.test-support.ts';

const OPTIONS = { author: 'Test', date: '2026-01-02T03:04:05Z' };
const DOCX = { kind: 'docx', name: 'test.docx', blocks: [] } as unknown as Document;
const textOf = (bytes: Uint8Array, part: string): string => new TextDecoder().decode(unzipSync(bytes)[part] ?? new Uint8Array());

/** The redline of two files after the checks that hold for every one. */
function redline(before: Uint8Array, after: Uint8Array): { bytes: Uint8Array; xml: string; report: RedlineReport } {
  const { bytes, report } = redlineDocx(before, after, DOCX, DOCX, OPTIONS);
  for (const lines of [linesOf, richLinesOf, noteLinesOf]) {
    expect(lines(bytes, 'accept')).toEqual(lines(after, 'accept'));
    expect(lines(bytes, 'reject')).toEqual(lines(before, 'accept'));
  }
  expect(faultsOf(bytes)).toEqual([]);
  return { bytes, xml: textOf(bytes, 'word/document.xml'), report };
}

const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const R = `xmlns:r="${REL}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"`;

/** A DOCX with more relationships: [id, type, target, content of the part or null for an address outside]. */
function withRelations(parts: DocxParts, relations: readonly (readonly [string, string, string, Uint8Array | null])[]): Uint8Array {
  const files = unzipSync(makeDocx(parts));
  const path = 'word/_rels/document.xml.rels';
  const lines = relations.map(
    ([id, type, target, content]) => `<Relationship Id="${id}" Type="${REL}/${type}" Target="${target}"${content ? '' : ' TargetMode="External"'}/>`,
  );
  files[path] = strToU8(new TextDecoder().decode(files[path]).replace('</Relationships>', `${lines.join('')}</Relationships>`));
  for (const [, , target, content] of relations) if (content) files[`word/${target}`] = new Uint8Array(content);
  files['[Content_Types].xml'] = strToU8(
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="png" ContentType="image/png"/></Types>',
  );
  return zipSync(files);
}

const picture = (id: string): string =>
  `<w:r><w:drawing ${R}><wp:inline><wp:docPr id="1" name="p"/><a:graphic><a:graphicData><a:blip r:embed="${id}"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
const note = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
const noteText = (id: number, text: string): string => `<w:footnote w:id="${id}">${p(text)}</w:footnote>`;
/** A numbering part: [numId, text of its only level]. */
const lists = (...entries: readonly (readonly [number, string])[]): string =>
  [
    ...entries.map(([id, text]) => `<w:abstractNum w:abstractNumId="${id}">${level(0, 'decimal', text)}</w:abstractNum>`),
    ...entries.map(([id]) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`),
  ].join('');

describe('what new content brings along', () => {
  it('fault: a footnote that only the newer file has is not lost, also where the older has no notes at all', () => {
    const after = makeDocx({ body: p(run('The fee is due') + note(2) + run('.')), footnotes: noteText(2, 'Within thirty days.') });
    const out = redline(makeDocx({ body: p('The fee is due.') }), after);
    expect(noteLinesOf(out.bytes, 'accept')).toEqual(['[footnotes]', 'Within thirty days.']);
    expect(noteLinesOf(out.bytes, 'reject')).toEqual([]);
    expect(textOf(out.bytes, '[Content_Types].xml')).toContain('footnotes+xml');
  });

  it('fault: a new note does not take the number of another one', () => {
    const before = makeDocx({ body: p(run('One') + note(2)) + p('End'), footnotes: noteText(2, 'The first note.') });
    const after = makeDocx({
      body: p(run('Zero') + note(2)) + p(run('One') + note(3)) + p('End'),
      footnotes: noteText(2, 'A new note.') + noteText(3, 'The first note.'),
    });
    expect(noteLinesOf(redline(before, after).bytes, 'accept')).toEqual(['[footnotes]', 'A new note.', '[footnotes]', 'The first note.']);
  });

  it('fault: the text of a deleted note is marked as deleted too', () => {
    const before = makeDocx({ body: p(run('Due') + note(2)) + p('End'), footnotes: noteText(2, 'Old note.') });
    expect(textOf(redline(before, makeDocx({ body: p('Due') + p('End') })).bytes, 'word/footnotes.xml')).toMatch(/<w:del .*Old note/);
  });

  it('fault: a picture that is new comes with its part, under a name and an id that are free', () => {
    const before = withRelations({ body: p(`${picture('x')}${run('a')}`) }, [['x', 'image', 'media/image1.png', new Uint8Array([1, 2, 3])]]);
    const after = withRelations({ body: p(`${picture('x')}${run('a')}`) + p(picture('y')) }, [
      ['x', 'image', 'media/image2.png', new Uint8Array([1, 2, 3])],
      ['y', 'image', 'media/image1.png', new Uint8Array([9, 9])],
    ]);
    const { bytes, xml } = redline(before, after);
    expect(Object.keys(unzipSync(bytes)).filter((name) => name.includes('media'))).toEqual(['word/media/image1.png', 'word/media/image1-1.png']);
    expect([...xml.matchAll(/docPr id="(\d+)"/g)].map((match) => match[1])).toEqual(['1', '2']);
  });

  it('fault: a link that is new leads somewhere, and its mark stands inside of it', () => {
    const link = `<w:hyperlink r:id="l" ${R}>${run('our policy')}</w:hyperlink>`;
    const after = withRelations({ body: p(run('See ') + link + run(' for more.')) }, [['l', 'hyperlink', 'https://example.org/p', null]]);
    const { xml } = redline(makeDocx({ body: p('See for more.') }), after);
    expect(xml).toMatch(/<w:hyperlink r:id="rId\d+"[^>]*><w:ins /);
  });

  it('fault: a link under the same words that leads elsewhere is a change', () => {
    const file = (target: string): Uint8Array =>
      withRelations({ body: p(run('See ') + `<w:hyperlink r:id="l" ${R}>${run('the terms as published there')}</w:hyperlink>` + run('.')) }, [
        ['l', 'hyperlink', target, null],
      ]);
    expect(redline(file('https://example.org/old'), file('https://example.org/new')).report.insertions).toBeGreaterThan(0);
    expect(redline(file('https://example.org/old'), file('https://example.org/old')).report.insertions).toBe(0);
  });

  it('fault: a new item of a list joins the list of its neighbours instead of one that has the same id by chance', () => {
    const before = makeDocx({ body: listed('First item', 7) + listed('Third item', 7) + p('End'), numbering: lists([3, '(%1)'], [7, '%1.']) });
    const after = makeDocx({ body: listed('First item', 3) + listed('Second item', 3) + listed('Third item', 3) + p('End'), numbering: lists([3, '%1.']) });
    const { xml } = redline(before, after);
    expect([...xml.matchAll(/w:numId w:val="(\d+)"/g)].map((match) => match[1])).toEqual(['7', '7', '7']);
    expect(xml).not.toContain('2.');
  });

  it('brings a list and a style that the older file does not have', () => {
    const style = '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:keepNext/></w:pPr></w:style>';
    const before = makeDocx({
      body: p('Text') + p('End'),
      styles: '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>',
    });
    const item = p('A new clause', '<w:pStyle w:val="Clause"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="5"/></w:numPr>');
    const { bytes } = redline(before, makeDocx({ body: p('Text') + item + p('End'), styles: style, numbering: lists([5, '%1)']) }));
    expect(textOf(bytes, 'word/styles.xml')).toContain('w:styleId="Clause"');
    expect(textOf(bytes, 'word/numbering.xml')).toMatch(/<w:abstractNum .*<w:num w:numId="1">/);
  });

  it('fault: a prefix that only the newer file declares is declared with what uses it', () => {
    const styled = p(
      '<w:r><w:rPr><w14:ligatures xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" w14:val="all"/></w:rPr><w:t>New text here</w:t></w:r>',
    );
    const { xml } = redline(makeDocx({ body: p('End') }), makeDocx({ body: styled + p('End') }));
    expect(xml).toContain('xmlns:w14=');
  });
});

describe('a DOCX against another format', () => {
  it('fault: a new clause of a text joins the computed list of its neighbours, and its number is not typed', async () => {
    const body = listed('The Seller delivers the goods.', 7) + listed('The Buyer pays the price of them.', 7) + p('Signed by both.');
    const before = makeDocx({ body, numbering: lists([7, '%1.']) });
    const text = '1. The Seller delivers the goods.\n\n2. The goods are new and without faults.\n\n3. The Buyer pays the price of them.\n\nSigned by both.\n';
    const [old, now] = [await parseDocument(before, 'a.docx'), await parseDocument(new TextEncoder().encode(text), 'b.txt')];
    const { bytes } = redlineDocx(before, null, old, now, OPTIONS);
    expect(linesOf(bytes, 'accept')).toEqual([
      'The Seller delivers the goods.',
      'The goods are new and without faults.',
      'The Buyer pays the price of them.',
      'Signed by both.',
    ]);
    expect([...textOf(bytes, 'word/document.xml').matchAll(/w:numId w:val="7"/g)]).toHaveLength(3);
  });
});

describe('moves', () => {
  it('fault: a paragraph that moved and was edited is a move with its edits inside, not a deletion and an insertion', () => {
    const clause = (days: string): string => p(`The Buyer pays every invoice within ${days} days after it was received by its office.`);
    const rest = ['The Seller delivers the goods in May at its own cost.', 'This agreement ends after two full years.', 'The law of Delaware governs.']
      .map((text) => p(text))
      .join('');
    const { xml, report } = redline(makeDocx({ body: clause('thirty') + rest + p('End') }), makeDocx({ body: rest + clause('sixty') + p('End') }));
    expect(report.moves).toBe(1);
    expect(xml).toMatch(/<w:moveTo [^>]*><w:del [^>]*><w:r><w:delText[^>]*>thirty/);
    expect(xml).toMatch(/<w:ins [^>]*><w:r><w:t[^>]*>sixty/);
  });
});

describe('the report', () => {
  it('fault: changes that the files already tracked are accepted first, and counted', () => {
    const before = makeDocx({ body: `<w:p><w:ins w:id="1" w:author="x" w:date="2020-01-01T00:00:00Z">${run('Old and ')}</w:ins>${run('kept')}</w:p>` });
    const { report } = redlineDocx(before, makeDocx({ body: p('Old and kept now') }), DOCX, DOCX, OPTIONS);
    expect([report.acceptedBefore, report.acceptedAfter, report.insertions]).toEqual([1, 0, 1]);
  });

  it('gives the same bytes for the same inputs', () => {
    const [before, after] = [makeDocx({ body: p('Two years') }), makeDocx({ body: p('Three years') })];
    expect(redline(before, after).bytes).toEqual(redline(before, after).bytes);
  });

  it('keeps the comments of the older file where they were', () => {
    const commented = `<w:p><w:commentRangeStart w:id="4"/>${run('Two years')}<w:commentRangeEnd w:id="4"/><w:r><w:commentReference w:id="4"/></w:r></w:p>`;
    const { xml } = redline(makeDocx({ body: commented }), makeDocx({ body: p('Three years') }));
    for (const name of ['commentRangeStart', 'commentRangeEnd', 'commentReference']) expect(xml).toContain(`<w:${name} w:id="4"/>`);
  });
});
