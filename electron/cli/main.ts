// Entry of the command line: finds the command, reads its arguments, runs it, and turns whatever goes wrong into a sentence and an exit code.
import { toFailure } from '../../core/contract/errors.ts';
import { ask } from './ask.ts';
import { clauses } from './clauses.ts';
import { EXIT, printHelp, readArguments, unknown, UsageError, type Command, type ExitCode } from './command.ts';
import { compare } from './compare.ts';
import { doctor } from './doctor.ts';
import { ingest } from './ingest.ts';
import { TOLD } from './inputs.ts';
import { library } from './library.ts';
import { lint } from './lint.ts';
import { models } from './models.ts';
import { plan } from './plan.ts';
import { serve } from './serve.ts';
import { Session } from './session.ts';
import { summary } from './summary.ts';
import { Terminal, type Streams } from './terminal.ts';

const COMMANDS: readonly Command[] = [ask, compare, summary, lint, clauses, ingest, library, models, plan, doctor, serve];

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
    const command = findCommand(argv[0]);
    if (!command) {
      printOverview(terminal);
      return EXIT.ok;
    }
    const help = argv[0] === 'help';
    const args = readArguments(command, argv.slice(help ? 2 : 1));
    if (help || args.flag('help')) {
      printHelp(terminal, command);
      return EXIT.ok;
    }
    session = new Session(command, args, terminal, streams.env);
    process.once('SIGINT', stop).once('SIGTERM', stop);
    return await command.run(session);
  } catch (error) {
    return report(error, terminal, session?.json ?? false);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    session?.dispose();
  }

  function findCommand(name: string | undefined): Command | null {
    if (name === undefined || name === '--help' || name === '-h') return null;
    if (name === 'help') return argv[1] === undefined ? null : findCommand(argv[1]);
    const found = COMMANDS.find((command) => command.name === name);
    if (!found)
      throw unknown(
        `command "${name}"`,
        name,
        COMMANDS.map((command) => command.name),
        'codicil ',
        'codicil --help',
      );
    return found;
  }
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
  process.stdout.on('error', () => process.exit(process.exitCode ?? EXIT.ok));
  process.exitCode = await runCommand(process.argv.slice(2), { stdout: process.stdout, stderr: process.stderr, env: process.env });
}
