// Faults that people report of programs that compare contracts, each as a small case.
import { describe, expect, it } from 'vitest';
import type { Change, Comparison } from '../contract/comparison.ts';
import type { Document } from '../contract/document.ts';
import { compareDocuments } from './compare.ts';
import { makeDocument } from './makeDocument.test-support.ts';

type Options = Parameters<typeof makeDocument>[1];

function compare(before: string, after: string, left: Options = {}, right: Options = {}): Comparison {
  return compareDocuments(makeDocument(before, { id: 'aaa', ...left }), makeDocument(after, { id: 'bbb', ...right }));
}
const shown = (change: Change): string =>
  change.diff.map((part) => (part.op === 'equal' ? part.text : part.op === 'insert' ? `{+${part.text}+}` : `[-${part.text}-]`)).join('');
const marks = (change: Change): string =>
  shown(change)
    .match(/[{[][+-].*?[+-][}\]]/g)
    ?.join('') ?? '';
const told = ({ changes }: Comparison): string[] => changes.map((change) => `${change.kind} ${change.before?.path ?? '-'}>${change.after?.path ?? '-'}`);

const CLAUSES = [
  'Delivery. The Seller delivers the Goods to the port of Rotterdam on the agreed day of each month.',
  'Payment. The Buyer pays the price within thirty days after receipt of a proper invoice.',
  'Warranty. The Seller warrants that the Goods are free from defects in material and workmanship.',
  'Liability. The total liability of the Seller is limited to the price of the Goods that caused the loss.',
  'Force Majeure. Neither party is liable for delay that is caused by events beyond its reasonable control.',
  'Notices. Notices are given in writing and take effect when they arrive at the address in the order.',
];
const number = (clauses: readonly string[]): string => clauses.map((text, at) => `${at + 1}. ${text}`).join('\n');

describe('moves and numbers', () => {
  it('fault: a moved clause is told as one deleted and one inserted', () => {
    const result = compare(number(CLAUSES), number([...CLAUSES.slice(1), CLAUSES[0]!]));
    expect(result.changes.filter(({ kind }) => kind !== 'renumbered').map(({ kind }) => kind)).toEqual(['moved']);
  });
  it('fault: a clause put in at the top makes a change of every clause below', () => {
    const result = compare(number(CLAUSES), number(['Definitions. Words with capital letters have the meaning given to them in the order form.', ...CLAUSES]));
    expect(result.changes.filter(({ kind }) => kind !== 'renumbered').map(({ kind }) => kind)).toEqual(['inserted']);
    expect(result.groups.map(({ kind, places }) => [kind, places])).toEqual([['renumbering', 6]]);
  });
  it('fault: an article that moved is told sub-clause by sub-clause', () => {
    const article = (n: number): string =>
      `${n}. Audit\n${n}.1 Books. The Seller keeps true and complete books of all deliveries.\n${n}.2 Access. The Buyer may inspect the books once in each calendar year.`;
    const rest = (from: number): string => CLAUSES.map((text, at) => `${from + at}. ${text}`).join('\n');
    const result = compare(`${article(1)}\n${rest(2)}`, `${rest(1)}\n${article(7)}`);
    expect(result.changes.filter(({ kind }) => kind.startsWith('moved')).map(({ before, after }) => [before!.path, after!.path])).toEqual([['1', '7']]);
  });
  it('fault: an edit inside a moved article is lost in the move', () => {
    const article = (n: number, times: string): string =>
      `${n}. Audit\n${n}.1 Books. The Seller keeps true and complete books of all deliveries.\n${n}.2 Access. The Buyer may inspect the books ${times} in each calendar year.`;
    const rest = (from: number): string => CLAUSES.map((text, at) => `${from + at}. ${text}`).join('\n');
    const result = compare(`${article(1, 'once')}\n${rest(2)}`, `${rest(1)}\n${article(7, 'twice')}`);
    expect(told(result).filter((line) => !line.startsWith('renumbered'))).toEqual(['moved 1>7', 'changed 1.2>7.2']);
    expect(marks(result.changes.find(({ kind }) => kind === 'changed')!)).toBe('[- once-]{+ twice+}');
  });
  it('fault: a clause cut in two is told as deleted and twice inserted', () => {
    const [first, second] = [
      'Term. This Agreement starts on the date of the last signature and runs for one year.',
      'It renews for one more year unless a party objects thirty days before its end.',
    ];
    const result = compare(`1. ${first} ${second}\n2. ${CLAUSES[1]}`, `1. ${first}\n2. ${second}\n3. ${CLAUSES[1]}`);
    expect(told(result)).toEqual(['split 1>2', 'renumbered 2>3']);
  });
  it('fault: of two clauses made one the longer is said to live on, though the number and heading are those of the first', () => {
    const [short, long] = ['Fees. The Client pays all fees stated in the order form on time.', `${CLAUSES[4]} ${CLAUSES[5]}`];
    const result = compare(`1. ${CLAUSES[0]}\n2. ${short}\n3. ${long}`, `1. ${CLAUSES[0]}\n2. ${short} ${long}`);
    expect(told(result)).toEqual(['merged 3>2']);
  });
  it('fault: references that follow new numbers bury the real changes', () => {
    const end = (n: number): string => `Survival. Section ${n} survives. Claims under Section ${n} lapse after one year.`;
    const result = compare(number([...CLAUSES, end(3)]), number([CLAUSES[0]!, ...CLAUSES.slice(2), end(2)]));
    const group = result.groups.find(({ kind }) => kind === 'references')!;
    expect([group.places, group.severity]).toEqual([2, 'low']);
    expect(told(result).filter((line) => !line.startsWith('renumbered'))).toEqual(['deleted 2>-', 'changed 7>6']);
  });
  it('fault: a reference that now points at another clause hides among those that follow', () => {
    const end = (n: number): string => `Survival. Section ${n} survives the end of this agreement for ever.`;
    const result = compare(number([...CLAUSES, end(3)]), number([CLAUSES[0]!, ...CLAUSES.slice(2), end(4)]));
    const change = result.changes.find(({ kind }) => kind === 'changed')!;
    expect([change.groupId, change.topics, change.severity]).toEqual([null, ['crossReference'], 'medium']);
  });
  it('fault: one of many equal paragraphs is said to have moved', () => {
    const reserved = Array.from({ length: 40 }, () => '[Reserved]');
    const result = compare(number([...reserved, CLAUSES[0]!]), number([...reserved.slice(1), CLAUSES[0]!]));
    expect(result.changes.filter(({ kind }) => kind !== 'renumbered').map(({ kind }) => kind)).toEqual(['deleted']);
  });
});

