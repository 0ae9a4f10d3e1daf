// The recogniser: tesseract 5 (LSTM, WASM) inside the worker that parses, without a worker, a network or a file system of its own.
//
// Owns: loading the module and its models, one picture -> lines of words, the time limit inside a picture, damage after an abort.
// tesseract.js itself would start a second worker per parser and load its parts by address; the parser's worker already has the isolation,
// the time limit and the cancel button, so the module is called directly and its bytes come from whoever owns the worker.
// Rule: recognition is one synchronous call; it is cancelled by ending the worker, and stopped by its own deadline from the progress callback.
import { gunzipSync } from 'fflate';
import type { TessBaseAPI, TesseractModule } from 'tesseract.js-core/tesseract-core-simd-lstm.js';
import { CodicilError } from '../../contract/errors.ts';
import type { GreyImage } from './greyImage.ts';

/** Models read together: Chinese documents hold Latin words, so the Chinese reading always includes English. */
export const SCRIPTS = { latin: ['eng'], chinese: ['chi_sim', 'eng'] } as const;
export type Script = keyof typeof SCRIPTS;
export type OcrFile = 'tesseract-core-simd-lstm.wasm' | 'eng.traineddata.gz' | 'chi_sim.traineddata.gz';
/** Bytes of a part of the recogniser; Node reads a file, a window fetches from its own origin. */
export type LoadOcrFile = (file: OcrFile) => Promise<Uint8Array>;

export interface RecognisedBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}
export interface RecognisedWord {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly bbox: RecognisedBox;
  readonly symbols: readonly { readonly text: string; readonly bbox: RecognisedBox }[];
}
export interface RecognisedLine {
  readonly words: readonly RecognisedWord[];
  readonly baseline: RecognisedBox;
  /** Descender to ascender, pixels. */
  readonly rowAttributes: { readonly rowHeight: number };
}
interface RecognisedPage {
  readonly blocks: readonly { readonly paragraphs: readonly { readonly lines: readonly RecognisedLine[] }[] | null }[] | null;
}

/** Recognition could not start or broke off in a picture: that is a failure of its page. What was running is lost and the module is loaded anew. */
export class OcrFailure extends Error {}
/** The picture took too long. */
export class OcrTimeout extends OcrFailure {}

export interface RecogniseOptions {
  /** For this picture. */
  readonly ms: number;
  /** Now and then while it works: keeps whoever waits from believing that nothing happens. */
  readonly onBeat?: () => void;
}

/** One beat a second is enough for a progress line. */
const BEAT_MS = 1000;

export class Recogniser {
  private readonly load: LoadOcrFile;
  private module: TesseractModule | null = null;
  private readonly apis = new Map<Script, TessBaseAPI>();
  private readonly models = new Set<string>();
  private deadline = 0;
  private nextBeat = 0;
  private onBeat: (() => void) | undefined;

  constructor(load: LoadOcrFile) {
    this.load = load;
  }

  /** Errors: OcrTimeout, OcrFailure when the module can not be loaded or aborts, or CodicilError internal when what was loaded does not work. */
  async recognise(image: GreyImage, script: Script, options: RecogniseOptions): Promise<readonly RecognisedLine[]> {
    try {
      const api = await this.apiOf(script);
      const module = this.module as TesseractModule;
      this.onBeat = options.onBeat;
      this.deadline = performance.now() + options.ms;
      this.nextBeat = performance.now() + BEAT_MS;
      module.FS.writeFile('/input', portableGreyMap(image));
      if (api.SetImageFile(1, 0) !== 0) throw new CodicilError('internal', 'The recogniser was expected to take a grey picture; it refused. Report the file.');
      api.Recognize(null);
      const page = JSON.parse(api.GetJSONText(0)) as RecognisedPage;
      api.Clear();
      return (page.blocks ?? []).flatMap((block) => (block.paragraphs ?? []).flatMap((paragraph) => paragraph.lines));
    } catch (thrown) {
      // The call was left in the middle: nothing in the module's memory can be trusted any more.
      this.forget();
      if (thrown instanceof OcrFailure || thrown instanceof CodicilError) throw thrown;
      // Emscripten throws C++ exceptions as numbers and aborts as RuntimeError.
      throw new OcrFailure(thrown instanceof Error ? thrown.message : `the recogniser broke off (${String(thrown)})`, { cause: thrown });
    }
  }

  dispose(): void {
    for (const api of this.apis.values()) api.End();
    this.forget();
  }

  private forget(): void {
    this.module = null;
    this.apis.clear();
    this.models.clear();
  }

  private async apiOf(script: Script): Promise<TessBaseAPI> {
    const known = this.apis.get(script);
    if (known) return known;
    const module = (this.module ??= await this.start());
    for (const model of SCRIPTS[script]) {
      if (this.models.has(model)) continue;
      module.FS.writeFile(`./${model}.traineddata`, gunzipSync(await this.load(`${model}.traineddata.gz`)));
      this.models.add(model);
    }
    const api = new module.TessBaseAPI();
    if (api.Init(null, SCRIPTS[script].join('+'), 1) !== 0)
      throw new CodicilError('internal', `The recogniser was expected to read its model for ${script} text; it could not. Install Codicil again.`);
    // One block of lines (regions.ts says why): mode 4 ("one column") sets numbers in a column apart and then misreads them without their line.
    api.SetVariable('tessedit_pageseg_mode', '6');
    // The resolution at which recognisePage.ts has pages drawn.
    api.SetVariable('user_defined_dpi', '300');
    this.apis.set(script, api);
    return api;
  }

  private async start(): Promise<TesseractModule> {
    const { default: create } = await import('tesseract.js-core/tesseract-core-simd-lstm.js');
    // A library does not print; what tesseract has to say about a picture stands in its result.
    const silent = (): void => {};
    const wasmBinary = await this.load('tesseract-core-simd-lstm.wasm');
    return create({ wasmBinary, print: silent, printErr: silent, TesseractProgress: () => this.tick() });
  }

  private tick(): void {
    const now = performance.now();
    if (now > this.deadline) throw new OcrTimeout('recognition took longer than its limit');
    if (now < this.nextBeat) return;
    this.nextBeat = now + BEAT_MS;
    this.onBeat?.();
  }
}

/** PGM, the plainest picture format that leptonica reads (netpbm "P5"). */
function portableGreyMap(image: GreyImage): Uint8Array {
  const head = new TextEncoder().encode(`P5\n${image.width} ${image.height}\n255\n`);
  const bytes = new Uint8Array(head.length + image.pixels.length);
  bytes.set(head);
  bytes.set(image.pixels, head.length);
  return bytes;
}
