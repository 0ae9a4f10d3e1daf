// What a command is, and how its arguments are read: node:util's parseArgs, then names checked here so that a typing error gets a suggestion.
//
// Owns: the options that every command has, the help texts, the exit codes. Leaves what a command does to its own file.
// Rule: nothing of the work begins before all arguments have been understood; a misunderstanding exits with 2 and never with a stack.
import { parseArgs } from 'node:util';
import type { Terminal } from './terminal.ts';
import type { Session } from './session.ts';

export const EXIT = { ok: 0, failed: 1, usage: 2, some: 3, stopped: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface OptionSpec {
  /** Name of the value in the help; absent for a switch. */
  readonly value?: string;
  readonly help: string;
  readonly multiple?: boolean;
}
export interface Command {
  readonly name: string;
  /** After the name: "<file|folder|id>...". */
  readonly usage: string;
  readonly about: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly (readonly [string, string])[];
  run(session: Session): Promise<ExitCode>;
}

export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { help: 'Print the result as JSON on stdout' },
  'data-dir': { value: 'FOLDER', help: 'Library to use instead of the one in your home folder (also CODICIL_DATA_DIR)' },
  model: { value: 'GGUF', help: 'Writer: a larger model of yours that phrases answers' },
  reader: { value: 'GGUF', help: 'Another Reader than the one that ships' },
  'no-reader': { help: 'Do without the Reader: text search and extractors only' },
  password: { value: 'TEXT', help: 'Password of encrypted files' },
  'no-ocr': { help: 'Leave scanned pages unread' },
  'ocr-language': { value: 'NAME', help: 'Language of scanned pages: eng, chi_sim, or auto (auto)' },
  timeout: { value: 'SECONDS', help: 'Time limit for parsing one file, scanned pages not counted (30)' },
  threads: { value: 'N', help: 'Threads of the engine (one per physical core)' },
  kv: {
    value: 'FORMAT',
    help: 'Keys and values of what was read: f16, q8_0, k8v5, k8v4, q4 or nf4; smaller ones save memory and cost accuracy (chosen by the memory)',
  },
  help: { help: 'Show this' },
};

/** Cause of an error that was told when it happened. */
export const TOLD = Symbol('told');

/** A command line that cannot be understood. Exits with 2. */
export class UsageError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

export interface Arguments {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  /** Errors: UsageError unless it is a whole number within the limits. */
  number(name: string, least: number, most: number): number | undefined;
  /** Bytes of a size such as 500M, 8G or 1T. Errors: UsageError unless it is one, of 1 MiB to 1024 TiB. */
  size(name: string): number | undefined;
}

const UNITS: Readonly<Record<string, number>> = { M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

export function readArguments(command: Command, argv: readonly string[]): Arguments {
  const specs: Readonly<Record<string, OptionSpec>> = { ...command.options, ...COMMON_OPTIONS };
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      { type: spec.value === undefined ? 'boolean' : 'string', multiple: true, ...(name === 'help' ? { short: 'h' } : {}) } as const,
    ]),
  );
  const { tokens, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false, tokens: true });
  const given = new Map<string, string[]>();
  const hint = `codicil ${command.name} --help`;
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(specs, token.name) ? specs[token.name] : undefined;
    if (!spec) throw unknown(`option ${token.rawName}`, token.name, Object.keys(specs), '--', hint);
    if (spec.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value; "${token.value}" was given.`, hint);
    if (spec.value !== undefined && token.value === undefined) throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${spec.value}.`, hint);
    const values = given.get(token.name) ?? [];
    if (values.length > 0 && !spec.multiple && spec.value !== undefined) throw new UsageError(`${token.rawName} was given twice.`, hint);
    given.set(token.name, [...values, token.value ?? '']);
  }
  return {
    positionals,
    flag: (name) => given.has(name),
    text: (name) => given.get(name)?.[0],
    texts: (name) => given.get(name) ?? [],
    number: (name, least, most) => {
      const text = given.get(name)?.[0];
      if (text === undefined) return undefined;
      const value = Number(text);
      if (!Number.isInteger(value) || value < least || value > most)
        throw new UsageError(`--${name} takes a whole number from ${least} to ${most}; "${text}" was given.`, hint);
      return value;
    },
    size: (name) => {
      const text = given.get(name)?.[0];
      if (text === undefined) return undefined;
      const found = /^(\d{1,9}(?:\.\d+)?)\s*([MGT])(?:i?B)?$/i.exec(text);
      const bytes = found ? Math.round(Number(found[1]) * UNITS[found[2]!.toUpperCase()]!) : 0;
      if (bytes < UNITS['M']! || bytes > 1024 * UNITS['T']!)
        throw new UsageError(`--${name} takes a size such as 500M or 8G, at most 1024T; "${text}" was given.`, hint);
      return bytes;
    },
  };
}

export function unknown(what: string, name: string, known: readonly string[], prefix: string, hint: string): UsageError {
  const near = nearest(name, known);
  return new UsageError(`There is no ${what}.${near === null ? '' : ` Did you mean ${prefix}${near}?`}`, hint);
}

/** The known name with the fewest edits, if they are few enough to be a typing error. */
export function nearest(name: string, known: readonly string[]): string | null {
  const scored = known.map((other) => ({ other, edits: other.startsWith(name) && name.length >= 3 ? 1 : editDistance(name, other) }));
  const best = scored.sort((a, b) => a.edits - b.edits)[0];
  return best && best.edits <= Math.max(1, Math.floor(best.other.length / 3)) ? best.other : null;
}

/** Damerau-Levenshtein, so that two exchanged letters are one error (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

export function printHelp(terminal: Terminal, command: Command): void {
  terminal.print(`${terminal.bold(`codicil ${command.name}`)} ${command.usage}`);
  terminal.print();
  terminal.wrap(command.about);
  const section = (title: string, options: Readonly<Record<string, OptionSpec>>): void => {
    const rows = Object.entries(options).map(([name, spec]) => [`  --${name}${spec.value === undefined ? '' : ` ${spec.value}`}`, spec.help]);
    if (rows.length === 0) return;
    terminal.print(`\n${terminal.bold(title)}`);
    terminal.table(rows);
  };
  section('Options', command.options);
  section('Options of every command', COMMON_OPTIONS);
  terminal.print(`\n${terminal.bold('Examples')}`);
  for (const [line, meaning] of command.examples) {
    terminal.print(`  ${line}`);
    terminal.print(terminal.dim(`      ${meaning}`));
  }
  terminal.print(`\n${terminal.dim('Exit codes: 0 done, 1 failed, 2 not understood, 3 some inputs failed.')}`);
}
