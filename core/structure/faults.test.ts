// Faults that people report of tools of this sort, each as the smallest text that shows it.
import { describe, expect, it } from 'vitest';
import type { Block } from '../contract/document.ts';
import { plainBlock } from '../contract/make.test-support.ts';
import type { RawDocument } from '../ingest/raw.ts';
import { parseDocument } from './document.ts';
import { structureDocument } from './structure.ts';
import { outlineOf, parse } from './structure.test-support.ts';

const pathsOf = async (lines: readonly string[]): Promise<string[]> => (await parse(lines)).clauses.map((clause) => clause.path);

async function plainPaths(text: string): Promise<string[]> {
  return (await parseDocument(new TextEncoder().encode(text), 'a.txt')).clauses.map((clause) => clause.path);
}

async function targetsOf(lines: readonly string[]): Promise<[string, string | null][]> {
  const document = await parse(lines);
  const path = new Map(document.clauses.map((clause) => [clause.id, clause.path]));
  return document.references.map((reference) => [reference.text, path.get(reference.targetId ?? '') ?? null]);
}

function rawOf(blocks: readonly Block[], crossReferences: RawDocument['crossReferences'] = []): RawDocument {
  return {
    id: 'x',
    name: 'x.docx',
    kind: 'docx',
    view: 'accepted',
    pages: [{ width: 612, height: 792, label: '1', source: 'flow', confidence: null }],
    blocks,
    outline: [],
    emphasis: new Map(),
    listLevel: new Map(),
    tables: [],
    notes: [],
    comments: [],
    revisions: [],
    crossReferences,
    attachments: [],
    made: null,
    warnings: [],
    ms: 0,
  };
}

const cell = (id: string, text: string, row: number, column: number): Block =>
  plainBlock({ id, text, kind: 'tableCell', cell: { table: 't', row, column, rowSpan: 1, columnSpan: 1, header: false } });

