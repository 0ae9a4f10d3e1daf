// The before/after pairs that the WmlComparer of Open-Xml-PowerTools is tested with (MIT), round trip. Needs the corpora.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../contract/document.ts';
import { parseDocument } from '../../structure/document.ts';
import { redlineDocx } from './redlineDocx.ts';
import { bodyNodes, everyNode, linesOf, type View } from './views.test-support.ts';

const corpora = process.env['CODICIL_CORPORA'] ?? '';
const folder = join(corpora, 'docx/open-xml-powertools');
const here = corpora !== '' && existsSync(join(folder, 'wmlcomparer_expected.json'));
if (!here) console.warn('SKIPPED: 106 WmlComparer pairs; set CODICIL_CORPORA to the folder that holds docx/open-xml-powertools.');

const OPTIONS = { author: 'Test', date: '2026-01-02T03:04:05Z' };
const NOTES = ['word/footnotes.xml', 'word/endnotes.xml'];
const noteLines = (bytes: Uint8Array, view: View): string => String(NOTES.map((part) => linesOf(bytes, view, part, null)));

describe.skipIf(!here)('WmlComparer pairs', () => {
  it('come back exactly: accepting gives the newer paragraphs, rejecting the older', async () => {
    const pairs = JSON.parse(readFileSync(join(folder, 'wmlcomparer_expected.json'), 'utf8')) as { id: string; before: string; after: string }[];
    let parsed = 0;
    let exact = 0;
    const wrong: string[] = [];
    const noteWrong: string[] = [];
    for (const { id, before, after } of pairs) {
      const [old, now] = [before, after].map((name) => new Uint8Array(readFileSync(join(folder, 'TestFiles', name)))) as [Uint8Array, Uint8Array];
      let documents: [Document, Document];
      try {
        documents = [await parseDocument(old, before), await parseDocument(now, after)];
      } catch (error) {
        console.warn(`${id} does not parse: ${(error as Error).message}`);
        continue;
      }
      parsed++;
      const out = redlineDocx(old, now, ...documents, OPTIONS).bytes;
      const good = String(linesOf(out, 'accept')) === String(linesOf(now, 'accept')) && String(linesOf(out, 'reject')) === String(linesOf(old, 'accept'));
      if (good) exact++;
      else wrong.push(id);
      const notes = noteLines(out, 'accept') === noteLines(now, 'accept') && noteLines(out, 'reject') === noteLines(old, 'accept');
      if (!notes) noteWrong.push(id);
      const ids = everyNode(bodyNodes(out))
        .filter((node) => /^w:(?:ins|del|moveFrom|moveTo)$/.test(node.name))
        .map((node) => node.attributes['w:id']);
      expect([id, new Set(ids).size]).toEqual([id, ids.length]);
    }
    console.log(
      `WmlComparer pairs: ${parsed} of ${pairs.length} parse, ${exact} round-trip exactly; notes exact in ${parsed - noteWrong.length}`,
      wrong,
      noteWrong,
    );
    expect(wrong).toEqual([]);
  }, 120_000);
});
