// Faults that people report for readers of PDF text, each on a small page made for it.
import * as mupdf from 'mupdf';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Block, Line } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import { Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import type { Segment } from './text/glyphs.ts';
import { repairGlyphs } from './text/glyphRepair.ts';
import { makePage, makePdf, paragraph } from './makePdf.test-support.ts';
import { readPdf } from './readPdf.ts';

const read = (bytes: Uint8Array, password?: string): Promise<RawContent> => readPdf(bytes, 'test.pdf', { password }, new Watch({}));
const texts = (content: RawContent): string[] => content.blocks.map((block) => block.text);
const codes = (content: RawContent): string[] => content.warnings.map((warning) => warning.code);
const PROSE =
  'This agreement is made between the customer and the provider and sets out the terms under which the provider shall supply its services to the customer.';

interface CompositeFont {
  readonly encoding?: 'Identity-H' | 'Identity-V';
  readonly ordering?: string;
  readonly toUnicode?: string;
}

/** A page in a font with two-byte codes that is not embedded, as office programs write them. */
function compositePage(content: string, font: CompositeFont = {}): Uint8Array {
  const document = new mupdf.PDFDocument();
  const name = (text: string): mupdf.PDFObject => document.newName(text);
  const descendant = document.addObject({
    Type: name('Font'),
    Subtype: name('CIDFontType2'),
    BaseFont: name('Arial'),
    CIDSystemInfo: { Registry: document.newString('Adobe'), Ordering: document.newString(font.ordering ?? 'Identity'), Supplement: 0 },
    DW: 550,
    FontDescriptor: document.addObject({
      Type: name('FontDescriptor'),
      FontName: name('Arial'),
      Flags: 32,
      Ascent: 900,
      Descent: -200,
      ItalicAngle: 0,
      StemV: 80,
    }),
  });
  const made = document.addObject({
    Type: name('Font'),
    Subtype: name('Type0'),
    BaseFont: name('Arial'),
    Encoding: name(font.encoding ?? 'Identity-H'),
    DescendantFonts: [descendant],
  });
  if (font.toUnicode !== undefined) made.put('ToUnicode', document.addStream(font.toUnicode, {}));
  document.insertPage(-1, document.addPage([0, 0, 612, 792], 0, { Font: { F1: made } }, content));
  return new Uint8Array(document.saveToBuffer('').asUint8Array());
}

const hex = (codes_: readonly number[]): string => `<${codes_.map((code) => code.toString(16).padStart(4, '0')).join('')}>`;
const glyphNumbers = (text: string): string => hex([...text].map((sign) => sign.charCodeAt(0) - 29));
const lines = (words: string, show: (line: string) => string): string =>
  (words.match(/.{1,60}(?: |$)/g) ?? []).map((line, index) => `BT /F1 10 Tf 72 ${700 - 14 * index} Td ${show(line)} Tj ET`).join('\n');

function cmap(entries: readonly string[]): string {
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <0000> <ffff> endcodespacerange
${entries.length} beginbfchar\n${entries.join('\n')}\nendbfchar endcmap end end`;
}

function segmentOf(glyphs: readonly { readonly text: string; readonly cid: number }[]): Segment {
  const box = { x0: 0, y0: 0, x1: 10, y1: 10 };
  const all = glyphs.map((glyph) => ({ ...box, ...glyph, size: 10, bold: false, italic: false, font: 1 }));
  return { glyphs: all, box, size: 10, direction: 'right', paint: 'ink', order: 0, tag: null };
}

describe('letters', () => {
  it('fault: a font without ToUnicode whose codes are TrueType glyph numbers is read', () => {
    const unmapped = (text: string): Segment[] => [segmentOf([...text].map((sign) => ({ text: '\uFFFD', cid: sign.charCodeAt(0) - 29 })))];
    const read = repairGlyphs(unmapped(PROSE));
    expect(read.segments[0]?.glyphs.map((glyph) => glyph.text).join('')).toBe(PROSE);
    expect(read.repaired).toBe(PROSE.length);
    // Glyph numbers of a subset are in no order: what they would read is no text, and they are left alone.
    expect(repairGlyphs(unmapped('!"#$%&()*+#$%"')).repaired).toBe(0);
  });

  it('fault: glyphs that are all shifted by 29 are put right', async () => {
    const numbers = [...new Set(PROSE)].map((sign) => sign.charCodeAt(0) - 29);
    const content = await read(compositePage(lines(PROSE, glyphNumbers), { toUnicode: cmap(numbers.map((code) => `${hex([code])} ${hex([code])}`)) }));
    expect(texts(content)).toEqual([PROSE]);
    expect(codes(content)).toContain('glyphs_repaired');
  });

  it('says so when letters have no meaning in the file and none can be found', async () => {
    const content = await read(compositePage(lines(PROSE, (line) => hex([...line].map((_sign, index) => 900 + ((index * 337) % 3000))))));
    expect(codes(content)).toContain('unmapped_text');
  });

  it('fault: an invisible sign inside a word is left out and told of', async () => {
    const toUnicode = cmap(['<01> <200B>', '<66> <0066>', '<65> <0065>']).replace('<0000> <ffff>', '<00> <ff>');
    const content = await read(makePage('BT /F1 12 Tf 72 700 Td [(ee f\\001) 300 (ee)] TJ ET', { toUnicode }));
    const [block] = content.blocks;
    expect(block?.text).toBe('ee fee');
    expect(block?.lines[0]?.edges).toHaveLength('ee fee'.length + 1);
    expect(content.warnings.find(({ code }) => code === 'invisible_characters')?.span).toMatchObject({ blockId: block?.id, start: 3, end: 6 });
  });

  it('fault: letters of a ligature have a box each', async () => {
    const [block] = (
      await read(
        makePage('BT /F1 12 Tf 72 700 Td (e\\001ect) Tj ET', {
          toUnicode: cmap(['<01> <00660066>', '<65> <0065>', '<63> <0063>', '<74> <0074>']).replace('<0000> <ffff>', '<00> <ff>'),
        }),
      )
    ).blocks;
    expect(block?.text).toBe('effect');
    const edges = block?.lines[0]?.edges ?? [];
    const widths = edges.slice(1).map((edge, index) => edge - (edges[index] as number));
    expect(widths[1]).toBeCloseTo(widths[2] as number, 1);
    expect(Math.min(...widths)).toBeGreaterThan(1);
  });

  it('fault: a heading with a shadow is read once', async () => {
    const heading = (x: number, y: number): string => `BT /F2 30 Tf ${x} ${y} Td (LEASE AGREEMENT) Tj ET`;
    const content = await read(makePage(`0.7 g ${heading(74, 698)}\n0 g ${heading(72, 700)}`));
    expect(texts(content)).toEqual(['LEASE AGREEMENT']);
  });

  it('fault: a copyright sign drawn as a letter and a circle is one sign', async () => {
    const map = cmap(['<63> <0063>', '<6f> <20dd>', '<31> <0031>']).replace('<0000> <ffff>', '<00> <ff>');
    const content = await read(
      makePage('BT /F1 10 Tf 74 700 Td (c) Tj ET BT /F1 16 Tf 72 698 Td (o) Tj ET BT /F1 10 Tf 84 700 Td (1) Tj ET', { toUnicode: map }),
    );
    expect(texts(content)).toEqual(['© 1']);
  });

  it('fault: a bullet whose font gives it no character is no letter of the text', async () => {
    const map = cmap(['<42> <fffd>']).replace('<0000> <ffff>', '<00> <ff>');
    const item = (y: number, text: string): string => `BT /F1 10 Tf 72 ${y} Td (B) Tj ET BT /F2 10 Tf 90 ${y} Td (${text}) Tj ET`;
    const content = await read(makePage(`${item(700, 'The seller delivers the goods.')}\n${item(680, 'The buyer pays the price.')}`, { toUnicode: map }));
    expect(texts(content)).toEqual(['The seller delivers the goods.', 'The buyer pays the price.']);
  });

  it('fault: a superscript does not break its line', async () => {
    const content = await read(makePage('BT /F1 12 Tf 72 700 Td (E = mc) Tj 7 Ts /F1 7 Tf (2) Tj 0 Ts /F1 12 Tf ( is the equivalence.) Tj ET'));
    expect(texts(content).map((text) => text.normalize('NFKC'))).toEqual(['E = mc2 is the equivalence.']);
  });
});

describe('writing directions', () => {
  const places = (block: Block | undefined): { axis: string | undefined; rising: boolean | undefined } => {
    const edges = block?.lines[0]?.edges ?? [];
    return { axis: block?.lines[0]?.axis, rising: (edges.at(-1) ?? 0) > (edges[0] ?? 0) };
  };

  it('fault: Hebrew comes in the order in which it is read, its edges from right to left', async () => {
    const word = 'שלום';
    const map = cmap([...word].map((sign, index) => `${hex([index + 1])} ${hex([sign.charCodeAt(0)])}`));
    // Drawn as most programs do: the last letter first, from left to right.
    const [block] = (await read(compositePage(`BT /F1 12 Tf 300 700 Td ${hex([4, 3, 2, 1])} Tj ET`, { toUnicode: map }))).blocks;
    expect(block?.text).toBe(word);
    expect(places(block)).toEqual({ axis: 'x', rising: false });
  });

  it('reads vertical text from top to bottom along y', async () => {
    const map = cmap([...'日本語'].map((sign, index) => `${hex([index + 1])} ${hex([sign.charCodeAt(0)])}`));
    const [block] = (await read(compositePage(`BT /F1 12 Tf 300 700 Td ${hex([1, 2, 3])} Tj ET`, { encoding: 'Identity-V', toUnicode: map }))).blocks;
    expect(block?.text).toBe('日本語');
    expect(places(block)).toEqual({ axis: 'y', rising: true });
  });

  it.each([0, 90, 180, 270] as const)('fault: boxes lie on the letters of a page turned by %i degrees', async (rotate) => {
    const bytes = makePdf([{ rotate, lines: [{ x: 72, y: 100, text: 'HHHHH', size: 20 }] }]);
    const [line] = (await read(bytes)).blocks[0]?.lines ?? [];
    const page = mupdf.Document.openDocument(bytes, 'application/pdf').loadPage(0);
    const pixmap = page.toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceGray, false, false);
    const pixels = pixmap.getPixels();
    const dark = (x0: number, y0: number, x1: number, y1: number): boolean => {
      for (let y = Math.round(y0); y < Math.round(y1); y++)
        for (let x = Math.round(x0); x < Math.round(x1); x++) if ((pixels[y * pixmap.getStride() + x] ?? 255) < 128) return true;
      return false;
    };
    const edges = line?.edges ?? [];
    const { box, axis } = line as Line;
    for (let index = 0; index < 5; index++) {
      const [from, to] = [edges[index] as number, edges[index + 1] as number].toSorted((a, b) => a - b) as [number, number];
      expect(axis === 'x' ? dark(from, box.y0, to, box.y1) : dark(box.x0, from, box.x1, to)).toBe(true);
    }
    expect(edges).toHaveLength(6);
    expect(dark(box.x1 + 3, box.y1 + 3, box.x1 + 40, box.y1 + 40)).toBe(false);
  });
});

describe('pages and outline', () => {
  it('fault: pages keep the labels that are printed on them', async () => {
    const bytes = makePdf([1, 2, 3].map((page) => ({ lines: paragraph([`Text of sheet ${page}.`], 100) })));
    const document = mupdf.Document.openDocument(bytes, 'application/pdf') as mupdf.PDFDocument;
    document.setPageLabels(0, 'r', '', 1);
    document.setPageLabels(2, 'D', 'A-', 1);
    const content = await read(new Uint8Array(document.saveToBuffer('').asUint8Array()));
    expect(content.pages.map((page) => page.label)).toEqual(['i', 'ii', 'A-1']);
  });

  it('takes headings and their depth from the outline', async () => {
    const bytes = makePdf([{ lines: [{ x: 72, y: 100, text: 'Obligations of the seller' }, ...paragraph(['The seller delivers the goods on time.'], 130)] }]);
    const document = mupdf.Document.openDocument(bytes, 'application/pdf') as mupdf.PDFDocument;
    document.outlineIterator().insert({ title: 'Obligations of the seller', uri: '#page=1', open: true });
    const content = await read(new Uint8Array(document.saveToBuffer('').asUint8Array()));
    expect(content.outline).toMatchObject([{ title: 'Obligations of the seller', depth: 1 }]);
    expect(content.blocks[0]).toMatchObject({ kind: 'heading', level: 1 });
  });
});

describe('damaged and protected files', () => {
  const long = (): Uint8Array =>
    makePdf(Array.from({ length: 6 }, (_none, page) => ({ lines: paragraph([`Page ${page + 1} of this agreement has a text of its own.`], 100) })));

  it('fault: a file that was cut off gives the pages that are left and says so', async () => {
    const whole = long();
    const content = await read(whole.slice(0, Math.floor(whole.length * 0.8)));
    expect(codes(content)).toEqual(expect.arrayContaining(['truncated', 'repaired']));
    expect(texts(content).length).toBeGreaterThan(0);
  });

  it('says that the index of parts was rebuilt', async () => {
    const text = Buffer.from(long())
      .toString('latin1')
      .replace(/startxref\s+\d+/, 'startxref 12');
    const content = await read(new Uint8Array(Buffer.from(text, 'latin1')));
    expect(content.pages).toHaveLength(6);
    expect(codes(content)).toContain('repaired');
  });

  it('refuses what is no PDF and a PDF without pages, with a reason', async () => {
    for (const bytes of [
      '%PDF-1.7\nnothing',
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj trailer<</Root 1 0 R>>',
    ])
      await expect(read(new TextEncoder().encode(bytes))).rejects.toMatchObject({ code: 'corrupt_file' });
  });

  it('fault: a protected file asks for its password and opens with it', async () => {
    const options = 'encrypt=aes-256,user-password=secret,owner-password=owner';
    const bytes = makePdf([{ lines: paragraph(['Protected text.'], 100) }], options);
    await expect(read(bytes)).rejects.toMatchObject({ code: 'encrypted' });
    const wrong = await read(bytes, 'guess').catch((thrown: unknown) => thrown);
    expect(wrong).toBeInstanceOf(CodicilError);
    expect((wrong as CodicilError).code).toBe('encrypted');
    expect(texts(await read(bytes, 'secret'))).toEqual(['Protected text.']);
  });
});

it('fault: the end of a paragraph on its second page is taken for a running head', async () => {
  // Word tags a paragraph once; of its lines on the next page the tag is not known.
  const file = new URL('../../../assets/samples/bonterms-psa-1.0.pdf', import.meta.url);
  const { blocks } = await read(new Uint8Array(readFileSync(file)));
  const furniture = blocks.filter((block) => block.kind === 'furniture').map((block) => block.text);
  expect(furniture.filter((text) => /\p{L}{3,} \p{L}{3,} \p{L}{3,}/u.test(text) && !/Bonterms|legal advice/.test(text))).toEqual([]);
  expect(blocks.some((block) => block.text.includes('reasonable detail (“Review Notice”)'))).toBe(true);
});
