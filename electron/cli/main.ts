// Entry of the command line: finds the command, reads its arguments, runs it, and turns whatever goes wrong into a sentence and an exit code.
import { toFailure } from '../../core/contract/errors.ts';
import { EXIT, printHelp, readArguments, unknown, TOLD, UsageError, type Command, type ExitCode } from './command.ts';
import type { Session } from './session.ts';
import { Terminal, type Streams } from './terminal.ts';

interface Listed {
  readonly name: string;
  readonly summary: string;
  /** Loaded when it is run: parsers and models are not needed to print a help text. */
  readonly load: () => Promise<Command>;
}
const COMMANDS: readonly Listed[] = [
  { name: 'ask', summary: 'Ask a question; the answer is quoted with its places', load: async () => (await import('./ask.ts')).ask },
  { name: 'compare', summary: 'Compare two versions clause by clause', load: async () => (await import('./compare.ts')).compare },
  { name: 'summary', summary: 'Extract the facts of contracts as structured fields', load: async () => (await import('./summary.ts')).summary },
  { name: 'lint', summary: 'Find drafting faults: undefined terms, broken references, gaps', load: async () => (await import('./lint.ts')).lint },
  { name: 'clauses', summary: 'Print the clause tree of documents', load: async () => (await import('./clauses.ts')).clauses },
  { name: 'ingest', summary: 'Read files and folders into the library', load: async () => (await import('./ingest.ts')).ingest },
  { name: 'library', summary: 'List the documents that were read, or remove some', load: async () => (await import('./library.ts')).library },
  { name: 'store', summary: 'Show what is kept of documents that were read, or delete it', load: async () => (await import('./store.ts')).store },
  { name: 'models', summary: 'List the models of this machine, or choose the Writer', load: async () => (await import('./models.ts')).models },
  { name: 'plan', summary: 'Show the memory a model needs, before it is loaded', load: async () => (await import('./plan.ts')).plan },
  { name: 'doctor', summary: 'Check that everything is in order, and say what to do', load: async () => (await import('./doctor.ts')).doctor },
  { name: 'serve', summary: 'Serve the window to a browser on this machine', load: async () => (await import('./serve.ts')).serve },
];

/** Runs one command line (without the program's name). Never throws. */
export async function runCommand(argv: readonly string[], streams: Streams): Promise<ExitCode> {
  const terminal = new Terminal(streams);
  let session: Session | null = null;
  const stop = (): never => {
    session?.dispose();
    terminal.note('Stopped.');
    process.exit(EXIT.stopped);
  };
  try {
    const listed = findCommand(argv);
    if (!listed) {
      printOverview(terminal);
      return EXIT.ok;
    }
    const command = await listed.load();
    const help = argv[0] === 'help';
    const args = readArguments(command, argv.slice(help ? 2 : 1));
    if (help || args.flag('help')) {
      printHelp(terminal, command);
      return EXIT.ok;
    }
    const { Session: Opened } = await import('./session.ts');
    session = new Opened(command, args, terminal, streams.env);
    process.once('SIGINT', stop).once('SIGTERM', stop);
    return await command.run(session);
  } catch (error) {
    return report(error, terminal, session?.json ?? false);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    session?.dispose();
  }
}

function findCommand([name, second]: readonly string[]): Listed | null {
  if (name === undefined || name === '--help' || name === '-h') return null;
  if (name === 'help') return second === undefined ? null : findCommand([second]);
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  const names = COMMANDS.map((command) => command.name);
  throw unknown(`command "${name}"`, name, names, 'codicil ', 'codicil --help');
}

function report(error: unknown, terminal: Terminal, json: boolean): ExitCode {
  if (error instanceof UsageError) {
    terminal.note(`${terminal.red('✗')} ${error.message}`);
    terminal.note(terminal.dim(`  See ${error.hint}`));
    return EXIT.usage;
  }
  const failure = toFailure(error);
  if (json) terminal.print(JSON.stringify({ failure }, null, 2));
  if ((error as Error).cause !== TOLD) terminal.fail(failure.code, failure.message);
  if (failure.code === 'internal' && process.env['CODICIL_DEBUG']) terminal.note(String((error as Error).stack));
  return EXIT.failed;
}

function printOverview(terminal: Terminal): void {
  terminal.print(`${terminal.bold('Codicil')} reads every page, compares versions clause by clause, and answers with quotes. All of it on this machine.`);
  terminal.print(`\n${terminal.bold('Usage')}  codicil <command> [options]\n`);
  terminal.table(COMMANDS.map((command) => [`  ${terminal.bold(command.name)}`, command.summary]));
  terminal.print(`\n${terminal.dim('codicil <command> --help  options and examples of one command')}`);
}

if (import.meta.main) {
  // A reader that has seen enough (head, less) closes the pipe; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.ok);
    process.stderr.write(`✗ The result was expected to be written, and the system says: ${error.message}. Write it where there is room.\n`);
    process.exit(EXIT.failed);
  });
  process.exitCode = await runCommand(process.argv.slice(2), { stdout: process.stdout, stderr: process.stderr, env: process.env });
}
