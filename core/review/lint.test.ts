// Each rule of the linter on the smallest document that breaks it, and beside it what looks alike and is right.
import { describe, expect, it } from 'vitest';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import { FindingSchema } from '../contract/review.ts';
import { parse } from '../structure/structure.test-support.ts';
import { lintDocument } from './lint.ts';

const FRAME =
  'This agreement is between Acme (“Provider”) and Beta (“Customer”). “Fees” means all sums due.\n1. Scope. Provider serves Customer for the Fees.\n2. Two. See Section 1 for the scope.\n3. Three. As in Section 2.\n4. Four. Nothing here.\n5. Five. Nothing here.';
const lint = (text: string, rule?: string): string[] =>
  lintDocument(makeDocument(text))
    .filter((finding) => rule === undefined || finding.rule === rule)
    .map(({ quote, span, message }) => message.slice(0, 80) + ` | ${quote.slice(0, 0)}${span.start}-${span.end}`);
const count = (text: string, rule: string): number => lint(text, rule).length;

describe('linter', () => {
  it('finds nothing in a clean document', () => {
    expect(lint(FRAME)).toEqual([]);
  });
  it('gives findings that fit the contract, in order, with the text of their span', () => {
    const document = makeDocument(`${FRAME}\n6. Pay. Pay thirty (60) days after [COMPANY NAME] says so, see Section 19.`);
    const findings = lintDocument(document);
    expect(findings.map(({ rule }) => rule)).toEqual(['amount-mismatch', 'placeholder', 'broken-reference']);
    for (const finding of findings) expect(FindingSchema.safeParse(finding).success).toBe(true);
    const texts = findings.map(({ span }) => document.blocks.find(({ id }) => id === span.blockId)!.text.slice(span.start, span.end));
    expect(texts).toEqual(['thirty (60)', '[COMPANY NAME]', 'Section 19']);
    expect(findings[0]!.path).toBe('6');
  });
});

describe('amount-mismatch', () => {
  it.each([
    ['thirty (60) days', 1],
    ['thirty (30) days', 0],
    ['five thousand dollars ($50,000)', 1],
    ['five thousand dollars ($5,000.00)', 0],
    ['one hundred and twenty-five thousand (125,000)', 0],
    ['ninety-nine percent (99%)', 0],
    ['ninety-nine and one half percent (99.5%)', 0],
    ['One Thousand Dollars and 50/100 ($1,000.50)', 0],
    ['two million five hundred thousand (2,500,000)', 0],
    ['one (1) or two (3)', 1],
    ['人民币壹万贰仟元整（¥12,000）', 0],
    ['人民币壹万元整（¥20,000）', 1],
  ])('in %j finds %d', (text, expected) => {
    expect(count(`${FRAME}\n6. Six. The term is ${text} here.`, 'amount-mismatch')).toBe(expected);
  });
});

describe('placeholder', () => {
  it.each([
    ['[COMPANY NAME]', 1],
    ['[●]', 1],
    ['[_____]', 1],
    ['$____', 1],
    ['{{customer}}', 1],
    ['[insert date]', 1],
    ['【  】', 1],
    ['[State of Incorporation]', 1],
    ['a ________ b and more words', 1],
    ['[***]', 0],
    ['[…***…]', 0],
    ['[Reserved]', 0],
    ['[link](https://example.org)', 0],
    ['[ ] yes', 0],
    ['TBD', 1],
  ])('in %j finds %d', (text, expected) => {
    expect(count(`${FRAME}\n6. Six. The words are ${text} in this text.`, 'placeholder')).toBe(expected);
  });
  it('leaves signature lines alone', () => {
    expect(count(`${FRAME}\nBy: ______________ Name: ______________ Title: ______________\nDate: ____________`, 'placeholder')).toBe(0);
  });
});

describe('references', () => {
  it.each([
    ['See Section 19 for it.', 1],
    ['See Section 2 for it.', 0],
    ['See Section 19 of the Master Agreement for it.', 0],
    ['See Section 365 for it.', 0],
    ['See Section 19 of the Bankruptcy Code.', 0],
    ['See Clause 19 for it.', 0],
    ['See Section 19 of this agreement.', 1],
    ['This Section 19 holds.', 0],
    ['Read Section 19: Peace then.', 0],
  ])('in %j finds %d broken references', (text, expected) => {
    expect(count(`${FRAME}\n6. Six. ${text}`, 'broken-reference')).toBe(expected);
  });
  it('misses an exhibit once, and not when it is there or belongs elsewhere', () => {
    expect(count(`${FRAME}\n6. Six. See Exhibit A and again Exhibit A.`, 'missing-exhibit')).toBe(1);
    expect(count(`${FRAME}\n6. Six. See Exhibit A for this.\nExhibit A: Prices`, 'missing-exhibit')).toBe(0);
    expect(count(`${FRAME}\n6. Six. See Annex A of the Master Agreement.`, 'missing-exhibit')).toBe(0);
  });
  it('finds a gap and a double, not a jump nor an excerpt', () => {
    expect(count('1. One. Text.\n2. Two. Text.\n4. Four. Text.\n5. Five. Text.', 'numbering-gap')).toBe(1);
    expect(count('1. One. Text.\n2. Two. Text.\n2. Two. Text.\n3. Three. Text.', 'numbering-duplicate')).toBe(1);
    expect(count('1. One. Text.\n2. Two. Text.\n2. Two. Text.\n4. Four. Text.\n5. Five.', 'numbering-gap')).toBe(0);
    expect(count('1. One. Text.\n2. Two. Text.\n9. Nine. Text.', 'numbering-gap')).toBe(0);
    expect(count('7. Seven. Text.\n9. Nine. Text.\n10. Ten. Text.', 'numbering-gap')).toBe(0);
    expect(count('1. One. Text.\n(a) first item.\n(b) second item.\n(d) fourth item.', 'numbering-gap')).toBe(1);
  });
});

