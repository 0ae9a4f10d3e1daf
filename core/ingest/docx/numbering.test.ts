// The numbers of lists, rule by rule (ISO/IEC 29500-1, 17.9) and where Word decides what the standard leaves open.
import { describe, expect, it } from 'vitest';
import { Watch } from '../limits.ts';
import { formatNumber } from './formats.ts';
import { level, listed, makeDocx, p, run, type DocxParts } from './makeDocx.test-support.ts';
import { readDocx } from './readDocx.ts';

async function textsOf(parts: DocxParts): Promise<string[]> {
  return (await readDocx(makeDocx(parts), 'test.docx', new Watch({}))).blocks.map((block) => block.text);
}

const abstract = (id: number, levels: string): string => `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
const num = (id: number, definition: number, overrides = ''): string => `<w:num w:numId="${id}"><w:abstractNumId w:val="${definition}"/>${overrides}</w:num>`;
const start = (index: number, value: number): string => `<w:lvlOverride w:ilvl="${index}"><w:startOverride w:val="${value}"/></w:lvlOverride>`;
const every = (value: number): string => Array.from({ length: 9 }, (_unused, index) => start(index, value)).join('');
const style = (id: string, numbers: string, based = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${based === '' ? '' : `<w:basedOn w:val="${based}"/>`}<w:pPr>${numbers === '' ? '' : `<w:numPr>${numbers}</w:numPr>`}</w:pPr></w:style>`;
const styled = (text: string, id: string, numbers = ''): string => p(text, `<w:pStyle w:val="${id}"/>${numbers === '' ? '' : `<w:numPr>${numbers}</w:numPr>`}`);

const OUTLINE = level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2') + level(2, 'lowerLetter', '(%3)') + level(3, 'lowerRoman', '(%4)');
const VANISH = '<w:vanish/>';

