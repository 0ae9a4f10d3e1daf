// Scans read through the whole parser, each made in the test from drawn text: about 25 s of recognition in all.
import * as mupdf from 'mupdf';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareDocuments } from '../../compare/compare.ts';
import type { Document } from '../../contract/document.ts';
import { parseDocument, parseFile } from '../../structure/document.ts';
import { makeChinesePdf, makePdf, paragraph, type DrawnLine } from '../pdf/makePdf.test-support.ts';
import type { ReadOptions } from '../limits.ts';
import { makeScan, ocr, takePages, wordAccuracy, wordsOf, type ScanOptions } from './makeScan.test-support.ts';

const TERMS = paragraph(
  ['1. Term. This agreement begins on the day on which', 'both parties have signed it and lasts two years.', '2. Law. The laws of Delaware apply.'],
  100,
);
const read = (pdf: Uint8Array, options: ReadOptions = {}): Promise<Document> => parseDocument(pdf, 'scan.pdf', { ocr, ...options });
const scanOf = (lines: readonly DrawnLine[], options?: ScanOptions): Uint8Array => makeScan(makePdf([{ lines }]), options);
const texts = (document: Document): readonly string[] => document.blocks.map((block) => block.text);
const WORDS = ['1. Term. This agreement begins on the day on which both parties have signed it and lasts two years.', '2. Law. The laws of Delaware apply.'];

/** A page with a picture over all of it and, drawn above it, text of its own. */
function withText(scan: Uint8Array, content: string): Uint8Array {
  const document = mupdf.PDFDocument.openDocument(scan, 'application/pdf') as mupdf.PDFDocument;
  const page = document.findPage(0);
  const font = document.addSimpleFont(new mupdf.Font('Helvetica'), 'Latin');
  page.get('Resources').put('Font', { F1: font });
  page.put('Contents', [page.get('Contents'), document.addStream(content, {})]);
  return new Uint8Array(document.saveToBuffer('').asUint8Array());
}

