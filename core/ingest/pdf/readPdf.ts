// PDF bytes -> pages and blocks in reading order, with the place of every character.
//
// Owns: opening (password, damage, limits), the page loop, page labels, the outline, warnings. mupdf is loaded on first use: its WASM module is large.
// Limits: tables are read row by row as paragraphs, not as cells; tagged structure is not used; pages without text wait for OCR, with a warning.
// After an error of mupdf the caller drops its worker: the module may keep a broken state.
import type * as mupdf from 'mupdf';
import type { Page, Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import { within, type Watch } from '../limits.ts';
import type { OutlineEntry } from '../raw.ts';
import { readGlyphs } from './glyphs.ts';
import { layOut, type Layout } from './layout.ts';
import { readLines, type PdfLine } from './lines.ts';

export interface PdfContent extends Layout {
  readonly pages: readonly Page[];
  readonly outline: readonly OutlineEntry[];
  readonly warnings: readonly Warning[];
}

export async function readPdf(bytes: Uint8Array, name: string, password: string | undefined, watch: Watch): Promise<PdfContent> {
  const library = await loadLibrary();
  const document = open(library, bytes, name);
  try {
    unlock(document, name, password);
    const count = countPages(document, name);
    within(count, watch.limits.pages, 'pages');
    const content: PageContent = { pages: [], lines: [], warnings: [] };
    for (let index = 0; index < count; index++) {
      readPage(document, index, content);
      await watch.tick(index + 1, count);
    }
    const outline = readOutline(document);
    return { ...layOut(content.lines, content.pages, outline, watch), pages: content.pages, outline, warnings: content.warnings };
  } finally {
    document.destroy();
  }
}

/** mupdf prints every flaw that it repairs; a library does not print. What matters to a reader becomes a warning of the document. */
async function loadLibrary(): Promise<typeof mupdf> {
  const library = await import('mupdf');
  library.setLog({});
  return library;
}

interface PageContent {
  readonly pages: Page[];
  readonly lines: PdfLine[];
  readonly warnings: Warning[];
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function open(library: typeof mupdf, bytes: Uint8Array, name: string): mupdf.Document {
  try {
    return library.Document.openDocument(bytes, 'application/pdf');
  } catch (thrown) {
    throw new CodicilError('corrupt_file', `Expected a PDF; "${name}" can not be opened (${messageOf(thrown)}). Get the file again or print it to a new PDF.`);
  }
}

/** Before the password is known mupdf answers questions about pages wrongly, so this comes first. */
function unlock(document: mupdf.Document, name: string, password: string | undefined): void {
  if (!document.needsPassword()) return;
  if (password === undefined) throw new CodicilError('encrypted', `Expected a PDF that can be opened; "${name}" needs a password. Enter its password.`);
  if (document.authenticatePassword(password) === 0)
    throw new CodicilError('encrypted', `Expected the password of "${name}"; the one given does not open it. Check it and enter it again.`);
}

function countPages(document: mupdf.Document, name: string): number {
  let count = 0;
  try {
    count = document.countPages();
  } catch (thrown) {
    throw new CodicilError(
      'corrupt_file',
      `Expected a PDF with pages; the page list of "${name}" is damaged (${messageOf(thrown)}). Get the file again or print it to a new PDF.`,
    );
  }
  if (count <= 0)
    throw new CodicilError('corrupt_file', `Expected a PDF with pages; "${name}" has none that can be read. Get the file again or print it to a new PDF.`);
  return count;
}

function readPage(document: mupdf.Document, index: number, content: PageContent): void {
  const { pages, lines, warnings } = content;
  let page: mupdf.Page | null = null;
  try {
    page = document.loadPage(index);
    const [x0, y0, x1, y1] = page.getBounds();
    const [width, height] = [x1 - x0, y1 - y0];
    const glyphs = readGlyphs(page, width, height, [x0, y0]);
    const found = readLines(glyphs.segments, index);
    for (const line of found) lines.push(line);
    pages.push({ width, height, label: labelOf(page, index), source: found.length === 0 ? 'empty' : 'digital', confidence: null });
    if (found.length === 0) warnings.push(emptyWarning(index, glyphs.imageShare));
    else warnings.push(...pageWarnings(found, index, glyphs.imageShare, glyphs.outside));
  } catch (thrown) {
    pages.push({ width: 612, height: 792, label: String(index + 1), source: 'empty', confidence: null });
    warnings.push({
      code: 'page_failed',
      message: `Page ${index + 1} can not be read (${messageOf(thrown)}); it is missing from everything that follows.`,
      page: index,
    });
  } finally {
    page?.destroy();
  }
}

function emptyWarning(index: number, imageShare: number): Warning {
  if (imageShare > 0.05) return { code: 'no_text', message: `Page ${index + 1} is a picture: no text; it needs OCR.`, page: index };
  return { code: 'empty_page', message: `Page ${index + 1} has no text.`, page: index };
}

function pageWarnings(lines: readonly PdfLine[], index: number, imageShare: number, outside: number): Warning[] {
  const text = lines.map((line) => line.text).join('');
  const warnings: Warning[] = [];
  const unmapped = text.split('\uFFFD').length - 1;
  if (unmapped > 0.05 * text.length)
    warnings.push({
      code: 'unmapped_text',
      message: `Page ${index + 1}: ${unmapped} of ${text.length} characters have no meaning in the file's fonts; the text of this page is not reliable.`,
      page: index,
    });
  if (imageShare > 0.6 && text.length < 120)
    warnings.push({
      code: 'mostly_image',
      message: `Page ${index + 1} is mostly a picture with ${text.length} characters of text; what the picture says needs OCR.`,
      page: index,
    });
  if (outside > 0)
    warnings.push({ code: 'text_outside_page', message: `Page ${index + 1}: ${outside} characters lie outside the page; they are not read.`, page: index });
  return warnings;
}

function labelOf(page: mupdf.Page, index: number): string {
  const label = page.getLabel().trim();
  return label === '' ? String(index + 1) : label;
}

function readOutline(document: mupdf.Document): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  interface Item {
    readonly title: string | undefined;
    readonly page?: number;
    readonly down?: readonly Item[];
  }
  const visit = (items: readonly Item[], depth: number): void => {
    for (const item of items) {
      if (item.title !== undefined && item.title.trim() !== '') entries.push({ title: item.title.trim(), page: item.page ?? null, depth });
      // Deeper outlines than 12 levels are damaged (cycles); mupdf itself stops at its own limit.
      if (item.down && depth < 12) visit(item.down, depth + 1);
    }
  };
  try {
    visit(document.loadOutline() ?? [], 1);
  } catch {
    return []; // A damaged outline is only lost evidence: the text is whole without it.
  }
  return entries;
}
