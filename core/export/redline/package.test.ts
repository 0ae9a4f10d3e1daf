// The container of a redline: parts are expanded once however often they are asked for, and Flat OPC is read like a ZIP file.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { expect, it, vi } from 'vitest';
import { makeDocx, p } from '../../ingest/docx/makeDocx.test-support.ts';
import { ZipReader } from '../../ingest/docx/zip.ts';
import { DocxPackage } from './package.ts';

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