describe('names', () => {
  const contract = (buyer: string): string => number(CLAUSES.map((text) => `${text} The ${buyer} is told of it, and the ${buyer}'s consent is needed.`));
  it('fault: a party that got another name is as many changes as it has mentions', () => {
    const result = compare(contract('Customer'), contract('Client'));
    expect(result.groups.map(({ kind, before, after, places }) => [kind, before, after, places])).toEqual([['rename', 'Customer', 'Client', 12]]);
    expect(result.changes.every(({ groupId }) => groupId === result.groups[0]!.id)).toBe(true);
  });
  it('fault: a real edit beside a new name is told as the name', () => {
    const result = compare(contract('Customer'), contract('Client').replace('thirty days', 'ninety days'));
    const alone = result.changes.filter(({ groupId }) => groupId === null);
    expect(alone.map(({ topics, severity }) => [topics, severity])).toEqual([[['period'], 'high']]);
    expect(alone[0]!.reason).toContain('“thirty” became “ninety”');
  });
  it('fault: shall made may in several clauses is put aside as a wording', () => {
    const duty = (verb: string): string => number(CLAUSES.map((text) => `${text} The Seller ${verb} report it.`));
    const result = compare(duty('shall'), duty('may'));
    expect(result.groups).toEqual([]);
    expect(result.changes.every(({ severity }) => severity === 'high')).toBe(true);
  });
});

describe('tables', () => {
  const prices = (rows: readonly string[]): string =>
    `1. Prices. The prices are those of this table.\n| Item | Unit | Price |\n${rows.map((row) => `| ${row} |`).join('\n')}\n2. ${CLAUSES[1]}`;
  const ROWS = ['Hosting | month | $1,000', 'Support | month | $250', 'Training | day | $1,500'];
  it('fault: a row put into a table shifts all rows below', () => {
    const result = compare(prices(ROWS), prices([ROWS[0]!, 'Escrow | year | $4,000', ...ROWS.slice(1)]));
    expect(result.changes.map(({ kind, after }) => [kind, after!.text])).toEqual([['inserted', 'Escrow | year | $4,000']]);
  });
  it('fault: a price changed in one cell, and the row around it is lost', () => {
    const result = compare(prices(ROWS), prices([ROWS[0]!, 'Support | month | $350', ROWS[2]!]));
    expect(result.changes.map(shown)).toEqual(['Support | month | $[-250-]{+350+}']);
    expect(result.changes[0]).toMatchObject({ topics: ['amount'], severity: 'high' });
  });
});

