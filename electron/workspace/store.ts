// The document store as the workspace sees it: what was read of each document, kept on disk by the engine.
//
// Owns: its folder and budget, listing it by document, and deleting. Leaves files and their format to native/kv (FORMAT.md).
// Rule: what is kept belongs to a document of the library. When one is removed its files are deleted before the removal is answered; what a crash
// left behind is deleted at the next start.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Forgotten } from '../../core/contract/engine.ts';
import type { Store } from '../../core/contract/requests.ts';
import type { EngineClient } from '../engine/client.ts';
import type { Library } from './library.ts';

/** 300 pages take about 4 GB with f16 keys and values: room for a few matters, on a disk that others use too. */
const DEFAULT_BUDGET_BYTES = 16 * 2 ** 30;
const BUDGET_SETTING = 'storeBudgetBytes';

export interface DocumentStoreOptions {
  readonly dataDir: string;
  readonly library: Library;
  readonly engine: () => EngineClient;
  /** Ends what runs for a document, so that nothing of it is written afterwards. */
  readonly release: (documentId: string) => Promise<void>;
}

export class DocumentStore {
  readonly folder: string;
  private readonly options: DocumentStoreOptions;

  constructor(options: DocumentStoreOptions) {
    this.options = options;
    this.folder = path.join(options.dataDir, 'store');
  }

  get budgetBytes(): number {
    const stored = Number(this.options.library.setting(BUDGET_SETTING));
    return Number.isSafeInteger(stored) && stored > 0 ? stored : DEFAULT_BUDGET_BYTES;
  }
  limit(bytes: number): void {
    this.options.library.setSetting(BUDGET_SETTING, String(bytes));
  }

  async show(): Promise<Store> {
    const { files, bytes, owners } = this.isEmpty ? { files: 0, bytes: 0, owners: [] } : await this.options.engine().stored(this.folder);
    const documents = owners.map(({ owner, ...kept }) => ({ documentId: owner, name: this.options.library.find(owner)?.name ?? null, ...kept }));
    return { folder: this.folder, files, bytes, budgetBytes: this.budgetBytes, documents: documents.toSorted((a, b) => b.bytes - a.bytes) };
  }

  /** Deletes what only this document has, of all models. No engine is started where nothing was ever kept. */
  async forget(documentId: string): Promise<Forgotten> {
    await this.options.release(documentId);
    return this.isEmpty ? { files: 0, bytes: 0 } : this.options.engine().forgetStored(this.folder, documentId);
  }

  async clear(): Promise<Forgotten> {
    for (const { id } of this.options.library.list()) await this.options.release(id);
    return this.isEmpty ? { files: 0, bytes: 0 } : this.options.engine().clearStored(this.folder);
  }

  /** Deletes what belongs to no document: a crash came between removing a document and deleting its files. */
  async sweep(): Promise<void> {
    for (const { documentId, name } of (await this.show()).documents) if (name === null) await this.forget(documentId);
  }

  private get isEmpty(): boolean {
    return !existsSync(this.folder);
  }
}
