// The before/after pairs that the WmlComparer of Open-Xml-PowerTools is tested with (MIT), round trip. Needs the corpora.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../contract/document.ts';
import { redlineDocx } from './redlineDocx.ts';
import { faultsOf } from './validity.test-support.ts';
import { noteLinesOf, richLinesOf, type View } from './views.test-support.ts';

const corpora = process.env['CODICIL_CORPORA'] ?? '';
const folder = join(corpora, 'docx/open-xml-powertools');
const here = corpora !== '' && existsSync(join(folder, 'wmlcomparer_expected.json'));
if (!here) console.warn('SKIPPED: 106 WmlComparer pairs; set CODICIL_CORPORA to the folder that holds docx/open-xml-powertools.');

const OPTIONS = { author: 'Test', date: '2026-01-02T03:04:05Z' };
const named = (name: string): Document => ({ kind: 'docx', name, blocks: [] }) as unknown as Document;

describe.skipIf(!here)('WmlComparer pairs', () => {
  it('come back exactly, with their pictures, links and notes, in files that a strict reader takes', () => {
    const pairs = JSON.parse(readFileSync(join(folder, 'wmlcomparer_expected.json'), 'utf8')) as { id: string; before: string; after: string }[];
    const wrong: string[] = [];
    for (const { id, before, after } of pairs) {
      const [old, now] = [before, after].map((name) => new Uint8Array(readFileSync(join(folder, 'TestFiles', name)))) as [Uint8Array, Uint8Array];
      const { bytes } = redlineDocx(old, now, named(before), named(after), OPTIONS);
      const exact = (lines: (bytes: Uint8Array, view: View) => string[]): boolean =>
        String(lines(bytes, 'accept')) === String(lines(now, 'accept')) && String(lines(bytes, 'reject')) === String(lines(old, 'accept'));
      if (!exact(richLinesOf)) wrong.push(`${id}: text`);
      if (!exact(noteLinesOf)) wrong.push(`${id}: notes`);
      const own = new Set([...faultsOf(old), ...faultsOf(now)]);
      for (const fault of faultsOf(bytes)) if (!own.has(fault)) wrong.push(`${id}: ${fault}`);
    }
    expect(pairs.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  }, 120_000);
});
