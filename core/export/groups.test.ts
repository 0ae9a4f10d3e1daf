// Reports of what is told once: groups of changes, notes, and the same clause of many contracts. Nothing of a document becomes markup.
import { describe, expect, it } from 'vitest';
import { alignClauses } from '../compare/alignMany.ts';
import { compareDocuments } from '../compare/compare.ts';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import { clauseTableHtml } from './clauseTable.ts';
import { comparisonHtml, comparisonMarkdown } from './comparison.ts';

const contract = (party: string, id: string) =>
  makeDocument(
    ['pays the price on time', 'keeps the books', 'tells the other side of every delay', 'bears the tax']
      .map((duty, at) => `${at + 1}. Duty ${at + 1}. The ${party} ${duty} <i>always</i>.`)
      .join('\n'),
    { id },
  );
const [before, after] = [contract('Customer', 'aaa'), contract('Client', 'bbb')];
const comparison = compareDocuments(before, after);

describe('reports of groups', () => {
  it('fault: a report lists a new name once for every clause', () => {
    const html = comparisonHtml(comparison, before, after);
    expect(html.match(/<article/g)).toHaveLength(1);
    expect(html).toContain('≡</span> Renamed');
    expect(html).toContain('<del>Customer</del> <ins>Client</ins>');
    expect(html).toContain('“Customer” became “Client” in 4 places.');
    expect(html.match(/<li id="change-/g)).toHaveLength(4);
    expect(html).not.toContain('<i>always');
  });
  it('names the clauses of a group in Markdown', () => {
    expect(comparisonMarkdown(comparison, before, after)).toContain('In 1 Duty 1; 2 Duty 2; 3 Duty 3; 4 Duty 4.');
  });
  it('prints the notes of a comparison', () => {
    const noted = { ...comparison, notes: ['One place differs only as <a scan> is misread.'] };
    expect(comparisonHtml(noted, before, after)).toContain('One place differs only as &lt;a scan&gt; is misread.');
    expect(comparisonMarkdown(noted, before, after)).toContain('One place differs only as');
  });
  it('keeps white space outside the marks: a struck space reads as a dash', () => {
    expect(comparisonHtml(comparison, before, after)).not.toMatch(/<(?:del|ins)>\s|\s<\/(?:del|ins)>/);
  });
});

describe('report of many contracts', () => {
  const html = clauseTableHtml(alignClauses([before, makeDocument('1. Duty 2. The Client keeps the <script>alert(1)</script> books always.', { id: 'ccc' })]));
  it('escapes every text, holds no script and loads nothing', () => {
    expect(html).not.toMatch(/<script|<link|\bsrc=|url\(|<i>always/);
    expect(html).toContain("default-src 'none'");
  });
  it('says in words what a colour says', () => {
    for (const label of ['baseline', 'missing']) expect(html).toContain(label);
    expect(html.match(/class="cell d-missing"/g)).toHaveLength(3);
  });
});
