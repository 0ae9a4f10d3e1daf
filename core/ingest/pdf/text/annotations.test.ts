// Form fields, free text, comments and highlights, made by mupdf on a small page.
import * as mupdf from 'mupdf';
import { describe, expect, it } from 'vitest';
import { Watch } from '../../limits.ts';
import type { RawContent } from '../../raw.ts';
import { isoDate } from './annotations.ts';
import { makePage } from '../makePdf.test-support.ts';
import { readPdf } from '../readPdf.ts';

const TEXT = 'BT /F1 12 Tf 72 700 Td (The fee is due within thirty days.) Tj 0 -60 Td (Signed for the customer:) Tj ET';

async function read(change: (page: mupdf.PDFPage, document: mupdf.PDFDocument) => void): Promise<RawContent> {
  const document = mupdf.Document.openDocument(makePage(TEXT), 'application/pdf') as mupdf.PDFDocument;
  const page = document.loadPage(0);
  change(page, document);
  page.update();
  return readPdf(new Uint8Array(document.saveToBuffer('').asUint8Array()), 'test.pdf', {}, new Watch({}));
}

/** A text field or check box as a file has it, at these points from the page's lower left corner. */
function addField(document: mupdf.PDFDocument, page: mupdf.PDFPage, entries: Record<string, unknown>, rect: readonly number[]): void {
  const field = document.addObject(document.newDictionary());
  const all = { Type: document.newName('Annot'), Subtype: document.newName('Widget'), Rect: [...rect], F: 4, ...entries };
  for (const [key, value] of Object.entries(all)) field.put(key, value);
  const object = page.getObject();
  if (object.get('Annots').isNull()) object.put('Annots', []);
  object.get('Annots').push(field);
  const root = document.getTrailer().get('Root');
  if (root.get('AcroForm').isNull()) root.put('AcroForm', { Fields: [], DR: {}, NeedAppearances: false });
  root.get('AcroForm', 'Fields').push(field);
}

describe('annotations of a PDF', () => {
  it('fault: the value of a form field is read, after the line that asks for it', async () => {
    const { blocks } = await read((page, document) =>
      addField(document, page, { FT: document.newName('Tx'), T: document.newString('name'), V: document.newString('Ada Lovelace') }, [220, 630, 400, 650]),
    );
    expect(blocks.map((block) => [block.kind, block.text])).toEqual([
      ['paragraph', 'The fee is due within thirty days.'],
      ['paragraph', 'Signed for the customer:'],
      ['formField', 'Ada Lovelace'],
    ]);
    expect(blocks[2]?.at[0]?.box?.x0).toBeCloseTo(220, 0);
  });

  it('tells a ticked box from an empty one', async () => {
    const { blocks } = await read((page, document) => {
      const box = (state: string): Record<string, unknown> => ({ FT: document.newName('Btn'), T: document.newString(state), AS: document.newName(state) });
      addField(document, page, box('Yes'), [72, 500, 84, 512]);
      addField(document, page, box('Off'), [72, 480, 84, 492]);
    });
    expect(blocks.filter((block) => block.kind === 'formField').map((block) => block.text)).toEqual(['☒', '☐']);
  });

  it('reads free text as a block of its own and a highlight as a comment on its words', async () => {
    const { blocks, comments } = await read((page) => {
      const text = page.createAnnotation('FreeText');
      text.setRect([72, 300, 300, 330]);
      text.setContents('Agreed on the phone');
      const mark = page.createAnnotation('Highlight');
      // "thirty days" stands from x = 185 on, in the line 92 points below the page's upper edge.
      mark.setQuadPoints([[185, 82, 244, 82, 185, 95, 244, 95]]);
      mark.setContents('Why not sixty?');
      mark.setAuthor('Grace');
    });
    expect(blocks.filter((block) => block.kind === 'annotation').map((block) => block.text)).toEqual(['Agreed on the phone']);
    const [comment] = comments ?? [];
    expect(comment).toMatchObject({ author: 'Grace', text: 'Why not sixty?', parentId: null, resolved: false });
    const block = blocks.find((found) => found.id === comment?.span?.blockId);
    expect(block?.text.slice(comment?.span?.start, comment?.span?.end).trim()).toMatch(/^thirty days\.?$/);
  });

  it('ties an answer to its comment and takes "Completed" for what it is', async () => {
    const { comments } = await read((page, document) => {
      const note = (text: string, parent: mupdf.PDFAnnotation | null): mupdf.PDFAnnotation => {
        const made = page.createAnnotation('Text');
        made.setContents(text);
        if (parent) made.getObject().put('IRT', parent.getObject());
        return made;
      };
      const first = note('Check the law.', null);
      note('It is Irish law.', first);
      note('', first).getObject().put('State', document.newString('Completed'));
    });
    expect(comments?.map((comment) => [comment.text, comment.parentId !== null, comment.resolved])).toEqual([
      ['Check the law.', false, true],
      ['It is Irish law.', true, false],
    ]);
  });

  it('reads dates of PDF with and without zone and time', () => {
    expect(isoDate("D:20240229143005+02'00'")).toBe('2024-02-29T14:30:05+02:00');
    expect(isoDate('D:20240229Z')).toBe('2024-02-29');
    expect(isoDate('199812')).toBe('1998-12-01');
    expect(isoDate('yesterday')).toBeNull();
  });
});
