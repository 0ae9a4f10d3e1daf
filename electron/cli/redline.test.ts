// `codicil compare --docx` from files on disk to a file on disk: the tracked changes, who they are by, what is told about them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipReader } from '../../core/ingest/docx/zip.ts';
import { DEFAULT_LIMITS } from '../../core/ingest/limits.ts';
import { runCommand } from './main.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'codicil-redline-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => path.join(folder, name);
const env = { CODICIL_DATA_DIR: path.join(folder, 'data'), NO_COLOR: '1' };

async function codicil(...args: readonly string[]): Promise<{ code: number; told: string }> {
  let told = '';
  const write = (text: string): void => void (told += text);
  return { code: await runCommand(args, { stdout: { write }, stderr: { write }, env }), told };
}

const MARKS = ['--date', '2026-01-31T09:00:00Z', '--author', 'Reviewer A'];
const compare = (before: string, after: string, out: string): ReturnType<typeof codicil> =>
  codicil('compare', file(before), file(after), '--docx', file(out), ...MARKS);

function xmlOf(name: string): string {
  return new TextDecoder().decode(new ZipReader(new Uint8Array(readFileSync(file(name))), name, DEFAULT_LIMITS).read('word/document.xml') ?? undefined);
}

/** The text with all marks of one kind taken out with what they hold. */
const without = (xml: string, mark: 'w:ins' | 'w:del'): string => xml.replace(new RegExp(`<${mark} [^>]*[^/]>.*?</${mark}>`, 'gs'), '').replace(/<[^>]*>/g, '');

beforeAll(() => {
  writeFileSync(file('old.txt'), '1. Term\n\nTwo years from signing.\n');
  writeFileSync(file('new.html'), '<h1>1. Term</h1><p>Three years from signing.</p>');
});

describe('codicil compare --docx', () => {
  it('writes both texts under the name and time given, and says what it did', async () => {
    const { code, told } = await compare('old.txt', 'new.html', 'out.docx');
    expect([code, told]).toEqual([0, expect.stringMatching(/Wrote .*out\.docx: 1 insertion, 1 deletion, 0 moves, by Reviewer A/)]);
    const xml = xmlOf('out.docx');
    expect(without(xml, 'w:del')).toContain('Three years from signing.');
    expect(without(xml, 'w:ins')).toContain('Two years from signing.');
    expect(xml).toContain('w:author="Reviewer A" w:date="2026-01-31T09:00:00Z"');
  });

  it('fault: tracked changes that the older file holds are accepted before the comparison, and that is told', async () => {
    await compare('old.txt', 'new.html', 'tracked.docx');
    const { told } = await compare('tracked.docx', 'old.txt', 'again.docx');
    expect(told).toContain('tracked.docx held 2 tracked changes of its own; they were accepted first.');
    expect(without(xmlOf('again.docx'), 'w:ins')).toContain('Three years from signing.');
  });

  it('fault: the redline takes the place of a document that it is about', async () => {
    const { code, told } = await compare('old.txt', 'new.html', 'old.txt');
    expect([code, told]).toEqual([1, expect.stringContaining('is the document')]);
    expect(readFileSync(file('old.txt'), 'utf8')).toContain('Two years');
  });

  it('shows what was deleted and inserted where both texts are read', async () => {
    await compare('old.txt', 'new.html', 'both.docx');
    const { told } = await codicil('clauses', file('both.docx'), '--view', 'both', '--text');
    expect(told).toMatch(/\[-Two-\]\s*\{\+Three\+\} years/);
  });

  it('writes the same bytes again', async () => {
    await compare('old.txt', 'new.html', 'one.docx');
    await compare('old.txt', 'new.html', 'two.docx');
    expect(readFileSync(file('one.docx')).equals(readFileSync(file('two.docx')))).toBe(true);
  });

  it('refuses a date that is none before any work', async () => {
    expect(await codicil('compare', file('old.txt'), file('new.html'), '--docx', file('no.docx'), '--date', 'yesterday')).toMatchObject({
      code: 2,
      told: expect.stringContaining('2026-01-31T09:00:00Z'),
    });
  });
});