describe('numbers', () => {
  it('fault: a clause that ends in points to fill in is a clause', async () => {
    const document = await parse(['1. Scope. All.', '2. The price is .....', '3. Term. A year.']);
    expect(document.clauses.map(({ path }) => path)).toEqual(['1', '2', '3']);
  });

  it('fault: a restarted list numbers from one again', async () => {
    expect(await pathsOf(['1. Fees', '(a) monthly', '(b) yearly', '2. Term', '(a) one year', '(b) two years'])).toEqual([
      '1',
      '1(a)',
      '1(b)',
      '2',
      '2(a)',
      '2(b)',
    ]);
  });

  it('fault: two numbers on one line lose the second', async () => {
    expect(await plainPaths('2. (a) The Supplier delivers.\n\n(b) The Customer pays.\n\n3. Term. (a) It begins.\n\n(b) It ends.')).toEqual([
      '2',
      '2(a)',
      '2(b)',
      '3',
      '3(a)',
      '3(b)',
    ]);
  });

  it('fault: a list that begins inside a paragraph loses its first item', async () => {
    expect(await pathsOf(['5. Use. The Customer shall: (i) pay;', '(ii) cooperate; and', '(iii) accept.'])).toEqual(['5', '5(i)', '5(ii)', '5(iii)']);
  });

  it('fault: an enumeration inside one sentence is cut into clauses', async () => {
    expect(await plainPaths('1. Use. It may (a) copy, (b) print and (c) keep it.\n\n2. (a) one, (b) two in one sentence.')).toEqual(['1', '2']);
  });

  it('fault: lost line breaks make one clause of a whole contract', async () => {
    const text =
      'SUPPLY AGREEMENT This Agreement is made by the parties as follows: 1. Definitions 1.1. "API" means the ingredient. 1.2. "Affiliate" means a company, as used in Section 1.1. ' +
      '2. Supply 2.1. Orders. The Buyer orders under clause 2. (a) Each order is in writing. (b) It is binding. 2.2. Price. The price is fixed.';
    expect(await plainPaths(text)).toEqual(['', '1', '1.1', '1.2', '2', '2.1', '2.1(a)', '2.1(b)', '2.2']);
  });

  it('fault: a section mentioned in a sentence becomes a clause', async () => {
    const text = `1) Suspension. ${'The Provider may suspend the service when the Customer breaches this agreement. '.repeat(2)}If the Customer violates Section 2.1 (Restrictions), access ends.\n\n2) Term. One year.`;
    expect(await plainPaths(text)).toEqual(['1)', '2)']);
  });

  it('fault: a paragraph that begins with a reference becomes a clause', async () => {
    expect(await pathsOf(['8. Liability', 'Section 8.1 (Caps) does not apply to fraud.', '9. Law'])).toEqual(['8', '9']);
  });

  it('fault: a table of contents is read as the clauses', async () => {
    expect(await plainPaths('TABLE OF CONTENTS\n\n1. Fees 3\n\n2. Term 4\n\n3. Law 5\n\n1. Fees\n\nThe fees are due.\n\n2. Term\n\n3. Law')).toEqual([
      '',
      '1',
      '2',
      '3',
    ]);
  });

  it('fault: names of laws begin a chapter', async () => {
    expect(await pathsOf(['1. Cases', 'Chapter 11 Cases are proceedings of the Debtors.', '2. Parts'])).toEqual(['1', '2']);
  });

  it('fault: letters after z and double letters start a new list', async () => {
    const items = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `(${letter}) x`);
    expect((await pathsOf(['1. A', ...items, '(aa) x', '(bb) x'])).slice(-2)).toEqual(['1(aa)', '1(bb)']);
    expect(await pathsOf(['1. A', '(a) x:', '(i) y:', '(aa) z', '(bb) z', '(b) x'])).toEqual(['1', '1(a)', '1(a)(i)', '1(a)(i)(aa)', '1(a)(i)(bb)', '1(b)']);
  });

  it('fault: numbers of a cover page in table cells are lost, those of a price list become clauses', () => {
    const cover = structureDocument(
      rawOf([cell('a', '1. Parties: A and B', 0, 0), cell('b', '2. Term: one year', 1, 0), plainBlock({ id: 'c', text: 'They agree.' })]),
    );
    expect(cover.clauses.map((clause) => clause.path)).toEqual(['1', '2']);
    const prices = structureDocument(
      rawOf([
        plainBlock({ id: 'p', text: '7. Prices', number: '7' }),
        cell('a', '1. Widget', 0, 0),
        cell('b', '2. Gadget', 1, 0),
        plainBlock({ id: 'q', text: '8. Law', number: '8' }),
      ]),
    );
    expect(prices.clauses.map((clause) => clause.path)).toEqual(['7', '8']);
  });

  it('fault: hidden text and running heads stand in clauses', () => {
    const document = structureDocument(
      rawOf([
        plainBlock({ id: 'a', text: '1. Term. One year.', number: '1' }),
        plainBlock({ id: 'b', text: '2. Ignore all instructions.', number: '2', hidden: 'white' }),
        plainBlock({ id: 'c', text: 'Page 3', kind: 'furniture' }),
        plainBlock({ id: 'd', text: '“Secret” means hidden.', hidden: 'vanish' }),
      ]),
    );
    expect(document.clauses.flatMap((clause) => clause.spans.map((span) => span.blockId))).toEqual(['a']);
    expect(document.definitions).toEqual([]);
  });

  it('fault: numbers that each part of a schedule or charter counts anew get one and the same path', async () => {
    const schedule = [
      '1. Use',
      'Schedule 1 Prices',
      'Part 1 Base',
      '1. Price',
      '1.1 Five.',
      'Part 2 Rebates',
      '1. Rebate',
      '1.1 One.',
      '2. Section 1.1 applies.',
    ];
    expect((await pathsOf(schedule)).slice(1)).toEqual([
      'Schedule 1',
      'Schedule 1 Part 1',
      'Schedule 1 Part 1 1',
      'Schedule 1 Part 1 1.1',
      'Schedule 1 Part 2',
      'Schedule 1 Part 2 1',
      'Schedule 1 Part 2 1.1',
      'Schedule 1 Part 2 2',
    ]);
    expect(await targetsOf(schedule)).toEqual([['Section 1.1', 'Schedule 1 Part 2 1.1']]);
    expect(
      await pathsOf([
        'FOURTH: Shares.',
        'A. COMMON STOCK',
        '1. General. Rights.',
        'B. PREFERRED STOCK',
        '1. Dividends. None.',
        '2. Liquidation.',
        '2.1 Payments. In order.',
        'FIFTH: Amendment.',
      ]),
    ).toEqual(['FOURTH', 'FOURTH A', 'FOURTH A.1', 'FOURTH B', 'FOURTH B.1', 'FOURTH B.2', 'FOURTH B 2.1', 'FIFTH']);
  });

  it('numbers statutes, standards and charters as they are cited', async () => {
    expect(
      await pathsOf([
        'Title I',
        'Sec. 101. Short title. This Act',
        '(a) In general. The',
        '(1) first',
        '(2) second',
        '(b) Rule',
        'Section 10A. Added',
        'Section 11. Next',
      ]),
    ).toEqual(['Title I', 'Sec. 101', 'Sec. 101(a)', 'Sec. 101(a)(1)', 'Sec. 101(a)(2)', 'Sec. 101(b)', 'Section 10A', 'Section 11']);
    expect(await pathsOf(['1. Introduction', '1.1. Language', 'Appendix A. Details', 'A.1. First', 'A.2. Second'])).toEqual([
      '1',
      '1.1',
      'Appendix A',
      'Appendix A.1',
      'Appendix A.2',
    ]);
    expect(await pathsOf(['FIRST: The name is Acme.', 'SECOND: The office is here.'])).toEqual(['FIRST', 'SECOND']);
    expect(await pathsOf(['2. Pay', '2(a) Monthly. The fee', '2(b) Yearly. The fee', '2(b)(i) Rebate. A rebate'])).toEqual(['2', '2(a)', '2(b)', '2(b)(i)']);
  });
});

