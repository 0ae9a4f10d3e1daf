// One Chinese contract through everything that code does with it: structure, terms, references, fields, linter, comparison, summary.
import { describe, expect, it } from 'vitest';
import type { FieldValue } from '../contract/summary.ts';
import { compareDocuments } from '../compare/compare.ts';
import { extractFields } from '../extract/fields.ts';
import { lintDocument } from '../review/lint.ts';
import { parseDocument } from '../structure/document.ts';
import { CHINESE_CONTRACT, CHINESE_CONTRACT_REVISED } from './chineseContract.test-support.ts';
import { summarizeDocument } from './summary.ts';

const parse = (text: string): ReturnType<typeof parseDocument> => parseDocument(new TextEncoder().encode(text), '合同.txt');
const document = await parse(CHINESE_CONTRACT);

describe('a Chinese contract', () => {
  it('has chapters, articles, paragraphs and items as a tree', () => {
    const paths = document.clauses.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['第一章', '第一条（四）', '第二条第二款', '第五条（三）', '第十条（二）', '第十三条', '附件一']));
    expect(document.clauses.find(({ path }) => path === '第十一条')!.heading).toBe('适用法律与争议解决');
    const parents = new Map(document.clauses.map((clause) => [clause.path, document.clauses.find(({ id }) => id === clause.parentId)?.path]));
    expect([parents.get('第四条'), parents.get('第五条（三）'), parents.get('第六条第二款')]).toEqual(['第二章', '第五条', '第六条']);
  });

  it('has its terms, references and annex', () => {
    expect(document.definitions.map(({ term }) => term)).toEqual(['甲方', '乙方', '服务成果', '保密信息', '验收标准', '工作日']);
    const target = (id: string | null): string | undefined => document.clauses.find((clause) => clause.id === id)?.path;
    expect(document.references.map(({ text, targetId }) => [text, target(targetId)])).toEqual(
      ['附件一', '附件一', '第四条', '第六条', '第十二条'].map((path) => [path, path]),
    );
    expect(document.exhibits.map(({ label }) => label)).toEqual(['附件一']);
  });

  it('gives parties, dates, periods, law, court and sums', () => {
    const fields = extractFields(document);
    const read = (values: readonly FieldValue[] | undefined): (string | null)[] => (values ?? []).map(({ normalized }) => normalized);
    expect(fields.parties!.map(({ value }) => value)).toEqual(['星澜数据科技（杭州）有限公司', '北岭云算信息技术股份有限公司']);
    expect(read(fields.agreementDate)).toEqual(['2025-04-17']);
    expect(read(fields.effectiveDate)).toEqual(['2025-04-17']);
    expect(read(fields.expirationDate)).toEqual(['2028-04-16']);
    expect([read(fields.term), read(fields.renewal), read(fields.renewalNotice)]).toEqual([['P3Y'], ['P1Y'], ['P30D']]);
    expect(read(fields.governingLaw)).toEqual(['中国']);
    expect(fields.jurisdiction![0]!.value).toContain('人民法院');
    expect(read(fields.amounts)).toEqual(['CNY 120000000', 'CNY 36000000']);
    expect(fields.termination!.map(({ path }) => path)).toEqual(['第十条（一）', '第十条（二）', '第十条（三）']);
    expect(read(fields.liabilityCap)).toEqual(['CNY 120000000']);
  });

  it('passes the linter as it is, and fails with a fault put in', async () => {
    expect(lintDocument(document)).toEqual([]);
    const broken = await parse(
      CHINESE_CONTRACT.replace('和第十二条的约定', '和第二十二条的约定').replace('壹佰贰拾万元', '壹佰叁拾万元').replace('2028年4月16日', '2025年2月30日'),
    );
    expect(lintDocument(broken).map(({ rule }) => rule)).toEqual(expect.arrayContaining(['broken-reference', 'amount-mismatch', 'impossible-date']));
  });

  it('is compared article by article: what moved is told as moved, what was renumbered as renumbered', async () => {
    const { changes, groups } = compareDocuments(document, await parse(CHINESE_CONTRACT_REVISED));
    const told = changes.map(({ kind, before, after }) => `${kind} ${before?.path ?? ''} ${after?.path ?? ''}`);
    expect(told).toContain('moved 第八条 第十二条');
    expect(changes.filter(({ kind, groupId }) => kind === 'changed' && groupId === null).map(({ topics }) => topics)).toEqual([
      ['period'],
      ['amount'],
      ['amount'],
      ['period'],
    ]);
    expect(groups.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['references', 'renumbering']));
    expect(changes.filter(({ kind }) => kind === 'inserted' || kind === 'deleted')).toEqual([]);
  });

  it('is never said to lack anything: the Reader does not read Chinese', async () => {
    const { fields } = await summarizeDocument({ document, reader: null, wordings: {} });
    expect(Object.values(fields).map(({ status }) => status)).not.toContain('not_found');
    expect(fields.parties.status).toBe('found');
  });
});

describe('what Chinese contracts write in other ways', () => {
  it.each([
    [
      '本合同由星河智造科技有限公司（以下简称“甲方”）与青川物流（上海）有限公司（以下简称“乙方”）于2024年3月1日在上海市签订。',
      ['星河智造科技有限公司', '青川物流（上海）有限公司'],
      '2024-03-01',
    ],
    [
      '甲方：星河智造科技有限公司\n\n乙方：青川合伙企业（有限合伙）\n\n签订日期：2024年3月1日',
      ['星河智造科技有限公司', '青川合伙企业（有限合伙）'],
      '2024-03-01',
    ],
  ])('%s', async (text, parties, date) => {
    const fields = extractFields(await parse(text));
    expect(fields.parties!.map(({ value }) => value)).toEqual(parties);
    expect(fields.agreementDate![0]!.normalized).toBe(date);
  });
  it.each([
    ['本合同自2025年5月1日起生效。', '2025-05-01', undefined],
    ['租赁期限自2025年5月1日起至2026年4月30日止。', '2025-05-01', '2026-04-30'],
  ])('%s', async (text, effective, expiration) => {
    const fields = extractFields(await parse(`合同\n\n第一条 期限\n\n${text}`));
    expect([fields.effectiveDate?.[0]?.normalized, fields.expirationDate?.[0]?.normalized]).toEqual([effective, expiration]);
  });
});
