// Containers and parts: Flat OPC, strict files, Zip64, running pages; and what is refused with a sentence.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, Watch } from '../limits.ts';
import { detectKind } from '../magic.ts';
import { makeDocx, p, run, W } from './makeDocx.test-support.ts';
import { readDocx } from './readDocx.ts';
import { ZipReader } from './zip.ts';

const textsOf = async (bytes: Uint8Array): Promise<string[]> => (await readDocx(bytes, 'test.docx', new Watch({}))).blocks.map((block) => block.text);

describe('containers', () => {
  it('reads Flat OPC: one XML file that holds all parts', async () => {
    const parts = Object.entries(unzipSync(makeDocx({ body: p('Hello'), header: p('Top') })))
      .filter(([name]) => name !== '[Content_Types].xml')
      .map(
        ([name, bytes]) =>
          `<pkg:part pkg:name="/${name}" pkg:contentType="x"><pkg:xmlData>${strFromU8(bytes).replace(/<\?xml.*?\?>/, '')}</pkg:xmlData></pkg:part>`,
      );
    const flat = strToU8(`<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${parts.join('')}</pkg:package>`);
    expect(detectKind(flat, 'letter.xml')).toBe('docx');
    expect(await textsOf(flat)).toEqual(['Hello', 'Top']);
  });

  it('reads strict files, whose namespaces and relationship types are others', async () => {
    const files = unzipSync(makeDocx({ body: p(run('strict', '<w:b w:val="on"/>')) }));
    const strict = Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [
        name,
        strToU8(
          strFromU8(bytes)
            .replaceAll('http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'http://purl.oclc.org/ooxml/wordprocessingml/main')
            .replaceAll('http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'http://purl.oclc.org/ooxml/officeDocument/relationships'),
        ),
      ]),
    );
    const { blocks } = await readDocx(zipSync(strict), 'strict.docx', new Watch({}));
    expect(blocks).toMatchObject([{ text: 'strict', font: { bold: true } }]);
  });

  it('reads the sizes of a Zip64 directory', () => {
    const content = strToU8('<a/>');
    const name = strToU8('a.xml');
    const local = new Uint8Array([0x50, 0x4b, 3, 4, ...Array.from<number>({ length: 22 }).fill(0), name.length, 0, 0, 0]);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint32(20, 0xffffffff, true);
    entry.setUint32(24, 0xffffffff, true);
    entry.setUint16(28, name.length, true);
    entry.setUint16(30, 20, true);
    const extra = new DataView(new ArrayBuffer(20));
    extra.setUint16(0, 1, true);
    extra.setUint16(2, 16, true);
    extra.setBigUint64(4, BigInt(content.length), true);
    extra.setBigUint64(12, BigInt(content.length), true);
    const directory = local.length + name.length + content.length;
    const end64 = new DataView(new ArrayBuffer(56));
    end64.setUint32(0, 0x06064b50, true);
    end64.setBigUint64(32, 1n, true);
    end64.setBigUint64(48, BigInt(directory), true);
    const locator = new DataView(new ArrayBuffer(20));
    locator.setUint32(0, 0x07064b50, true);
    locator.setBigUint64(8, BigInt(directory + 46 + name.length + 20), true);
    const end = new DataView(new ArrayBuffer(22));
    end.setUint32(0, 0x06054b50, true);
    end.setUint16(10, 0xffff, true);
    end.setUint32(16, 0xffffffff, true);
    const views = [entry, extra, end64, locator, end].map((view) => new Uint8Array(view.buffer));
    const bytes = Uint8Array.from([...local, ...name, ...content, ...(views[0] ?? []), ...name, ...views.slice(1).flatMap((view) => [...view])]);
    expect(new ZipReader(bytes, 'x.docx', DEFAULT_LIMITS).read('a.xml')).toEqual(content);
  });

  it('fault: a part that is read again counts once against the limit of unpacked bytes', () => {
    const part = Uint8Array.from({ length: 3_000_000 }, (_unused, index) => (index * 7919) >> 5);
    const zip = new ZipReader(zipSync({ 'a.xml': part, 'b.xml': part, 'c.xml': part, 'd.xml': part }), 'x.docx', {
      ...DEFAULT_LIMITS,
      expandedBytes: 10_000_000,
    });
    for (let times = 0; times < 4; times++) expect(zip.read('a.xml')).toHaveLength(3_000_000);
    zip.read('b.xml');
    zip.read('c.xml');
    expect(() => zip.read('d.xml')).toThrow(/unpacked/);
  });

  it('reads a document whose main part has another name, as DOTX and DOCM may', async () => {
    const files = unzipSync(makeDocx({ body: p('template') }));
    const document = files['word/document.xml'] as Uint8Array;
    const rels = strToU8(strFromU8(files['_rels/.rels'] as Uint8Array).replace('word/document.xml', 'word/document2.xml'));
    expect(await textsOf(zipSync({ '[Content_Types].xml': strToU8('<Types/>'), '_rels/.rels': rels, 'word/document2.xml': document }))).toEqual(['template']);
  });
});

