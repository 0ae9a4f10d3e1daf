// `codicil ask`: one question over documents; the verdict, the value, the quotes it rests on, and the receipt of what was read.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Answer, Evidence } from '../../core/contract/answer.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { answerMarkdown } from './exports.ts';
import { expectSome, resolveInputs, type InputFailure } from './inputs.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, formatMs, formatNumber, plural, wrap, type Terminal } from './terminal.ts';

export const ask: Command = {
  name: 'ask',
  usage: '<question> [<file|folder|id>...]',
  about:
    'Puts the question to every window of every document. The Reader points at sentences, the program checks that they stand there. Without files, all documents of the library are asked. With --model a Writer phrases the answer, and each of its sentences is checked.',
  options: {
    markdown: { help: 'Print the answer as Markdown' },
    question: {
      value: 'TEXT',
      multiple: true,
      help: 'A question; may stand several times, then every argument is a document and JSON holds {"answers": [...]}',
    },
  },
  examples: [
    ['codicil ask "Which law governs the agreement?" msa.pdf', 'One document'],
    ['codicil ask "Can either party assign?" contracts/ --json', 'A folder, as JSON with spans and places'],
    ['codicil ask "Is there a cap on liability?"', 'The whole library'],
  ],
  run: async (session) => {
    const { questions, files } = questionsAndFiles(session);
    const workspace = session.workspace();
    const stored = files.length === 0 ? workspace.library.list().map((entry) => entry.id) : files;
    if (stored.length === 0)
      throw new CodicilError(
        'no_documents',
        'At least one document was expected; none was named and the library is empty. Name files after the question, or add some with codicil ingest.',
      );
    const found = await resolveInputs(session, stored);
    expectSome(found);
    const documentIds = found.inputs.map((input) => input.document.id);
    const answers: Answer[] = [];
    for (const question of questions) {
      const answer = withUnread(await answerOne(session, question, documentIds), found.failures);
      answers.push(answer);
      if (session.json) continue;
      if (questions.length > 1) session.terminal.print(`${answers.length > 1 ? '\n' : ''}${session.terminal.bold(`Q${answers.length}  ${clean(question)}`)}`);
      if (session.args.flag('markdown')) session.terminal.print(answerMarkdown(answer));
      else printAnswer(session, answer);
    }
    if (session.json) session.printJson(questions.length === 1 && session.args.texts('question').length === 0 ? answers[0] : { answers });
    return found.failures.length > 0 ? EXIT.some : EXIT.ok;
  },
};

/** What stands in a file that could not be read is not known: nothing is said to be absent then. */
function withUnread(answer: Answer, failures: readonly InputFailure[]): Answer {
  if (failures.length === 0 || answer.verdict !== 'absent') return answer;
  const names = failures.map(({ input }) => path.basename(input)).join(', ');
  return { ...answer, verdict: 'uncertain', reason: `${answer.reason} But ${names} could not be read, and may say more.` };
}

/** With --question every argument is a document; without it the first one is the question. */
function questionsAndFiles(session: Session): { questions: readonly string[]; files: readonly string[] } {
  const named = session.args.texts('question');
  const [first, ...rest] = session.args.positionals;
  const questions = named.length > 0 ? named : first === undefined ? [] : [first];
  if (questions.length === 0 || questions.some((question) => question.trim() === ''))
    throw new UsageError('ask needs a question, in quotes.', 'codicil ask --help');
  return { questions, files: named.length > 0 ? session.args.positionals : rest };
}

async function answerOne(session: Session, question: string, documentIds: readonly string[]): Promise<Answer> {
  const workspace = session.workspace();
  const unsubscribe = workspace.subscribe((event) => {
    if (event.type === 'answer.progressed') session.terminal.progress(PHASES[event.phase], event.done, event.total, UNITS[event.phase]);
  });
  session.terminal.progress('Opening the Reader', 0, 0, '');
  const answer = await workspace.handlers['answer.ask']({ id: randomUUID(), question, documentIds: [...documentIds] }).finally(unsubscribe);
  session.terminal.clearProgress();
  return answer;
}

const PHASES = { reading: 'Reading', asking: 'Asking', writing: 'Writing' } as const;
const UNITS = { reading: 'documents', asking: 'windows', writing: 'sentences' } as const;

function printAnswer({ terminal }: Session, answer: Answer): void {
  const verdict = {
    found: terminal.green('✓ Found'),
    absent: terminal.green('∅ Not in these documents'),
    uncertain: terminal.yellow('? Not found for certain'),
    cut: terminal.yellow('… Stopped'),
  }[answer.verdict];
  terminal.print(answer.value === null ? terminal.bold(verdict) : `${verdict}  ${terminal.bold(clean(answer.value))}`);
  terminal.print(wrap(terminal.dim(answer.reason), terminal.width, '  '));
  if (answer.prose.length > 0) printProse(terminal, answer);
  for (const entry of answer.evidence) printEvidence(terminal, entry);
  printReceipt(terminal, answer);
}

function printProse(terminal: Terminal, answer: Answer): void {
  terminal.print();
  for (const sentence of answer.prose) {
    const mark = { supported: terminal.green('✓'), unsupported: terminal.yellow('!'), contradicted: terminal.red('✗'), uncited: terminal.dim('·') }[
      sentence.state
    ];
    terminal.print(
      wrap(
        `${mark} ${clean(sentence.text)}${sentence.state === 'supported' ? '' : terminal.dim(` (${sentence.state}: ${sentence.reason})`)}`,
        terminal.width,
        '  ',
        4,
      ),
    );
  }
}

function printEvidence(terminal: Terminal, entry: Evidence): void {
  const state = { verified: terminal.green('✓ verified'), repaired: terminal.yellow('~ repaired'), unverified: terminal.red('! unverified') }[entry.state];
  const number = `[${entry.n}]`;
  const clause = [entry.path, entry.heading].filter((part) => part !== '').join(' ');
  const place = [`page ${entry.pageLabel}`, clean(clause)].filter((part) => part !== '').join(' · ');
  const room = terminal.width - number.length - 3 - columnsOf(state) - 2;
  const name = clip(clean(entry.documentName), Math.max(16, Math.floor(room / 2)));
  const where = clip(place, Math.max(12, room - columnsOf(name) - 3));
  const used = columnsOf(name) + columnsOf(where) + 3;
  terminal.print(`\n ${terminal.bold(number)} ${name} ${terminal.dim('·')} ${terminal.dim(where)}${' '.repeat(Math.max(2, room - used + 2))}${state}`);
  terminal.print(wrap(`“${clean(entry.quote)}”`, terminal.width, '     '));
}

function printReceipt(terminal: Terminal, { coverage, model, ms }: Answer): void {
  const parts = [
    plural(coverage.documents, 'document'),
    `${formatNumber(coverage.pagesRead)} of ${plural(coverage.pages, 'page')}`,
    ...(coverage.ocrPages > 0 ? [`${coverage.ocrPages} by OCR`] : []),
    `${formatNumber(coverage.windowsRead)} of ${plural(coverage.windows, 'window')}`,
    plural(coverage.tokens, 'token'),
    formatMs(ms),
  ];
  const models = [model.reader, model.writer].filter((name) => name !== null && name !== '').join(', ');
  terminal.print(terminal.dim(`\nRead ${parts.join(' · ')}${models === '' ? '' : ` · ${models}`}`));
}
