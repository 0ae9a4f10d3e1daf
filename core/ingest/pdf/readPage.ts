// One page: its glyphs, which of them a reader sees, its lines in reading order, and what is to be said about it.
//
// Owns: page label, size and source, hidden lines, warnings of the page. Leaves blocks to layOut.ts.
// Rule: a page that fails costs only itself, and a warning says so.
import type * as mupdf from 'mupdf';
import type { Page, Warning } from '../../contract/document.ts';
import { readAnnotations, type PageAnnotations } from './text/annotations.ts';
import { chooseText } from './text/chooseText.ts';
import { renderContrast } from './text/contrast.ts';
import { DrawnBefore } from './text/duplicates.ts';
import { readGlyphs, type PageArea, type PageGlyphs, type PlacedImage, type Segment } from './text/glyphs.ts';
import { lookAt, type Hiding, type ShowsInk, type Sight } from './text/hidden.ts';
import type { HiddenLine } from './layout/asides.ts';
import { readLines, type PdfLine } from './layout/lines.ts';
import { flawOf, type Mupdf } from './mupdf.ts';
import { mayHoldTable } from './tables/tablePages.ts';
import { findTables, placeTables } from './tables/tables.ts';
import type { SecondOpinion } from './text/secondOpinion.ts';
import type { Vector } from './text/vectors.ts';

export interface PageReading {
  readonly page: Page;
  readonly lines: readonly PdfLine[];
  readonly hidden: readonly HiddenLine[];
  readonly vectors: readonly Vector[];
  readonly annotations: PageAnnotations<PdfLine>;
  /** Share of the page that its largest picture takes. */
  readonly imageShare: number;
  readonly warnings: readonly Warning[];
  /** No engine could read it. */
  readonly failed: boolean;
}

/** Rendering a page costs about 30 ms; a document that puts white text on shaded ground on every page is judged by geometry after this many. */
const RENDERED_PAGES = 60;

/** A stamped header or page number on a scan has less text than this; a page with a picture has more. */
export const FEW_CHARACTERS = 120;
/** Share of the page: margins of a scan take a tenth of it, figures in a text half of it. */
export const MOSTLY_IMAGE = 0.6;

type Size = readonly [number, number];

/**
 * Text cut off by the page's edge or a clip is looked for on every page up to here, then on every tenth until one has some: a second run costs a fifth of the
 * whole reading. Such text is never read as content; only the warning may miss a page.
 */
const WATCHED_PAGES = 12;
const WATCHED_STEP = 10;

export class PageReader {
  private readonly library: Mupdf;
  private readonly document: mupdf.PDFDocument | null;
  private readonly second: SecondOpinion;
  private readonly tagged: boolean;
  private readonly drawn = new DrawnBefore();
  private rendered = 0;
  private foundOutside = false;

  /** `document` is null for a file that mupdf can not open: the second engine reads it alone. */
  constructor(library: Mupdf, document: mupdf.PDFDocument | null, tagged: boolean, second: SecondOpinion) {
    this.library = library;
    this.document = document;
    this.tagged = tagged;
    this.second = second;
  }

  async read(index: number): Promise<PageReading> {
    const drawn = this.draw(index);
    try {
      return await this.compose(drawn, index);
    } catch (thrown) {
      return failedPage(drawn, index, excessOf(thrown));
    }
  }

  private async compose(drawn: DrawnPage, index: number): Promise<PageReading> {
    const text = await chooseText(
      {
        segments: drawn.sight.visible,
        hidden: drawn.sight.hidden.map((entry) => entry.segment),
        images: drawn.glyphs.images,
        blank: drawn.blank,
        flaw: drawn.flaw,
      },
      index,
      this.second,
    );
    if (drawn.flaw !== null && text.opinion === null) return failedPage(drawn, index, drawn.flaw);
    const { width, height } = drawn.flaw === null ? drawn : (text.opinion ?? drawn);
    const lines = linesOf(text.segments, drawn.glyphs.vectors, index, [width, height]);
    const hidden = hiddenLines(drawn.sight, index, width, height);
    const source = lines.length === 0 && hidden.length === 0 ? 'empty' : 'digital';
    return {
      page: { width, height, label: drawn.label, source, confidence: null },
      lines,
      hidden,
      vectors: drawn.glyphs.vectors,
      annotations: drawn.annotations,
      imageShare: pictureShare(drawn.glyphs.images, width * height),
      warnings: [...text.warnings, ...pageWarnings(lines, hidden, drawn.glyphs, drawn.sight.recognised, width * height, index)],
      failed: false,
    };
  }

