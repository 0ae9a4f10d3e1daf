// Every extractor on short texts that are written for it, English first, and the forms that must not be taken for a value.
import { describe, expect, it } from 'vitest';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import { FieldValueSchema, type SummaryField } from '../contract/summary.ts';
import { findDates } from './dates.ts';
import { parseDocument } from '../structure/document.ts';
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

describe('sums in other forms', () => {
  it.each([
    ['EUR 1.234.567,89', 'EUR 123456789'],
    ['1.234,56 €', 'EUR 123456'],
    ["CHF 5'000", 'CHF 500000'],
    ['₹12,34,567', 'INR 123456700'],
    ['C$12.50', 'CAD 1250'],
    ['HK$1,000', 'HKD 100000'],
    ['KWD 10.500', 'KWD 10500'],
    ['twenty-five thousand euros', 'EUR 2500000'],
    ['人民币壹佰万元整', 'CNY 100000000'],
    ['人民币贰拾叁万肆仟伍佰陆拾柒元捌角玖分', 'CNY 23456789'],
    ['50万美元', 'USD 50000000'],
  ])('reads %j', (text, minor) => expect(normal(findAmounts(text))).toEqual([minor]));
  it('fault: points between thousands are read as a decimal point', () => expect(normal(findAmounts('EUR 1.500.000'))).toEqual(['EUR 150000000']));
  it('fault: a sum in words beside its figures counts twice in the summary', () => {
    expect(values('The price is One Million and No/100 Dollars ($1,000,000.00).', 'amounts')).toEqual(['One Million and No/100 Dollars=USD 100000000']);
  });
  it('takes 一元化 and 第二十元件 for no sum', () => expect(findAmounts('一元化管理')).toEqual([]));
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

describe('dates of the agreement', () => {
  it('fault: the date of another agreement is taken for this one', () => {
    const text =
      'This Amendment is made as of July 1, 2021 by and between Acme, Inc. (“Acme”) and Beta LLC (“Beta”). WHEREAS, the parties entered into that certain Services Agreement dated May 2, 2018.';
    expect(values(text, 'agreementDate')).toEqual(['July 1, 2021=2021-07-01']);
  });
  it('fault: an agreement without a date in its preamble has none, though it is signed with one', () => {
    expect(values('1. Term. One year.\nDate: 10/16/1996\nDate: 11/5/1996', 'agreementDate')).toEqual(['11/5/1996=1996-11-05']);
  });
  it('takes the day of making for the effective date where the agreement says so, and not otherwise', () => {
    const made = 'This Agreement is made on May 3, 2019 by A and B.';
    expect(values(`${made} This Agreement shall become effective on the date first above written.`, 'effectiveDate')).toEqual(['May 3, 2019=2019-05-03']);
    expect(values(made, 'effectiveDate')).toEqual([]);
    for (const day of ['the date set forth above', 'the date last signed by both parties', 'the date on which it is signed by both'])
      expect(values(`${made} This Agreement is effective as of ${day}.`, 'effectiveDate')).toEqual(['May 3, 2019=2019-05-03']);
  });
  it.each([
    ['The commencement date for this contract will be 16th June 2004.', '16th June 2004=2004-06-16'],
    ['“Effective Date” shall mean the date of installation, i.e. December 10, 1993.', 'December 10, 1993=1993-12-10'],
    ['This Agreement is made on June 1, 2020 (the “Agreement Effective Date”).', 'June 1, 2020=2020-06-01'],
    ['This Agreement is made with effect from May 2, 2020.', 'May 2, 2020=2020-05-02'],
    ['TERM OF EXECUTION From January 30, 2012 until July 29, 2012', 'January 30, 2012=2012-01-30'],
  ])('finds the effective date in: %s', (text, date) => {
    expect(values(text, 'effectiveDate')).toEqual([date]);
  });
  it('fault: the beginning of another agreement, of a list of prices or of a period inside the term is taken for the effective date', () => {
    for (const text of [
      'WHEREAS, the memoranda of understanding were effective from October 5, 1999.',
      'The initial production period of this Agreement shall commence on November 4, 1998.',
    ])
      expect(values(text, 'effectiveDate')).toEqual([]);
  });
  it('reads the date of a letter from its dateline', () => {
    expect(values('Geneva, 2 April 2020\nDear Sirs, we agree as follows.', 'agreementDate')).toEqual(['2 April 2020=2020-04-02']);
    expect(values('Invoices of the Seller before 2 April 2020 are paid.', 'agreementDate')).toEqual([]);
  });
  it('reads words, dots and dashes', () => {
    expect(normal(findDates('the first (1st) day of January, 1996; 1.4.2011; 3-14-18; twenty-first day of May 2020'))).toEqual([
      '1996-01-01',
      '2011-04-01',
      '2018-03-14',
      '2020-05-21',
    ]);
  });
});

describe('cover pages', () => {
  it('fault: values beside their labels are not found', () => {
    const text =
      '# Cover Terms\nEmployer: Acme Manufacturing, Inc.\nEmployee: Jane Doe\nEffective Date: March 1, 2026\nGoverning Law: New Jersey\n# Terms\nThe period between Employee and Standard Terms.';
    expect(values(text, 'parties')).toEqual(['Acme Manufacturing, Inc.=acme manufacturing inc', 'Jane Doe=jane doe']);
    expect(values(text, 'effectiveDate')).toEqual(['March 1, 2026=2026-03-01']);
    expect(values(text, 'governingLaw')).toEqual(['New Jersey=New Jersey']);
  });
});

describe('parties in other places', () => {
  it('fault: parties that only sign are not found', () => {
    const text =
      'The undersigned agree to file jointly.\nDated: April 8, 2020 SCULPTOR CAPITAL LP\nBy: /s/ T. Sipp Chief Financial Officer SCULPTOR MANAGEMENT, INC.\nBy: /s/ T. Sipp';
    expect(values(text, 'parties').map((value) => value.split('=')[0])).toEqual(['SCULPTOR CAPITAL LP', 'SCULPTOR MANAGEMENT, INC.']);
    expect(values('For and on behalf of Korea Telecom By: For and on behalf of China Telecom By:', 'parties').map((value) => value.split('=')[0])).toEqual([
      'Korea Telecom',
      'China Telecom',
    ]);
  });
  it('fault: words between “between” and “and” are taken for parties', () => {
    expect(values('This Agreement concerns services. Cables run between Europe and North America.', 'parties')).toEqual([]);
  });
});

it('fault: values are read out of hidden text', () => {
  const document = makeDocument('The price is $5.\nThe price is $900.');
  const blocks = document.blocks.map((block) => (block.text.includes('900') ? { ...block, hidden: 'white' as const } : block));
  expect(extractFields({ ...document, blocks }).amounts?.map(({ value }) => value)).toEqual(['$5']);
});

it('names the sub-clause that a value of a shared block stands in', async () => {
  const document = await parseDocument(new TextEncoder().encode('2. Fees. (a) The fee is $5.\n\n(b) The deposit is $7.'), 'a.txt');
  expect(extractFields(document).amounts?.map(({ path }) => path)).toEqual(['2(a)', '2(b)']);
});

it('fault: a signature line of a Chinese contract is read as a party', () => {
  const text =
    '技术服务合同\n甲方（委托方）：北京星河科技有限公司\n乙方：上海明月信息技术有限公司\n签订日期：2024年3月1日\n第一条 本合同有效期为三年，自双方签字之日起生效。\n' +
    '第二条 除非任何一方在期满前六十日书面通知不续约，本合同自动续约一年。\n第三条 合同总价为人民币壹佰贰拾万元整（￥1,200,000.00）。\n第四条 本合同适用中华人民共和国法律。\n甲方（盖章）：\n日期：2024年3月5日';
  const found = Object.fromEntries(Object.entries(fields(text, 'zh')).map(([field, list]) => [field, list.map(({ normalized }) => normalized)]));
  expect(found).toMatchObject({
    parties: ['北京星河科技有限公司', '上海明月信息技术有限公司'],
    agreementDate: ['2024-03-01'],
    effectiveDate: ['2024-03-01'],
    term: ['P3Y'],
    renewalNotice: ['P60D'],
    amounts: ['CNY 120000000'],
    governingLaw: ['中国'],
  });
});

describe('forms that look like another value', () => {
  it.each([
    ['par value $0.125', [null]],
    ['a price of $1.125', [null]],
    ['$0.05 per share', ['USD 5']],
    ['EUR 1.234,50.', ['EUR 123450']],
    ['EUR 1.234.567', ['EUR 123456700']],
    ['DOLLARS 5,000', []],
    ['IRON 5', []],
    ['50 pounds of sugar', []],
    ['50 pounds sterling', ['GBP 5000']],
  ])('fault: a sum in %j is read whole or not at all', (text, minor) => expect(normal(findAmounts(text))).toEqual(minor));
  it.each([
    ['for 1.5 years', ['P1.5Y']],
    ['within 1,000 days', ['P1000D']],
    ['二〇二五年度', []],
    ['为期二十五年', ['P25Y']],
    ['within 30 business days', [null]],
  ])('fault: a period in %j is not the tail of a figure', (text, iso) => expect(normal(findDurations(text))).toEqual(iso));
  it('fault: dashes before a year that never comes cost no time', () => {
    const before = process.cpuUsage().user;
    expect(findDates(`Dated: May 8, ${'-'.repeat(44)}x`)).toEqual([]);
    expect(normal(findDates('Dated: May 8, ----- 2014'))).toEqual(['2014-05-08']);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(1);
  });
});

describe('names that are words too', () => {
  it.each([
    ['between Will Smith and May Parker LLC, who agree as follows', ['will smith', 'may parker llc']],
    ['between 7 Eleven, Inc., a Texas corporation (“Seven”), and Acme LLC (“Acme”)', ['7 eleven inc', 'acme llc']],
  ])('fault: the parties of %j are found', (text, names) => {
    expect((fields(`This Agreement is made on May 8, 2014 ${text}.`).parties ?? []).map(({ normalized }) => normalized)).toEqual(names);
  });
});

it('fault: a paragraph of many sums is split into sentences once', () => {
  const text = Array.from({ length: 4_000 }, (_, index) => `The fee is $${index + 1}.00 a day.`).join(' ');
  const before = process.cpuUsage().user;
  const sums = fields(text).amounts ?? [];
  expect(sums.length).toBe(50);
  expect(sums[7]!.quote).toBe('The fee is $8.00 a day.');
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(3);
});