describe('defined terms', () => {
  it('finds a term that is used but not defined, if it is used twice', () => {
    const once = `${FRAME}\n6. Six. The parties keep the Confidential Information secret.`;
    expect(count(once, 'undefined-term')).toBe(0);
    expect(count(`${once}\n7. Seven. They return the Confidential Information.`, 'undefined-term')).toBe(1);
    expect(count(`${once}\n7. Seven. They return the Confidential Information.\n8. Eight. “Confidential Information” means secrets.`, 'undefined-term')).toBe(
      0,
    );
    expect(
      count(
        `${once}\n7. Seven. They return the Confidential Information.\n8. Eight. Capitalised terms not defined here have the meanings given in the Master Agreement.`,
        'undefined-term',
      ),
    ).toBe(0);
  });
  it('finds a definition without use, counting plurals', () => {
    expect(count(`${FRAME}\n6. Six. “Report” means a paper.`, 'unused-definition')).toBe(1);
    expect(count(`${FRAME}\n6. Six. “Report” means a paper. Provider sends Reports.`, 'unused-definition')).toBe(0);
    expect(count(`${FRAME}\n6. Six. “Subsidiary” means a company. All Subsidiaries agree.`, 'unused-definition')).toBe(0);
  });
  it('finds a second definition, not a pointer to the first', () => {
    expect(count(`${FRAME}\n6. Six. “Fees” means other sums.`, 'duplicate-definition')).toBe(1);
    expect(count(`${FRAME}\n6. Six. “Fees” shall mean other sums. The Fees are due.`, 'duplicate-definition')).toBe(1);
    expect(count(`${FRAME}\n6. Six. “Fees” includes taxes.`, 'duplicate-definition')).toBe(0);
  });
});

describe('numbers of lists', () => {
  it.each([
    ['(i) first.\n(ii) second.\n(iii) third.\n(v) fifth.', ['(iv) left out']],
    ['(i) first.\n(ii) second.\n(iii) third.\n(iv) fourth.\n(v) fifth.', []],
    ['(a) first.\n(b) second.\n(c) third.\n(d) fourth.\n(f) sixth.', ['(e) left out']],
    ['(g) first.\n(h) second.\n(i) third.\n(j) fourth.', []],
  ])('fault: in the list %j roman numerals and letters are told apart', (list, missing) => {
    const found = lintDocument(makeDocument(`1. One. Text.\n${list}`)).filter(({ rule }) => rule === 'numbering-gap');
    expect(found.map(({ message }) => /\([ivx]+\) left out|\([a-z]\) left out/.exec(message)?.[0])).toEqual(missing);
  });
  it('fault: the plural of an appendix names each of its list', async () => {
    const named = async (list: string): Promise<number> => {
      const document = await parse([
        ...FRAME.split('\n'),
        `6. Six. Prices stand in ${list}.`,
        'Appendix A',
        'Prices are low.',
        'Appendix B',
        'Places are far.',
      ]);
      return lintDocument(document).filter(({ rule }) => rule === 'unreferenced-exhibit').length;
    };
    expect(await Promise.all(['Appendices A and B', 'Appendixes A, B', 'Appendix A to this paper', 'no other place'].map(named))).toEqual([0, 0, 1, 2]);
  });
});

describe('faults that a word elsewhere hid', () => {
  const term = `${FRAME}\n6. Six. The parties keep the Confidential Information secret.\n7. Seven. They return the Confidential Information.`;
  it.each([
    ['The parties know the ISDA and its Cover Page.', 1],
    ['Terms have the meanings given on the Cover Page.', 0],
    ['The ISDA Definitions apply.', 0],
  ])('fault: %j sends definitions elsewhere or not', (sentence, expected) => {
    expect(count(`${term}\n8. Eight. ${sentence}`, 'undefined-term')).toBe(expected);
  });
  it('fault: names of two like words are no slip, small words are', () => {
    expect(count(`${FRAME}\n6. Six. The office is in Walla Walla and in Pago Pago today.`, 'repeated-word')).toBe(0);
    expect(count(`${FRAME}\n6. Six. The fee is due per per annum, as as agreed.`, 'repeated-word')).toBe(2);
  });
  it('fault: many references that lead nowhere and many open brackets cost no time', () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index + 6}. Part. As in Section 98.1 and Section 98.2 here.`);
    const before = process.cpuUsage().user;
    lintDocument(makeDocument([FRAME, ...lines, '([“'.repeat(10_000) + ')]”'.repeat(3_000)].join('\n')));
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
  });
});