// Two minutes a test: recognition is processor time, and CI machines share theirs.
describe('a scan', { timeout: 120_000 }, () => {
  it('says the same as its digital twin, clause by clause', async () => {
    const pdf = new Uint8Array(readFileSync(new URL('../../../assets/samples/bonterms-psa-1.2.pdf', import.meta.url)));
    const digital = await parseDocument(takePages(pdf, [2]), 'digital.pdf');
    const scan = await read(makeScan(pdf, { pages: [2], degrees: 0.7 }));
    expect(wordAccuracy(wordsOf(digital.blocks), wordsOf(scan.blocks)).share).toBeGreaterThanOrEqual(0.99);
    expect(scan.clauses.map((clause) => clause.path)).toEqual(digital.clauses.map((clause) => clause.path));
    expect(compareDocuments(digital, scan).changes).toEqual([]);
    expect(scan.pages[0]).toMatchObject({ source: 'ocr' });
    expect(scan.pages[0]?.confidence).toBeGreaterThan(0.9);
    expect(scan.receipt.ocrPages).toBe(1);
  });

  it('has the box of every word on the ink of the word, on a crooked page too', async () => {
    const twin = await parseDocument(makePdf([{ lines: TERMS }]), 'twin.pdf');
    const scan = await read(scanOf(TERMS, { degrees: 2 }));
    expect(texts(scan)).toEqual(WORDS);
    for (const [index, block] of scan.blocks.entries()) {
      const at = block.text.lastIndexOf(' ') + 1;
      const [own, other] = [centreOf(block, at), centreOf(twin.blocks[index]!, at)];
      // The twin's place, turned by two degrees about the page's corner and moved by the turn (makeScan keeps the whole page in sight).
      const [sin, cos] = [Math.sin(Math.PI / 90), Math.cos(Math.PI / 90)];
      expect(Math.hypot(own[0] - (cos * other[0] - sin * other[1] + sin * 792), own[1] - (sin * other[0] + cos * other[1]))).toBeLessThan(4);
    }
  });

  it.each([90, 180, 270])('fault: a page that lies at %i degrees is read as garbage', async (degrees) => {
    const scan = await read(scanOf(TERMS, { degrees }));
    expect(texts(scan)).toEqual(WORDS);
    expect(scan.blocks[0]?.lines[0]?.axis).toBe(degrees === 180 ? 'x' : 'y');
  });

  it('fault: clause numbers that stand in a column of their own are dropped from a scan', async () => {
    const rows = ['2.1.', '2.2.', '2.3.', '2.4.', '2.5.', '2.6.', '2.7.', '2.8.'];
    const lines = rows.flatMap((number, row): DrawnLine[] => [
      { x: 72, y: 100 + row * 26, text: number, size: 9 },
      { x: 108, y: 100 + row * 26, text: `“Term ${row + 1}” means a thing that the parties have defined in this agreement`.replace(/[“”]/g, '"'), size: 9 },
      { x: 108, y: 111 + row * 26, text: 'and that is used wherever the agreement speaks of it at all.', size: 9 },
    ]);
    expect((await read(scanOf(lines))).blocks.map((block) => block.number)).toEqual(rows.map((number) => number.replace(/\.$/, '')));
  });

  it('fault: a ruled form is taken for a page on its side', async () => {
    const document = mupdf.PDFDocument.openDocument(makePdf([{ lines: TERMS }]), 'application/pdf') as mupdf.PDFDocument;
    const rules = Array.from({ length: 9 }, (_, at) => `${60 + at * 60} 100 m ${60 + at * 60} 560 l S`).join('\n');
    const page = document.findPage(0);
    page.put('Contents', [page.get('Contents'), document.addStream(rules, {})]);
    expect(texts(await read(makeScan(new Uint8Array(document.saveToBuffer('').asUint8Array())))).slice(0, 2)).toEqual(WORDS);
  });

  it('fault: two columns of a scan are read across', async () => {
    const column = (x: number, word: string): DrawnLine[] =>
      paragraph(
        Array.from({ length: 9 }, (_, line) => `${word} column line ${line + 1} goes on and`),
        100,
        x,
      );
    const scan = await read(scanOf([...column(72, 'left'), ...column(320, 'right')]));
    expect(texts(scan).join(' ')).toMatch(/left column line 9 goes on and right column line 1/);
  });

  it('reads Chinese, whose model it finds out by itself', async () => {
    const scan = await read(makeScan(makeChinesePdf(['第一条 甲方应当在合同签订之日起三十日内支付全部价款。', '第二条乙方应当按照约定的时间交付全部货物。'])));
    expect(texts(scan)).toEqual(['第一条 甲方应当在合同签订之日起三十日内支付全部价款。', '第二条乙方应当按照约定的时间交付全部货物。']);
    expect(scan.language).toBe('zh');
  });

  it('fault: a page with ink and no readable word is passed over in silence', async () => {
    const circles = Array.from(
      { length: 12 },
      (_, at) => `${100 + at * 30} ${200 + at * 40} m ${160 + at * 20} 300 400 ${500 - at * 9} ${90 + at * 40} 700 c S`,
    );
    const document = new mupdf.PDFDocument();
    document.insertPage(-1, document.addPage([0, 0, 612, 792], 0, {}, `2 w ${circles.join(' ')}`));
    const scan = await read(makeScan(new Uint8Array(document.saveToBuffer('').asUint8Array())), { ocr: { ...ocr, script: 'latin' } });
    expect(scan.warnings.map((warning) => warning.code)).toEqual([scan.pages[0]?.source === 'ocr' ? 'ocr_unsure' : 'ocr_no_text']);
  });

  it('leaves a blank page blank, and a page unread where recognition is off', async () => {
    expect((await read(scanOf([]))).warnings.map((warning) => warning.code)).toEqual(['no_text']);
    const unread = await parseDocument(scanOf(TERMS), 'scan.pdf');
    expect(unread.pages[0]?.source).toBe('empty');
    expect(unread.warnings.map((warning) => warning.code)).toEqual(['no_text']);
  });

  it('fault: a stamped header is taken for the whole text of a scan', async () => {
    const stamped = withText(scanOf(TERMS), 'BT /F1 9 Tf 200 770 Td (Case 1:24-cv-00001 Filed 05/03/24 Page 1 of 9) Tj ET');
    const scan = await read(stamped);
    expect(texts(scan).join(' ')).toContain('The laws of Delaware apply.');
    expect(texts(scan).join(' ')).toContain('Filed 05/03/24');
  });

  it("uses another program's invisible text where it is sane", async () => {
    const lines = Array.from({ length: 12 }, (_, row): DrawnLine => ({
      x: 72,
      y: 100 + 14 * row,
      text: `Line ${row + 1} of what another program read on this page`,
    }));
    const layer = lines.map((line) => `BT 3 Tr /F1 10 Tf ${line.x} ${792 - line.y} Td (${line.text}) Tj ET`).join('\n');
    const scan = await read(withText(scanOf(lines), layer));
    expect(texts(scan).join(' ')).toContain('Line 12 of what another program read on this page');
    expect(scan.pages[0]?.confidence).toBeNull();
  });

  it('fault: one slow page stops the whole document', async () => {
    const slow = await read(makeScan(makePdf([{ lines: TERMS }])), { limits: { ocrPageMs: 1 } });
    expect(slow.warnings.map((warning) => warning.code)).toEqual(['ocr_failed']);
    // The recogniser was left in the middle and starts anew.
    expect(texts(await read(scanOf(TERMS)))).toEqual(WORDS);
  });

  it('tells that a page is being recognised, and does not count that time against the file', async () => {
    const seen: boolean[] = [];
    const document = await read(scanOf(TERMS), { limits: { ms: 1500 }, onProgress: (_done, _total, recognising) => seen.push(recognising) });
    expect(texts(document)).toEqual(WORDS);
    expect([seen[0], seen.at(-1)]).toEqual([true, false]);
  });

  it('is a picture file as well: the document is the PDF that was made of it', async () => {
    const page = mupdf.Document.openDocument(makePdf([{ lines: TERMS }]), 'application/pdf').loadPage(0);
    const pixmap = page.toPixmap([2.5, 0, 0, 2.5, 0, 0], mupdf.ColorSpace.DeviceGray, false);
    const { document, made } = await parseFile(pixmap.asPNG(), 'photo.png', { ocr });
    expect(texts(document)).toEqual(WORDS);
    expect(new TextDecoder('latin1').decode(made?.subarray(0, 5))).toBe('%PDF-');
    await expect(parseFile(pixmap.asPNG().subarray(0, 20), 'cut.png', { ocr })).rejects.toMatchObject({ code: 'corrupt_file' });
  });
});

function centreOf(block: Document['blocks'][number], at: number): readonly [number, number] {
  const line = block.lines.find((entry) => entry.start <= at && at < entry.end)!;
  const [from, to] = [line.edges[at - line.start]!, line.edges[line.end - line.start]!];
  return [(from + to) / 2, (line.box.y0 + line.box.y1) / 2];
}
