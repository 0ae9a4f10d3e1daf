// The command line as a script sees it: exit codes, what stands on stdout, and that bad input is told in a sentence.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nearest } from './command.ts';
import { runCommand } from './main.ts';
import { clip, columnsOf, wrap } from './terminal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'codicil-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const env = { CODICIL_DATA_DIR: path.join(folder, 'data'), NO_COLOR: '1' };

/** In this process: a start of Node for each line would take most of the time. */
async function codicil(...args: readonly string[]): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runCommand(args, { stdout: { write: (text) => (stdout += text) }, stderr: { write: (text) => (stderr += text) }, env });
  return { code, stdout, stderr };
}
const file = (name: string): string => path.join(folder, name);

const FIRST = '1. Term\n\nThis agreement lasts two years.\n\n2. Governing Law\n\nThe laws of Delaware govern this agreement.\n';

beforeAll(() => {
  writeFileSync(file('v1.txt'), FIRST);
  writeFileSync(file('v2.txt'), FIRST.replace('two years', 'three years'));
  writeFileSync(file('empty.txt'), '');
  // The head of a PDF and nothing of its pages.
  writeFileSync(file('truncated.pdf'), '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 ');
  mkdirSync(file('nothing'));
});

describe('the command line', () => {
  it('explains itself', async () => {
    const overview = await codicil();
    expect([overview.code, overview.stderr]).toEqual([0, '']);
    expect(overview.stdout).toContain('compare  ');
    for (const name of ['ask', 'compare', 'summary', 'lint', 'clauses', 'ingest', 'library', 'models', 'plan', 'doctor', 'serve']) {
      const help = await codicil(name, '--help');
      expect([name, help.code]).toEqual([name, 0]);
      expect(help.stdout).toContain(`codicil ${name} `);
      expect(help.stdout).toContain('Examples');
    }
  });

  it('exits with 2 for what it does not understand, and suggests', async () => {
    expect(await codicil('comprae', 'a', 'b')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean codicil compare?') });
    expect(await codicil('ask', 'x', '--jsno')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean --json?') });
    expect(await codicil('compare', file('v1.txt'))).toMatchObject({ code: 2, stderr: expect.stringContaining('two documents') });
    expect(await codicil('clauses', file('v1.txt'), '--depth', 'deep')).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number') });
    for (const size of ['0G', 'lots', '99999999999T', '2000T', '5'])
      for (const [command, option] of [
        ['store', '--limit'],
        ['plan', '--ram-budget'],
      ] as const)
        expect(await codicil(command, option, size)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${option} takes a size such as 500M or 8G`) });
    expect(await codicil('clauses', file('v1.txt'), '--view', 'new')).toMatchObject({ code: 2, stderr: expect.stringContaining('accepted, original, both') });
    expect(await codicil('clauses', file('v1.txt'), '--depth')).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a value') });
    for (const name of ['ask', 'clauses', 'summary', 'lint', 'ingest']) expect([name, (await codicil(name)).code]).toEqual([name, 2]);
  });

  it('exits with 1 and no_documents when there is nothing to work on', async () => {
    const empty = ['--data-dir', path.join(folder, 'no-data')];
    const asked = await codicil('ask', 'Which law governs?', '--json', ...empty);
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.stdout)).toMatchObject({ failure: { code: 'no_documents' } });
    expect(await codicil('clauses', file('nothing'), ...empty)).toMatchObject({ code: 1, stderr: expect.stringContaining('no_documents') });
    expect(await codicil('compare', 'one.pdf', 'two.pdf', ...empty)).toMatchObject({ code: 1, stderr: expect.stringContaining('not_found') });
  });

  it('goes on after a bad file and exits with 3', async () => {
    const ran = await codicil('ingest', file('v1.txt'), file('truncated.pdf'), file('empty.txt'), file('v2.txt'), '--json');
    expect(ran.code).toBe(3);
    const { documents, failures } = JSON.parse(ran.stdout);
    expect(documents.map((document: { name: string }) => document.name).sort()).toEqual(['v1.txt', 'v2.txt']);
    expect(failures.map((entry: { input: string; failure: { code: string } }) => [path.basename(entry.input), entry.failure.code]).sort()).toEqual([
      ['empty.txt', 'empty_file'],
      ['truncated.pdf', expect.stringMatching(/^(corrupt_file|empty_file)$/)],
    ]);
    expect(ran.stderr).toContain('truncated.pdf');
    expect((await codicil('ingest', file('truncated.pdf'))).code).toBe(1);
  });

  it('prints a redline, and JSON that is nothing but JSON', async () => {
    const ran = await codicil('compare', file('v1.txt'), file('v2.txt'));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('[-two-] {+three+} years');
    const json = JSON.parse((await codicil('compare', file('v1.txt'), file('v2.txt'), '--json')).stdout);
    expect(json.counts).toMatchObject({ changed: 1, inserted: 0, deleted: 0 });
    expect((await codicil('compare', file('v1.txt'), file('v1.txt'))).stdout).toContain('No changes.');
    expect((await codicil('compare', file('v1.txt'), file('v2.txt'), '--html', file('report.html'))).code).toBe(0);
    expect(readdirSync(folder)).toContain('report.html');
  });

  it('is a program with exit codes on its own too', () => {
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, ['electron/cli/main.ts', ...args], {
        cwd: path.resolve(import.meta.dirname, '../..'),
        encoding: 'utf8',
        env: { ...process.env, ...env },
      });
    expect(run('comprae')).toMatchObject({ status: 2, stdout: '' });
    const ran = run('clauses', file('v1.txt'), file('empty.txt'));
    expect([ran.status, ran.stdout.includes('Governing Law'), ran.stderr.includes('empty_file')]).toEqual([3, true, true]);
  });

  it('prints clauses, findings, fields and places without a model', async () => {
    expect((await codicil('clauses', file('v1.txt'))).stdout).toContain('Governing Law');
    expect(JSON.parse((await codicil('lint', file('v1.txt'), '--json')).stdout).documents[0].name).toBe('v1.txt');
    const { summaries } = JSON.parse((await codicil('summary', file('v1.txt'), '--no-reader', '--json')).stdout);
    expect(summaries[0].schema).toBe('codicil.summary/1');
    const asked = await codicil('ask', 'Which laws govern?', file('v1.txt'), '--no-reader');
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked.stdout).toContain('Delaware');
    expect(asked.stdout).toContain('Not found for certain');
  });

  it('finds documents of the library by id and name, and removes them', async () => {
    const [stored] = JSON.parse((await codicil('ingest', file('v1.txt'), '--json')).stdout).documents;
    expect((await codicil('clauses', stored.id.slice(0, 8))).stdout).toContain('Governing Law');
    expect((await codicil('clauses', 'v1.txt')).stdout).toContain('Governing Law');
    expect(
      JSON.parse((await codicil('library', '--remove', stored.id.slice(0, 8), '--json')).stdout).documents.map((entry: { id: string }) => entry.id),
    ).not.toContain(stored.id);
    expect((await codicil('clauses', stored.id.slice(0, 8))).code).toBe(1);
    expect((await codicil('library', '--remove', stored.id.slice(0, 8))).code).toBe(1);
  });
});

describe('terminal text', () => {
  it('wraps between words, or between wide characters, and never over the width', () => {
    expect(wrap('one two three', 8, '  ')).toBe('  one\n  two\n  three');
    for (const text of ['The quick brown fox jumps over it', '本合同适用中华人民共和国法律并据此解释']) {
      for (const line of wrap(text, 12, ' ').split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(12);
    }
  });

  it('clips by columns', () => {
    expect(clip('short', 10)).toBe('short');
    expect(clip('much too long', 8)).toBe('much to…');
    expect(columnsOf(clip('本合同适用法律', 7))).toBeLessThanOrEqual(7);
  });

  it('suggests only what is near', () => {
    expect(nearest('comprae', ['compare', 'clauses'])).toBe('compare');
    expect(nearest('sum', ['summary', 'serve'])).toBe('summary');
    expect(nearest('zzz', ['summary', 'serve'])).toBeNull();
  });
});
