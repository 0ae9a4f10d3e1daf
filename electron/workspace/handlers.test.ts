// Every route over a workspace whose engine is a fake that points at the sentence with the word it was asked about.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WorkspaceEvent } from '../../core/contract/events.ts';
import { channelPair, fakeAddon, type FakeOptions } from '../engine/fakes.test-support.ts';
import { serveEngine } from '../engine/serve.ts';
import { makeDocument, temporaryFolder } from './documents.test-support.ts';
import { handleRequest } from './portServer.ts';
import { shippedReaderPath } from './models.ts';
import { Workspace, type WorkspaceOptions } from './workspace.ts';

const lease = makeDocument('lease.txt', ['Rent: The tenant pays 1,200 dollars.', 'Governing Law: The laws of Delaware apply.']);
const longer = makeDocument('lease-2.txt', ['Rent: The tenant pays 1,500 dollars.', 'Governing Law: The laws of Delaware apply.', 'Pets: None are allowed.']);

/** `12` for a question about law where sentence 12 of the window speaks of Delaware, else `none`. */
function point(prompt: string): string {
  const asked = /(?:Question|Extract|Statement): ([^\n<]*)/g;
  const question = [...prompt.matchAll(asked)].at(-1)?.[1] ?? '';
  const numbered = [...prompt.matchAll(/([^\n]*) \[(\d+)\]/g)].find((line) => line[1]!.includes('Delaware'));
  return /law/i.test(question) && numbered ? numbered[2]! : 'none';
}

function open(
  fake: FakeOptions = { reply: point },
  options: Partial<WorkspaceOptions> = {},
): { workspace: Workspace; events: WorkspaceEvent[]; engines: () => number; crash: () => void } {
  let engines = 0;
  let cut: (reason: string) => void = () => {};
  const workspace = new Workspace({
    dataDir: temporaryFolder(),
    spawnEngine: () => {
      const pair = channelPair();
      cut = pair.cut;
      engines += 1;
      setImmediate(() => serveEngine(pair.far, () => fakeAddon(fake), 'test'));
      return pair.near;
    },
    reader: '/models/fake-reader.gguf',
    writer: null,
    prefill: false,
    parser: { workers: 1 },
    ...options,
  });
  onTestFinished(() => workspace.dispose());
  const events: WorkspaceEvent[] = [];
  workspace.subscribe((event) => events.push(event));
  return { workspace, events, engines: () => engines, crash: () => cut('killed') };
}

