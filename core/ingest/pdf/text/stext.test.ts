// The memory layout of mupdf's structured text, checked against mupdf's own walker.
import * as mupdf from 'mupdf';
import { describe, expect, it } from 'vitest';
import { makePage } from '../makePdf.test-support.ts';
import { structuredText, walkStext, type StextVisitor } from './stext.ts';

interface Seen {
  readonly characters: unknown[];
  readonly lines: unknown[];
  readonly boxes: unknown[];
}

const CONTENT = `q 0.9 0.2 0.1 rg 50 50 200 20 re f Q 1 w 50 300 m 300 300 l S
BT /F1 12 Tf 72 700 Td (Text upright) Tj ET
BT /F2 9 Tf 0 1 -1 0 300 400 Tm 0 0 1 rg (turned, bold) Tj ET
q 100 0 0 50 300 100 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q`;

function textOf(bytes: Uint8Array): mupdf.StructuredText {
  return structuredText(mupdf.Document.openDocument(bytes, 'application/pdf').loadPage(0), false);
}

function byMemory(text: mupdf.StructuredText): Seen {
  const seen: Seen = { characters: [], lines: [], boxes: [] };
  const visitor: StextVisitor = {
    image: (box) => void seen.boxes.push(['image', ...box]),
    vector: (box, stroked, rectangle, color) => void seen.boxes.push(['vector', ...box, stroked, rectangle, color >>> 0]),
    beginLine: (vertical, dx, dy) => void seen.lines.push([vertical, dx, dy]),
    character: (code, _flags, color, size, font, floats, quad) =>
      void seen.characters.push([String.fromCodePoint(code), size, font, color >>> 0, ...floats.slice(quad, quad + 8)]),
    endLine: () => undefined,
  };
  walkStext(mupdf, text, visitor);
  return seen;
}

function byWalker(text: mupdf.StructuredText): Seen {
  const seen: Seen = { characters: [], lines: [], boxes: [] };
  const argb = ([red = 0, green = 0, blue = 0]: readonly number[]): number =>
    ((255 << 24) | (Math.round(red * 255) << 16) | (Math.round(green * 255) << 8) | Math.round(blue * 255)) >>> 0;
  text.walk({
    onImageBlock: (box) => void seen.boxes.push(['image', ...box]),
    onVector: (box, flags, color) => void seen.boxes.push(['vector', ...box, flags.isStroked, flags.isRectangle, argb(color)]),
    beginLine: (_box, wmode, [dx, dy]) => void seen.lines.push([wmode === 1, dx, dy]),
    onChar: (text_, _origin, font, size, quad, color) => void seen.characters.push([text_, size, font.pointer as number, argb(color), ...quad]),
  });
  return seen;
}

describe('walkStext', () => {
  it('reads from memory what the walker of mupdf says', () => {
    const text = textOf(makePage(CONTENT));
    const memory = byMemory(text);
    expect(memory).toEqual(byWalker(text));
    expect(memory.characters).toHaveLength('Text uprightturned, bold'.length);
    expect(memory.boxes).toHaveLength(3);
  });

  it('fault: a character above U+FFFF comes out whole', () => {
    const map =
      '/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <D842DFB7> endbfchar endcmap';
    const text = textOf(makePage('BT /F1 12 Tf 72 700 Td (A) Tj ET', { toUnicode: map }));
    expect(byMemory(text).characters).toEqual([expect.arrayContaining(['𠮷'])]);
  });
});