  private draw(index: number): DrawnPage {
    if (this.document === null) return blankPage(index, 'the file can not be opened by the first engine');
    let page: mupdf.PDFPage | null = null;
    try {
      page = this.document.loadPage(index);
      const [x0, y0, x1, y1] = page.getBounds();
      const area: PageArea = { size: [x1 - x0, y1 - y0], origin: [x0, y0] };
      const unclipped = index < WATCHED_PAGES || this.foundOutside || index % WATCHED_STEP === 0;
      const glyphs = readGlyphs(this.library, page, area, { tagged: this.tagged, unclipped }, this.drawn);
      this.foundOutside ||= glyphs.segments.some((segment) => segment.paint === 'offPage');
      const sight = lookAt(glyphs, area.size, this.contrastOf(page, area));
      const toLines = (segments: readonly Segment[]): PdfLine[] => readLines(segments, index, ...area.size);
      const annotations = readAnnotations(this.library, page, area, { drawn: this.drawn, toLines });
      const blank = glyphs.segments.length === 0 && drawsNoText(page);
      return { width: area.size[0], height: area.size[1], label: labelOf(page, index), glyphs, sight, annotations, blank, flaw: null };
    } catch (thrown) {
      return blankPage(index, flawOf(thrown));
    } finally {
      page?.destroy();
    }
  }

  /** Renders at the first question. */
  private contrastOf(page: mupdf.PDFPage, area: PageArea): () => ShowsInk {
    let shows: ShowsInk | undefined;
    return () => {
      if (shows === undefined) shows = this.rendered++ < RENDERED_PAGES ? renderContrast(this.library, page, area) : null;
      return shows;
    };
  }
}

/** Whether the content of the page, and of the forms it draws, asks for no text at all: then no engine will find any. */
function drawsNoText(page: mupdf.PDFPage): boolean {
  try {
    return !hasText(page.getObject(), page.getObject().get('Contents'), 0);
  } catch (thrown) {
    flawOf(thrown);
    return false; // Content that can not be unpacked is what the second engine is for.
  }
}

const SHOWS_TEXT = /(?:Tj|TJ|'|")(?:[\s\]]|$)/;
/** Forms inside forms deeper than this are what the second engine is asked about. */
const FORM_DEPTH = 3;

function hasText(owner: mupdf.PDFObject, contents: mupdf.PDFObject, depth: number): boolean {
  const streams = contents.isArray() ? Array.from({ length: contents.length }, (_none, index) => contents.get(index)) : contents.isNull() ? [] : [contents];
  if (streams.some((stream) => SHOWS_TEXT.test(stream.readStream().asString()))) return true;
  const resources = owner.getInheritable('Resources');
  if (!resources.isDictionary()) return false;
  const forms = resources.get('XObject');
  let found = false;
  if (forms.isDictionary())
    forms.forEach((form) => {
      found ||= form.get('Subtype').toString() === '/Form' && (depth >= FORM_DEPTH || hasText(form, form, depth + 1));
    });
  return found;
}

interface DrawnPage {
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly glyphs: PageGlyphs;
  readonly sight: Sight;
  readonly annotations: PageAnnotations<PdfLine>;
  /** It has no text, by its own content. */
  readonly blank: boolean;
  readonly flaw: string | null;
}

/** The size of US Letter stands for the size that is not known. */
function blankPage(index: number, flaw: string): DrawnPage {
  const glyphs: PageGlyphs = { segments: [], images: [], vectors: [] };
  return {
    width: 612,
    height: 792,
    label: String(index + 1),
    glyphs,
    sight: { visible: [], hidden: [], recognised: 0 },
    annotations: { asides: [], remarks: [] },
    blank: false,
    flaw,
  };
}

/** Lines in reading order, those of tables told apart; `size` is that of the page on which the segments stand upright. */
export function linesOf(segments: readonly Segment[], vectors: readonly Vector[], index: number, [width, height]: Size): readonly PdfLine[] {
  if (!mayHoldTable(segments, vectors, width, height)) return readLines(segments, index, width, height);
  const tables = findTables(segments, vectors, index, width, height);
  return placeTables(readLines(tables.rest, index, width, height), tables.tables);
}

/** mupdf has done its part by now: an array or a stack that overflows is outgrown by the page and harms no other. All else is a fault of the program and goes on. */
function excessOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return `it holds more than can be laid out: ${thrown.message}`;
  throw thrown;
}

