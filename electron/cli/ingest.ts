// `codicil ingest`: reads files into the library, so that every later command has them at once.
import type { DocumentSummary } from '../../core/contract/document.ts';
import { UsageError, type Command } from './command.ts';
import { batchExit, resolveInputs, type Input, type Inputs } from './inputs.ts';
import type { Session } from './session.ts';
import { clean, clip, formatNumber, plural, type Terminal } from './terminal.ts';

export const ingest: Command = {
  name: 'ingest',
  usage: '<file|folder>...',
  about:
    'Reads PDF, DOCX, text, Markdown, HTML, mail and picture files: layout, clause tree, definitions, cross-references. Scanned pages are recognised; files attached to a mail become documents of their own. A file that cannot be read is told and the others go on.',
  options: {},
  examples: [
    ['codicil ingest contracts/', 'Read a whole folder'],
    ['codicil ingest msa.pdf --password secret', 'Read an encrypted file'],
    ['codicil ingest *.docx --json', 'The same, with the result as JSON'],
  ],
  run: async (session) => {
    if (session.args.positionals.length === 0) throw new UsageError('ingest needs a file or a folder.', 'codicil ingest --help');
    const result = await resolveInputs(session, session.args.positionals);
    const documents = result.inputs.map((input) => input.summary);
    if (session.json) session.printJson({ documents: result.inputs.map(withCounts), failures: result.failures });
    else if (documents.length > 0) printDocuments(session, result);
    return batchExit(result);
  },
};

function withCounts({ summary, document }: Input): DocumentSummary & { readonly revisions: number; readonly comments: number } {
  return { ...summary, revisions: document.revisions.length, comments: document.comments.length };
}

function printDocuments({ terminal }: Session, { inputs, failures }: Inputs): void {
  const documents = inputs.map((input) => input.summary);
  documentTable(terminal, documents);
  for (const { document } of inputs) {
    const { revisions, comments } = document;
    const open = comments.filter((comment) => !comment.resolved).length;
    const authors = new Set([...revisions, ...comments].map((entry) => entry.author)).size;
    const counts = [
      revisions.length > 0 ? plural(revisions.length, 'tracked change') : '',
      comments.length > 0 ? `${plural(comments.length, 'comment')}${open < comments.length ? ` (${open} open)` : ''}` : '',
    ].filter((part) => part !== '');
    if (counts.length > 0) terminal.print(`  ${clean(document.name)}: ${counts.join(', ')}, ${plural(authors, 'author')}`);
  }
  const warnings = documents.flatMap((document) => document.warnings.map((warning) => ({ document, warning })));
  for (const { document, warning } of warnings) {
    terminal.wrap(
      `${terminal.yellow('!')} ${clean(document.name)}${warning.page === null ? '' : `, page ${warning.page + 1}`}: ${clean(warning.message)}`,
      '',
      2,
    );
  }
  const pages = documents.reduce((sum, document) => sum + document.pages, 0);
  terminal.print(
    terminal.dim(`\n${plural(documents.length, 'document')}, ${plural(pages, 'page')}${failures.length > 0 ? `, ${failures.length} failed` : ''}`),
  );
}

/** Rows of the library, aligned: id, pages, clauses, name. */
export function documentTable(terminal: Terminal, documents: readonly DocumentSummary[]): void {
  const room = Math.max(20, terminal.width - 36);
  const head = ['id', 'pages', 'clauses', 'name'].map(terminal.dim);
  const rows = documents.map((document) => [
    terminal.dim(document.id.slice(0, 12)),
    formatNumber(document.pages),
    formatNumber(document.clauses),
    clip(clean(document.name), room),
  ]);
  terminal.table([head, ...rows], new Set([1, 2]));
}
