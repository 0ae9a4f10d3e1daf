// The library: what is stored comes back, what is damaged is refused, what is removed is gone from every byte of the folder.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDocument, temporaryFolder } from './documents.test-support.ts';
import { Library } from './library.ts';
import { matchQuery } from './search.ts';

function open(folder = temporaryFolder()): { library: Library; folder: string } {
  const library = new Library(folder);
  onTestFinished(() => library.dispose());
  return { library, folder };
}

const lease = makeDocument('lease.txt', ['Rent: The tenant pays 1,200 dollars.', 'Governing Law: The laws of Delaware apply.', 'Notices are sent by pelican.']);
const nda = makeDocument('nda.txt', ['Confidentiality: Keep it secret.', 'Governing Law: The laws of Ontario apply.']);

describe('the library', () => {
  it('gives documents and bytes back, also after it was closed', () => {
    const { library, folder } = open();
    library.add(lease.document, lease.bytes);
    library.dispose();
    const again = open(folder).library;
    expect(again.list()).toMatchObject([{ id: lease.document.id, name: 'lease.txt', bytes: lease.bytes.length, pages: 1, clauses: 3 }]);
    expect(again.get(lease.document.id)).toEqual(lease.document);
    expect(again.bytes(lease.document.id)).toEqual(lease.bytes);
  });

  it('refuses an id that is not the sha256 of the bytes', () => {
    const { library } = open();
    expect(() => library.add(lease.document, nda.bytes)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(library.list()).toEqual([]);
  });

  it('keeps one copy of a document that is added twice', () => {
    const { library } = open();
    library.add(lease.document, lease.bytes);
    library.add({ ...lease.document, name: 'renamed.txt' }, lease.bytes);
    expect(library.list().map((entry) => entry.name)).toEqual(['renamed.txt']);
    expect(library.search('pelican', [lease.document.id], 10)).toHaveLength(1);
  });

  it('says not_found for ids it does not have, whatever they look like', () => {
    const { library } = open();
    for (const id of ['', '../../etc/passwd', nda.document.id]) {
      for (const call of [() => library.get(id), () => library.bytes(id), () => library.remove(id)])
        expect(call).toThrow(expect.objectContaining({ code: 'not_found' }));
    }
  });

  it('refuses a stored form that is damaged, another document, or of another version', () => {
    const { library, folder } = open();
    library.add(lease.document, lease.bytes);
    library.dispose();
    const file = path.join(folder, 'documents', `${lease.document.id}.json.zst`);
    const read = (content: Uint8Array): unknown => {
      writeFileSync(file, content);
      const again = open(folder).library;
      try {
        return again.get(lease.document.id);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const stored = (value: unknown): Buffer => zstdCompressSync(JSON.stringify(value));
    expect(read(readFileSync(file).subarray(0, 40))).toBe('corrupt_file');
    expect(read(stored({ ...lease.document, blocks: 'none' }))).toBe('corrupt_file');
    expect(read(stored(nda.document))).toBe('corrupt_file');
    expect(read(stored({ ...lease.document, version: 0 }))).toBe('version_mismatch');
    expect(read(stored(lease.document))).toEqual(lease.document);
  });

  it('notices bytes that were changed on disk', () => {
    const { library, folder } = open();
    library.add(lease.document, lease.bytes);
    writeFileSync(path.join(folder, 'documents', `${lease.document.id}.bin`), 'something else');
    expect(() => library.bytes(lease.document.id)).toThrow(expect.objectContaining({ code: 'corrupt_file' }));
  });

  it('leaves a library of a newer version alone', () => {
    const { library, folder } = open();
    library.dispose();
    const raw = new Library(folder);
    (raw as unknown as { db: { exec(sql: string): void } }).db.exec('PRAGMA user_version = 99');
    raw.dispose();
    expect(() => new Library(folder)).toThrow(expect.objectContaining({ code: 'version_mismatch' }));
  });

  it('leaves not one byte of a removed document behind', () => {
    const { library, folder } = open();
    library.add(lease.document, lease.bytes);
    library.add(nda.document, nda.bytes);
    const everything = (): string =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
        .join('\n');
    expect(everything()).toContain('pelican');
    library.remove(lease.document.id);
    for (const word of ['pelican', 'Delaware', 'delawar', 'lease.txt', lease.document.id]) expect(everything()).not.toContain(word);
    expect(everything()).toContain('Ontario');
    expect(library.search('pelican', [lease.document.id], 10)).toEqual([]);
    expect(library.list().map((entry) => entry.name)).toEqual(['nda.txt']);
  });
});

describe('search', () => {
  const ids = [lease.document.id, nda.document.id];

  it('finds words in the named documents only, the better match first, as whole spans', () => {
    const { library } = open();
    library.add(lease.document, lease.bytes);
    library.add(nda.document, nda.bytes);
    const hits = library.search('Which law governs? Delaware?', ids, 10);
    expect(hits[0]).toMatchObject({ span: { documentId: lease.document.id, blockId: 'b1', start: 0, end: lease.document.blocks[1]!.text.length } });
    expect(hits.map((hit) => hit.span.documentId)).toContain(nda.document.id);
    expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score);
    expect(library.search('law', [nda.document.id], 10).every((hit) => hit.span.documentId === nda.document.id)).toBe(true);
    expect(library.search('law', [], 10)).toEqual([]);
  });

  it('takes query syntax in a question as words', () => {
    const { library } = open();
    library.add(lease.document, lease.bytes);
    for (const text of ['"', 'a AND (', 'text: *', 'NEAR(rent', '-- ; DROP', '?!', '']) expect(() => library.search(text, ids, 10)).not.toThrow();
    expect(library.search('rent" OR "x', ids, 10)).toHaveLength(1);
  });

  it('finds Chinese words without spaces', () => {
    const { library } = open();
    const chinese = makeDocument('合同.txt', ['第一条 本合同适用中华人民共和国法律。', '第二条 甲方应当支付租金。']);
    library.add(chinese.document, chinese.bytes);
    expect(library.search('适用什么法律', [chinese.document.id], 1)[0]?.span.blockId).toBe('b0');
    expect(library.search('租金', [chinese.document.id], 5).map((hit) => hit.span.blockId)).toEqual(['b1']);
    expect(matchQuery('租金多少')).toBe('"租 金" OR "金 多" OR "多 少"');
  });

  it('finds a block by the headings of both clauses that it carries', () => {
    const both = makeDocument('both.txt', ['1. Renewal. (a) The term is a year.', '(b) It may go on.']);
    const [block] = both.document.blocks;
    const span = { documentId: both.document.id, blockId: block!.id };
    const [outer, second] = both.document.clauses;
    const clauses = [
      { ...outer!, heading: 'Prolongation', spans: [{ ...span, start: 0, end: 12 }] },
      { ...second!, id: 'a', path: '1(a)', heading: 'Duration', parentId: outer!.id, spans: [{ ...span, start: 12, end: block!.text.length }] },
    ];
    const { library } = open();
    library.add({ ...both.document, clauses }, both.bytes);
    for (const heading of ['prolongation', 'duration'])
      expect(library.search(heading, [both.document.id], 5).map((hit) => hit.span.blockId)).toEqual([block!.id]);
  });
});
