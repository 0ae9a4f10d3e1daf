// Every request of the contract, answered. Typed exhaustively from ROUTES: a new route does not compile until it is handled here.
// The seam to core/compare and core/review. A handler throws a CodicilError; serving a port makes it data.
import { compareDocuments } from '../../core/compare/compare.ts';
import type { Document } from '../../core/contract/document.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import type { WorkspaceEvent } from '../../core/contract/events.ts';
import type { Handlers } from '../../core/contract/requests.ts';
import { lintDocument } from '../../core/review/lint.ts';
import type { Engines } from './engines.ts';
import type { Library } from './library.ts';
import type { Questions } from './questions.ts';
import type { Reading } from './reading.ts';
import type { DocumentStore } from './store.ts';

export interface HandlerParts {
  readonly library: Library;
  readonly engines: Engines;
  readonly reading: Reading;
  readonly store: DocumentStore;
  readonly questions: Questions;
  /** The stored document, parsed again where its stored form is of an older version. */
  readonly document: (id: string) => Promise<Document>;
  /** Whether documents are read by the Reader as soon as they are added. */
  readonly prefill: boolean;
  readonly emit: (event: WorkspaceEvent) => void;
}

export function createHandlers({ library, engines, reading, store, questions, document, prefill, emit }: HandlerParts): Handlers {
  return {
    'library.list': async () => ({ documents: library.list() }),
    'document.add': async ({ document: added, bytes }) => {
      const summary = library.add(added, bytes);
      emit({ type: 'document.added', document: summary });
      if (prefill && engines.readerPath !== null) reading.add(summary.id);
      return summary;
    },
    'document.get': ({ documentId }) => document(documentId),
    'document.bytes': async ({ documentId }) => ({ bytes: library.bytes(documentId) }),
    'document.remove': async ({ documentId }) => {
      library.remove(documentId);
      await store.forget(documentId);
      emit({ type: 'document.removed', documentId });
      return {};
    },
    'document.lint': async ({ documentId }) => ({ findings: lintDocument(await document(documentId)) }),
    'comparison.run': async ({ beforeId, afterId }) => compareDocuments(await document(beforeId), await document(afterId)),
    'summary.run': async ({ documentId }) => {
      const stored = await document(documentId);
      return reading.behind(() => questions.summarize(stored));
    },
    'answer.ask': async ({ id, question, documentIds }) => {
      if (documentIds.length === 0)
        throw new CodicilError('no_documents', 'At least one document was expected and none was given. Add a document, then ask again.');
      const documents = await Promise.all([...new Set(documentIds)].map(document));
      return reading.behind(() => questions.ask(id, question, documents));
    },
    'answer.cancel': async ({ id }) => {
      questions.cancel(id);
      return {};
    },
    'model.list': async () => ({ models: await engines.list() }),
    'model.choose': async ({ path }) => {
      await engines.choose(path);
      library.setSetting('writer', engines.chosenWriter);
      return { models: await engines.list() };
    },
    'store.show': () => store.show(),
    'store.clear': async ({ documentIds }) => {
      if (documentIds === undefined) return store.clear();
      const gone = { files: 0, bytes: 0 };
      for (const id of documentIds) {
        const { files, bytes } = await store.forget(id);
        gone.files += files;
        gone.bytes += bytes;
      }
      return gone;
    },
    'store.limit': ({ bytes }) => {
      store.limit(bytes);
      return store.show();
    },
    'engine.stats': () => engines.stats(),
  };
}
