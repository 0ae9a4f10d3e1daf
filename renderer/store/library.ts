// The documents of this library: listing, removing. What is being added is intake.ts.
import { toFailure } from '../../core/contract/errors.ts';
import { request } from '../ipc.ts';
import { read, update, useStore } from './store.ts';
import { closeDocument, openDocument } from './viewer.ts';

export async function loadLibrary(): Promise<void> {
  try {
    const { documents } = await request('library.list', {});
    update('library', { documents, loaded: true, failure: null });
    const first = documents[0];
    if (read().viewer.openId === null && first) openDocument(first.id);
  } catch (error) {
    update('library', { loaded: true, failure: toFailure(error) });
  }
}

export async function removeDocument(documentId: string): Promise<void> {
  try {
    await request('document.remove', { documentId });
    forgetDocument(documentId);
  } catch (error) {
    update('library', { failure: toFailure(error) });
  }
}

/** Takes everything about a document out of the window, after it left the library. */
export function forgetDocument(documentId: string): void {
  const { library, compare, summaries, findings } = read();
  update('library', { documents: library.documents.filter((document) => document.id !== documentId) });
  closeDocument(documentId);
  if (compare.beforeId === documentId || compare.afterId === documentId) {
    const keep = (id: string | null) => (id === documentId ? null : id);
    update('compare', { beforeId: keep(compare.beforeId), afterId: keep(compare.afterId), job: null, selected: null });
    update('layout', { middle: 'document' });
  }
  const { [documentId]: _summary, ...otherSummaries } = summaries;
  const { [documentId]: _findings, ...otherFindings } = findings;
  useStore.setState({ summaries: otherSummaries, findings: otherFindings });
}
