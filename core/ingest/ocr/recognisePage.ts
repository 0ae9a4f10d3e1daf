// One page of a scan -> its text: which way up, how crooked, in which script, and how sure.
//
// Owns: the order of trials. The page is looked at once at low resolution (ink, skew, lying on its side), read once at full resolution the likely way,
// and only when that reading is poor are the other ways tried, on a strip of the page with the most ink; the best way is then read in full.
// Rules: a page with ink never becomes empty in silence (the caller gets `ink`); a page that takes too long is an error of that page alone.
import type * as mupdf from 'mupdf';
import type { Watch } from '../limits.ts';
import { rowsOf, inkThreshold, type GreyImage } from './greyImage.ts';
import { OcrTimeout, SCRIPTS, type RecognisedBox, type RecognisedLine, type Recogniser, type Script } from './recogniser.ts';
import { cropRegion, findRegions, type Region } from './regions.ts';
import { drawUpright, type Drawn, type QuarterTurn, type Upright } from './render.ts';
import { measureLayout, type Layout } from './skew.ts';
import { readWords, type RecognisedText } from './words.ts';

export interface OcrOptions {
  readonly recogniser: Recogniser;
  /** The script of the documents; `auto` finds it out by reading. */
  readonly script: Script | 'auto';
}

/** What earlier pages taught: the next page is most likely of the same kind. */
export interface OcrMemory {
  script: Script;
}

export interface RecognisedPage extends RecognisedText {
  readonly script: Script;
  readonly upright: Upright;
  /** Share of the page that is ink. */
  readonly ink: number;
}

/** tesseract's models were trained on 300 dpi; finer costs time and gains nothing. */
const READ_DPI = 300;
const LOOK_DPI = 100;
/** Pages smaller than this in points carry small print (cards, books scanned as booklets): they are drawn as large as a letter page. */
const LETTER_SIDE = 792;
/** White pixels around a region. */
const RIM = 12;
/** A strip of a quarter of the page holds enough lines to tell right from wrong. */
const STRIP = 0.25;
/** Text read the right way has 0.85 and more; upside down, sideways or in another script 0.2 to 0.6. */
const SURE = 0.75;
/** Share of doubtful words of a page in one language: 1 to 5 % on scans at 200 dpi. */
const MUCH_DOUBT = 0.2;
/** Specks of an empty sheet: 0.02 %; one line of text on A4 has 0.1 % and more. */
export const LEAST_INK = 0.0004;

/** Text has a profile twice as sharp across its lines as along them; 1.3 leaves room for tables and drawings beside it. */
const CLEAR = 1.3;

interface Way {
  readonly turn: QuarterTurn;
  readonly script: Script;
}

export async function recognisePage(
  library: typeof mupdf,
  page: mupdf.Page,
  options: OcrOptions,
  memory: OcrMemory,
  watch: Watch,
  onBeat: () => void,
): Promise<RecognisedPage> {
  const reader = new PagePictures(library, page, options.recogniser, watch.limits.ocrPageMs, onBeat);
  const { look } = reader;
  if (look.ink < LEAST_INK)
    return { segments: [], confidence: 0, words: 0, doubtful: 0, leftOut: [], script: memory.script, upright: reader.draw(0).upright, ink: look.ink };
  const script = options.script === 'auto' ? memory.script : options.script;
  // On its side it lies one way as often as the other, and the rules of a form look like lines on their side: a strip decides.
  if (look.upward.sharpness > CLEAR * look.across.sharpness) {
    const sideways = ([90, 270] as const).map((turn) => ({ turn, script }));
    const best = await bestWay(sideways, reader);
    if (best.confidence >= SURE) return reader.readWhole(best.way);
  }
  const first: Way = { turn: 0, script };
  const whole = await reader.readWhole(first);
  try {
    return await secondTrial(whole, first, reader, options.script, memory);
  } catch (thrown) {
    // What was read stands: that there was no time to try another way is no failure of the page.
    if (thrown instanceof OcrTimeout) return whole;
    throw thrown;
  }
}

/** `whole`, or the page read another way or in another script when that is surer. */
async function secondTrial(whole: RecognisedPage, first: Way, reader: PagePictures, asked: OcrOptions['script'], memory: OcrMemory): Promise<RecognisedPage> {
  if (whole.confidence >= SURE) {
    // Right way up; but every fifth word in doubt is how the other half of a page in two languages looks.
    if (asked !== 'auto' || whole.doubtful <= MUCH_DOUBT * whole.words) return whole;
    return better(await reader.readWhole({ turn: 0, script: first.script === 'latin' ? 'chinese' : 'latin' }), whole, memory);
  }
  const best = await bestWay(otherWays(first, asked, reader.look), reader);
  // A strip alone reads a little better than a page with its seals and signatures.
  if (best.confidence < whole.confidence + 0.1) return whole;
  return better(await reader.readWhole(best.way), whole, memory);
}

/** The surer of two readings; the next page is first read like it. */
function better(again: RecognisedPage, whole: RecognisedPage, memory: OcrMemory): RecognisedPage {
  if (again.confidence <= whole.confidence) return whole;
  memory.script = again.script;
  return again;
}

