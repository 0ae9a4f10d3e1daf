// What a folder on the command line means, and what is told of files that are not read.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../workspace/folder.ts';
import { runCommand } from './main.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'codicil-inputs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const matter = path.join(folder, 'matter');
const env = { CODICIL_DATA_DIR: path.join(folder, 'data'), NO_COLOR: '1' };

async function codicil(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const io = { stdout: { write: (text: string) => void (stdout += text) }, stderr: { write: (text: string) => void (stderr += text) }, env };
  return { code: await runCommand(args, io), stdout, stderr };
}

beforeAll(() => {
  mkdirSync(matter);
  writeFileSync(path.join(matter, 'lease.txt'), '1. Term\n\nThe lease lasts two years.\n');
});

describe('a folder on the command line', () => {
  it('fault: files of a folder that are not read vanish without a word', async () => {
    writeFileSync(path.join(matter, 'prices.xlsx'), 'PK');
    writeFileSync(path.join(matter, 'old.doc'), new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]));
    const { code, stdout, stderr } = await codicil('ingest', matter);
    expect(code).toBe(3);
    expect(stdout).toContain('lease.txt');
    expect(stderr).toContain('prices.xlsx (1 file of other kinds)');
    expect(stderr).toMatch(/old\.doc.*save it as DOCX/s);
  });

  it('fault: what a file may hold that could not be read is said to be absent', async () => {
    writeFileSync(path.join(matter, 'empty.pdf'), '');
    const files = [path.join(matter, 'lease.txt'), path.join(matter, 'empty.pdf')];
    const { code, stdout } = await codicil('ask', 'Which court decides?', ...files, '--no-reader');
    expect(code).toBe(3);
    expect(stdout).not.toContain('Not in these documents');
  });
});

describe('a folder for data', () => {
  it('is made with those above it', () => {
    makeFolder(path.join(folder, 'a', 'b', 'c'));
    expect(() => makeFolder(path.join(folder, 'a', 'b', 'c'))).not.toThrow();
    expect(() => makeFolder(path.join(matter, 'lease.txt', 'below'))).toThrow(/ENOTDIR/);
  });
  it.runIf(process.platform === 'linux')('fault: a place where the system makes no folders holds the program for ever', () => {
    expect(() => makeFolder('/proc/codicil/data')).toThrow(/ENOENT/);
  });
});
