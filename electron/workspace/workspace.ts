// The workspace: library, engine, reading in the background, questions. One object behind a window, a browser or a command.
//
// Owns: their lifetimes and the events they cause. Leaves the requests to handlers.ts and the carriers to portServer.ts.
// Rule: `dispose()` ends every child and thread, and settles what was pending.
import path from 'node:path';
import { CodicilError } from '../../core/contract/errors.ts';
import type { Document } from '../../core/contract/document.ts';
import type { WorkspaceEvent } from '../../core/contract/events.ts';
import type { Handlers } from '../../core/contract/requests.ts';
import type { SpawnEngine } from '../engine/client.ts';
import { Engines, type EngineChoices } from './engines.ts';
import { createHandlers } from './handlers.ts';
import { Library } from './library.ts';
import { Parser, type ParserOptions } from './parse.ts';
import { Questions } from './questions.ts';
import { Reading } from './reading.ts';
import { DocumentStore } from './store.ts';

export interface WorkspaceOptions {
  readonly dataDir: string;
  readonly spawnEngine: SpawnEngine;
  /** Null: no Reader; absent: the one that ships. */
  readonly reader?: string | null | undefined;
  /** Absent: the one chosen last. */
  readonly writer?: string | null | undefined;
  readonly modelPaths?: readonly string[] | undefined;
  readonly threads?: number | undefined;
  readonly kvFormat?: EngineChoices['kvFormat'];
  /** Let the Reader read documents as soon as they are added; a window wants that, a single command does not. */
  readonly prefill: boolean;
  readonly parser?: ParserOptions | undefined;
}

const STATS_MS = 1000;

export class Workspace {
  readonly handlers: Handlers;
  readonly library: Library;
  readonly engines: Engines;
  readonly parser: Parser;
  readonly store: DocumentStore;
  private readonly reading: Reading;
  private readonly questions: Questions;
  private readonly listeners = new Set<(event: WorkspaceEvent) => void>();
  private readonly statsTimer: NodeJS.Timeout;
  private disposed = false;

  /** Errors: those of opening the library. */
  constructor(options: WorkspaceOptions) {
    const emit = (event: WorkspaceEvent): void => this.emit(event);
    this.library = new Library(options.dataDir);
    this.parser = new Parser(options.parser);
    this.engines = new Engines({
      spawn: options.spawnEngine,
      reader: options.reader,
      writer: options.writer === undefined ? this.library.setting('writer') : options.writer,
      modelPaths: options.modelPaths,
      threads: options.threads,
      kvFormat: options.kvFormat,
      checksumFolder: path.join(options.dataDir, 'checksums'),
      store: () => this.store,
      onState: () => void this.pushStats(),
    });
    this.store = new DocumentStore({
      dataDir: options.dataDir,
      library: this.library,
      engine: () => this.engines.engine(),
      release: (id) => this.release(id),
    });
    this.reading = new Reading({
      reader: () => this.engines.reader() ?? Promise.reject(new CodicilError('not_found', 'A Reader was expected and the workspace was opened without one.')),
      document: (id) => this.library.get(id),
      interrupt: () => this.engines.interruptReading(),
      onProgress: (documentId, windowsDone, windowsTotal) => emit({ type: 'document.read', documentId, windowsDone, windowsTotal }),
    });
    this.questions = new Questions({
      reader: () => this.engines.reader(),
      writer: () => this.engines.writer(),
      search: (text, documentIds, limit) => this.library.search(text, documentIds, limit),
      emit,
    });
    this.handlers = createHandlers({
      library: this.library,
      engines: this.engines,
      reading: this.reading,
      store: this.store,
      questions: this.questions,
      document: (id) => this.document(id),
      prefill: options.prefill,
      emit,
    });
    this.statsTimer = setInterval(() => void this.pushStats(), STATS_MS);
    this.statsTimer.unref();
    if (!options.prefill || this.engines.readerPath === null) return;
    for (const { id } of this.library.list()) this.reading.add(id);
    // What stops it stops the Reader too, which says so in the window; the next start tries again.
    this.store.sweep().catch(() => {});
  }

  subscribe(listener: (event: WorkspaceEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The stored document; one of an older form is parsed again from its bytes. */
  async document(id: string): Promise<Document> {
    try {
      return this.library.get(id);
    } catch (error) {
      if (!(error instanceof CodicilError) || error.code !== 'version_mismatch') throw error;
      const bytes = this.library.bytes(id);
      const document = await this.parser.parse({ name: this.library.find(id)!.name, bytes });
      this.library.add(document, bytes);
      return document;
    }
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    clearInterval(this.statsTimer);
    this.listeners.clear();
    this.reading.dispose();
    this.questions.dispose();
    this.parser.dispose();
    this.engines.dispose();
    this.library.dispose();
  }

  private async release(documentId: string): Promise<void> {
    this.reading.remove(documentId);
    if (this.engines.started) await (await this.engines.reader()?.catch(() => null))?.forget(documentId);
  }

  private emit(event: WorkspaceEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private async pushStats(): Promise<void> {
    if (this.listeners.size === 0 || !this.engines.started) return;
    const stats = await this.engines.stats();
    if (!this.disposed) this.emit({ type: 'stats.changed', stats });
  }
}
