// Slips of the pen in running text: a word that stands twice, a bracket or a quotation mark that is left open.
//
// Rule: text that a reader of files cut into blocks is judged with its neighbours: what opens in one paragraph may close in the next.
import type { Block } from '../contract/document.ts';
import type { Draft, Rule } from './context.ts';

/** Words that stand twice in good sentences, and blanks to fill in. Names ("Walla Walla") need no list: their second word has its capital too. */
const MAY_REPEAT = new Set('that had is who whom so very no yes do did now long half xx xxx'.split(' '));
const HAN_TWICE = /(?<word>应当|不得|以及|或者|并且|如果|因为|对于|关于|双方|本合同|乙方|甲方|的|和|与|在)\k<word>/gu;
const HAN_TWICE_PLAIN = new RegExp(HAN_TWICE.source, 'u');
/** Words whose own end is the character that follows: 目的的, 标的的, 正在在建. */
const HAN_WORD = /(?:目|标|有)$|(?:正|现|存|所|潜|实)$/u;

export const repeatedWords: Rule = (context) => [
  ...context.words.twins().flatMap(({ block, start, end }): Draft[] => {
    const [, word, gap, second] = /^(\p{L}{2,})(\s{1,2})(\p{L}+)$/u.exec(block.text.slice(start, end)) ?? [];
    if (word === undefined || gap === undefined || second === undefined || !isRunning(block)) return [];
    // "Name Name" are columns of a table; a slip repeats a word of the sentence, in small letters the second time.
    if (
      word.slice(1) !== second.slice(1) ||
      word.toLowerCase() !== second ||
      MAY_REPEAT.has(second) ||
      /[&/.-]/.test(block.text.charAt(start - 1)) ||
      /[&/]/.test(block.text.charAt(end))
    )
      return [];
    return [twice(block, start, end, word)];
  }),
  ...context.blocks
    .filter((block) => HAN_TWICE_PLAIN.test(block.text) && isRunning(block))
    .flatMap((block) =>
      [...block.text.matchAll(HAN_TWICE)].flatMap((match): Draft[] => {
        const [before, end] = [block.text.slice(Math.max(0, match.index - 1), match.index), match.index + match[0].length];
        return HAN_WORD.test(before) || /[确人话]/.test(block.text.charAt(end)) ? [] : [twice(block, match.index, end, match.groups!['word']!)];
      }),
    ),
];

const twice = (block: Block, start: number, end: number, word: string): Draft => ({
  rule: 'repeated-word',
  severity: 'info',
  message: `“${word}” stands twice.`,
  blockId: block.id,
  start,
  end,
  fix: word,
});

const isRunning = (block: Block): boolean => block.kind !== 'tableCell' && block.kind !== 'signature' && block.kind !== 'formField' && block.text.length > 20;

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '（': '）', '[': ']', '【': '】', '“': '”', '《': '》' };
const CLOSERS = new Map(Object.entries(PAIRS).map(([open, close]) => [close, open]));
const SIGNS = /[()（）[\]【】“”《》]/g;
/** "(a)" has both; "a)" and "1)" at a start or after a separator have one. */
const ENUMERATOR = /(?:^|[\s,;:(（])(?:\p{L}|[ivx]{1,4}|[IVX]{1,4}|\d{1,3}|[一二三四五六七八九十]{1,3})$/u;

interface Open {
  readonly sign: string;
  readonly block: number;
  readonly at: number;
}

export const unbalancedMarks: Rule = (context) => {
  const loose = context.blocks.map((block, index) => (isRunning(block) ? looseIn(block, index) : []));
  return loose.flatMap((signs, index): Draft[] =>
    signs.flatMap((sign): Draft[] => {
      const block = context.blocks[index]!;
      if (signs.length > MOST_LOOSE) return [];
      // Its partner may stand in a block before or after it: lists and page breaks cut sentences.
      const partner = PAIRS[sign.sign] ?? CLOSERS.get(sign.sign)!;
      // A sentence that ends has its partner near, an open list may be long.
      const reach = /[.。]["”’)]?\s*$/.test(block.text) ? REACH_OF_SENTENCE : REACH_OF_LIST;
      const near = PAIRS[sign.sign] ? loose.slice(index + 1, index + reach) : loose.slice(Math.max(0, index - REACH_OF_LIST + 1), index);
      // A block that breaks off in its sentence goes on somewhere else; a straight quotation mark may be the partner of a curly one.
      const cut = PAIRS[sign.sign] !== undefined && !/[.;:!?。；：！？)”"’\]]\s*$/.test(block.text);
      const straight = /[“”]/.test(sign.sign) && block.text.includes('"');
      const form = /\b(?:STATE|COUNTY)\s+OF\b/.test(block.text);
      if (cut || straight || form || near.flat().some((other) => other.sign === partner || other.sign === sign.sign)) return [];
      const opens = PAIRS[sign.sign] !== undefined;
      return [
        {
          rule: 'unbalanced-mark',
          severity: 'info',
          message: opens ? `“${sign.sign}” is opened here and not closed.` : `“${sign.sign}” closes something here that was not opened.`,
          blockId: block.id,
          start: sign.at,
          end: sign.at + 1,
        },
      ];
    }),
  );
};

/** Blocks in which the partner of a mark is looked for. */
const REACH_OF_LIST = 12;
const REACH_OF_SENTENCE = 3;
/** More loose marks than this in one block are its style or its reader's fault, not slips. */
const MOST_LOOSE = 2;

/** Marks nest a few deep; what was opened further out than this is not the partner. */
const DEEPEST = 50;

/** Marks of a block without a partner in it. */
function looseIn({ text }: Block, block: number): Open[] {
  const open: Open[] = [];
  const loose: Open[] = [];
  for (const match of text.matchAll(SIGNS)) {
    const [sign] = match;
    const at = match.index;
    if (PAIRS[sign]) {
      open.push({ sign, block, at });
      continue;
    }
    const opener = CLOSERS.get(sign);
    if (opener === undefined) continue;
    const last = open.slice(-DEEPEST).findLastIndex((entry) => entry.sign === opener) + Math.max(0, open.length - DEEPEST);
    if (open[last]?.sign === opener) {
      loose.push(...open.splice(last).slice(1));
      continue;
    }
    const enumerates = (sign === ')' || sign === '）') && ENUMERATOR.test(text.slice(Math.max(0, at - 6), at));
    const face = sign === ')' && /[:;]-?$/.test(text.slice(Math.max(0, at - 2), at));
    if (!enumerates && !face) loose.push({ sign, block, at });
  }
  // A paragraph of a longer quotation opens with a mark that only the last paragraph closes.
  return [...loose, ...open].filter(({ sign, at }) => !(sign === '“' && at < 8));
}
