// The container of a redline: parts are expanded once however often they are asked for, and Flat OPC is read like a ZIP file.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { expect, it, vi } from 'vitest';
import type { Document } from '../../contract/document.ts';
import { makeDocx, p } from '../../ingest/docx/makeDocx.test-support.ts';
import { ZipReader } from '../../ingest/docx/zip.ts';
import { DocxPackage } from './package.ts';
import { redlineDocx } from './redlineDocx.ts';
import { faultsOf } from './validity.test-support.ts';
import { linesOf } from './views.test-support.ts';

const OPTIONS = { author: 'A', date: '2026-01-02T03:04:05Z' };
const DOCX = { kind: 'docx', name: 'test.docx', blocks: [] } as unknown as Document;

const IMAGE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image';

/** A document with two pictures of one length. */
function withPictures(): Uint8Array {
  const files = unzipSync(makeDocx({ body: p('Text') }));
  const relations = ['a', 'b'].map((name) => `<Relationship Id="${name}" Type="${IMAGE}" Target="media/${name}.png"/>`).join('');
  const rels = strFromU8(files['word/_rels/document.xml.rels']!).replace('</Relationships>', `${relations}</Relationships>`);
  return zipSync({
    ...files,
    'word/_rels/document.xml.rels': strToU8(rels),
    'word/media/a.png': Uint8Array.of(0x89, 1, 2),
    'word/media/b.png': Uint8Array.of(0x89, 2, 1),
  });
}

it('fault: a picture is unpacked once, not for every relation it is compared with', () => {
  const read = vi.spyOn(ZipReader.prototype, 'read');
  const docx = new DocxPackage(withPictures(), 'a.docx');
  const keys = Array.from({ length: 3 }, () => ['a', 'b'].map((id) => docx.relationKey(docx.main, id)));
  expect(read.mock.calls.filter(([name]) => name.startsWith('word/media/'))).toEqual([['word/media/a.png'], ['word/media/b.png']]);
  expect(keys[2]).toEqual(keys[0]);
  expect(keys[0]![0]).not.toBe(keys[0]![1]);
  read.mockRestore();
});

/** The same file as one XML file. */
function flatOf(docx: Uint8Array): Uint8Array {
  const parts = Object.entries(unzipSync(docx))
    .filter(([name]) => name !== '[Content_Types].xml')
    .map(([name, bytes]) => {
      const picture = name.endsWith('.png');
      const form = picture ? 'binaryData' : 'xmlData';
      const content = picture ? btoa(String.fromCharCode(...bytes)) : strFromU8(bytes).replace(/<\?xml.*?\?>/, '');
      return `<pkg:part pkg:name="/${name}" pkg:contentType="${picture ? 'image/png' : 'application/xml'}"><pkg:${form}>${content}</pkg:${form}></pkg:part>`;
    });
  return strToU8(`<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${parts.join('')}</pkg:package>`);
}

it('fault: a redline of Flat OPC is a DOCX with its text, its pictures and their media types', () => {
  const older = flatOf(withPictures());
  const newer = flatOf(makeDocx({ body: p('Text again') }));
  const out = redlineDocx(older, newer, DOCX, DOCX, OPTIONS).bytes;
  expect([linesOf(out, 'reject'), linesOf(out, 'accept')]).toEqual([['Text'], ['Text again']]);
  expect(faultsOf(out)).toEqual([]);
  const files = unzipSync(out);
  expect(files['word/media/b.png']).toEqual(Uint8Array.of(0x89, 2, 1));
  expect(strFromU8(files['[Content_Types].xml']!)).toContain('<Default Extension="rels" ');
  expect(strFromU8(files['[Content_Types].xml']!)).toContain('<Override PartName="/word/media/a.png" ContentType="image/png"/>');
});

it('names the part of Flat OPC whose base 64 is damaged', () => {
  const flat = strToU8(strFromU8(flatOf(withPictures())).replace(btoa('\x89\x01\x02'), '*'));
  const docx = new DocxPackage(flat, 'letter.xml');
  expect(() => docx.bytes('word/media/a.png')).toThrow('Expected base 64 in the part "word/media/a.png"');
});
