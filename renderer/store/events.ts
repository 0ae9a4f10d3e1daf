// What the workspace tells, put into the store; and what a new connection makes the window ask for again.
import type { WorkspaceEvent } from '../../core/contract/events.ts';
import { connect, onConnection, onEvent, shell } from '../ipc.ts';
import { appendWritten, progressAnswer } from './ask.ts';
import { loadModels, loadStats } from './engine.ts';
import { forgetDocument, loadLibrary } from './library.ts';
import { nextTheme, setTab } from './layout.ts';
import type { TabId } from './state.ts';
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
  shell?.onCommand(takeCommand);
  onConnection((connection) => {
    useStore.setState({ connection });
    if (connection.state !== 'open') return;
    void loadLibrary();
    void loadStats();
    void loadModels();
  });
  connect();
}

const TABS: Readonly<Record<string, TabId>> = { 'tab.ask': 'ask', 'tab.compare': 'compare', 'tab.summary': 'summary', 'tab.review': 'review' };

/** What the desktop shell's menu asks of the window. */
export function takeCommand(command: string): void {
  const tab = TABS[command];
  if (tab) setTab(tab);
  else if (command === 'theme') nextTheme();
}