describe('the handlers', () => {
  it('add, list, give and remove documents, and start no engine for it', async () => {
    const { workspace, events, engines } = open();
    const { handlers } = workspace;
    const added = await handlers['document.add'](lease);
    expect((await handlers['library.list']({})).documents).toEqual([added]);
    expect(await handlers['document.get']({ documentId: added.id })).toEqual(lease.document);
    expect((await handlers['document.bytes']({ documentId: added.id })).bytes).toEqual(lease.bytes);
    await handlers['document.remove']({ documentId: added.id });
    expect((await handlers['library.list']({})).documents).toEqual([]);
    await expect(handlers['document.get']({ documentId: added.id })).rejects.toMatchObject({ code: 'not_found' });
    expect(events.map((event) => event.type)).toEqual(['document.added', 'document.removed']);
    expect(engines()).toBe(0);
  });

  it('compare two documents and lint one', async () => {
    const { handlers } = open().workspace;
    const before = await handlers['document.add'](lease);
    const after = await handlers['document.add'](longer);
    const comparison = await handlers['comparison.run']({ beforeId: before.id, afterId: after.id });
    expect(comparison.changes.map((change) => change.kind).sort()).toEqual(['changed', 'inserted']);
    expect((await handlers['comparison.run']({ beforeId: before.id, afterId: before.id })).changes).toEqual([]);
    expect(Array.isArray((await handlers['document.lint']({ documentId: before.id })).findings)).toBe(true);
  });

  it('answer a question with a verified quote, and tell its progress', async () => {
    const { workspace, events } = open();
    const { id } = await workspace.handlers['document.add'](lease);
    const answer = await workspace.handlers['answer.ask']({ id: 'q1', question: 'Which law governs?', documentIds: [id] });
    expect(answer.verdict).toBe('found');
    expect(answer.evidence[0]).toMatchObject({ documentId: id, state: 'verified' });
    expect(answer.evidence[0]!.quote).toContain('Delaware');
    expect(answer.coverage).toMatchObject({ documents: 1, pages: 1, pagesRead: 1 });
    expect(events.some((event) => event.type === 'answer.progressed' && event.id === 'q1' && event.phase === 'asking')).toBe(true);
  });

  it('refuse questions without documents, without words, and about what is not there', async () => {
    const { handlers } = open().workspace;
    const { id } = await handlers['document.add'](lease);
    await expect(handlers['answer.ask']({ id: 'q', question: 'Which law?', documentIds: [] })).rejects.toMatchObject({ code: 'no_documents' });
    await expect(handlers['answer.ask']({ id: 'q', question: '  ', documentIds: [id] })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(handlers['answer.ask']({ id: 'q', question: 'Which law?', documentIds: ['f'.repeat(64)] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('say engine_down for a question that was cut, and answer the next one', async () => {
    let hang = true;
    const fake = {
      get hang() {
        return hang;
      },
      reply: point,
    };
    const { workspace, crash, engines } = open(fake);
    const { id } = await workspace.handlers['document.add'](lease);
    const asking = workspace.handlers['answer.ask']({ id: 'q', question: 'Which law governs?', documentIds: [id] });
    await new Promise((resolve) => setTimeout(resolve, 200));
    hang = false;
    crash();
    await expect(asking).rejects.toMatchObject({ code: 'engine_down' });
    expect((await workspace.handlers['answer.ask']({ id: 'q', question: 'Which law governs?', documentIds: [id] })).verdict).toBe('found');
    expect(engines()).toBe(2);
  });

  it('answer the first question after a crash, however many windows were open', async () => {
    const { workspace, crash, engines } = open();
    const filler = Array.from({ length: 120 }, (_, i) => `Filler ${i}: ${'The parties repeat themselves at length here. '.repeat(8)}`);
    const long = makeDocument('long.txt', [...filler, 'Governing Law: The laws of Delaware apply.']);
    const { id } = await workspace.handlers['document.add'](long);
    const ask = () => workspace.handlers['answer.ask']({ id: 'q', question: 'Which law governs?', documentIds: [id] });
    expect((await ask()).coverage.windows).toBeGreaterThan(8);
    crash();
    expect((await ask()).verdict).toBe('found');
    expect(engines()).toBe(2);
  });

  it('stop a question that is cancelled', async () => {
    const { workspace } = open({ hang: true });
    const { id } = await workspace.handlers['document.add'](lease);
    const asking = workspace.handlers['answer.ask']({ id: 'q', question: 'Which law governs?', documentIds: [id] });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await workspace.handlers['answer.cancel']({ id: 'q' });
    const result = await asking.then(
      (answer) => answer.verdict,
      (error: { code: string }) => error.code,
    );
    expect(['cut', 'cancelled']).toContain(result);
  });

  it('search words only when there is no Reader, and then claim nothing', async () => {
    const { workspace, engines } = open({}, { reader: null });
    const { id } = await workspace.handlers['document.add'](lease);
    const answer = await workspace.handlers['answer.ask']({ id: 'q', question: 'Which laws apply?', documentIds: [id] });
    expect(answer.verdict).toBe('uncertain');
    expect(answer.evidence[0]!.quote).toContain('Delaware');
    expect(engines()).toBe(0);
  });

  it('read documents in the background and tell how far they are', async () => {
    const { workspace, events } = open({ reply: point }, { prefill: true });
    const { id } = await workspace.handlers['document.add'](lease);
    await expect
      .poll(() => events.filter((event) => event.type === 'document.read').at(-1))
      .toEqual({ type: 'document.read', documentId: id, windowsDone: 1, windowsTotal: 1 });
  });

  it('summarise a document: every value stands in it', async () => {
    const { handlers } = open().workspace;
    const { id } = await handlers['document.add'](lease);
    const summary = await handlers['summary.run']({ documentId: id });
    expect(summary.documentId).toBe(id);
    const law = summary.fields.governingLaw;
    expect(law.status).not.toBe('not_found');
    for (const value of law.values) expect(lease.document.blocks.some((block) => block.text.includes(value.value))).toBe(true);
  });

  it('choose a Writer, keep the choice, and refuse the Reader in its place', async () => {
    const { workspace } = open();
    const { models } = await workspace.handlers['model.choose']({ path: '/models/writer.gguf' });
    expect(models.map((model) => [model.path, model.role])).toEqual(
      expect.arrayContaining([
        ['/models/fake-reader.gguf', 'reader'],
        ['/models/writer.gguf', 'writer'],
      ]),
    );
    expect(workspace.library.setting('writer')).toBe('/models/writer.gguf');
    await expect(workspace.handlers['model.choose']({ path: '/models/fake-reader.gguf' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(workspace.handlers['model.choose']({ path: '/models/missing.gguf' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await workspace.handlers['engine.stats']({})).writer).toBeNull();
  });

  it('say why there is no answer when the Reader cannot be opened', async () => {
    const { workspace } = open({}, { reader: '/models/missing-reader.gguf' });
    const { id } = await workspace.handlers['document.add'](lease);
    await expect(workspace.handlers['answer.ask']({ id: 'q', question: 'Which law governs?', documentIds: [id] })).rejects.toMatchObject({ code: 'not_found' });
    expect((await workspace.handlers['engine.stats']({})).engine).toMatchObject({ state: 'down', reason: expect.stringContaining('missing-reader.gguf') });
  });

  it('refuse a shipped Reader whose bytes are not the measured ones', async () => {
    const { verifyShippedReader } = await import('./models.ts');
    await verifyShippedReader(shippedReaderPath());
    await expect(verifyShippedReader(import.meta.filename)).rejects.toMatchObject({ code: 'model_invalid' });
  });
});

describe('the border', () => {
  it('answers what it does not understand with a failure', async () => {
    const { handlers } = open().workspace;
    expect(await handleRequest(handlers, 'document.get', { documentId: 7 })).toMatchObject({ ok: false, failure: { code: 'invalid_request' } });
    expect(await handleRequest(handlers, 'document.erase', {})).toMatchObject({ ok: false, failure: { code: 'invalid_request' } });
    expect(await handleRequest(handlers, 'constructor', {})).toMatchObject({ ok: false, failure: { code: 'invalid_request' } });
    expect(await handleRequest(handlers, 'document.get', { documentId: 'none' })).toMatchObject({ ok: false, failure: { code: 'not_found' } });
    expect(await handleRequest(handlers, 'library.list', {})).toEqual({ ok: true, value: { documents: [] } });
  });
});
