// The door of this folder for the page loop of the PDF reader: which pages need recognition, what came of it, and the way back to the page.
//
// Owns: the decision, the warnings, what a document's earlier pages taught, and the turned frames of its pages.
// A turned or crooked page is laid out in the frame in which it stands upright (`upright`); `straighten` brings the blocks back afterwards.
// Rule: a page with ink and without recognised words, a page that is read with doubt, and a page that could not be read each give a warning.
import type * as mupdf from 'mupdf';
import type { Warning } from '../../contract/document.ts';
import type { Watch } from '../limits.ts';
import type { Layout } from '../pdf/layOut.ts';
import { flawOf } from '../pdf/mupdf.ts';
import { doubtOf, judgeText } from '../pdf/text/plausibility.ts';
import { FEW_CHARACTERS, linesOf, MOSTLY_IMAGE, type PageReading } from '../pdf/readPage.ts';
import { LEAST_INK, recognisePage, type OcrMemory, type OcrOptions, type RecognisedPage } from './recognisePage.ts';
import { OcrFailure, OcrTimeout } from './recogniser.ts';
import { isIdentity, type Upright } from './render.ts';
import { straightenBlock, straightenTable } from './straighten.ts';

/** Doubt (plausibility.ts) above which a page's own text is no text: every glyph shifted, or a fifth of the signs without meaning. */
const GARBAGE = 0.2;
/** Marks of a page that a warning spells out: a stamp has two or three lines. */
const MOST_SHOWN = 3;
/** Below this mean confidence about one word in ten is wrong, and a person should look. */
const UNSURE = 0.8;
/** What the page's own text made one say, and what recognition has answered. */
const ANSWERED = new Set(['no_text', 'empty_page', 'mostly_image', 'unmapped_text']);

interface OwnText {
  readonly characters: number;
  readonly doubt: number;
}

export class ScanReader {
  private readonly library: typeof mupdf;
  private readonly document: mupdf.PDFDocument;
  private readonly options: OcrOptions;
  private readonly watch: Watch;
  private readonly memory: OcrMemory;
  /** By page: frames of pages that were turned before they were read. */
  private readonly turned = new Map<number, Upright>();

  constructor(library: typeof mupdf, document: mupdf.PDFDocument, options: OcrOptions, watch: Watch) {
    this.library = library;
    this.document = document;
    this.options = options;
    this.watch = watch;
    this.memory = { script: options.script === 'auto' ? 'latin' : options.script };
  }

  /** The page as it was, or with its text recognised from its picture. */
  async complete(reading: PageReading, index: number, pages: number): Promise<PageReading> {
    const own = ownText(reading);
    if (!needsRecognition(own, reading)) return reading;
    const started = performance.now();
    const onBeat = (): void => this.watch.beat(index, pages);
    let page: mupdf.PDFPage | null = null;
    onBeat();
    try {
      page = this.document.loadPage(index);
      return this.judge(await recognisePage(this.library, page, this.options, this.memory, this.watch, onBeat), reading, index, own);
    } catch (thrown) {
      return failed(reading, index, reasonOf(thrown));
    } finally {
      page?.destroy();
      this.watch.grant(performance.now() - started);
    }
  }

  /** The readings with the size of the frame in which their lines stand upright, for layout only. */
  upright(readings: readonly PageReading[]): readonly PageReading[] {
    return readings.map((reading, index) => {
      const frame = this.turned.get(index);
      return frame ? { ...reading, page: { ...reading.page, width: frame.width, height: frame.height } } : reading;
    });
  }

  straighten(layout: Layout): Layout {
    if (this.turned.size === 0) return layout;
    return {
      ...layout,
      blocks: layout.blocks.map((block) => straightenBlock(block, this.turned)),
      tables: layout.tables.map((table) => straightenTable(table, this.turned)),
    };
  }

  private judge(found: RecognisedPage, reading: PageReading, index: number, own: OwnText): PageReading {
    const rest = reading.warnings.filter((warning) => !ANSWERED.has(warning.code));
    if (found.words === 0) {
      if (found.ink < LEAST_INK || own.characters > 0) return reading;
      return { ...reading, warnings: [...rest, say(index, 'ocr_no_text', 'is not blank, but no text was recognised on it. Look at the page itself.')] };
    }
    const lines = linesOf(found.segments, [], index, [found.upright.width, found.upright.height]);
    const text = lines.map((line) => line.text).join('\n');
    const garbage = own.doubt > GARBAGE;
    const better = garbage ? found.confidence >= UNSURE && doubtOf(judgeText(text)) < own.doubt : judgeText(text).characters >= own.characters;
    if (!better) return reading;
    if (!isIdentity(found.upright)) this.turned.set(index, found.upright);
    const confidence = Math.round(found.confidence * 1000) / 1000;
    return { ...reading, page: { ...reading.page, source: 'ocr', confidence }, lines, vectors: [], warnings: [...rest, ...warningsOf(found, index, own)] };
  }
}

function ownText(reading: PageReading): OwnText {
  const text = judgeText(reading.lines.map((line) => line.text).join('\n'));
  return { characters: text.characters, doubt: doubtOf(text) };
}

/** Whether the page's own text can not be what the page says. */
function needsRecognition({ characters, doubt }: OwnText, { imageShare }: PageReading): boolean {
  return characters === 0 || doubt > GARBAGE || (imageShare > MOSTLY_IMAGE && characters < FEW_CHARACTERS);
}

function say(index: number, code: string, message: string): Warning {
  return { code, message: `Page ${index + 1} ${message}`, page: index };
}

function warningsOf(found: RecognisedPage, index: number, own: OwnText): Warning[] {
  const warnings: Warning[] = [];
  if (own.characters > 0 && own.doubt > GARBAGE)
    warnings.push(
      say(index, 'text_replaced', "has text without a meaning in the file's fonts; what follows was recognised from the picture of the page instead."),
    );
  if (found.leftOut.length > 0) {
    const shown = found.leftOut.slice(0, MOST_SHOWN).map((text) => `“${text}”`);
    const more = found.leftOut.length > shown.length ? ` and ${found.leftOut.length - shown.length} more` : '';
    warnings.push(
      say(index, 'ocr_left_out', `has marks that look like logos, stamps or writing by hand; they are not part of its text: ${shown.join(', ')}${more}.`),
    );
  }
  if (found.confidence < UNSURE) {
    const share = Math.round(100 * found.confidence);
    warnings.push(
      say(index, 'ocr_unsure', `was recognised with ${share} % confidence; ${found.doubtful} of ${found.words} words are doubtful. Check it against the page.`),
    );
  }
  return warnings;
}

/** The page's own failure, in words; what else is thrown, or has broken mupdf's memory, goes on. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof OcrTimeout) return 'it took too long';
  return thrown instanceof OcrFailure ? thrown.message : flawOf(thrown);
}

function failed(reading: PageReading, index: number, reason: string): PageReading {
  const rest = reading.warnings.filter((warning) => warning.code !== 'no_text' && warning.code !== 'empty_page');
  return { ...reading, warnings: [...rest, say(index, 'ocr_failed', `could not be recognised (${reason}). Look at the page itself.`)] };
}
