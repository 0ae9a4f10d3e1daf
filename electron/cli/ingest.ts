// `codicil ingest`: reads files into the library, so that every later command has them at once.
import type { DocumentSummary } from '../../core/contract/document.ts';
import { UsageError, type Command } from './command.ts';
import { batchExit, resolveInputs } from './inputs.ts';
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
    if (session.json) session.printJson({ documents, failures: result.failures });
    else if (documents.length > 0) printDocuments(session, documents, result.failures.length);
    return batchExit(result);
  },
};

function printDocuments({ terminal }: Session, documents: readonly DocumentSummary[], failed: number): void {
  documentTable(terminal, documents);
  const warnings = documents.flatMap((document) => document.warnings.map((warning) => ({ document, warning })));
  for (const { document, warning } of warnings) {
    terminal.wrap(
      `${terminal.yellow('!')} ${clean(document.name)}${warning.page === null ? '' : `, page ${warning.page + 1}`}: ${clean(warning.message)}`,
      '',
      2,
    );
  }
  const pages = documents.reduce((sum, document) => sum + document.pages, 0);
  terminal.print(terminal.dim(`\n${plural(documents.length, 'document')}, ${plural(pages, 'page')}${failed > 0 ? `, ${failed} failed` : ''}`));
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
