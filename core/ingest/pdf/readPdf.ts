// PDF bytes -> pages and blocks in reading order, with the place of every character.
//
// Owns: the order of the work and the page loop. openPdf.ts opens and judges the file, readPage.ts reads a page, layout.ts makes blocks of its lines.
// Limit: pages without text wait for OCR, with a warning.
import type { Block, Warning } from '../../contract/document.ts';
import { within, type Watch } from '../limits.ts';
import type { RawContent } from '../raw.ts';
import { hiddenBlock, placeAsides } from './asides.ts';
import { layOut } from './layout.ts';
import { loadMupdf } from './mupdf.ts';
import { countPages, damageOf, isTagged, openPdf, readOutline } from './openPdf.ts';
import { PageReader, type PageReading } from './readPage.ts';

export async function readPdf(bytes: Uint8Array, name: string, password: string | undefined, watch: Watch): Promise<RawContent> {
  const library = await loadMupdf();
  const document = openPdf(library, bytes, name, password);
  try {
    const count = countPages(document, name);
    within(count, watch.limits.pages, 'pages');
    const reader = new PageReader(library, document, isTagged(document));
    const readings: PageReading[] = [];
    for (let index = 0; index < count; index++) {
      readings.push(reader.read(index));
      await watch.tick(index + 1, count);
    }
    const warnings: Warning[] = [...damageOf(document, bytes), ...readings.flatMap((reading) => reading.warnings)];
    const pages = readings.map((reading) => reading.page);
    const outline = readOutline(document);
    const layout = layOut(readings, outline, watch);
    return { ...layout, blocks: placeAsides(layout.blocks, asidesOf(readings)), pages, outline, warnings };
  } finally {
    document.destroy();
  }
}

function asidesOf(readings: readonly PageReading[]): Block[] {
  return readings.flatMap((reading) => reading.hidden).map((hidden, index) => hiddenBlock(hidden, `hidden${index}`));
}
