// Every extractor on short texts that are written for it, English first, and the forms that must not be taken for a value.
import { describe, expect, it } from 'vitest';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import { FieldValueSchema, type SummaryField } from '../contract/summary.ts';
import { findDates } from './dates.ts';
import { extractFields } from './fields.ts';
import { findAmounts } from './amounts.ts';
import { findDurations } from './durations.ts';

const normal = (found: readonly { readonly normalized: string | null }[]): (string | null)[] => found.map(({ normalized }) => normalized);
const fields = (text: string, language = 'en'): ReturnType<typeof extractFields> => extractFields(makeDocument(text, { language }));
const values = (text: string, field: SummaryField): string[] => (fields(text)[field] ?? []).map(({ value, normalized }) => `${value}=${normalized}`);

describe('dates', () => {
  it.each([
    ['on May 8, 2014 at', '2014-05-08'],
    ['this 8th day of May, 2014', '2014-05-08'],
    ['31 December 1996', '1996-12-31'],
    ['7/1/98', '1998-07-01'],
    ['25/12/2020', '2020-12-25'],
    ['2024-02-29', '2024-02-29'],
    ['2014年5月8日', '2014-05-08'],
    ['二〇二四年十二月三日', '2024-12-03'],
    ['the 20t h day of January, 2020', '2020-01-20'],
    ['Sept. 9, 2001', '2001-09-09'],
  ])('reads %j', (text, iso) => expect(normal(findDates(text))).toEqual([iso]));
  it('reads no date that does not exist or is not complete', () => {
    for (const text of ['February 30, 2020', 'September ___, 2019', '13/13/2020', 'Section 5/6/7a', 'May 2020']) expect(findDates(text), text).toEqual([]);
  });
});

describe('sums', () => {
  it.each([
    ['$10,000.00', 'USD 1000000'],
    ['US$5 million', 'USD 500000000'],
    ['EUR 12.50', 'EUR 1250'],
    ['£3,000', 'GBP 300000'],
    ['20,000 dollars', 'USD 2000000'],
    ['人民币12,000元', 'CNY 1200000'],
    ['￥3万元', 'CNY 3000000'],
    ['¥500', 'CNY 50000'],
    ['JPY 500', 'JPY 500'],
  ])('reads %j', (text, minor) => expect(normal(findAmounts(text))).toEqual([minor]));
  it('reads no number without a currency', () => expect(findAmounts('Section 12.3 has 30 days')).toEqual([]));
});

describe('spans of time', () => {
  it.each([
    ['thirty (30) days', 'P30D'],
    ['one (1) year', 'P1Y'],
    ['12 months', 'P12M'],
    ['ninety days', 'P90D'],
    ['a three-year term', 'P3Y'],
    ['two weeks', 'P2W'],
    ['ten (10) business days', null],
    ['为期3年', 'P3Y'],
    ['三十个工作日', null],
    ['六个月', 'P6M'],
    ['收到发票后三十日内', 'P30D'],
  ])('reads %j', (text, iso) => expect(normal(findDurations(text))).toEqual([iso]));
  it('takes no calendar year for a span', () => expect(findDurations('自2019年1月1日起，5月8日前')).toEqual([]));
});

const PREAMBLE =
  'This Services Agreement (“Agreement”) is entered into as of March 1, 2021 (the “Effective Date”) by and between Acme, Inc., a Delaware corporation with offices at 1 Main Street (“Customer”), and Beta Consulting LLC, a Nevada limited liability company (“Provider”).';

