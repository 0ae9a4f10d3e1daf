// PDF bytes -> pages and blocks in reading order, with the place of every character.
//
// Owns: the order of the work and the page loop. openPdf.ts opens and judges the file, readPage.ts reads a page, layOut.ts makes blocks of its lines.
// Pages that are pictures go to the recogniser (ocr/scan.ts) where the caller has one; without it they stay empty, with a warning.
import type { Block, Warning } from '../../contract/document.ts';
import { within, type Watch } from '../limits.ts';
import type { OcrOptions } from '../ocr/recognisePage.ts';
import { ScanReader } from '../ocr/scan.ts';
import type { RawContent } from '../raw.ts';
import { drawnBlock, hiddenBlock, placeAsides } from './layout/asides.ts';
import { commentsOf } from './text/comments.ts';
import { layOut } from './layOut.ts';
import { loadMupdf } from './mupdf.ts';
import { damageOf, isTagged, openPdf, readOutline, unreadable } from './openPdf.ts';
import { PageReader, type PageReading } from './readPage.ts';
import { SecondOpinion } from './text/secondOpinion.ts';

export interface PdfOptions {
  readonly password?: string | undefined;
  readonly ocr?: OcrOptions | undefined;
}

export async function readPdf(bytes: Uint8Array, name: string, { password, ocr }: PdfOptions, watch: Watch): Promise<RawContent> {
  const library = await loadMupdf();
  const { document, pages: found, flaw } = openPdf(library, bytes, name, password);
  const second = new SecondOpinion(bytes, password);
  try {
    const count = document === null ? await second.pageCount() : found;
    if (count === 0) throw unreadable(name, flaw);
    within(count, watch.limits.pages, 'pages');
    const reader = new PageReader(library, document, document !== null && isTagged(document), second);
    const scans = ocr && document ? new ScanReader(library, document, ocr, watch) : null;
    const readings: PageReading[] = [];
    for (let index = 0; index < count; index++) {
      const reading = await reader.read(index);
      readings.push(scans ? await scans.complete(reading, index, count) : reading);
      await watch.tick(index + 1, count);
    }
    if (readings.every((reading) => reading.failed && reading.lines.length === 0)) throw unreadable(name, 'each page fails in both engines');
    const warnings: Warning[] = [...damageOf(document, bytes), ...readings.flatMap((reading) => reading.warnings)];
    const pages = readings.map((reading) => reading.page);
    const outline = document === null ? [] : readOutline(document);
    const layout = scans ? scans.straighten(layOut(scans.upright(readings), outline, watch)) : layOut(readings, outline, watch);
    const blocks = placeAsides(layout.blocks, asidesOf(readings));
    const remarks = readings.flatMap(({ annotations }, page) => annotations.remarks.map((remark) => ({ page, remark })));
    return { ...layout, blocks, comments: commentsOf(remarks, blocks), pages, outline, warnings: [...warnings, ...layout.warnings] };
  } finally {
    document?.destroy();
    await second.dispose();
  }
}

function asidesOf(readings: readonly PageReading[]): Block[] {
  return readings.flatMap(({ annotations, hidden }, page) => [
    ...annotations.asides.map((aside, index) => drawnBlock(aside, page, `aside${page}.${index}`)),
    ...hidden.map((line, index) => hiddenBlock(line, `hidden${page}.${index}`)),
  ]);
}