describe('counting', () => {
  it('fault: a restarted list numbers from one again', async () => {
    const numbering = abstract(1, OUTLINE) + num(1, 1) + num(2, 1, every(1));
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1) + listed('c', 2) + listed('d', 2), numbering })).toEqual(['1. a', '2. b', '1. c', '2. d']);
  });

  it('goes on with the restarted count when the older list returns', async () => {
    const numbering = abstract(1, OUTLINE) + num(1, 1) + num(2, 1, every(1));
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1) + listed('c', 2) + listed('d', 1), numbering })).toEqual(['1. a', '2. b', '1. c', '2. d']);
  });

  it('fault: restarting a sub-list leaves the numbers above it alone', async () => {
    // Word writes overrides for all nine levels when a person restarts (a).
    const numbering = abstract(1, OUTLINE) + num(1, 1) + num(2, 1, every(1));
    const body = listed('a', 1) + listed('b', 1, 1) + listed('c', 1, 2) + listed('d', 2, 2) + listed('e', 2, 1) + listed('f', 2);
    expect(await textsOf({ body, numbering })).toEqual(['1. a', '1.1 b', '(a) c', '(a) d', '1.2 e', '2. f']);
  });

  it('starts deeper levels at the override of their instance each time', async () => {
    const numbering = abstract(1, OUTLINE) + num(1, 1, start(0, 3) + start(1, 5));
    const body = listed('a', 1) + listed('b', 1, 1) + listed('c', 1, 1) + listed('d', 1) + listed('e', 1, 1);
    expect(await textsOf({ body, numbering })).toEqual(['3. a', '3.5 b', '3.6 c', '4. d', '4.5 e']);
  });

  it('counts a skipped level as begun', async () => {
    const numbering = abstract(1, level(0, 'decimal', '%1') + level(1, 'decimal', '%1.%2') + level(2, 'decimal', '%1.%2.%3')) + num(1, 1);
    const body = listed('a', 1) + listed('b', 1, 2) + listed('c', 1, 1) + listed('d', 1, 2);
    expect(await textsOf({ body, numbering })).toEqual(['1 a', '1.1.1 b', '1.2 c', '1.2.1 d']);
  });

  it('restarts a level only after the level that lvlRestart names, or one above it', async () => {
    const levels = level(0, 'decimal', '%1') + level(1, 'decimal', '%1.%2') + level(2, 'lowerLetter', '(%3)', '<w:lvlRestart w:val="1"/>');
    const body = listed('a', 1) + listed('b', 1, 1) + listed('c', 1, 2) + listed('d', 1, 1) + listed('e', 1, 2) + listed('f', 1) + listed('g', 1, 2);
    expect(await textsOf({ body, numbering: abstract(1, levels) + num(1, 1) })).toEqual(['1 a', '1.1 b', '(a) c', '1.2 d', '(b) e', '2 f', '(a) g']);
  });

  it('uses the level that an instance defines for itself', async () => {
    const own = `<w:lvlOverride w:ilvl="0">${level(0, 'upperLetter', 'Part %1:')}</w:lvlOverride>`;
    const numbering = abstract(1, OUTLINE) + num(1, 1) + num(2, 1, own);
    expect(await textsOf({ body: listed('a', 1) + listed('b', 2), numbering })).toEqual(['1. a', 'Part B: b']);
  });

  it('keeps lists of different definitions apart and starts where w:start says', async () => {
    const from4 = '<w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>';
    const numbering = abstract(1, OUTLINE) + abstract(2, from4) + num(1, 1) + num(2, 2);
    expect(await textsOf({ body: listed('a', 1) + listed('b', 2) + listed('c', 1) + listed('d', 2), numbering })).toEqual(['1. a', '4. b', '2. c', '5. d']);
  });

  it('counts from 0 where a level says no start', async () => {
    const numbering = abstract(1, '<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>') + num(1, 1);
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1), numbering })).toEqual(['0. a', '1. b']);
  });

  it('fault: numbers in table cells go on with the list around the table', async () => {
    const cell = (content: string): string => `<w:tc>${content}</w:tc>`;
    const numbering = abstract(1, OUTLINE) + num(1, 1);
    const body = `${listed('a', 1)}<w:tbl><w:tr>${cell(listed('b', 1))}${cell(listed('c', 1))}</w:tr><w:tr>${cell(listed('', 1))}${cell(p('x'))}</w:tr></w:tbl>${listed('e', 1)}`;
    expect(await textsOf({ body, numbering })).toEqual(['1. a', '2. b', '3. c', '4.', 'x', '5. e']);
  });

  it('counts notes, text boxes and headers apart from the body', async () => {
    const numbering = abstract(1, OUTLINE) + num(1, 1);
    const box = `<w:r><w:pict><w:txbxContent>${listed('box', 1)}</w:txbxContent></w:pict></w:r>`;
    const body = listed('a', 1) + p(`${run('t')}${box}<w:r><w:footnoteReference w:id="2"/></w:r>`) + listed('b', 1);
    const footnotes = `<w:footnote w:id="2">${listed('note', 1)}</w:footnote>`;
    expect(await textsOf({ body, numbering, footnotes, header: listed('page', 1) })).toEqual(['1. a', 't', '1. box', '1. note', '2. b', '1. page']);
  });

  it('counts hidden paragraphs, by which Word itself skips numbers, and shows none of them', async () => {
    const numbering = abstract(1, OUTLINE) + num(1, 1);
    const hidden = p(run('skipped', VANISH), `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr>${VANISH}</w:rPr>`);
    const { blocks } = await readDocx(makeDocx({ body: listed('a', 1) + hidden + listed('c', 1), numbering }), 'x.docx', new Watch({}));
    expect(blocks.map((block) => [block.text, block.hidden])).toEqual([
      ['1. a', null],
      ['skipped', 'vanish'],
      ['3. c', null],
    ]);
  });

  it('fault: a run-in heading before a style separator keeps its number and its text on one line', async () => {
    const numbering = abstract(1, level(0, 'decimal', '%1.', '<w:pStyle w:val="H1"/>')) + num(1, 1);
    const styles = style('H1', '<w:numId w:val="1"/>') + style('Body', '');
    const lead = (text: string): string => p(run(text), `<w:pStyle w:val="H1"/><w:rPr>${VANISH}<w:specVanish/></w:rPr>`);
    const body = lead('Term.') + styled(' It ends.', 'Body') + lead('Law.') + styled(' It is German.', 'Body') + lead('Costs.') + styled('Fees.', 'H1');
    // A paragraph with a number of its own begins anew.
    expect(await textsOf({ body, numbering, styles })).toEqual(['1. Term. It ends.', '2. Law. It is German.', '3. Costs.', '4. Fees.']);
  });

  it('fault: a section break in a paragraph of its own uses up no number', async () => {
    const numbering = abstract(1, OUTLINE) + num(1, 1);
    const LIST = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    const bare = `<w:p><w:pPr>${LIST}<w:sectPr/></w:pPr></w:p>`;
    expect(await textsOf({ body: bare + listed('a', 1) + p('b', `${LIST}<w:sectPr/>`) + listed('c', 1), numbering })).toEqual(['1. a', '2. b', '3. c']);
  });

  it('hides a number that is set in hidden text, and counts it', async () => {
    const hiddenNumber = `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:rPr>${VANISH}</w:rPr></w:lvl>`;
    const numbering = abstract(1, hiddenNumber + level(1, 'decimal', '%1.%2')) + num(1, 1);
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1, 1), numbering })).toEqual(['a', '1.1 b']);
  });

  it('restarts after a section break where the definition says so', async () => {
    const definition = (id: number, flag: string): string =>
      `<w:abstractNum w:abstractNumId="${id}" w15:restartNumberingAfterBreak="${flag}">${OUTLINE}</w:abstractNum>`;
    const numbering = definition(1, '1') + definition(2, '0') + num(1, 1) + num(2, 2);
    const body = listed('a', 1) + listed('b', 2) + p('end', '<w:sectPr/>') + listed('c', 1) + listed('d', 2);
    expect(await textsOf({ body, numbering })).toEqual(['1. a', '1. b', 'end', '1. c', '2. d']);
  });
});

