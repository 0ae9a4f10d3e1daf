// The library: which documents there are, their bytes, their parsed form, and the full-text index over their blocks.
//
// Owns: one folder: library.sqlite (WAL), documents/<id>.bin (the file's bytes) and documents/<id>.json.zst (the Document).
// Leaves parsing to parse.ts and ranking beyond BM25 to core/ask.
// Rules that must stay true: what is read back passes `restoreDocument` or is an error; an id is the sha256 of the bytes, checked on the way in,
// and so never a path; removal deletes the files, the rows and the index terms, and overwrites what SQLite held (secure_delete).
import { createHash } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Document, DocumentSummary } from '../../core/contract/document.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import { makeFolder } from './folder.ts';
import { indexRows, matchQuery } from './search.ts';
import { restoreDocument, restoreSummary } from './restore.ts';

export interface SearchHit {
  readonly span: { readonly documentId: string; readonly blockId: string; readonly start: number; readonly end: number };
  readonly score: number;
}

/** Form of the tables below; a library of a newer one is not touched. */
const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, bytes INTEGER NOT NULL, pages INTEGER NOT NULL,
    clauses INTEGER NOT NULL, added_at TEXT NOT NULL, warnings TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS blocks USING fts5(
    heading, text, document_id UNINDEXED, block_id UNINDEXED, size UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  INSERT INTO blocks(blocks, rank) VALUES ('secure-delete', 1);
`;
/** Parsed documents kept in memory, in UTF-16 units of their JSON: about 100 contracts of 30 pages. */
const CACHE_CHARACTERS = 200_000_000;
/** A parsed document larger than this is damage, not a document (a 1,000-page one takes about 60 MB). */
const MAX_JSON_BYTES = 1 << 30;
const ID = /^[0-9a-f]{64}$/;

export class Library {
  private readonly db: DatabaseSync;
  private readonly folder: string;
  private readonly cache = new Map<string, { readonly document: Document; readonly characters: number }>();
  private readonly statements = new Map<string, StatementSync>();

  /** Opens or makes the library in `dataDir`. Errors: io_failed, version_mismatch. */
  constructor(dataDir: string) {
    this.folder = path.join(dataDir, 'documents');
    try {
      makeFolder(this.folder);
      this.db = new DatabaseSync(path.join(dataDir, 'library.sqlite'));
      this.db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;');
    } catch (error) {
      throw ioFailed(`The library in ${dataDir} was expected to open`, error, 'Check that the folder can be written, or name another one with --data-dir.');
    }
    const version = Number(this.db.prepare('PRAGMA user_version').get()!['user_version']);
    if (version > SCHEMA_VERSION) {
      this.db.close();
      throw new CodicilError(
        'version_mismatch',
        `A library of version ${SCHEMA_VERSION} was expected in ${dataDir}, version ${version} was found. Use the newer Codicil that made it.`,
      );
    }
    if (version < SCHEMA_VERSION) this.db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
  }

  /** Stores a document with its bytes and indexes it. An id that is there already is replaced. */
  add(document: Document, bytes: Uint8Array): DocumentSummary {
    const sum = createHash('sha256').update(bytes).digest('hex');
    if (sum !== document.id) {
      throw new CodicilError(
        'invalid_request',
        `The document's id was expected to be the sha256 of its bytes (${sum}), ${document.id} was found. Parse the file again.`,
      );
    }
    const json = JSON.stringify(document);
    this.write(this.bytesFile(sum), bytes);
    this.write(this.jsonFile(sum), zstdCompressSync(json, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }));
    const summary: DocumentSummary = {
      id: sum,
      name: document.name,
      kind: document.kind,
      bytes: bytes.length,
      pages: document.pages.length,
      clauses: document.clauses.length,
      addedAt: new Date().toISOString(),
      warnings: document.warnings,
    };
    this.transaction(() => {
      this.sql('DELETE FROM blocks WHERE document_id = ?').run(sum);
      this.sql('INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
        summary.id,
        summary.name,
        summary.kind,
        summary.bytes,
        summary.pages,
        summary.clauses,
        summary.addedAt,
        JSON.stringify(summary.warnings),
      );
      const insert = this.sql('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
      for (const row of indexRows(document)) insert.run(row.heading, row.text, sum, row.blockId, row.size);
    });
    this.remember(document, json.length);
    return summary;
  }

  list(): readonly DocumentSummary[] {
    return this.sql('SELECT * FROM documents ORDER BY added_at, name')
      .all()
      .map((row) => restoreSummary(row));
  }

  find(id: string): DocumentSummary | null {
    const row = this.sql('SELECT * FROM documents WHERE id = ?').get(id);
    return row ? restoreSummary(row) : null;
  }

  /** Errors: not_found, corrupt_file, version_mismatch (parse the bytes again and `add`). */
  get(id: string): Document {
    const cached = this.cache.get(id);
    if (cached) {
      // Moved to the end: the first entry of the map is the one unused longest.
      this.cache.delete(id);
      this.cache.set(id, cached);
      return cached.document;
    }
    this.expect(id);
    const { document, characters } = restoreDocument(id, this.read(this.jsonFile(id)), (packed) =>
      zstdDecompressSync(packed, { maxOutputLength: MAX_JSON_BYTES }),
    );
    this.remember(document, characters);
    return document;
  }

  /** The file's bytes, checked against the id. */
  bytes(id: string): Uint8Array<ArrayBuffer> {
    const { name } = this.expect(id);
    const bytes = this.read(this.bytesFile(id));
    if (createHash('sha256').update(bytes).digest('hex') !== id) {
      throw new CodicilError(
        'corrupt_file',
        `The stored bytes of "${name}" were expected to have the sha256 they were stored under; they differ. Remove the document and add its file again.`,
      );
    }
    return new Uint8Array(bytes);
  }

  /** Deletes files, rows and index terms; what SQLite held is overwritten and its log is emptied. Errors: not_found. */
  remove(id: string): void {
    this.expect(id);
    this.cache.delete(id);
    this.transaction(() => {
      this.sql('DELETE FROM blocks WHERE document_id = ?').run(id);
      this.sql('DELETE FROM documents WHERE id = ?').run(id);
    });
    rmSync(this.jsonFile(id), { force: true });
    rmSync(this.bytesFile(id), { force: true });
    this.db.exec("INSERT INTO blocks(blocks) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE);");
  }

  /** Blocks that match words of `text`, best first (BM25, a heading counts three times). Larger scores are better. */
  search(text: string, documentIds: readonly string[], limit: number): readonly SearchHit[] {
    const match = matchQuery(text);
    if (match === null || documentIds.length === 0) return [];
    const rows = this.sql(
      `SELECT document_id, block_id, size, bm25(blocks, 3.0, 1.0) AS rank FROM blocks
       WHERE blocks MATCH ? AND document_id IN (SELECT value FROM json_each(?)) ORDER BY rank LIMIT ?`,
    ).all(match, JSON.stringify(documentIds), limit);
    return rows.map((row) => ({
      span: { documentId: String(row['document_id']), blockId: String(row['block_id']), start: 0, end: Number(row['size']) },
      score: -Number(row['rank']),
    }));
  }

  setting(key: string): string | null {
    const row = this.sql('SELECT value FROM settings WHERE key = ?').get(key);
    return row ? String(row['value']) : null;
  }
  setSetting(key: string, value: string | null): void {
    if (value === null) this.sql('DELETE FROM settings WHERE key = ?').run(key);
    else this.sql('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(key, value);
  }

  dispose(): void {
    this.statements.clear();
    if (this.db.isOpen) this.db.close();
  }

  private expect(id: string): DocumentSummary {
    const found = ID.test(id) ? this.find(id) : null;
    if (!found)
      throw new CodicilError('not_found', `A document with the id ${id.slice(0, 64)} was expected in the library; there is none. Add its file first.`);
    return found;
  }
  private bytesFile(id: string): string {
    return path.join(this.folder, `${id}.bin`);
  }
  private jsonFile(id: string): string {
    return path.join(this.folder, `${id}.json.zst`);
  }

  /** Through a temporary name, so that a crash leaves the old file or the new one. */
  private write(file: string, bytes: Uint8Array): void {
    try {
      // A name of its own: two processes may add the same document to one library at the same time.
      const part = `${file}.${process.pid}.${randomUUID()}.new`;
      writeFileSync(part, bytes, { mode: 0o600 });
      renameSync(part, file);
    } catch (error) {
      throw ioFailed(`The library file ${file} was expected to be written`, error, 'Check the free space and the rights of the data folder.');
    }
  }
  private read(file: string): Buffer {
    try {
      return readFileSync(file);
    } catch (error) {
      const lost = existsSync(file) ? 'Check the rights of the data folder.' : 'Remove the document and add its file again.';
      throw ioFailed(`The library file ${file} was expected to be readable`, error, lost);
    }
  }

  private remember(document: Document, characters: number): void {
    this.cache.delete(document.id);
    this.cache.set(document.id, { document, characters });
    let held = 0;
    for (const entry of this.cache.values()) held += entry.characters;
    for (const [id, entry] of this.cache) {
      if (held <= CACHE_CHARACTERS || this.cache.size === 1) break;
      held -= entry.characters;
      this.cache.delete(id);
    }
  }

  private transaction(work: () => void): void {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.db.exec('COMMIT');
    } catch (error) {
      this.db.exec('ROLLBACK');
      throw error;
    }
  }

  private sql(text: string): StatementSync {
    const known = this.statements.get(text);
    if (known) return known;
    const made = this.db.prepare(text);
    this.statements.set(text, made);
    return made;
  }
}

function ioFailed(expected: string, error: unknown, advice: string): CodicilError {
  return new CodicilError('io_failed', `${expected}; the system says: ${error instanceof Error ? error.message : String(error)}. ${advice}`, { cause: error });
}
