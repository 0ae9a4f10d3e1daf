// `codicil clauses --align` as a person and a script see it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClauseTableSchema } from '../../core/contract/clauseTable.ts';
import { runCommand } from './main.ts';
import { columnsOf } from './terminal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'codicil-align-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => path.join(folder, name);

async function codicil(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const streams = {
    stdout: { write: (text: string) => (stdout += text), columns: 100 },
    stderr: { write: (text: string) => (stderr += text) },
    env: { CODICIL_DATA_DIR: file('data'), NO_COLOR: '1' },
  };
  const code = await runCommand(args, streams);
  return { code, stdout, stderr };
}

beforeAll(() => {
  const law = (state: string): string =>
    `Governing Law\n\nThis Agreement is governed by the laws of ${state}, without regard to its rules on the conflict of laws.\n\n`;
  const term = 'Term\n\nThis Agreement starts on the Effective Date and lasts for two years unless it is terminated before that time.\n\n';
  writeFileSync(file('ours.txt'), `1. ${term}2. ${law('Delaware')}`);
  writeFileSync(file('theirs.txt'), `1. ${law('California')}2. ${term}`);
  writeFileSync(file('third.txt'), `1. ${term}2. Audit\n\nThe Customer may inspect the books and records of the Provider once in each calendar year.\n`);
});

describe('clauses --align', () => {
  it('shows one clause of every contract, edited words marked and a missing one said', async () => {
    const { code, stdout } = await codicil('clauses', '--align', file('ours.txt'), file('theirs.txt'), file('third.txt'), '--clause', 'governing law');
    expect(code).toBe(0);
    expect(stdout).toContain('◆ ours.txt');
    expect(stdout).toMatch(/± theirs\.txt\s+1\s+edited · high · law/);
    expect(stdout).toContain('[-Delaware-]{+California+}'.replace(']{', '] {'));
    expect(stdout).toMatch(/∅ third\.txt\s+missing/);
    expect(stdout.split('\n').every((line) => columnsOf(line) <= 100)).toBe(true);
  });
  it('prints JSON that fits the contract, and takes the baseline that was named', async () => {
    const { stdout } = await codicil('clauses', '--align', file('ours.txt'), file('theirs.txt'), '--baseline', 'theirs.txt', '--json');
    const table = ClauseTableSchema.parse(JSON.parse(stdout));
    expect(table.documents.find(({ id }) => id === table.baselineId)!.name).toBe('theirs.txt');
  });
  it('writes a page that loads nothing and says in words what it shows in colour', async () => {
    expect((await codicil('clauses', '--align', file('ours.txt'), file('theirs.txt'), file('third.txt'), '--html', file('out.html'))).code).toBe(0);
    const html = readFileSync(file('out.html'), 'utf8');
    expect(html).not.toMatch(/<script|<link|\bsrc=|url\(/);
    expect(html).toContain('<del>Delaware</del>');
    expect(html).toContain('missing');
    expect(html).toContain('not in the baseline');
  });
  it('says what it needs', async () => {
    expect(await codicil('clauses', '--align', file('ours.txt'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least two documents; 1 given'),
    });
    expect(await codicil('clauses', file('ours.txt'), '--clause', 'term')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--clause belongs to --align'),
    });
    expect(await codicil('clauses', '--align', file('ours.txt'), file('theirs.txt'), '--baseline', 'nobody.txt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"nobody.txt" is none of them'),
    });
  });
});
