// The part of tesseract.js-core (Emscripten build of tesseract 5, LSTM only) that recogniser.ts uses; the package has no types of its own.
declare module 'tesseract.js-core/tesseract-core-simd-lstm.js' {
  export interface TessBaseAPI {
    /** 0 when the models were understood. `oem` 1: the LSTM engine. */
    Init(dataPath: null, languages: string, oem: 1): number;
    SetVariable(name: string, value: string): boolean;
    /** Reads `/input` of the module's memory file system; 0 when it is an image. */
    SetImageFile(exif: number, radians: number): number;
    Recognize(monitor: null): number;
    GetJSONText(page: number): string;
    /** Forgets image and result, keeps the models. */
    Clear(): void;
    End(): void;
  }
  export interface TesseractModule {
    readonly FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
    readonly TessBaseAPI: new () => TessBaseAPI;
  }
  export interface ModuleOptions {
    readonly wasmBinary: Uint8Array;
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
    /** Called inside `Recognize` after every few words. */
    readonly TesseractProgress: (percent: number) => void;
  }
  const create: (options: ModuleOptions) => Promise<TesseractModule>;
  export default create;
}