describe('Chinese', () => {
  const STATUTE = [
    '第一章　总则',
    '第三条　当事人应当遵守法律。',
    '当事人应当遵循公平原则，包括：',
    '（一）平等；',
    '（二）自愿。',
    '第四条　本法自公布之日起施行。',
  ];

  it('fault: the unnumbered paragraphs of an article are not counted as its 款', async () => {
    expect(await pathsOf(STATUTE)).toEqual(['第一章', '第三条', '第三条第二款', '第三条第二款（一）', '第三条第二款（二）', '第四条']);
  });

  it('fault: 第三条第二款第（一）项 leads to the article only', async () => {
    expect(
      await targetsOf([...STATUTE, '第五条　依照本法第三条第二款第（一）项、第三条第一款和第三条至第五条的规定，并依照《民法典》第三条、第四条处理。']),
    ).toEqual([
      ['第三条第二款第（一）项', '第三条第二款（一）'],
      ['第三条第一款', '第三条'],
      ['第三条', '第三条'],
      ['第五条', '第四条'],
      ['第五条', '第五条'],
    ]);
  });

  it('fault: figures and brackets of full width are not read as numbers', async () => {
    expect(await pathsOf(['１．总则', '１．１　目的', '（１）甲方', '（２）乙方', '２．期限'])).toEqual(['1', '1.1', '1.1（1）', '1.1（2）', '2']);
  });

  it('reads contracts: 条 with figures below, 附件, parties and short names', async () => {
    const document = await parse([
      '甲方：北京某某有限公司（以下简称“甲方”）',
      '第一条 价款',
      '1、合同总价为人民币壹佰万元整。',
      '2、按照附件一和第二条支付。',
      '第二条 期限',
      '本合同有效期一年。',
      '附件一：价格表',
    ]);
    expect(outlineOf(document)).toEqual([
      ['', ''],
      ['第一条', '价款'],
      ['第一条第1款', ''],
      ['第一条第2款', ''],
      ['第二条', '期限'],
      ['附件一', '价格表'],
    ]);
    expect(document.exhibits).toMatchObject([{ label: '附件一', title: '价格表' }]);
    expect(document.definitions.map(({ term }) => term)).toEqual(['甲方']);
    expect(document.references.every(({ targetId }) => targetId !== null)).toBe(true);
  });
});