describe('running pages', () => {
  const sectioned = (section: string, settings = ''): Uint8Array => {
    const files = unzipSync(makeDocx({ body: `${p('body', `<w:sectPr>${section}</w:sectPr>`)}${p('more')}<w:sectPr>${section}</w:sectPr>`, settings }));
    const part = (text: string): Uint8Array => strToU8(`<w:hdr ${W}>${p(text)}</w:hdr>`);
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/header';
    const relation = (id: string): string => `<Relationship Id="${id}" Type="${type}" Target="${id}.xml"/>`;
    const rels = strFromU8(files['word/_rels/document.xml.rels'] as Uint8Array).replace(
      '</Relationships>',
      `${['h1', 'h2', 'h3', 'h4'].map(relation).join('')}</Relationships>`,
    );
    return zipSync({
      ...files,
      'word/_rels/document.xml.rels': strToU8(rels),
      ...Object.fromEntries(['h1', 'h2', 'h3', 'h4'].map((id) => [`word/${id}.xml`, part(id)])),
    });
  };
  const reference = (type: string, id: string): string => `<w:headerReference w:type="${type}" r:id="${id}"/>`;
  const all = reference('default', 'h1') + reference('first', 'h2') + reference('even', 'h3');

  it('reads each header once, first and even ones only where the document shows them', async () => {
    expect(await textsOf(sectioned(all))).toEqual(['body', 'more', 'h1']);
    expect(await textsOf(sectioned(`${all}<w:titlePg/>`, '<w:evenAndOddHeaders/>'))).toEqual(['body', 'more', 'h1', 'h2', 'h3']);
  });
});

describe('refusals', () => {
  it('names all formats that are read, whichever reader refuses', async () => {
    const sheet = zipSync({ 'xl/workbook.xml': strToU8('<workbook/>') });
    await expect(readDocx(sheet, 'prices.xlsx', new Watch({}))).rejects.toThrow(
      'Expected a PDF, DOCX, HTML, mail (EML), text, Markdown or picture file; "prices.xlsx" is an Excel workbook. Please save the sheet as PDF.',
    );
  });

  it('tells a protected file, an old one and Word 2003 XML apart', () => {
    const ole = new Uint8Array(2048);
    ole.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    expect(() => detectKind(ole, 'old.doc')).toThrow(/\.doc\) or another old Office file/);
    const locked = ole.slice();
    locked.set(
      [...'EncryptedPackage'].flatMap((letter) => [letter.charCodeAt(0), 0]),
      1024,
    );
    expect(() => detectKind(locked, 'secret.docx')).toThrow(/protected by a password/);
    expect(() => detectKind(strToU8('<?xml version="1.0"?><w:wordDocument xmlns:w="x"/>'), 'old.xml')).toThrow(/Word 2003 XML/);
  });
});