describe('noise', () => {
  it('fault: quotes, dashes, blanks, spaces that do not break and soft hyphens are reported', () => {
    const plain = '1. Fees. The Client pays the "Fees" - in full - to the non-resident, signed ______.';
    const fancy = '1. Fees. The Client pays the “Fees” – in\u00a0full – to the non\u2011resi\u00addent, signed __________.';
    expect(compare(plain, fancy).changes).toEqual([]);
  });
  it('fault: a paragraph broken at the end of a page is a change', () => {
    const [head, tail] = ['Payment. The Buyer pays the price within thirty days after receipt', 'of a proper invoice to the account named in the order form.'];
    expect(compare(`1. ${head} ${tail}\n2. ${CLAUSES[2]}`, `1. ${head}\n${tail}\n2. ${CLAUSES[2]}`).changes).toEqual([]);
  });
  it('fault: words that nobody sees are compared', () => {
    const document = makeDocument(`1. ${CLAUSES[0]}\nDRAFT 3 of the buyer`, { id: 'bbb' });
    const blocks = document.blocks.map((block) => (block.text.startsWith('DRAFT') ? { ...block, hidden: 'white' as const } : block));
    expect(compareDocuments(makeDocument(`1. ${CLAUSES[0]}`, { id: 'aaa' }), { ...document, blocks }).changes).toEqual([]);
  });
  it('fault: every misread letter of a scan is a change', () => {
    const scan = '1. Indernnity. The Cornpany sha1l indernnify the Buyer aga inst all clairns up to $500,000.\n| ;';
    const result = compare(
      '1. Indemnity. The Company shall indemnify the Buyer against all claims up to $500,000.',
      scan,
      { kind: 'docx' },
      { kind: 'pdf', source: 'ocr' },
    );
    expect(result.changes).toEqual([]);
    expect(result.notes).toHaveLength(1);
    expect(result.notes[0]).toContain('only as a scan is misread');
  });
  it('fault: an amount that really differs is put down to the scan', () => {
    const scan = '1. Indernnity. The Company shall indemnify the Buyer against all claims up to $600,000 and not rnore.';
    const result = compare(
      '1. Indemnity. The Company shall indemnify the Buyer against all claims up to $500,000 and not more.',
      scan,
      {},
      { kind: 'pdf', source: 'ocr' },
    );
    expect(result.changes.map(({ topics, severity }) => [topics, severity])).toEqual([[['amount'], 'high']]);
  });
  it('fault: a digital document is forgiven what only a scan may do', () => {
    expect(compare('1. Rule. The modern rule binds all.', '1. Rule. The modem rule binds all.').changes).toHaveLength(1);
  });
});

describe('Chinese contracts', () => {
  const CHINESE = (party: string, sum: string, duty: string): Document['name'] =>
    `第一条 付款。${party}应当在收到发票后三十日内向卖方支付人民币${sum}万元。\n第二条 保密。${party}${duty}向任何第三方披露本合同的内容。\n第三条 违约。${party}违反本合同的，应当承担违约责任并赔偿损失。\n第四条 通知。${party}的通知以书面形式送达对方。`;
  const zh = (before: string, after: string): Comparison => compare(before, after, { language: 'zh' }, { language: 'zh' });
  it('fault: a Chinese amount changes without a word about money', () => {
    const { changes } = zh(CHINESE('甲方', '五十', '不得'), CHINESE('甲方', '八十', '不得'));
    expect(changes.map(({ before, topics, severity }) => [before!.path, topics, severity])).toEqual([['第一条', ['amount'], 'high']]);
  });
  it('fault: a Chinese prohibition that became a permission is a wording', () => {
    const { changes } = zh(CHINESE('甲方', '五十', '不得'), CHINESE('甲方', '五十', '可以'));
    expect(changes.map(({ topics, severity }) => [topics.includes('negation') || topics.includes('modal'), severity])).toEqual([[true, 'high']]);
  });
  it('fault: a Chinese party renamed is told at every mention', () => {
    const result = zh(CHINESE('甲方', '五十', '不得'), CHINESE('买方', '五十', '不得'));
    expect(result.groups.map(({ kind, places }) => [kind, places])).toEqual([['rename', 4]]);
  });
});
