// Tagged structure of a page: roles from the structure tree, artifacts by their lack of a tag.
import * as mupdf from 'mupdf';
import { describe, expect, it } from 'vitest';
import { readGlyphs, type Segment } from './glyphs.ts';
import { makePage } from '../makePdf.test-support.ts';
import { roleOf } from './tags.ts';

/** A page whose marked content 0, 1, ... are elements of these kinds. */
function taggedSegments(kinds: readonly string[], content: string): readonly Segment[] {
  const document = mupdf.Document.openDocument(makePage(content), 'application/pdf') as mupdf.PDFDocument;
  const page = document.loadPage(0).getObject();
  const root = document.addObject({ Type: document.newName('StructTreeRoot') });
  const top = document.addObject({ Type: document.newName('StructElem'), S: document.newName('Document'), P: root });
  const elements = kinds.map((kind, index) =>
    document.addObject({ Type: document.newName('StructElem'), S: document.newName(kind), P: top, Pg: page, K: index }),
  );
  top.put('K', elements);
  root.put('K', [top]);
  root.put('ParentTree', document.addObject({ Nums: [0, elements] }));
  page.put('StructParents', 0);
  document.getTrailer().get('Root').put('StructTreeRoot', root);
  const saved = mupdf.Document.openDocument(document.saveToBuffer('').asUint8Array().slice(), 'application/pdf') as mupdf.PDFDocument;
  return readGlyphs(mupdf, saved.loadPage(0), { size: [612, 792], origin: [0, 0] }, { tagged: true, unclipped: false }).segments;
}

const marked = (kind: string, id: number, y: number, text: string): string => `/${kind} <</MCID ${id}>> BDC BT /F1 12 Tf 72 ${y} Td (${text}) Tj ET EMC`;

describe('tags', () => {
  it('gives each segment the role and level of its element', () => {
    const segments = taggedSegments(['H2', 'P'], `${marked('H2', 0, 700, 'Fees')}\n${marked('P', 1, 680, 'The fee is due.')}`);
    expect(segments.map((segment) => [segment.tag?.role, segment.tag?.level])).toEqual([
      ['heading', 2],
      ['paragraph', null],
    ]);
  });

  it('fault: page numbers outside the structure of a tagged page are artifacts', () => {
    const segments = taggedSegments(
      ['P'],
      `/Artifact BMC BT /F1 9 Tf 300 30 Td (17) Tj ET EMC\n${marked('P', 0, 700, 'The whole text of this page is tagged.')}`,
    );
    expect(segments.map((segment) => segment.tag?.role)).toEqual(['artifact', 'paragraph']);
  });

  it('keeps the role of a list item or a cell for the paragraph inside it', () => {
    const item = roleOf(26, 1, null);
    expect(roleOf(17, 2, item)).toBe(item);
    expect(roleOf(26, 3, item)).toMatchObject({ role: 'listItem', element: 3 });
    expect(roleOf(36, 4, item)).toBe(item);
  });
});
