// What stands when recognition fails or runs out of time, with a recogniser that is told what to find.
import * as mupdf from 'mupdf';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../contract/document.ts';
import { parseDocument } from '../../structure/document.ts';
import { Watch } from '../limits.ts';
import { makePdf } from '../pdf/makePdf.test-support.ts';
import type { GreyImage } from './greyImage.ts';
import { makeScan } from './makeScan.test-support.ts';
import { recognisePage, type RecognisedPage } from './recognisePage.ts';
import { OcrFailure, OcrTimeout, Recogniser, type RecognisedLine, type Script } from './recogniser.ts';

const PDF = makePdf([{ lines: Array.from({ length: 12 }, (_, row) => ({ x: 72, y: 100 + 14 * row, text: 'A line of the page that is recognised here' })) }]);
const unused = (): Promise<never> => Promise.reject(new Error('no part is loaded here'));

/** Finds the same line of words everywhere in Latin script, and has no time for Chinese. */
class OneScript extends Recogniser {
  private readonly confidences: readonly number[];

  constructor(confidences: readonly number[]) {
    super(unused);
    this.confidences = confidences;
  }

  override recognise(_image: GreyImage, script: Script): Promise<readonly RecognisedLine[]> {
    if (script === 'chinese') return Promise.reject(new OcrTimeout('recognition took longer than its limit'));
    const box = { x0: 20, y0: 20, x1: 90, y1: 40 };
    const words = this.confidences.map((confidence) => ({ text: 'party', confidence, bbox: box, symbols: [{ text: 'party', bbox: box }] }));
    return Promise.resolve([{ words, baseline: { ...box, y0: 38, y1: 38 }, rowAttributes: { rowHeight: 20 } }]);
  }
}

function recognise(confidences: readonly number[]): Promise<RecognisedPage> {
  const page = mupdf.Document.openDocument(PDF, 'application/pdf').loadPage(0);
  return recognisePage(mupdf, page, { recogniser: new OneScript(confidences), script: 'auto' }, { script: 'latin' }, new Watch({}), () => {});
}

describe('a page that was read in whole', () => {
  it('fault: is lost when the trial of another script or way runs out of time', async () => {
    const [doubtful, poor] = [await recognise([95, 95, 95, 50]), await recognise([40, 40, 40, 40])];
    expect(doubtful).toMatchObject({ script: 'latin', confidence: 0.8375 });
    expect(poor).toMatchObject({ script: 'latin', confidence: 0.4 });
    expect(Math.min(doubtful.words, poor.words)).toBeGreaterThan(3);
  });
});

describe('a page that can not be recognised', () => {
  const thrower = (thrown: unknown): Recogniser => {
    class Thrower extends Recogniser {
      override recognise(): Promise<readonly RecognisedLine[]> {
        return Promise.reject(thrown);
      }
    }
    return new Thrower(unused);
  };
  const read = (recogniser: Recogniser): Promise<Document> => parseDocument(makeScan(PDF, { dpi: 72 }), 'scan.pdf', { ocr: { recogniser, script: 'latin' } });

  it('costs only itself when the recogniser breaks off or can not be loaded', async () => {
    const broken = [thrower(new OcrFailure('unreachable executed')), thrower(new OcrTimeout('late')), new Recogniser(unused)];
    const warnings = await Promise.all(broken.map(async (recogniser) => (await read(recogniser)).warnings));
    expect(warnings.map(([warning]) => warning?.code)).toEqual(['ocr_failed', 'ocr_failed', 'ocr_failed']);
    expect(warnings.map(([warning]) => warning?.message)).toEqual([
      expect.stringContaining('(unreachable executed)'),
      expect.stringContaining('(it took too long)'),
      expect.stringContaining('(no part is loaded here)'),
    ]);
  });

  it("fault: the parser's broken memory is taken for a page's failure and read on", async () => {
    await expect(read(thrower(Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' })))).rejects.toMatchObject({
      code: 'corrupt_file',
    });
    await expect(read(thrower(new TypeError('a fault of the program')))).rejects.toThrow('a fault of the program');
  });
});
