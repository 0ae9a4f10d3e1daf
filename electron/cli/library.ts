// `codicil library`: what has been read, and removing it for good.
import { toFailure } from '../../core/contract/errors.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { documentTable } from './ingest.ts';
import { plural } from './terminal.ts';

export const library: Command = {
  name: 'library',
  usage: '[--remove <id>...]',
  about: 'Lists the library. With --remove it deletes the stored bytes, the parsed form and the index terms of a document; what SQLite held is overwritten.',
  options: { remove: { value: 'ID', help: 'Remove a document: the first 6 or more digits of its id', multiple: true } },
  examples: [
    ['codicil library', 'List all documents'],
    ['codicil library --remove 3fa4c1b2', 'Remove one'],
  ],
  run: async (session) => {
    if (session.args.positionals.length > 0) throw new UsageError('library takes no file. To add one, use codicil ingest.', 'codicil library --help');
    const workspace = session.workspace();
    let failed = 0;
    for (const id of session.args.texts('remove')) {
      try {
        const hits = workspace.library.list().filter((document) => id.length >= 6 && document.id.startsWith(id));
        await workspace.handlers['document.remove']({ documentId: hits.length === 1 ? hits[0]!.id : id });
        session.terminal.note(`Removed ${hits[0]!.name}`);
      } catch (error) {
        failed += 1;
        session.reportFailure(toFailure(error));
      }
    }
    const { documents } = await workspace.handlers['library.list']({});
    if (session.json) session.printJson({ documents });
    else if (documents.length === 0) session.terminal.note('The library is empty. Add documents with codicil ingest.');
    else {
      documentTable(session.terminal, documents);
      session.terminal.print(session.terminal.dim(`\n${plural(documents.length, 'document')} in ${session.dataDir}`));
    }
    if (failed === 0) return EXIT.ok;
    return failed < session.args.texts('remove').length ? EXIT.some : EXIT.failed;
  },
};