describe('lists of styles', () => {
  const NUMBERING = abstract(1, level(0, 'decimal', '%1.', '<w:pStyle w:val="H1"/>') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>')) + num(1, 1);

  it('takes the level that names the style, whatever its ilvl says', async () => {
    const styles = style('H1', '<w:numId w:val="1"/>') + style('H2', '<w:ilvl w:val="5"/><w:numId w:val="1"/>');
    expect(await textsOf({ body: styled('a', 'H1') + styled('b', 'H2'), numbering: NUMBERING, styles })).toEqual(['1. a', '1.1 b']);
  });

  it('inherits list and level, and loses both by numId 0 in a style or a paragraph', async () => {
    const styles =
      style('H1', '<w:numId w:val="1"/>') +
      style('Derived', '', 'H1') +
      style('Plain', '<w:numId w:val="0"/>', 'H1') +
      style('Again', '<w:numId w:val="1"/>', 'Plain');
    const body = styled('a', 'H1') + styled('b', 'Derived') + styled('c', 'Plain') + styled('d', 'H1', '<w:numId w:val="0"/>') + styled('e', 'Again');
    expect(await textsOf({ body, numbering: NUMBERING, styles })).toEqual(['1. a', '2. b', 'c', 'd', '3. e']);
  });

  it('inherits the level where a style names another list and no level', async () => {
    const numbering = NUMBERING + abstract(2, OUTLINE) + num(2, 2);
    const styles =
      style('H1', '<w:numId w:val="1"/>') + style('H2', '<w:ilvl w:val="1"/><w:numId w:val="1"/>', 'H1') + style('Other', '<w:numId w:val="2"/>', 'H2');
    expect(await textsOf({ body: styled('a', 'H1') + styled('b', 'H2') + styled('c', 'Other'), numbering, styles })).toEqual(['1. a', '1.1 b', '1.1 c']);
  });

  it('lets a paragraph choose another level of its style list', async () => {
    const styles = style('H1', '<w:numId w:val="1"/>');
    expect(await textsOf({ body: styled('a', 'H1') + styled('b', 'H1', '<w:ilvl w:val="1"/>'), numbering: NUMBERING, styles })).toEqual(['1. a', '1.1 b']);
  });

  it('follows a list style to the definition that declares it', async () => {
    const numbering =
      `<w:abstractNum w:abstractNumId="3"><w:numStyleLink w:val="Legal"/></w:abstractNum><w:abstractNum w:abstractNumId="4"><w:styleLink w:val="Legal"/>${OUTLINE}</w:abstractNum>` +
      num(7, 3) +
      num(8, 4);
    expect(await textsOf({ body: listed('a', 7) + listed('b', 7, 1), numbering })).toEqual(['1. a', '1.1 b']);
  });
});

describe('fields that number', () => {
  const field = (instruction: string): string =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;

  it('fault: LISTNUM fields, whose result no file stores, show their number', async () => {
    const body = p(`${run('Pay ')}${field('LISTNUM')}${run(' now, ')}${field('LISTNUM')}${run(' later.')}`);
    expect(await textsOf({ body })).toEqual(['Pay 1) now, 2) later.']);
  });

  it('counts LISTNUM one level below the number of its paragraph, or in the list it names', async () => {
    const numbering = `<w:abstractNum w:abstractNumId="1"><w:name w:val="Claims"/>${OUTLINE}</w:abstractNum>${num(1, 1)}`;
    const numbered = p(`${run('x ')}${field('LISTNUM')}`, '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>');
    expect(await textsOf({ body: numbered + p(field('LISTNUM Claims \\l 1 \\s 4')), numbering })).toEqual(['1.1 x (a)', '4.']);
  });

  it('numbers AUTONUM, AUTONUMLGL and SEQ', async () => {
    const heading = (text: string, depth: number): string => p(text, `<w:outlineLvl w:val="${depth}"/>`);
    expect(await textsOf({ body: p(field('AUTONUM')) + p(field('AUTONUM')) + p(field('SEQ Figure \\* ROMAN')) + heading(field('AUTONUMLGL'), 0) })).toEqual([
      '1.',
      '2.',
      'I',
      '1.',
    ]);
  });
});

describe('formats', () => {
  it.each([
    [27, 'lowerLetter', 'aa'],
    [53, 'upperLetter', 'AAA'],
    [28, 'lowerLetter', 'bb'],
    [4, 'upperRoman', 'IV'],
    [1994, 'lowerRoman', 'mcmxciv'],
    [9, 'decimalZero', '09'],
    [112, 'decimalZero', '112'],
    [12, 'ordinal', '12th'],
    [23, 'ordinal', '23rd'],
    [21, 'cardinalText', 'Twenty-one'],
    [1105, 'cardinalText', 'One thousand one hundred five'],
    [30, 'ordinalText', 'Thirtieth'],
    [112, 'ordinalText', 'One hundred twelfth'],
    [20, 'decimalEnclosedCircle', '⑳'],
    [11, 'chineseCounting', '十一'],
    [101, 'chineseCounting', '一○一'],
    [110, 'chineseCountingThousand', '一百一十'],
    [105, 'chineseCountingThousand', '一百零五'],
    [1005, 'chineseCountingThousand', '一千零五'],
    [12, 'chineseLegalSimplified', '壹拾贰'],
    [12, 'ideographDigital', '一二'],
    [111, 'japaneseCounting', '百十一'],
    [3, 'ideographTraditional', '丙'],
    [12, 'ideographZodiac', '亥'],
    [5, 'chicago', '**'],
    [7, 'none', ''],
    [7, 'formatOfTheFuture', '7'],
  ])('writes %i as %s: %s', (value, format, shown) => {
    expect(formatNumber(value, format)).toBe(shown);
  });

  it('pads numbers of a custom format', () => {
    expect(formatNumber(7, 'custom', '0001, 0002, 0003, ...')).toBe('0007');
  });

  it('leaves out a level without numbers together with the sign behind it', async () => {
    const levels = level(0, 'none', '') + level(1, 'decimal', '%1.%2') + level(2, 'decimal', '%1.%2.%3');
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1, 1) + listed('c', 1, 2), numbering: abstract(1, levels) + num(1, 1) })).toEqual([
      'a',
      '1 b',
      '1.1 c',
    ]);
  });

  it('shows every level in digits under isLgl and an absent level not at all', async () => {
    const levels = level(0, 'upperRoman', 'Article %1') + level(1, 'none', '') + level(2, 'decimal', '%1.%3', '<w:isLgl/>') + level(3, 'decimal', '%2%4)');
    expect(await textsOf({ body: listed('a', 1) + listed('b', 1, 2) + listed('c', 1, 3), numbering: abstract(1, levels) + num(1, 1) })).toEqual([
      'Article I a',
      '1.1 b',
      '1) c',
    ]);
  });
});
