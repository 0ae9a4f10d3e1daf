// Characters that are drawn twice, on pages made for it.
import * as mupdf from 'mupdf';
import { describe, expect, it } from 'vitest';
import { makePdf, type DrawnLine } from '../makePdf.test-support.ts';
import { DrawnBefore } from './duplicates.ts';
import { readGlyphs, type PageGlyphs } from './glyphs.ts';

function read(lines: readonly DrawnLine[], drawn?: DrawnBefore): PageGlyphs {
  const page = mupdf.Document.openDocument(makePdf([{ lines }]), 'application/pdf').loadPage(0);
  return readGlyphs(mupdf, page, { size: [612, 792], origin: [0, 0] }, { tagged: false, unclipped: true }, drawn);
}
const textOf = ({ segments }: PageGlyphs): string => segments.map(({ glyphs }) => glyphs.map(({ text }) => text).join('')).join('|');

describe('a character drawn twice', () => {
  const shadowed = [
    { x: 72, y: 100, text: 'Shadow' },
    { x: 72.4, y: 100.3, text: 'Shadow' },
  ];

  it('fault: a shadow is read as a second word', () => {
    expect(textOf(read(shadowed))).toBe('Shadow');
  });

  it('is told from the same character of another page, whatever pages share', () => {
    const drawn = new DrawnBefore();
    expect([read(shadowed, drawn), read(shadowed, drawn), read([{ x: 72, y: 100, text: 'Shadow' }], drawn)].map(textOf)).toEqual([
      'Shadow',
      'Shadow',
      'Shadow',
    ]);
    drawn.clear();
    expect(drawn.seen(0x53, 0, 72, 100, 6, 10)).toBe(false);
    expect(drawn.seen(0x53, 0, 72.1, 100.1, 6, 10)).toBe(true);
    expect(new DrawnBefore().seen(0x53, 0, 72, 100, 6, 10)).toBe(false);
  });
});
