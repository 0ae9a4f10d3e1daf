// The assertions on published versions of real agreements (CC0 and CC BY 4.0), seen by hand in the texts. Needs the corpora.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Change, Comparison } from '../contract/comparison.ts';
import { parseDocument } from '../structure/document.ts';
import { compareDocuments } from './compare.ts';

const corpora = process.env['CODICIL_CORPORA'] ?? '';
const folder = join(corpora, 'contracts');
const here = corpora !== '' && existsSync(join(folder, 'versions'));
if (!here) console.warn('SKIPPED: 9 comparisons of published versions; set CODICIL_CORPORA to the folder that holds contracts/versions.');

async function read(set: string, prefix: string): ReturnType<typeof parseDocument> {
  const name = readdirSync(join(folder, set)).find((file) => file.startsWith(prefix))!;
  return parseDocument(readFileSync(join(folder, set, name)), name);
}

/** Changes of a pair; the exchanged pair must give as many. */
async function compare(set: string, before: string, after: string): Promise<Comparison> {
  const [a, b] = [await read(`versions/${set}`, before), await read(`versions/${set}`, after)];
  const result = compareDocuments(a, b);
  expect(compareDocuments(b, a).changes).toHaveLength(result.changes.length);
  return result;
}

const words = (change: Change, op: 'insert' | 'delete'): string =>
  change.diff
    .filter((part) => part.op === op)
    .map((part) => part.text.trim())
    .join(' ');

describe.skipIf(!here)('published versions', () => {
  it('BEIPA v046 to v047: "works made for hire" becomes a sentence of section 1', async () => {
    const { changes } = await compare('github-BEIPA', 'v046', 'v047');
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ kind: 'merged', before: { path: '5' }, after: { path: '1' } });
  });
  it('BEIPA 13c1710f: one cross-reference', async () => {
    const { changes } = await compare('github-BEIPA', 'v030', 'v031');
    expect(changes.map((change) => [change.kind, change.topics, words(change, 'delete'), words(change, 'insert')])).toEqual([
      ['changed', ['crossReference'], '2', '1'],
    ]);
  });
  it('BEIPA 03c03fdf: trailing spaces are no change', async () => {
    expect((await compare('github-BEIPA', 'v033', 'v034')).changes).toEqual([]);
  });
  it('Series Seed SPA 3.0 to 3.1: a definition moves, words go, a sentence comes', async () => {
    const { changes } = await compare('seriesseed-SPA', 'v001', 'v002');
    const moved = changes.find(({ kind }) => kind === 'movedChanged')!;
    expect([moved.before!.path, moved.after!.path]).toEqual(['Exhibit B 7.1', 'Exhibit B 5.3']);
    expect(moved.reason).toContain('“Stockholder”');
    expect(changes.find(({ after }) => after?.path === 'Exhibit B 4.2')!.diff.find(({ op }) => op === 'delete')!.text).toContain('preemptive rights');
    expect(
      words(
        changes.find(({ after }) => after?.path === 'Exhibit B 8.1')!,
        'insert',
      ),
    ).toBe('No Stockholder may transfer Shares unless each transferee agrees to be bound by the terms of this Agreement.');
  });
  it('GitHub corporate terms v014 to v015: two paragraphs move', async () => {
    const { changes } = await compare('github-corporate-ToS', 'v014', 'v015');
    expect(changes.filter(({ kind }) => kind === 'moved').map(({ after }) => /Machine Account|Professional Services/.exec(after!.text)?.[0])).toEqual([
      'Machine Account',
      'Professional Services',
    ]);
  });
  it('Common Paper CSA: "disclosing party" becomes "discloser"', async () => {
    const { changes } = await compare('commonpaper-CSA', 'v038', 'v039');
    expect(changes.length).toBeGreaterThan(0);
    for (const change of changes) expect([change.kind, words(change, 'delete'), words(change, 'insert')]).toEqual(['changed', 'Disclosing Party', 'Discloser']);
  });
  it('Common Paper CSA 2.0 to 2.1: one cross-reference', async () => {
    const { changes } = await compare('commonpaper-CSA', 'v046', 'v047');
    expect(changes.map((change) => [change.topics, words(change, 'delete'), words(change, 'insert')])).toEqual([[['crossReference'], '12', '10']]);
  });
  it('the Markdown and the PDF of one text differ in nothing, and one word put in is found among their clauses', async () => {
    const [markdown, pdf] = [
      await read('templates/Bonterms+Cloud-Terms', 'Cloud-Terms'),
      await read('templates/Bonterms+Cloud-Terms', 'Bonterms-Cloud-Terms-Version'),
    ];
    const cloud = compareDocuments(markdown, pdf);
    expect(cloud.changes).toEqual([]);
    expect(cloud.unchangedClauses).toBeGreaterThan(90);
    // A word of the same length, so that the spans of the clauses stay true.
    const at = markdown.blocks.findIndex(({ text }) => / will /.test(text));
    const blocks = markdown.blocks.map((block, index) => (index === at ? { ...block, text: block.text.replace(' will ', ' must ') } : block));
    const { changes } = compareDocuments({ ...markdown, id: 'edited', blocks }, pdf);
    expect(changes.map((change) => [change.kind, words(change, 'delete'), words(change, 'insert')])).toEqual([['changed', 'must', 'will']]);
  });
  it('and so for the services agreement', async () => {
    const set = 'templates/Bonterms+Professional-Services-Agreement';
    expect(
      compareDocuments(await read(set, 'Professional-Services-Agreement V1.2'), await read(set, 'Bonterms-Professional-Services-Agreement-PSA')).changes,
    ).toEqual([]);
  });
});
