// `codicil lint` as a lawyer and as a script see it: what is said in the terminal, exit codes, JSON, one rule alone, on DOCX and PDF.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainBlock, plainDocument } from '../../core/contract/make.test-support.ts';
import { redlineDocx } from '../../core/export/redline/redlineDocx.ts';
import { runCommand } from './main.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'codicil-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => path.join(folder, name);
const env = { CODICIL_DATA_DIR: path.join(folder, 'data'), NO_COLOR: '1' };

async function codicil(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const code = await runCommand(args, { stdout: { write: (text) => (stdout += text) }, stderr: { write: (text) => (stderr += text) }, env });
  return { code, stdout, stderr };
}

const LINES = [
  'This Agreement is between Acme, Inc. (“Seller”) and Beta LLC (“Buyer”).',
  '1. Term. The Seller delivers until June 31, 2027.',
  '2. Pay. The Buyer pays within thirty (60) days of the the invoice to [COMPANY NAME].',
];

/** A PDF of these lines in Helvetica, as a program of 1995 would write it. */
function pdfOf(lines: readonly string[]): Uint8Array {
  const escaped = lines.map((line) => line.replace(/[“”]/g, '"').replace(/[\\()]/g, '\\$&'));
  const content = `BT /F1 10 Tf 50 700 Td 24 TL ${escaped.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  let out = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = out.length;
    out += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = out.length;
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  return new TextEncoder().encode(`${out}xref\n0 5\n0000000000 65535 f \n${table}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

beforeAll(() => {
  const blocks = LINES.map((text, index) => plainBlock({ id: `b${index}`, text }));
  const document = plainDocument({ blocks });
  const options = { author: 'Ann', date: '2026-01-01T00:00:00Z' };
  writeFileSync(file('msa.docx'), redlineDocx(new Uint8Array(), null, document, document, options).bytes);
  writeFileSync(file('msa.pdf'), pdfOf(LINES));
  writeFileSync(file('clean.txt'), '1. Term\n\nThis agreement lasts two years.\n');
  const shorter = plainDocument({ blocks: [plainBlock({ id: 'b0', text: 'The term is two years.' })] });
  const longer = plainDocument({ blocks: [plainBlock({ id: 'b0', text: 'The term is three years.' })] });
  writeFileSync(file('tracked.docx'), redlineDocx(new Uint8Array(), null, shorter, longer, options).bytes);
});

const RULES = ['amount-mismatch', 'impossible-date', 'placeholder', 'repeated-word'];

describe('codicil lint', () => {
  it.each(['msa.docx', 'msa.pdf'])('finds the same faults in %s', async (name) => {
    const { code, stdout } = await codicil('lint', file(name), '--json');
    const [document] = (JSON.parse(stdout) as { documents: { findings: { rule: string; fix: { text: string } | null; page: number }[] }[] }).documents;
    expect([code, document!.findings.map(({ rule }) => rule).toSorted((a, b) => a.localeCompare(b))]).toEqual([0, RULES]);
    expect(document!.findings.find(({ rule }) => rule === 'repeated-word')).toMatchObject({ fix: { text: 'the' }, page: 0 });
  });

  it('says what is wrong, what to write and where', async () => {
    const { stdout } = await codicil('lint', file('msa.docx'));
    expect(stdout).toContain('msa.docx  2 errors, 1 warning, 1 note');
    expect(stdout).toContain('✗ The words say 30, the figures say 60.');
    expect(stdout).toMatch(/“the” stands twice\.\n\s+write “the”\n\s+2 · p\. 1 · repeated-word/);
  });

  it('exits with 1 under --strict if there is an error, and only then', async () => {
    expect((await codicil('lint', file('msa.pdf'), '--strict')).code).toBe(1);
    expect((await codicil('lint', file('msa.pdf'), '--strict', '--rule', 'placeholder')).code).toBe(0);
    expect(await codicil('lint', file('clean.txt'), '--strict')).toMatchObject({ code: 0, stdout: expect.stringContaining('no findings') });
  });

  it('knows its rules and suggests', async () => {
    expect(await codicil('lint', file('clean.txt'), '--rule', 'placeholders')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean --rule placeholder?'),
    });
  });

  it('fault: a file that is sent out with tracked changes in it is stopped', async () => {
    const { stdout } = await codicil('lint', file('tracked.docx'));
    expect(stdout).toMatch(/The file tracks 1 (?:insertion|deletion) and 1 (?:insertion|deletion) here, by Ann/);
  });
});
