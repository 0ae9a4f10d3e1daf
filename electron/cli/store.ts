// `codicil store`: what is kept on disk of documents that were read, how much it may be, and deleting it.
import { EXIT, UsageError, type Command } from './command.ts';
import type { Session } from './session.ts';
import { clean, clip, formatBytes, plural } from './terminal.ts';

export const store: Command = {
  name: 'store',
  usage: '[--forget <id>... | --clear] [--limit <size>]',
  about:
    'What the Reader has read of a document is kept on disk, so that it is read once: after a restart a question costs only itself. Shown are the files of each document. They are checked when they are read and computed again where they are damaged, go with the document when it is removed from the library, and the longest unused go when the limit is reached. Nothing else is lost with them but the time to read again.',
  options: {
    forget: { value: 'ID', help: 'Delete what is kept of a document: the first 6 or more digits of its id. The document stays', multiple: true },
    clear: { help: 'Delete all of it' },
    limit: { value: 'SIZE', help: 'Keep at most this much, for example 8G or 500M (16G); holds from the next start' },
  },
  examples: [
    ['codicil store', 'Files and bytes by document'],
    ['codicil store --clear', 'Delete everything that was kept'],
    ['codicil store --limit 4G', 'Keep at most 4 GiB'],
  ],
  run: async (session) => {
    const { args, terminal } = session;
    if (args.positionals.length > 0) throw new UsageError('store takes no argument; see its options.', 'codicil store --help');
    const { handlers } = session.workspace();
    const limit = args.size('limit');
    if (limit !== undefined) await handlers['store.limit']({ bytes: limit });
    const forget = args.texts('forget');
    if (args.flag('clear') || forget.length > 0) {
      const shown = forget.length > 0 ? await handlers['store.show']({}) : null;
      const documentIds =
        shown &&
        forget.map((id) =>
          oneOf(
            id,
            shown.documents.map((entry) => entry.documentId),
          ),
        );
      const gone = await handlers['store.clear'](documentIds && !args.flag('clear') ? { documentIds } : {});
      terminal.note(`Deleted ${plural(gone.files, 'file')}, ${formatBytes(gone.bytes)}`);
    }
    await print(session);
    return EXIT.ok;
  },
};

async function print(session: Session): Promise<void> {
  const shown = await session.workspace().handlers['store.show']({});
  if (session.json) return session.printJson(shown);
  const { terminal } = session;
  if (shown.documents.length > 0) {
    const rows = shown.documents.map((entry) => [
      terminal.dim(entry.documentId.slice(0, 8)),
      entry.name === null ? terminal.dim('not in the library') : clip(clean(entry.name), Math.max(16, terminal.width - 34)),
      String(entry.files),
      formatBytes(entry.bytes),
    ]);
    terminal.table([['id', 'document', 'files', 'size'].map(terminal.dim), ...rows], new Set([2, 3]));
    terminal.print();
  }
  terminal.print(terminal.dim(`${plural(shown.files, 'file')}, ${formatBytes(shown.bytes)} of ${formatBytes(shown.budgetBytes)} in ${shown.folder}`));
}

function oneOf(id: string, known: readonly string[]): string {
  const hits = known.filter((other) => id.length >= 6 && other.startsWith(id));
  if (hits.length === 1) return hits[0]!;
  throw new UsageError(`--forget takes an id that "codicil store" shows; "${id}" is ${hits.length === 0 ? 'none' : 'several'} of them.`, 'codicil store');
}
