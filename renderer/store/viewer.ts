// What the middle pane shows: the open document, its marks, and where to scroll.
//
// Rule: a highlight is only ever asked for by spans of the contract; where they lie on a page is computed in places.ts.
import type { Document, Span } from '../../core/contract/document.ts';
import { toFailure } from '../../core/contract/errors.ts';
import { request } from '../ipc.ts';
import { spanPlaces } from './places.ts';
import type { Mark, Target } from './state.ts';
import { read, update } from './store.ts';

let turn = 0;
/** Documents whose model is being fetched, so that two panes that need one fetch it once. */
const fetching = new Map<string, Promise<Document>>();

/** The document's model: from the store, or fetched once. Rejects with a CodicilError. */
export async function loadDocument(documentId: string): Promise<Document> {
  const known = read().viewer.documents[documentId];
  if (known?.status === 'done') return known.value;
  const running = fetching.get(documentId);
  if (running) return running;
  const promise = request('document.get', { documentId });
  fetching.set(documentId, promise);
  update('viewer', { documents: { ...read().viewer.documents, [documentId]: { status: 'running' } } });
  try {
    const value = await promise;
    update('viewer', { documents: { ...read().viewer.documents, [documentId]: { status: 'done', value } } });
    return value;
  } catch (error) {
    update('viewer', { documents: { ...read().viewer.documents, [documentId]: { status: 'failed', failure: toFailure(error) } } });
    throw error;
  } finally {
    fetching.delete(documentId);
  }
}

/** Shows a document from its beginning; the failure to load it stands in the store, where the viewer shows it. */
export function openDocument(documentId: string): void {
  if (read().viewer.openId !== documentId)
    update('viewer', { openId: documentId, preview: null, marks: [], activeMark: null, target: null, page: 0, clauseId: null });
  else update('viewer', { preview: null });
  update('layout', { middle: 'document' });
  void loadDocument(documentId).catch(() => undefined);
}

export function closeDocument(documentId: string): void {
  const { viewer, library } = read();
  const { [documentId]: _gone, ...documents } = viewer.documents;
  update('viewer', { documents });
  if (viewer.openId !== documentId) return;
  update('viewer', { openId: null, marks: [], activeMark: null, target: null });
  const next = library.documents.find((document) => document.id !== documentId);
  if (next) openDocument(next.id);
}

/** Opens the document of the active mark, draws all marks that lie in it, and scrolls to the active one. */
export async function reveal(marks: readonly Mark[], active: Mark): Promise<void> {
  const span = active.spans[0];
  if (!span) return;
  openDocument(span.documentId);
  const here = marks.filter((mark) => mark.spans.some((other) => other.documentId === span.documentId));
  update('viewer', { marks: here, activeMark: active.id });
  try {
    const document = await loadDocument(span.documentId);
    if (read().viewer.openId === span.documentId && read().viewer.activeMark === active.id) scrollTo(targetOf(document, span));
  } catch (error) {
    // The failure to load is in the store already and the viewer shows it; only what is not a failure goes on.
    if (read().viewer.documents[span.documentId]?.status !== 'failed') throw error;
  }
}

export const revealOne = (mark: Mark): Promise<void> => reveal([mark], mark);

export function clearMarks(): void {
  update('viewer', { marks: [], activeMark: null });
}

export function goToClause(clauseId: string): void {
  const { openId, documents } = read().viewer;
  const job = openId === null ? undefined : documents[openId];
  if (job?.status !== 'done') return;
  const span = firstSpan(job.value, clauseId);
  update('layout', { middle: 'document' });
  if (span) scrollTo(targetOf(job.value, span));
}

/** The first span of a clause or, where it has no text of its own, of its first child that has. */
function firstSpan(document: Document, clauseId: string): Span | null {
  const clause = document.clauses.find((other) => other.id === clauseId);
  if (!clause) return null;
  if (clause.spans[0]) return clause.spans[0];
  for (const child of clause.children) {
    const span = firstSpan(document, child);
    if (span) return span;
  }
  return null;
}

export function goToPage(page: number): void {
  scrollTo({ page, y: 0, span: null });
}

function scrollTo(target: Omit<Target, 'turn'>): void {
  update('viewer', { target: { ...target, turn: ++turn } });
}

function targetOf(document: Document, span: Span): Omit<Target, 'turn'> {
  const place = spanPlaces(document, span)[0];
  return { page: place?.page ?? 0, y: place?.box?.y0 ?? null, span };
}

export const ZOOM_STEPS = [0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4] as const;

/** `shown` is the zoom on screen now, which "fit" has computed from the pane's width. */
export function zoomBy(step: 1 | -1, shown: number): void {
  const next = step > 0 ? ZOOM_STEPS.find((zoom) => zoom > shown + 0.01) : ZOOM_STEPS.findLast((zoom) => zoom < shown - 0.01);
  if (next !== undefined) update('viewer', { zoom: next });
}

export function zoomTo(zoom: number | 'fit'): void {
  update('viewer', { zoom });
}

export function saw(page: number, clauseId: string | null): void {
  const { viewer } = read();
  if (viewer.page !== page || viewer.clauseId !== clauseId) update('viewer', { page, clauseId });
}
