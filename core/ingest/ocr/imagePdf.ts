// PNG, JPEG and TIFF files -> a PDF with one page for each picture, so that everything behind treats a photographed page as a scan.
//
// Owns: the size of the pages. Pictures are embedded as they are (mupdf keeps JPEG data and turns by EXIF orientation).
import type * as mupdf from 'mupdf';
import { CodicilError } from '../../contract/errors.ts';
import { within, type Watch } from '../limits.ts';

/** Cameras write 72 or 96 dpi whatever they saw; a sheet wider or higher than this in points (33 inches, A0) is a photograph of paper. */
const LARGEST_SIDE = 2400;
/** Long side of the paper that such a picture is taken to show: A4 and Letter, points. */
const PAPER_SIDE = 820;
/** Screenshots at 96 dpi are drawn no smaller than their pixels; below this a "page" is an icon. */
const SMALLEST_SIDE = 16;

export function imageToPdf(library: typeof mupdf, bytes: Uint8Array, name: string, mime: string, watch: Watch): Uint8Array<ArrayBuffer> {
  let source: mupdf.Document;
  try {
    source = library.Document.openDocument(bytes, mime);
  } catch (thrown) {
    throw damaged(name, thrown);
  }
  const target = new library.Buffer();
  try {
    const count = source.countPages();
    within(count, watch.limits.pages, 'pages');
    const writer = new library.DocumentWriter(target, 'pdf', 'compress');
    for (let index = 0; index < count; index++) {
      addPage(library, source, index, writer);
      watch.check();
    }
    writer.close();
    writer.destroy();
    return new Uint8Array(target.asUint8Array());
  } catch (thrown) {
    throw thrown instanceof CodicilError ? thrown : damaged(name, thrown);
  } finally {
    target.destroy();
    source.destroy();
  }
}

function addPage(library: typeof mupdf, source: mupdf.Document, index: number, writer: mupdf.DocumentWriter): void {
  const page = source.loadPage(index);
  const [x0, y0, x1, y1] = page.getBounds();
  const longest = Math.max(x1 - x0, y1 - y0, SMALLEST_SIDE);
  const scale = longest > LARGEST_SIDE ? PAPER_SIDE / longest : 1;
  const device = writer.beginPage([0, 0, (x1 - x0) * scale, (y1 - y0) * scale]);
  page.run(device, library.Matrix.concat(library.Matrix.translate(-x0, -y0), library.Matrix.scale(scale, scale)));
  writer.endPage();
  page.destroy();
}

function damaged(name: string, thrown: unknown): CodicilError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new CodicilError('corrupt_file', `Expected a picture; "${name}" can not be opened (${reason}). Get the file again or save it as PNG or PDF.`);
}