describe('fields', () => {
  it('stand literally at their span and fit the contract', () => {
    const document = makeDocument(
      `# SERVICES AGREEMENT\n${PREAMBLE}\n1. Law. This Agreement is governed by the laws of the State of New York.\n2. Cap. The total liability of either party shall not exceed $50,000.`,
    );
    const all = extractFields(document);
    for (const list of Object.values(all)) {
      for (const value of list) {
        const block = document.blocks.find(({ id }) => id === value.span.blockId)!;
        expect(block.text.slice(value.span.start, value.span.end)).toBe(value.value);
        expect(block.text).toContain(value.quote);
        expect(FieldValueSchema.safeParse(value).success).toBe(true);
      }
    }
    expect(all.title?.[0]?.value).toBe('SERVICES AGREEMENT');
    expect(all.liabilityCap?.[0]?.normalized).toBe('USD 5000000');
    expect(all.governingLaw?.[0]).toMatchObject({ value: 'New York', path: '1' });
  });
  it('names the parties of a preamble without their descriptions', () => {
    expect(values(PREAMBLE, 'parties')).toEqual(['Acme, Inc.=acme inc', 'Beta Consulting LLC=beta consulting llc']);
    expect(values('This agreement dated March 13, 2014 is by and between JANA Partners LLC ("JANA") and URS Corporation (the "Company").', 'parties')).toEqual([
      'JANA Partners LLC=jana partners llc',
      'URS Corporation=urs corporation',
    ]);
    expect(
      values('COLLABORATION AGREEMENT by and between THERAVANCE, INC. and GLAXO GROUP LIMITED Dated: November 14, 2002', 'parties').map(
        (value) => value.split('=')[0],
      ),
    ).toEqual(['THERAVANCE, INC.', 'GLAXO GROUP LIMITED']);
  });
  it('reads cover pages and Chinese contracts', () => {
    expect(values('Customer: Acme Corp\nProvider: Beta Ltd', 'parties').map((value) => value.split('=')[0])).toEqual(['Acme Corp', 'Beta Ltd']);
    const chinese =
      '采购合同\n甲方：北京甲公司\n乙方：上海乙公司\n1. 本合同自2020年5月1日起生效，有效期3年。\n2. 本合同适用中华人民共和国法律。因本合同引起的争议提交北京市朝阳区人民法院管辖。\n3. 合同价款为人民币12,000元。';
    expect(values(chinese, 'parties').map((value) => value.split('=')[0])).toEqual(['北京甲公司', '上海乙公司']);
    expect(values(chinese, 'governingLaw')).toEqual(['中华人民共和国=中国']);
    expect(values(chinese, 'amounts')).toEqual(['人民币12,000元=CNY 1200000']);
    expect(fields(chinese).jurisdiction?.[0]?.value).toBe('北京市朝阳区人民法院');
  });
  it('tells agreement, effective and expiration dates apart', () => {
    const text = `${PREAMBLE}\n1. Term. This Agreement remains in effect until December 31, 2025.`;
    expect(values(text, 'agreementDate')).toEqual(['March 1, 2021=2021-03-01']);
    expect(values(text, 'effectiveDate')).toEqual(['March 1, 2021=2021-03-01']);
    expect(values(text, 'expirationDate')).toEqual(['December 31, 2025=2025-12-31']);
  });
  it('reads term, renewal and the notice that stops it', () => {
    const text = `${PREAMBLE}\n1. Term. The initial term of this Agreement is two (2) years. It shall renew automatically for successive one (1) year periods unless either party gives sixty (60) days prior written notice of non-renewal.`;
    expect(values(text, 'term')).toEqual(['two (2) years=P2Y']);
    expect(values(text, 'renewal')).toEqual(['one (1) year=P1Y']);
    expect(values(text, 'renewalNotice')).toEqual(['sixty (60) days=P60D']);
  });
  it('takes the law that governs, not the law of formation', () => {
    expect(
      values(
        '1. Acme is a corporation organized under the laws of Delaware. This Agreement shall be governed by the laws of England and Wales.',
        'governingLaw',
      ),
    ).toEqual(['England and Wales=England and Wales']);
    expect(values('1. Acme is a corporation organized and existing under the laws of the State of Delaware.', 'governingLaw')).toEqual([]);
    expect(values('1. Courts. The parties submit to the exclusive jurisdiction of the courts of California.', 'jurisdiction')).toEqual([
      'California=California',
    ]);
  });
  it('leaves out what it did not find', () => {
    expect(fields('Hello world.')).toEqual({});
  });
});