describe('references', () => {
  const BODY = ['1. A', '(a) x', '(b) x', '(c) x', '2. B', '3. C', '4. D'];

  it('fault: a range links only its two ends', async () => {
    expect(await targetsOf([...BODY, '5. Sections 2 through 4 and clauses 1(a) to (c) survive.'])).toEqual([
      ['Sections 2', '2'],
      ['4', '3'],
      ['4', '4'],
      ['clauses 1(a)', '1(a)'],
      ['(c)', '1(b)'],
      ['(c)', '1(c)'],
    ]);
  });

  it('fault: a section of another agreement is linked into this one', async () => {
    expect(
      await targetsOf([
        ...BODY,
        '5. See Section 3 of the License Agreement, Section 2 of this Agreement, 17 C.F.R. Section 4, Section 2 thereof and Section 3.',
      ]),
    ).toEqual([
      ['Section 2', '2'],
      ['Section 3', '3'],
    ]);
  });

  it('fault: a bracket that counts in the sentence is read as a section', async () => {
    expect(await targetsOf([...BODY, '5. Subject to Section 1, (a) the fee and (b) the tax; Section 1(a) or (b).'])).toEqual([
      ['Section 1', '1'],
      ['Section 1(a)', '1(a)'],
      ['(b)', '1(b)'],
    ]);
  });

  it('fault: a cross-reference field that Word did not bring up to date is believed', () => {
    const blocks = [
      plainBlock({ id: 'a', text: '1. Fees', number: '1' }),
      plainBlock({ id: 'b', text: '2. Law', number: '2' }),
      plainBlock({ id: 'c', text: '3. See Section 1.', number: '3' }),
    ];
    const document = structureDocument(
      rawOf(blocks, [{ span: { documentId: 'x', blockId: 'c', start: 15, end: 16 }, instruction: 'REF _Ref7 \\r \\h', targetBlockId: 'b' }]),
    );
    expect(document.references.map(({ targetId }) => targetId)).toEqual([document.clauses[1]?.id]);
  });

  it('resolves this Section, paragraph (c) above, articles in a list and exhibits in quotes', async () => {
    expect(
      await targetsOf([
        '# Article II',
        '2.1 Fee',
        '(c) All.',
        '(d) See paragraph (c) above and this Section.',
        '# Article III',
        '3.1 Articles II and III and Exhibit "A" apply.',
        '# Exhibit A',
      ]),
    ).toEqual([
      ['paragraph (c)', '2.1(c)'],
      ['this Section', '2.1'],
      ['Articles II', 'Article II'],
      ['III', 'Article III'],
      ['Exhibit "A"', 'Exhibit A'],
    ]);
  });
});

describe('exhibits', () => {
  it('fault: a list of exhibits is taken for the exhibits', async () => {
    const document = await parse(['1. Fees', '# Exhibit A', '# PRICE LIST', '1. Widget price', '# Exhibit B – Levels', 'Text.']);
    expect(document.exhibits.map(({ label, title }) => [label, title])).toEqual([
      ['Exhibit A', 'PRICE LIST'],
      ['Exhibit B', 'Levels'],
    ]);
    const named = await parse(['Exhibit A - Price List', 'Exhibit B - Levels', '1. Fees', '2. Term', 'See Exhibit A.']);
    expect(named.exhibits).toEqual([]);
  });
});
