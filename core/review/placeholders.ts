// Blanks that nobody filled in, and words that stand for a value.
import type { Draft, Rule } from './context.ts';

const BRACKETED =
  /[[【〔]\s*(?:(?:[●•∙◾■*_＿.…\s-]*[●•■_＿…][●•∙◾■*_＿.…\s-]*)|(?:(?:insert|enter|specify|describe|list|fill|add|to be)\b[^\]】〔]{0,120})|(?:\$?\s*(?:TBD|TBC|XX+|xx+|N\/?N|NAME|DATE|AMOUNT|ADDRESS|NUMBER|STATE|CITY|COUNTRY|COMPANY|PARTY|TITLE|YEAR|MONTH|DAY|PRICE)\b[^\]】]{0,60})|(?:(?:company|customer|client|provider|vendor|employee|employer|counterparty|party)(?:['’]s)?\s+(?:name|address|state|title|email)[^\]】]{0,40})|(?:(?:name|date|amount|address|number|state|city|country|title|year|month|day|price|jurisdiction)(?:\s+of\s+[^\]】]{1,40})?)|)\s*[\]】〕]/giu;
const LITERAL = /\{\{[^{}]{1,80}\}\}|<<[^<>]{1,80}>>|\bTBD\b|\bXX+\/XX+(?:\/XX+)?\b|\bLorem ipsum\b|(?<![\w])\$\s?(?:_{2,}|X{2,}\b)/gu;
const BLANK = /_{4,}|＿{3,}|(?:_\s){4,}/gu;
/** A longer run is a ruled line. */
const LONGEST_BLANK = 60;
/** Lines that are filled in with a pen. */
const SIGNING =
  /(?:^|\s)(?:by|name|title|date|dated|signature|signed|sign|print(?:ed)? name|its|address|e-?mail|attest|witness|notary|telephone|phone|fax|attention|attn|签字|签名|盖章|日期|姓名|职务|地址|电话|法定代表人)\s*[:：(]?\s*[_＿\s]*/i;
const LABELLED = /(?:^|[\s_])(?:by|name|initial(?:ed|s)?[^:：]{0,60}|title|date|signature|its|address|e-?mail|phone|签字|日期|姓名)\s*[:：]\s*$/i;
/** Square brackets that are meant to stay: redactions, omissions, notes on signature pages. */
const KEPT = /^[[【][\s.…]*(?:\*|reserved|intentionally|sic|omitted|signature|remainder|end of|page)|(?:removed|redacted|omitted|deleted)\s*[\]】]$/i;

export const placeholders: Rule = (context) => {
  const found: Draft[] = [];
  for (const block of context.blocks) {
    const seen = new Set<string>();
    const add = (start: number, text: string, what: string): void => {
      // The same blank several times in one paragraph is one finding.
      if (seen.has(text) || KEPT.test(text)) return;
      seen.add(text);
      found.push({ rule: 'placeholder', severity: 'warning', message: `${what} was not filled in.`, blockId: block.id, start, end: start + text.length });
    };
    const taken: [number, number][] = [];
    for (const match of block.text.matchAll(BRACKETED)) {
      // "[ ]" in a list of choices is a box to tick.
      if (
        /^[[【]\s*[\]】]$/.test(match[0]) &&
        match[0].startsWith('[') &&
        (match[0].length < 3 || match.index === 0 || block.text[match.index + match[0].length] === ' ')
      )
        continue;
      if (block.text.startsWith('(', match.index + match[0].length)) continue;
      taken.push([match.index, match.index + match[0].length]);
      add(match.index, match[0], `“${match[0]}”`);
    }
    for (const match of block.text.matchAll(LITERAL)) {
      taken.push([match.index, match.index + match[0].length]);
      add(match.index, match[0], `“${match[0]}”`);
    }
    if (block.kind === 'signature' || block.kind === 'formField' || !/[_＿]{3}|_\s_/.test(block.text) || isSigning(block.text)) continue;
    for (const match of block.text.matchAll(BLANK)) {
      // A line that parts a page from its notes, or a form to be written on with a pen.
      const [before, after] = [block.text.slice(0, match.index).trim(), block.text.slice(match.index + match[0].length)];
      if (match[0].length >= LONGEST_BLANK || (before === '' && match[0].length > 15) || /^\s*\(?(?:please\s+)?(?:type|print|sign)/i.test(after)) continue;
      if (LABELLED.test(block.text.slice(Math.max(0, match.index - 30), match.index))) continue;
      if (!taken.some(([from, to]) => from <= match.index && match.index < to)) add(match.index, match[0], 'A blank');
    }
  }
  return found;
};

/** A line that is mostly blank, or a label with a blank: it waits for a signature, not for a drafter. */
function isSigning(text: string): boolean {
  const words = text.replace(/[_＿\s]+/g, ' ').trim();
  if (text.includes('/s/')) return true;
  return words.length < 12 || (SIGNING.test(text.slice(0, 60)) && words.length < 90);
}
