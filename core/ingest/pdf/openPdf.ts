// A PDF as a whole, before and after its pages: opening it, its password, what was damaged, its outline and whether it is tagged.
//
// After an error of mupdf the caller drops its worker: the module may keep a broken state.
import type * as mupdf from 'mupdf';
import type { Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import type { OutlineEntry } from '../raw.ts';
import { flawOf, type Mupdf } from './mupdf.ts';

export interface OpenedPdf {
  /** Null when mupdf finds no pages and another engine has to read the file. The caller destroys it. */
  readonly document: mupdf.PDFDocument | null;
  readonly pages: number;
  /** What mupdf said when it could not open the file; '' otherwise. */
  readonly flaw: string;
}

/** Throws `encrypted`. A file that was cut off is tried again without its last, broken part. */
export function openPdf(library: Mupdf, bytes: Uint8Array, name: string, password: string | undefined): OpenedPdf {
  const whole = tryOpen(library, bytes, name, password);
  if (whole.document !== null || !isCut(bytes)) return whole;
  const end = lastObjectEnd(bytes);
  return end === null ? whole : tryOpen(library, bytes.subarray(0, end), name, password);
}

function tryOpen(library: Mupdf, bytes: Uint8Array, name: string, password: string | undefined): OpenedPdf {
  let document: mupdf.PDFDocument | null = null;
  try {
    document = library.PDFDocument.openDocument(bytes, 'application/pdf') as mupdf.PDFDocument;
    unlock(document, name, password);
    const pages = document.countPages();
    if (pages > 0) return { document, pages, flaw: '' };
    document.destroy();
    return { document: null, pages: 0, flaw: 'no page is found' };
  } catch (thrown) {
    document?.destroy();
    if (thrown instanceof CodicilError) throw thrown;
    return { document: null, pages: 0, flaw: flawOf(thrown) };
  }
}

/** The end mark stands in the last 1,024 bytes by the standard; mail gateways append a little. */
const END_BYTES = 2048;

function isCut(bytes: Uint8Array): boolean {
  return !latin(bytes.subarray(-END_BYTES)).includes('%%EOF');
}

/** Behind the last whole object; null where there is none. */
function lastObjectEnd(bytes: Uint8Array): number | null {
  // 1 MiB: a cut inside a larger picture is found from its front.
  const STEP = 1 << 20;
  for (let end = bytes.length; end > 0; end -= STEP) {
    const start = Math.max(0, end - STEP - 6);
    const at = latin(bytes.subarray(start, end)).lastIndexOf('endobj');
    if (at >= 0) return start + at + 6;
  }
  return null;
}

/** Bytes as characters; Latin-1 decoders map some of them, so each is taken by its number. */
function latin(bytes: Uint8Array): string {
  let text = '';
  // 8,192 arguments fit the stack of every browser.
  for (let start = 0; start < bytes.length; start += 8192) text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return text;
}

/** Before the password is known mupdf answers questions about pages wrongly, so this comes first. */
function unlock(document: mupdf.Document, name: string, password: string | undefined): void {
  if (!document.needsPassword()) return;
  if (password === undefined) throw new CodicilError('encrypted', `Expected a PDF that can be opened; "${name}" needs a password. Enter its password.`);
  if (document.authenticatePassword(password) === 0)
    throw new CodicilError('encrypted', `Expected the password of "${name}"; the one given does not open it. Check it and enter it again.`);
}

export function unreadable(name: string, flaw: string): CodicilError {
  return new CodicilError(
    'corrupt_file',
    `Expected a PDF with pages; "${name}" has none that can be read (${flaw}). Get the file again or print it to a new PDF.`,
  );
}

export function isTagged(document: mupdf.PDFDocument): boolean {
  try {
    return document.getTrailer().get('Root', 'StructTreeRoot').isDictionary();
  } catch {
    return false; // A catalogue that can not be read has no tags; what is wrong with it shows elsewhere.
  }
}

/** What was wrong with the file as a whole and has been worked around. */
export function damageOf(document: mupdf.PDFDocument | null, bytes: Uint8Array): Warning[] {
  const warnings: Warning[] = [];
  const cut = isCut(bytes);
  if (cut) warnings.push({ code: 'truncated', message: 'The file ends before its end mark: it was cut off. What was behind the cut is missing.', page: null });
  if (document?.wasRepaired() === true)
    warnings.push({
      code: 'repaired',
      message: `The file's index of its own parts is damaged; it was rebuilt from the parts that were found. ${cut ? 'Parts' : 'Check that no page is missing: parts'} without a trace can not be counted.`,
      page: null,
    });
  return warnings;
}

interface OutlineItem {
  readonly title: string | undefined;
  readonly page?: number;
  readonly down?: readonly OutlineItem[];
}

export function readOutline(document: mupdf.Document): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const visit = (items: readonly OutlineItem[], depth: number): void => {
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
