// What the workspace tells, put into the store; and what a new connection makes the window ask for again.
import type { WorkspaceEvent } from '../../core/contract/events.ts';
import { connect, onConnection, onEvent } from '../ipc.ts';
import { appendWritten, progressAnswer } from './ask.ts';
import { loadModels, loadStats } from './engine.ts';
import { forgetDocument, loadLibrary } from './library.ts';
import { read, update, useStore } from './store.ts';

function take(event: WorkspaceEvent): void {
  switch (event.type) {
    case 'document.added': {
      const others = read().library.documents.filter((document) => document.id !== event.document.id);
      update('library', { documents: [...others, event.document] });
      return;
    }
    case 'document.removed':
      forgetDocument(event.documentId);
      return;
    case 'document.read':
      update('library', { reading: { ...read().library.reading, [event.documentId]: { done: event.windowsDone, total: event.windowsTotal } } });
      return;
    case 'answer.progressed':
      progressAnswer(event.id, event.phase, event.done, event.total);
      return;
    case 'answer.written':
      appendWritten(event.id, event.text);
      return;
    case 'stats.changed':
      update('engine', { stats: event.stats });
  }
}

/** Ties the store to the line and opens it. Called once. */
export function startEvents(): void {
  onEvent(take);
  onConnection((connection) => {
    useStore.setState({ connection });
    if (connection.state !== 'open') return;
    void loadLibrary();
    void loadStats();
    void loadModels();
  });
  connect();
}