function failedPage({ width, height, label }: DrawnPage, index: number, reason: string): PageReading {
  const message = `Page ${index + 1} can not be read (${reason}); it is missing from everything that follows.`;
  return {
    page: { width, height, label, source: 'empty', confidence: null },
    lines: [],
    hidden: [],
    vectors: [],
    annotations: { asides: [], remarks: [] },
    imageShare: 0,
    warnings: [{ code: 'page_failed', message, page: index }],
    failed: true,
  };
}

function hiddenLines(sight: Sight, index: number, width: number, height: number): HiddenLine[] {
  const kinds = new Map<Hiding, Segment[]>();
  for (const { segment, hiding } of sight.hidden) {
    const list = kinds.get(hiding);
    if (list) list.push(segment);
    else kinds.set(hiding, [segment]);
  }
  return [...kinds].flatMap(([hiding, segments]) => readLines(segments, index, width, height).map((line) => ({ line, hiding })));
}

function labelOf(page: mupdf.Page, index: number): string {
  const label = page.getLabel().trim();
  return label === '' ? String(index + 1) : label;
}

/** Share of the page that its largest picture takes. */
export function pictureShare(images: readonly PlacedImage[], area: number): number {
  // No spreading into Math.max: a page of 130,000 pictures has more of them than a call takes arguments.
  const largest = images.reduce((most, { box }) => Math.max(most, Math.max(0, box.x1 - box.x0) * Math.max(0, box.y1 - box.y0)), 0);
  return Math.min(1, largest / Math.max(1, area));
}

function pageWarnings(
  lines: readonly PdfLine[],
  hidden: readonly HiddenLine[],
  glyphs: PageGlyphs,
  recognised: number,
  area: number,
  index: number,
): Warning[] {
  const warnings: Warning[] = [];
  const say = (code: string, message: string): void => void warnings.push({ code, message: `Page ${index + 1} ${message}`, page: index });
  const count = lines.reduce((sum, line) => sum + line.text.length, 0);
  const picture = pictureShare(glyphs.images, area);
  if (count === 0) {
    if (picture > 0.05) say('no_text', 'is a picture: no text; it needs OCR.');
    else say('empty_page', 'has no text.');
  } else {
    const unmapped = lines.reduce((sum, line) => sum + line.text.split('\uFFFD').length - 1, 0);
    if (unmapped > 0.05 * count)
      say('unmapped_text', `has ${unmapped} of ${count} characters without a meaning in the file's fonts; the text of this page is not reliable.`);
    if (picture > MOSTLY_IMAGE && count < FEW_CHARACTERS)
      say('mostly_image', `is mostly a picture with ${count} characters of text; what the picture says needs OCR.`);
    if (recognised > 0.5 * count) say('ocr_layer', 'is a scan whose text another program recognised; compare what matters with the picture.');
  }
  const unseen = hidden.reduce((sum, { line }) => sum + line.text.length, 0);
  if (unseen > 0) {
    const kinds = [...new Set(hidden.map(({ hiding }) => HIDING_WORDS[hiding]))].join(', ');
    say('hidden_text', `holds ${unseen} characters that a reader does not see (${kinds}); they are kept apart from the text.`);
  }
  return warnings;
}

const HIDING_WORDS: Readonly<Record<Hiding, string>> = {
  invisible: 'without ink',
  white: 'in the colour of the paper',
  tiny: 'too small to read',
  offPage: 'outside the page',
  covered: 'under a fill',
  vanish: 'marked hidden',
};
