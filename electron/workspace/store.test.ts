// The document store under the whole program, with the native engine and the Reader: a document is read once, ever, and deleting it deletes its
// files. Skips loudly where the engine is not built.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAddon } from '../engine/addon.ts';
import { forkEngine } from '../engine/client.ts';
import { makeDocument, temporaryFolder } from './documents.test-support.ts';
import { shippedReaderPath } from './models.ts';
import { Workspace } from './workspace.ts';

const missing = !findAddon() ? 'build/native/codicil.node' : !existsSync(shippedReaderPath()) ? 'assets/models' : null;
if (missing) process.stderr.write(`SKIPPED: 2 tests of the document store, because ${missing} is not there.\n`);

const paragraphs = (subject: string): string[] =>
  Array.from(
    { length: 12 },
    (_, i) => `${subject} ${i + 1}: The tenant pays ${1000 + i} dollars for ${subject.toLowerCase()} number ${i + 1} to the landlord.`,
  );
const lease = makeDocument('lease.txt', [...paragraphs('Rent'), 'Governing Law: The laws of Delaware apply to this lease.']);
const licence = makeDocument('licence.txt', [...paragraphs('Royalty'), 'Governing Law: The laws of Texas apply to this licence.']);

/** A start of the program; `end` is its end. */
function start(dataDir: string): { readonly workspace: Workspace; readonly end: () => void } {
  const workspace = new Workspace({ dataDir, spawnEngine: forkEngine, writer: null, threads: 2, prefill: false, parser: { workers: 1 } });
  onTestFinished(() => workspace.dispose());
  return { workspace, end: () => workspace.dispose() };
}

async function ask({ handlers }: Workspace, documentId: string): Promise<{ readonly quote: string | undefined; readonly tokens: number }> {
  const answer = await handlers['answer.ask']({ id: 'q', question: 'Which law governs the agreement?', documentIds: [documentId] });
  return { quote: answer.evidence[0]?.quote, tokens: answer.coverage.tokens };
}

/** Tokens that the Reader has computed since it was opened. */
async function computed(workspace: Workspace): Promise<number> {
  const figures = await workspace.engines.readerFigures();
  return figures!.prefillTokens;
}

const records = (dataDir: string): string[] =>
  readdirSync(path.join(dataDir, 'store'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(page|snapshot|owner)$/.test(name))
    .sort();

/** The engine is given up at once when a workspace ends: what it wrote is there when the file is. */
async function written(dataDir: string, most = 200): Promise<void> {
  for (let i = 0; i < most && !(existsSync(path.join(dataDir, 'store')) && records(dataDir).some((name) => name.endsWith('.snapshot'))); i += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.skipIf(missing !== null)('the document store', () => {
  it('answers the same question after a restart without reading the document again', { timeout: 120_000 }, async () => {
    const dataDir = temporaryFolder();
    const first = start(dataDir);
    const { id } = await first.workspace.handlers['document.add'](lease);
    const before = await ask(first.workspace, id);
    expect(before.quote).toContain('Delaware');
    expect(await computed(first.workspace)).toBeGreaterThan(before.tokens);
    await written(dataDir);
    first.end();

    const second = start(dataDir);
    const after = await ask(second.workspace, id);
    expect(after.quote).toBe(before.quote);
    // The question, and nothing of the document.
    expect(await computed(second.workspace)).toBeLessThan(before.tokens / 2);
  });

  it('deletes the files of a document with it, and of no other', { timeout: 120_000 }, async () => {
    const dataDir = temporaryFolder();
    const { workspace } = start(dataDir);
    const one = await workspace.handlers['document.add'](lease);
    await ask(workspace, one.id);
    await written(dataDir);
    const withOne = records(dataDir);
    const other = await workspace.handlers['document.add'](licence);
    await ask(workspace, other.id);
    await workspace.handlers['document.remove']({ documentId: other.id });
    expect(records(dataDir)).toEqual(withOne);
    const shown = await workspace.handlers['store.show']({});
    expect(shown.documents.map((entry) => entry.name)).toEqual(['lease.txt']);
    expect(shown.bytes).toBeGreaterThan(0);
    await workspace.handlers['document.remove']({ documentId: one.id });
    expect(records(dataDir)).toEqual([]);
  });
});
