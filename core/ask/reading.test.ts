// From sentences and windows to a checked answer: the Reader's path with a scripted model, and the sentence rules against its training texts.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EngineModel, EngineSession } from '../contract/engine.ts';
import { CodicilError } from '../contract/errors.ts';
import { parseDocument } from '../structure/document.ts';
import { answerQuestion } from './answer.ts';
import { toEvidence } from './evidence.ts';
import { allows, documentOf, scriptedModel, toTokens } from './fakes.test-support.ts';
import { answerMask, answerTokens, parseReply } from './masks.ts';
import { Reader } from './reader.ts';
import { documentSentences, splitSentences } from './sentences.ts';
import { windowRuns } from './windows.ts';
import { splitProse } from './writer.ts';

const pieces = (text: string): string[] => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe('sentences', () => {
  it('keeps a short heading with what follows and cuts a longer one off', () => {
    expect(pieces('3. Users. Customer may permit Users to use it. It must pay.')).toEqual(['3. Users. Customer may permit Users to use it.', 'It must pay.']);
    expect(pieces('5.1. Use of Customer Data. Subject to this Agreement, it may.')).toEqual([
      '5.1. Use of Customer Data.',
      'Subject to this Agreement, it may.',
    ]);
  });

  it('does not end at abbreviations or list numbers', () => {
    expect(pieces('This is made between Acme Inc. The Company and others, see No. 5 of the annex.')).toHaveLength(1);
    expect(pieces('The following duties apply to Provider: (a) it pays; (b) it reports to U.S. Authorities.')).toEqual([
      'The following duties apply to Provider:',
      '(a) it pays; (b) it reports to U.S. Authorities.',
    ]);
  });

  it('stand in the clause that holds most of them where a block carries two numbers', async () => {
    const text = '1. Fees. None.\n\n2. (a) The fee is due on the first day.\n\n(b) The fee is two dollars.';
    const document = await parseDocument(new TextEncoder().encode(text), 'fees.txt');
    const candidates = documentSentences(document).map((sentence) => ({ document, sentence, score: 1, sources: new Set(['reader' as const]) }));
    const paths = toEvidence(candidates, 9).map(({ quote, path }) => [path, quote]);
    expect(paths).toContainEqual(['2(a)', '2. (a) The fee is due on the first day.']);
    expect(paths).toContainEqual(['2(b)', '(b) The fee is two dollars.']);
  });

  it('splits Chinese at its own full stops', () => {
    expect(pieces('第一条 本合同自双方签字之日起生效，有效期为三年，届满前可以续签。第二条 任何一方均可提前三十日书面通知解除。')).toHaveLength(2);
  });

  it('cuts very long sentences and loses no character that is not white space', () => {
    const text = `The provider ${'shall deliver, maintain and repair the equipment, '.repeat(30)}always.`;
    const cuts = pieces(text);
    expect(Math.max(...cuts.map((piece) => piece.length))).toBeLessThanOrEqual(420);
    expect(cuts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  it('reads a table row by row and leaves furniture out', () => {
    const base = documentOf(['Fee', '100', 'Page 1 of 3']);
    const blocks = base.blocks.map((block, i) =>
      i < 2
        ? { ...block, kind: 'tableCell' as const, cell: { table: 't', row: 0, column: i, rowSpan: 1, columnSpan: 1, header: false } }
        : { ...block, kind: 'furniture' as const },
    );
    expect(documentSentences({ ...base, blocks }).map((s) => s.text)).toEqual(['Fee | 100']);
  });

  it('names the columns of a table in each of its rows', () => {
    const base = documentOf(['Item', 'Fee', '2024', '2025', 'Hosting', '100', '110']);
    const cells = [
      [0, 0, 2, 1],
      [0, 1, 1, 2],
      [1, 1, 1, 1],
      [1, 2, 1, 1],
      [2, 0, 1, 1],
      [2, 1, 1, 1],
      [2, 2, 1, 1],
    ] as const;
    const blocks = base.blocks.map((block, i) => {
      const [row, column, rowSpan, columnSpan] = cells[i]!;
      return { ...block, kind: 'tableCell' as const, cell: { table: 't', row, column, rowSpan, columnSpan, header: row < 2 } };
    });
    const read = documentSentences({ ...base, blocks });
    expect(read.map((s) => s.text)).toEqual(['Item | Fee', '2024 | 2025', 'Item: Hosting; Fee 2024: 100; Fee 2025: 110']);
    expect(read.at(-1)?.spans.map((span) => span.blockId)).toEqual(blocks.slice(4).map((block) => block.id));
  });

  it('leaves the sentences of the golden windows whole: the Reader was trained on such pieces', () => {
    const golden = JSON.parse(readFileSync('assets/models/golden.json', 'utf8')) as { prefix: string }[];
    const lines = golden.flatMap(({ prefix }) =>
      prefix
        .split('<|im_start|>user\n')[1]!
        .split('<|im_end|>')[0]!
        .split('\n')
        .map((line) => line.replace(/ \[\d+\]$/, '')),
    );
    const cut = lines.filter((line) => pieces(line).length !== 1);
    expect(lines.length).toBeGreaterThan(250);
    expect(cut.length / lines.length).toBeLessThan(0.1);
  });
});

describe('windows', () => {
  it('covers every sentence, ends at clause borders and overlaps by at most a clause', () => {
    const document = documentOf(Array.from({ length: 60 }, (_, i) => `${i + 1}. Clause number ${i} says a thing.`));
    const sentences = documentSentences(document);
    const runs = windowRuns(
      sentences,
      sentences.map(() => 100),
    );
    expect(runs[0]!.from).toBe(0);
    expect(runs.at(-1)!.to).toBe(60);
    for (const [i, run] of runs.entries()) {
      if (i > 0) expect(run.from).toBeLessThanOrEqual(runs[i - 1]!.to);
      if (i > 0) expect(run.from).toBeGreaterThan(runs[i - 1]!.from);
      expect((run.to - run.from) * 100).toBeLessThanOrEqual(2400);
    }
  });

  it('makes one window of a sentence that is too long for any', () => {
    const sentences = documentSentences(documentOf(['1. Short words stand here.', '2. Long words stand here.']));
    expect(windowRuns(sentences, [10, 9000])).toEqual(
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ].map((run) => expect.objectContaining({ to: run.to })),
    );
  });
});

describe('answer forms', () => {
  it('allows exactly the numbers of the window and the words of the form', async () => {
    const tokens = await answerTokens(scriptedModel(() => 'none'));
    const question = answerMask('question', 12, tokens);
    for (const text of ['none', '1', '9', '12', '3, 12', '1, 2, 3']) expect([text, allows(question, toTokens(text))]).toEqual([text, true]);
    for (const text of ['0', '13', '1,2', '', '1, none', 'supported 1', '1, ', '012']) expect([text, allows(question, toTokens(text))]).toEqual([text, false]);
    const statement = answerMask('statement', 12, tokens);
    for (const text of ['none', 'supported 3', 'contradicted 1, 12']) expect([text, allows(statement, toTokens(text))]).toEqual([text, true]);
    for (const text of ['3', 'supported none', 'supported ']) expect([text, allows(statement, toTokens(text))]).toEqual([text, false]);
    const extract = answerMask('extract', 12, tokens);
    expect(allows(extract, toTokens('12 | the State of California'))).toBe(true);
    expect(allows(extract, toTokens('13 | x'))).toBe(false);
  });

  it('reads answers back and counts damaged ones as none', () => {
    expect(parseReply('12, 13', 20)).toMatchObject({ verdict: 'answer', indices: [11, 12] });
    expect(parseReply('contradicted 7', 20)).toMatchObject({ verdict: 'contradicted', indices: [6] });
    expect(parseReply('4 | California', 20)).toMatchObject({ indices: [3], value: 'California' });
    for (const text of ['none', '', '21', 'perhaps 3', '3,']) expect(parseReply(text, 20).verdict).toBe('none');
  });
});

describe('a question', () => {
  const document = documentOf([
    '1. The law of California governs this deal between us.',
    '2. Payment is due within 30 days after the invoice date.',
    '3. Markup such as <|im_end|> stays text.',
  ]);
  const reader = (reply: (prompt: string) => string): Promise<Reader> => Reader.open(scriptedModel(reply));
  const ask = async (question: string, reply: (prompt: string) => string, hits: readonly { blockId: string }[] = []) =>
    answerQuestion({
      id: 'a',
      question,
      documents: [document],
      reader: await reader(reply),
      writer: null,
      wordings: { 'Governing Law': 'Which law governs the agreement?' },
      search: async () => hits.map(({ blockId }) => ({ span: { documentId: 'doc', blockId, start: 0, end: 10 }, score: 1 })),
    });

  it('quotes what the Reader points at, verified, with page, path and boxes', async () => {
    const answer = await ask('When is payment due?', () => '2', [{ blockId: 'b1' }]);
    expect(answer.verdict).toBe('found');
    expect(answer.evidence[0]).toMatchObject({
      quote: '2. Payment is due within 30 days after the invoice date.',
      state: 'verified',
      path: '2',
      pageLabel: '1',
      sources: ['reader', 'retrieval'],
    });
    expect(answer.evidence[0]!.places[0]!.box).not.toBeNull();
    expect(answer.value).toBe('30 days');
  });

  it('also asks in the wording that the Reader knows', async () => {
    const answer = await ask('What is the governing law of this deal?', (prompt) =>
      prompt.includes('Extract:') ? '1 | California' : prompt.includes('Which law governs the agreement?') ? '1' : 'none',
    );
    expect(answer.verdict).toBe('found');
    expect(answer.value).toBe('California');
  });

  it('gives no value that does not stand in the evidence', async () => {
    const answer = await ask('What is the governing law?', (prompt) => (prompt.includes('Extract:') ? '1 | Texas' : '1'));
    expect(answer.value).toBeNull();
  });

  it('says absent only when Reader, words and pages agree', async () => {
    expect((await ask('Who insures the vessel?', () => 'none')).verdict).toBe('absent');
    expect((await ask('Is payment within the invoice?', () => 'none')).verdict).toBe('uncertain');
    const unread = { ...document, receipt: { ...document.receipt, pages: 2 } };
    const answer = await answerQuestion({
      id: 'a',
      question: 'Who insures the vessel?',
      documents: [unread],
      reader: await reader(() => 'none'),
      writer: null,
      wordings: {},
      search: async () => [],
    });
    expect(answer.verdict).toBe('uncertain');
    expect(answer.reason).toContain('1 of 2 pages');
  });

  it('rules nothing out in a language that the Reader does not read, or for a question without a subject', async () => {
    const german = { ...document, language: 'de' };
    const about = async (asked: string, read: typeof document) =>
      answerQuestion({ id: 'a', question: asked, documents: [read], reader: await reader(() => 'none'), writer: null, wordings: {}, search: async () => [] });
    expect((await about('Who insures the vessel?', german)).verdict).toBe('uncertain');
    expect((await about('Who may do it?', document)).verdict).toBe('uncertain');
    expect((await about('Is there a rule on invoices?', document)).verdict).toBe('uncertain');
  });

  it('refuses an empty question and a question without documents', async () => {
    await expect(ask('   ', () => 'none')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(
      answerQuestion({ id: 'a', question: 'x?', documents: [], reader: await reader(() => 'none'), writer: null, wordings: {}, search: async () => [] }),
    ).rejects.toMatchObject({ code: 'no_documents' });
  });

  it('checks what a Writer says against evidence and Reader', async () => {
    const writer = scriptedModel(() => 'Payment is due within 30 days [1]. It is due within 45 days [1]. Nobody knows.');
    const readerModel = await reader((prompt) => (prompt.includes('Statement:') ? 'supported 2' : '2'));
    const answer = await answerQuestion({
      id: 'a',
      question: 'When is payment due?',
      documents: [document],
      reader: readerModel,
      writer,
      wordings: {},
      search: async () => [],
    });
    expect(answer.prose.map((sentence) => sentence.state)).toEqual(['supported', 'unsupported', 'uncited']);
  });
});

describe('the Reader', () => {
  /** An engine as it is: one timeline per session, jobs in the order in which they were asked for. */
  function timelineModel(reply: (prompt: string) => string): EngineModel {
    const base = scriptedModel(reply);
    const openSession = async (): Promise<EngineSession> => {
      const inner = await base.openSession();
      let tail: Promise<unknown> = Promise.resolve();
      const queued = <T>(job: () => Promise<T>): Promise<T> => {
        const result = tail.then(job);
        tail = result;
        return result;
      };
      return { ...inner, sync: (prefix) => queued(() => inner.sync(prefix)), generate: (options) => queued(() => inner.generate(options)) };
    };
    return { ...base, openSession };
  }

  it('answers each of two questions that are asked at the same time', async () => {
    const document = documentOf(['1. The first sentence says a thing.', '2. The second sentence says another.']);
    const reader = await Reader.open(timelineModel((prompt) => (prompt.includes('first?') ? '1' : '2')));
    const asked = ['Question: first?', 'Question: second?', 'Question: first?'].map((turn) => reader.ask([document], turn, 'question'));
    expect((await Promise.all(asked)).map(([reply]) => reply!.indices)).toEqual([[0], [1], [0]]);
  });

  it('does not take a generation that was stopped for "none"', async () => {
    const base = scriptedModel(() => 'none');
    const stopped: EngineModel = {
      ...base,
      openSession: async () => ({
        ...(await base.openSession()),
        generate: async () => ({ tokens: new Int32Array(), text: '', end: 'cancelled', probeLogprobs: new Float64Array(), logprobs: new Float64Array() }),
      }),
    };
    const reader = await Reader.open(stopped);
    await expect(reader.ask([documentOf(['1. A sentence that says a thing.'])], 'Question: x?', 'question')).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('gives up when one window alone does not fit, and does not wait for ever', async () => {
    const base = scriptedModel(() => 'none');
    const full: EngineModel = {
      ...base,
      openSession: async () => ({
        ...(await base.openSession()),
        sync: async () => {
          throw new CodicilError('does_not_fit', 'full');
        },
      }),
    };
    const reader = await Reader.open(full);
    await expect(reader.ask([documentOf(['1. A sentence that says a thing.'])], 'Question: x?', 'question')).rejects.toMatchObject({ code: 'does_not_fit' });
  });
});

describe('prose', () => {
  it('splits into sentences with their citations', () => {
    expect(splitProse('The cap is $1.5 million [1]. It excludes fraud. [2, 3] Done.')).toEqual([
      { text: 'The cap is $1.5 million [1].', citations: [1] },
      { text: 'It excludes fraud. [2, 3]', citations: [2, 3] },
      { text: 'Done.', citations: [] },
    ]);
  });
});
