// What a person sees in a terminal: colours, width, wrapping, columns, and one line of progress on stderr.
//
// Owns: all knowledge of terminals. Colour only where stdout is a terminal and NO_COLOR is not set; a glyph says the same thing as each colour.
// Rule: results go to stdout, everything else to stderr; nothing is printed that a person would skip.
import { stripVTControlCharacters } from 'node:util';

export interface Streams {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Lines longer than this are hard to read, however wide the window is. */
const MAX_WIDTH = 100;
const DEFAULT_WIDTH = 80;
/** Between two lines of progress where nothing can be overwritten (a log file, CI). */
const SPARSE_MS = 5000;
const REDRAW_MS = 80;

type Style = (text: string) => string;

export class Terminal {
  readonly colour: boolean;
  readonly width: number;
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
  readonly blue: Style;
  /** Deleted text: red and struck; without colour between [- and -]. */
  readonly deleted: Style;
  /** Inserted text: blue and underlined; without colour between {+ and +}. */
  readonly inserted: Style;
  private readonly streams: Streams;
  private progressShown = false;
  private progressAt = 0;
  private lastSparse = '';

  constructor(streams: Streams) {
    const { stdout, env } = streams;
    this.streams = streams;
    const forced = env['FORCE_COLOR'];
    this.colour = !env['NO_COLOR'] && (forced !== undefined ? forced !== '0' : stdout.isTTY === true && env['TERM'] !== 'dumb');
    this.width = Math.max(40, Math.min(MAX_WIDTH, stdout.columns ?? DEFAULT_WIDTH));
    const style =
      (open: string, close: string): Style =>
      (text) =>
        this.colour && text !== '' ? `\u{1b}[${open}m${text}\u{1b}[${close}m` : text;
    this.bold = style('1', '22');
    this.dim = style('2', '22');
    this.red = style('31', '39');
    this.green = style('32', '39');
    this.yellow = style('33', '39');
    this.blue = style('34', '39');
    this.deleted = this.colour ? style('31;9', '39;29') : (text) => `[-${text}-]`;
    this.inserted = this.colour ? style('34;4', '39;24') : (text) => `{+${text}+}`;
  }

  print(text = ''): void {
    this.clearProgress();
    this.streams.stdout.write(`${text}\n`);
  }
  note(text: string): void {
    this.clearProgress();
    this.streams.stderr.write(`${text}\n`);
  }
  /** A failure, on stderr: what was expected, what was found, what to do. */
  fail(code: string, message: string): void {
    this.note(wrap(`${this.red('✗')} ${clean(message)} ${this.dim(`(${code})`)}`, this.width, '', 2));
  }

  /** One line that is redrawn in place; sparse lines where stderr is no terminal. */
  progress(label: string, done: number, total: number, unit: string): void {
    const { stderr, env } = this.streams;
    const now = Date.now();
    const text = `${label}  ${total > 0 ? `${formatNumber(done)} of ${formatNumber(total)} ${unit}` : unit}`;
    if (stderr.isTTY !== true || env['TERM'] === 'dumb') {
      if (now - this.progressAt < SPARSE_MS || text === this.lastSparse || this.progressAt === 0) {
        if (this.progressAt === 0) this.progressAt = now;
        return;
      }
      this.progressAt = now;
      this.lastSparse = text;
      stderr.write(`${text}\n`);
      return;
    }
    if (now - this.progressAt < REDRAW_MS && done < total) return;
    this.progressAt = now;
    this.progressShown = true;
    const room = (stderr.columns ?? DEFAULT_WIDTH) - 1;
    const bar = total > 0 ? `  ${progressBar(done / total)}` : '';
    stderr.write(`\r\u{1b}[2K${clip(`${text}${bar}`, room)}`);
  }
  clearProgress(): void {
    if (!this.progressShown) return;
    this.progressShown = false;
    this.streams.stderr.write('\r\u{1b}[2K');
  }

  /** Columns as wide as their widest cell; the last one is clipped to the window. Cells may be styled. */
  table(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): void {
    const columns = Math.max(0, ...rows.map((row) => row.length));
    const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => columnsOf(row[i] ?? ''))));
    for (const row of rows) {
      const cells = row.map((cell, i) => {
        const pad = ' '.repeat(Math.max(0, widths[i]! - columnsOf(cell)));
        return right.has(i) ? pad + cell : i === row.length - 1 ? cell : cell + pad;
      });
      this.print(cells.join('  ').trimEnd());
    }
  }

  wrap(text: string, indent = '', hang = indent.length): void {
    this.print(wrap(text, this.width, indent, hang));
  }
}

function progressBar(share: number): string {
  const cells = 20;
  const full = Math.round(Math.min(1, Math.max(0, share)) * cells);
  return `${'━'.repeat(full)}${'─'.repeat(cells - full)}`;
}

// oxlint-disable-next-line no-control-regex -- they are what is taken out
const CONTROLS = /[\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{9f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** Text of documents may hold control characters; a terminal must not obey them. */
export const clean = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, '');

const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]/u;

/** Columns a text takes: East Asian wide characters take two, styles none. */
export function columnsOf(text: string): number {
  let sum = 0;
  for (const letter of stripVTControlCharacters(text)) sum += WIDE.test(letter) ? 2 : /\p{Mn}/u.test(letter) ? 0 : 1;
  return sum;
}

export function clip(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const letter of text) {
    used += columnsOf(letter);
    if (used > width - 1) break;
    out += letter;
  }
  return `${out.trimEnd()}…`;
}

/** Breaks at spaces, or anywhere between wide characters; `hang` spaces begin every line after the first. Styles are carried along as they are. */
export function wrap(text: string, width: number, indent = '', hang = indent.length): string {
  const pieces = text.split(/(\s+)/).flatMap((piece) => (columnsOf(piece) > width / 2 && WIDE.test(piece) ? [...piece] : [piece]));
  const lines: string[] = [];
  let line = indent;
  let used = indent.length;
  for (const piece of pieces) {
    const blank = piece.trim() === '';
    const size = columnsOf(piece);
    if (blank) {
      // Runs of blanks align columns; a line break of the text is one blank.
      const gap = piece.includes('\n') ? ' ' : piece;
      line += gap;
      used += gap.length;
    } else if (used + size > width && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = ' '.repeat(hang) + piece;
      used = hang + size;
    } else {
      line += piece;
      used += size;
    }
  }
  return [...lines, line.trimEnd()].join('\n');
}

export const formatNumber = (value: number): string => Math.round(value).toLocaleString('en-US');

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const formatMs = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
export const plural = (count: number, one: string, many = `${one}s`): string => `${formatNumber(count)} ${count === 1 ? one : many}`;
