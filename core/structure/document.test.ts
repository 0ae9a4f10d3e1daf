// parseDocument over whole files: what comes out is a valid Document, what can not be read is refused with the right code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { DocumentSchema } from '../contract/document.ts';
import { listed, level, makeDocx } from '../ingest/docx/makeDocx.test-support.ts';
import { makePdf, paragraph } from '../ingest/pdf/makePdf.test-support.ts';
import { parseDocument } from './document.ts';

const PDF = makePdf([{ lines: [...paragraph(['1. Term. This agreement lasts one year.'], 100), ...paragraph(['2. Law. See Section 1.'], 140)] }]);

describe('parseDocument', () => {
  it('gives the same clauses for one text as PDF, DOCX and Markdown', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`;
    const files: [string, Uint8Array][] = [
      ['a.pdf', PDF],
      ['a.docx', makeDocx({ body: listed('Term. This agreement lasts one year.', 1) + listed('Law. See Section 1.', 1), numbering })],
      ['a.md', new TextEncoder().encode('1. Term. This agreement lasts one year.\n2. Law. See Section 1.')],
    ];
    for (const [name, bytes] of files) {
      const document = await parseDocument(bytes, name);
      expect(DocumentSchema.parse(document)).toEqual(document);
      expect(document.clauses.map((clause) => [clause.path, clause.heading])).toEqual([
        ['1', 'Term'],
        ['2', 'Law'],
      ]);
      expect(document.references[0]?.targetId).toBe(document.clauses[0]?.id);
      expect(document.id).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('detects the kind by content, whatever the name says', async () => {
    expect((await parseDocument(PDF, 'contract.docx')).kind).toBe('pdf');
    expect((await parseDocument(new TextEncoder().encode('Just text.'), 'contract.pdf')).kind).toBe('text');
  });

  it('reports progress up to its end and can be stopped', async () => {
    const seen: number[] = [];
    await parseDocument(PDF, 'a.pdf', { onProgress: (done, total) => seen.push(done / total) });
    expect(seen.at(-1)).toBe(1);
    const stop = new AbortController();
    stop.abort();
    await expect(parseDocument(PDF, 'a.pdf', { signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('what can not be read', () => {
  const locked = makePdf([{ lines: [{ x: 72, y: 100, text: 'Secret text' }] }], 'encrypt=aes-256,user-password=open,owner-password=own');
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

  it.each([
    ['an empty file', new Uint8Array(0), 'x.pdf', 'empty_file'],
    ['an empty DOCX', new Uint8Array(0), 'x.docx', 'empty_file'],
    ['white space only', bytesOf(' \n\t '), 'x.txt', 'empty_file'],
    ['an encrypted PDF', locked, 'x.pdf', 'encrypted'],
    ['a PDF header without a PDF', bytesOf('%PDF-1.7\nnothing'), 'x.pdf', 'corrupt_file'],
    ['a truncated DOCX', makeDocx({ body: listed('a', 1) }).subarray(0, 300), 'x.docx', 'corrupt_file'],
    ['a zip without a document', zipSync({ 'a.bin': strToU8('x') }), 'x.docx', 'unsupported_format'],
    ['a picture cut off after its first bytes', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), 'x.pdf', 'corrupt_file'],
    ['an old Word file', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Uint8Array(600)]), 'x.doc', 'unsupported_format'],
    ['binary garbage', new Uint8Array(2000).map((_byte, index) => (index * 73) & 255), 'x.pdf', 'unsupported_format'],
  ])('refuses %s', async (_what, bytes, name, code) => {
    await expect(parseDocument(bytes, name)).rejects.toMatchObject({ name: 'CodicilError', code });
  });

  it('opens an encrypted PDF with its password and with no other', async () => {
    expect((await parseDocument(locked, 'x.pdf', { password: 'open' })).blocks[0]?.text).toBe('Secret text');
    await expect(parseDocument(locked, 'x.pdf', { password: 'wrong' })).rejects.toMatchObject({
      code: 'encrypted',
      message: expect.stringContaining('does not open') as string,
    });
  });

  it('reads what a truncated PDF still holds, or refuses it', async () => {
    for (const share of [0.3, 0.6, 0.9]) {
      const result = await parseDocument(PDF.subarray(0, Math.floor(PDF.length * share)), 'x.pdf').catch((thrown: unknown) => thrown);
      expect(result).toSatisfy((value: unknown) => (value as { code?: string }).code === 'corrupt_file' || (value as { kind?: string }).kind === 'pdf');
    }
  });

  it('enforces limits of bytes, pages and time', async () => {
    const limit = (limits: object): Promise<unknown> => parseDocument(PDF, 'x.pdf', { limits });
    await expect(limit({ bytes: 100 })).rejects.toMatchObject({ code: 'too_large' });
    await expect(limit({ pages: 0 })).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('at most 0 pages') as string });
    await expect(limit({ ms: -1 })).rejects.toMatchObject({ code: 'timeout' });
  });
});

const corpora = process.env['CODICIL_CORPORA'];
const templates = corpora === undefined ? '' : join(corpora, 'contracts/templates');
if (!existsSync(templates) || templates === '') console.warn('skipped: 3 comparisons of a PDF with its Markdown need CODICIL_CORPORA');

describe.skipIf(templates === '' || !existsSync(templates))('PDF against the Markdown of the same text', () => {
  it.each([
    ['Bonterms+Cloud-Terms', 'Cloud-Terms.md', 0.98],
    ['Bonterms+Mutual-NDA', 'Mutual-NDA.md', 0.98],
    ['Bonterms+Professional-Services-Agreement', 'Professional-Services-Agreement V1.2.md', 0.98],
  ])('finds the paths and headings of %s', async (folder, markdown, least) => {
    const at = join(templates, folder);
    const pdf = readdirSync(at).find((name) => /Version-1(?:\.\d)?\.pdf$/.test(name)) ?? '';
    const [found, expected] = (await Promise.all(
      [pdf, markdown].map(async (name) => {
        const document = await parseDocument(readFileSync(join(at, name)), name);
        return new Set(document.clauses.filter((clause) => clause.number !== '').map((clause) => `${clause.path} ${clause.heading.toLowerCase()}`));
      }),
    )) as [Set<string>, Set<string>];
    const shared = [...found].filter((entry) => expected.has(entry)).length;
    console.info(`${folder}: precision ${shared}/${found.size}, recall ${shared}/${expected.size}`);
    expect(shared / found.size).toBeGreaterThan(least - 0.01);
    expect(shared / expected.size).toBeGreaterThan(least - 0.01);
  });
});
