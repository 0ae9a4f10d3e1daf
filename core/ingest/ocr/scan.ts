// The door of this folder for the page loop of the PDF reader: which pages need recognition, and what came of it.
//
// Owns: the decision, the warnings, what a document's earlier pages taught, and the turned frames of its pages (for `straighten`).
// Rule: a page with ink and without recognised words, a page that is read with doubt, and a page that could not be read each give a warning.
import type * as mupdf from 'mupdf';
import type { Page, Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import type { Watch } from '../limits.ts';
import type { Segment } from '../pdf/glyphs.ts';
import { LEAST_INK, recognisePage, type OcrMemory, type OcrOptions, type RecognisedPage } from './recognisePage.ts';
import { OcrTimeout } from './recogniser.ts';
import { isIdentity, type Upright } from './render.ts';

export interface TextEvidence {
  /** Visible characters of the page's own text, spaces not counted. */
  readonly characters: number;
  /** Of these, characters that have no meaning in the file's fonts. */
  readonly unmapped: number;
  /** Share of the page that pictures cover, 0 to 1. */
  readonly imageShare: number;
}

export interface Scan {
  readonly segments: readonly Segment[];
  readonly source: Page['source'];
  readonly confidence: number | null;
  readonly warnings: readonly Warning[];
}

/** A fifth without meaning: the rest is guesswork too. Single unmapped signs are bullets and logos. */
const GARBAGE = 0.2;
/** A stamped header or page number on a scan has less text than this; a page with a picture has more. */
const FEW_CHARACTERS = 120;
const MOSTLY_IMAGE = 0.6;
/** Below this mean confidence about one word in ten is wrong, and a person should look. */
const UNSURE = 0.8;

/** Whether the page's own text can not be what the page says. */
export function needsRecognition({ characters, unmapped, imageShare }: TextEvidence): boolean {
  if (characters === 0 || unmapped > GARBAGE * characters) return true;
  return imageShare > MOSTLY_IMAGE && characters < FEW_CHARACTERS;
}

export class ScanReader {
  /** Pages that were turned before they were read; their lines stand in the turned frame until they are straightened. */
  readonly turned = new Map<number, Upright>();
  private readonly library: typeof mupdf;
  private readonly options: OcrOptions;
  private readonly watch: Watch;
  private readonly pages: number;
  private readonly memory: OcrMemory;

  constructor(library: typeof mupdf, options: OcrOptions, watch: Watch, pages: number) {
    this.library = library;
    this.options = options;
    this.watch = watch;
    this.pages = pages;
    this.memory = { script: options.script === 'auto' ? 'latin' : options.script };
  }

  /** Null when the page's own text says at least as much as the recogniser could make out, or when the page is blank and has no text either. */
  async read(page: mupdf.Page, index: number, evidence: TextEvidence): Promise<Scan | null> {
    const started = performance.now();
    const onBeat = (): void => this.watch.beat(index, this.pages);
    onBeat();
    try {
      const found = await recognisePage(this.library, page, this.options, this.memory, this.watch, onBeat);
      return this.judge(found, index, evidence);
    } catch (thrown) {
      if (thrown instanceof CodicilError) throw thrown;
      return failed(index, evidence, thrown);
    } finally {
      this.watch.grant(performance.now() - started);
    }
  }

  private judge(found: RecognisedPage, index: number, evidence: TextEvidence): Scan | null {
    if (found.words === 0) {
      if (found.ink < LEAST_INK || evidence.characters > 0) return null;
      const message = `Page ${index + 1} is not blank, but no text was recognised on it. Look at the page itself.`;
      return { segments: [], source: 'empty', confidence: null, warnings: [{ code: 'ocr_no_text', message, page: index }] };
    }
    const letters = found.segments.reduce((sum, segment) => sum + segment.glyphs.filter((glyph) => glyph.text !== ' ').length, 0);
    const garbage = evidence.unmapped > GARBAGE * evidence.characters;
    if (!garbage && letters < evidence.characters) return null;
    if (!isIdentity(found.upright)) this.turned.set(index, found.upright);
    return { segments: found.segments, source: 'ocr', confidence: Math.round(found.confidence * 1000) / 1000, warnings: warningsOf(found, index, garbage) };
  }
}

function warningsOf(found: RecognisedPage, index: number, garbage: boolean): Warning[] {
  const warnings: Warning[] = [];
  if (garbage)
    warnings.push({
      code: 'text_replaced',
      message: `Page ${index + 1}: the file's own text has no meaning in its fonts; the text was recognised from the picture of the page instead.`,
      page: index,
    });
  if (found.confidence < UNSURE)
    warnings.push({
      code: 'ocr_unsure',
      message: `Page ${index + 1} was recognised with ${Math.round(100 * found.confidence)} % confidence; ${found.doubtful} of ${found.words} words are doubtful. Check it against the page.`,
      page: index,
    });
  return warnings;
}

function failed(index: number, evidence: TextEvidence, thrown: unknown): Scan | null {
  const reason = thrown instanceof OcrTimeout ? 'it took too long' : thrown instanceof Error ? thrown.message : String(thrown);
  const message = `Page ${index + 1} is a picture and could not be recognised (${reason}); what it says is missing. Look at the page itself.`;
  if (evidence.characters > 0 && evidence.unmapped <= GARBAGE * evidence.characters) return null;
  return { segments: [], source: 'empty', confidence: null, warnings: [{ code: 'ocr_failed', message, page: index }] };
}