/** One page, drawn any way up and read in part or in whole, all within one time limit. */
class PagePictures {
  readonly look: Layout;
  private readonly library: typeof mupdf;
  private readonly page: mupdf.Page;
  private readonly recogniser: Recogniser;
  private readonly deadline: number;
  private readonly onBeat: () => void;
  private readonly fineness: number;

  constructor(library: typeof mupdf, page: mupdf.Page, recogniser: Recogniser, ms: number, onBeat: () => void) {
    this.library = library;
    this.page = page;
    this.recogniser = recogniser;
    this.deadline = performance.now() + ms;
    this.onBeat = onBeat;
    const [x0, y0, x1, y1] = page.getBounds();
    // Four times at most: below 200 points a page is a label, and its letters are those of a label.
    this.fineness = Math.min(4, Math.max(1, LETTER_SIDE / Math.max(1, x1 - x0, y1 - y0)));
    this.look = measureLayout(drawUpright(library, page, this.fineness * LOOK_DPI, 0).image);
  }

  draw(turn: QuarterTurn): Drawn {
    return drawUpright(this.library, this.page, this.fineness * READ_DPI, turn - skewOf(this.look, turn));
  }

  async readStrip(drawn: Drawn, script: Script): Promise<RecognisedText> {
    return readWords(await this.recognise(stripOf(drawn.image), script), drawn.scale);
  }

  async readWhole({ turn, script }: Way): Promise<RecognisedPage> {
    const drawn = this.draw(turn);
    const lines: RecognisedLine[] = [];
    for (const region of findRegions(drawn.image, READ_DPI)) {
      const found = await this.recognise(cropRegion(drawn.image, region, RIM), script);
      lines.push(...found.map((line) => moveLine(line, region)));
    }
    return { ...readWords(lines, drawn.scale), script, upright: drawn.upright, ink: this.look.ink };
  }

  private recognise(image: GreyImage, script: Script): Promise<readonly RecognisedLine[]> {
    const ms = this.deadline - performance.now();
    if (ms <= 0) throw new OcrTimeout('recognition took longer than its limit');
    return this.recogniser.recognise(image, script, { ms, onBeat: this.onBeat });
  }
}

/** From the picture of a region to the picture of the page. */
function moveLine(line: RecognisedLine, region: Region): RecognisedLine {
  const [dx, dy] = [region.x0 - RIM, region.y0 - RIM];
  const move = ({ x0, y0, x1, y1 }: RecognisedBox): RecognisedBox => ({ x0: x0 + dx, y0: y0 + dy, x1: x1 + dx, y1: y1 + dy });
  const words = line.words.map((word) => ({
    ...word,
    bbox: move(word.bbox),
    symbols: word.symbols.map((symbol) => ({ text: symbol.text, bbox: move(symbol.bbox) })),
  }));
  return { ...line, words, baseline: move(line.baseline) };
}

/** Lines that slope clockwise are brought level by a turn against the clock; half a turn does not change the slope. */
function skewOf(look: Layout, turn: QuarterTurn): number {
  return turn === 0 || turn === 180 ? look.across.degrees : look.upward.degrees;
}

/** Lines that run across leave two ways up; a ruled form, a drawing or a grid of Chinese leaves four. */
function otherWays(done: Way, script: OcrOptions['script'], { across, upward }: Layout): Way[] {
  const scripts = script === 'auto' ? (Object.keys(SCRIPTS) as Script[]) : [script];
  const turns: readonly QuarterTurn[] = across.sharpness > CLEAR * upward.sharpness ? [0, 180] : [0, 180, 90, 270];
  const ways = turns.flatMap((turn) => scripts.map((name): Way => ({ turn, script: name })));
  return ways.filter((way) => way.turn !== done.turn || way.script !== done.script);
}

async function bestWay(ways: readonly Way[], reader: PagePictures): Promise<{ readonly way: Way; readonly confidence: number }> {
  let best = { way: ways[0] as Way, confidence: -1 };
  let drawn: Drawn | null = null;
  let turn: QuarterTurn | null = null;
  for (const way of ways) {
    if (!drawn || way.turn !== turn) [drawn, turn] = [reader.draw(way.turn), way.turn];
    const { confidence, words } = await reader.readStrip(drawn, way.script);
    // Two or three lucky words prove nothing.
    if (words >= 4 && confidence > best.confidence) best = { way, confidence };
    if (confidence >= 0.9 && words >= 10) break;
  }
  return best;
}

/** The quarter of the picture with the most edges of ink: text, not a black border or a photograph. */
function stripOf(image: GreyImage): GreyImage {
  const threshold = inkThreshold(image);
  const band = Math.max(1, Math.ceil(image.height / 40));
  const edges: number[] = [];
  for (let y = 0; y < image.height; y += 2) {
    let count = 0;
    for (let x = 1; x < image.width; x++) {
      const at = y * image.width + x;
      if ((image.pixels[at] as number) > threshold !== (image.pixels[at - 1] as number) > threshold) count++;
    }
    edges[Math.floor(y / band)] = (edges[Math.floor(y / band)] ?? 0) + count;
  }
  const bands = Math.max(1, Math.round(edges.length * STRIP));
  let [best, most] = [0, -1];
  for (let start = 0; start + bands <= edges.length; start++) {
    const sum = edges.slice(start, start + bands).reduce((total, count) => total + count, 0);
    if (sum > most) [best, most] = [start, sum];
  }
  return rowsOf(image, best * band, (best + bands) * band);
}
