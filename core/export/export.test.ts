// Reports as people and programs get them: HTML, Markdown and text are escaped, complete and say what the data says; the schema is the published one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { compareDocuments } from '../compare/compare.ts';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import type { Answer } from '../contract/answer.ts';
import { SUMMARY_FIELDS } from '../contract/summary.ts';
import { lintDocument } from '../review/lint.ts';
import { answerMarkdown } from './answer.ts';
import { comparisonHtml, comparisonMarkdown } from './comparison.ts';
import { escapeHtml, escapeMarkdown } from './escape.ts';
import { findingsText } from './findings.ts';
import { summaryJsonSchema, summarySchemaText } from './summarySchema.ts';

const before = makeDocument(
  '1. Fees. Customer pays <b>$100</b> & costs.\n2. Term. It lasts one year and it ends then without notice.\n3. Law. The law of Utah governs it.',
  { id: 'aaa' },
);
const after = makeDocument(
  '1. Fees. Customer pays <b>$900</b> & costs.\n2. Law. The law of Utah governs it.\n3. Peace. <script>alert(1)</script> All parties keep the peace.',
  { id: 'bbb' },
);
const comparison = compareDocuments(before, after);

describe('summary schema', () => {
  const file = fileURLToPath(new URL('../../assets/schemas/summary.schema.json', import.meta.url));
  it('is the published file', () => {
    if (process.env['UPDATE_GOLDENS'] === '1') {
      expect(process.env['CI'], 'goldens are made by a person, never in CI').toBeUndefined();
      writeFileSync(file, summarySchemaText());
    }
    expect(existsSync(file) && readFileSync(file, 'utf8'), 'run with UPDATE_GOLDENS=1 after a change of the contract').toBe(summarySchemaText());
  });
  it('accepts a summary and refuses one with a wrong status or a missing field', () => {
    const validate = new Ajv2020({ strict: false }).compile(summaryJsonSchema());
    const fields = Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, { status: 'not_found', values: [] as unknown[] }]));
    const summary = {
      schema: 'codicil.summary/1',
      documentId: 'a',
      documentName: 'a.pdf',
      language: 'en',
      fields,
      coverage: { pages: 1, pagesRead: 1, windows: 1, windowsRead: 1 },
      model: null,
      createdAt: '2026-01-01T00:00:00Z',
    };
    expect(validate(summary)).toBe(true);
    expect(validate({ ...summary, fields: { ...fields, title: { status: 'absent', values: [] } } })).toBe(false);
    const { title: _title, ...rest } = fields;
    expect(validate({ ...summary, fields: rest })).toBe(false);
  });
});

describe('comparison report', () => {
  const html = comparisonHtml(comparison, { id: 'aaa', name: 'old "v1" <x>.docx' }, after);
  it('escapes every text of a document', () => {
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<b>$');
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('old &quot;v1&quot; &lt;x&gt;.docx');
  });
  it('marks edits with elements, glyphs and a legend, and loads nothing', () => {
    expect(html).toMatch(/<del>[^<]*\$?100[^<]*<\/del>\s*<ins>[^<]*900[^<]*<\/ins>/);
    expect(html).toContain('⇄ moved');
    expect(html).not.toMatch(/\b(?:src|href)="(?!#)/);
    expect(html).toContain("default-src 'none'");
    for (const change of comparison.changes) expect(html).toContain(`id="${change.id}"`);
  });
  it('says so when nothing differs', () => {
    expect(comparisonHtml(compareDocuments(before, before), before, before)).toContain('The documents say the same');
  });
  it('writes Markdown in which text of a document has no meaning as markup', () => {
    const text = comparisonMarkdown(comparison, before, after);
    expect(text).toContain('\\<b\\>');
    expect(text).toMatch(/~~\$?100~~\s*\*\*\$?900\*\*/);
    expect(text).toContain('# Renumbered: 3 Law → 2 Law');
  });
});

it('escapes what could become markup or turn the reading direction', () => {
  expect(escapeHtml(`<a href='x'>"&\u202e`)).toBe('&lt;a href=&#39;x&#39;&gt;&quot;&amp;\ufffd');
  expect(escapeMarkdown('# [a](b) *c* `d`\n1. e')).toBe('\\# \\[a\\](b) \\*c\\* \\`d\\` 1. e');
});

it('writes findings for a terminal without control characters', () => {
  const findings = lintDocument(makeDocument('1. Pay. Wait thirty (60) days\u001b[31m for it.'));
  const text = findingsText(findings, ['i']);
  expect(text).toMatch(/^page i, 1: error amount-mismatch: The words say 30, the figures say 60\.\n {4}/);
  expect(text).not.toContain('\u001b');
  expect(findingsText([], [])).toBe('No findings.\n');
});

it('writes an answer with numbered evidence, states and what was read', () => {
  const answer: Answer = {
    id: 'q',
    question: 'What is *the* cap?',
    documentIds: ['a'],
    verdict: 'found',
    reason: 'One place says it.',
    value: '$100',
    evidence: [
      {
        n: 1,
        documentId: 'a',
        documentName: 'a.pdf',
        quote: 'shall not exceed $100',
        spans: [],
        places: [],
        pageLabel: '4',
        path: '8.2',
        heading: 'Limit',
        score: 0.9,
        sources: ['reader'],
        state: 'verified',
      },
    ],
    prose: [
      { text: 'The cap is $100.', citations: [1], state: 'supported', reason: '' },
      { text: 'It is high.', citations: [], state: 'uncited', reason: '' },
    ],
    coverage: { documents: 1, pages: 9, pagesRead: 9, ocrPages: 0, windows: 3, windowsRead: 3, tokens: 4000 },
    model: { reader: 'reader', writer: null },
    ms: 5,
  };
  const text = answerMarkdown(answer);
  expect(text).toContain('# What is \\*the\\* cap?');
  expect(text).toContain('The cap is $100. [1] It is high. (no source)');
  expect(text).toContain('[1] a.pdf, 8.2 Limit, page 4 (verified)');
  expect(text).toContain('9 of 9 pages in 1 document;');
});
