// What is read back from disk, checked: a stored Document and a row of the library. Rejects, never guesses.
import { DocumentSchema, DocumentSummarySchema, type Document, type DocumentSummary } from '../../core/contract/document.ts';
import { CodicilError } from '../../core/contract/errors.ts';
import { DOCUMENT_VERSION } from '../../core/contract/version.ts';

/** Errors: corrupt_file when it is not a Document with this id, version_mismatch when it is one of another form. */
export function restoreDocument(id: string, packed: Uint8Array, unpack: (packed: Uint8Array) => Uint8Array): { document: Document; characters: number } {
  let json: string;
  let value: unknown;
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(unpack(packed));
    value = JSON.parse(json);
  } catch (error) {
    throw corrupt(id, error instanceof Error ? error.message : String(error));
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version !== DOCUMENT_VERSION) {
    throw new CodicilError(
      'version_mismatch',
      `A stored document of version ${DOCUMENT_VERSION} was expected, version ${version} was found. Its file has to be parsed again.`,
    );
  }
  const parsed = DocumentSchema.safeParse(value);
  if (!parsed.success) throw corrupt(id, `${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`);
  if (parsed.data.id !== id) throw corrupt(id, `it says that it is ${parsed.data.id}`);
  return { document: parsed.data, characters: json.length };
}

function corrupt(id: string, found: string): CodicilError {
  return new CodicilError(
    'corrupt_file',
    `The stored form of document ${id.slice(0, 12)} was expected to be whole; found: ${found}. Remove the document and add its file again.`,
  );
}

/** Errors: corrupt_file. */
export function restoreSummary(row: Readonly<Record<string, unknown>>): DocumentSummary {
  const { added_at: addedAt, warnings, ...rest } = row;
  const parsed = DocumentSummarySchema.safeParse({ ...rest, addedAt, warnings: JSON.parse(String(warnings)) });
  if (!parsed.success) throw corrupt(String(row['id']), `${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`);
  return parsed.data;
}
