// Defined terms: “X” means ..., (the “X”), ("X"), 以下简称“X”, “X”是指, and terms in bold before "means".
//
// Rule: the span is the term itself, without its quotes. One definition per place; the same term defined twice gives two.
import { isContent, type Block, type Definition } from '../contract/document.ts';
import type { Range } from '../ingest/raw.ts';
import type { StructureContext } from './context.ts';

const QUOTED = /[“"„«]([^“”"„«»]{1,80}?)[,.]?[”"»]/g;
const MEANS =
  /^\s*(?:\([^()]{1,60}\)\s*)?(?:,?\s*(?:as used (?:herein|in this [^,]{1,40}),?\s*))?(?:means?\b|shall\s+mean\b|will\s+mean\b|(?:shall\s+have|has|have|having)\s+the\s+(?:same\s+)?meanings?\b|(?:is|are)\s+(?:as\s+)?defined\b|includes?\b|refers?\s+to\b|shall\s+(?:include|refer)\b|is\s+a\s+Key\s+Term\b|是指|系指|指|意为|[:：])/i;
/** “A” or “B” means: the first term is defined too. */
const OR_MEANS = /^\s*(?:,|or|and|and\/or|，|或)\s*[“"]/i;
const PAREN_OPEN = /[(（](?:[^()（）]{0,80}[\s,，:：])?$/;
const SHORT_FOR = /(?:以下简称|以下称|下称|简称)[：:为]?\s*$/;
const BOLD_MEANS = /^\s*(?:means?\b|shall\s+mean\b|has\s+the\s+meaning\b)/i;

export function findDefinitions(context: StructureContext, emphasis: ReadonlyMap<string, readonly Range[]>): Definition[] {
  const out: Definition[] = [];
  for (const block of context.blocks) {
    if (!isContent(block)) continue;
    for (const range of [...quotedTerms(block.text), ...boldTerms(block, emphasis.get(block.id) ?? [])])
      out.push({
        term: block.text.slice(range.start, range.end),
        span: { documentId: context.documentId, blockId: block.id, start: range.start, end: range.end },
        clauseId: context.owners.at(block.id, range.start),
      });
  }
  return out;
}

function quotedTerms(text: string): Range[] {
  const found: { range: Range; defined: boolean; joined: boolean }[] = [];
  QUOTED.lastIndex = 0;
  for (let match = QUOTED.exec(text); match; match = QUOTED.exec(text)) {
    const term = match[1] as string;
    const start = match.index + 1;
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 160);
    const before = text.slice(Math.max(0, match.index - 90), match.index);
    const named = /^[\p{Lu}\p{Lo}\d]/u.test(term);
    found.push({ range: { start, end: start + term.length }, defined: named && isDefining(before, after), joined: named && OR_MEANS.test(after) });
  }
  // Backwards, so that “A” or “B” means takes B's verdict.
  for (let index = found.length - 2; index >= 0; index--) {
    const entry = found[index] as (typeof found)[number];
    if (entry.joined && found[index + 1]?.defined) entry.defined = true;
  }
  return found.filter((entry) => entry.defined).map((entry) => entry.range);
}

function isDefining(before: string, after: string): boolean {
  if (MEANS.test(after)) return !/^\s*[:：]/.test(after) || before.trim() === '';
  if (SHORT_FOR.test(before)) return true;
  if (!PAREN_OPEN.test(before)) return false;
  // (the “X”), (“X”), (each, a “X” and together, the “Xs”), （“甲方”）; not (as “X” is used there).
  const opened = before.slice(Math.max(before.lastIndexOf('('), before.lastIndexOf('（')) + 1);
  return (
    /^\s*(?:(?:the|each|a|an|any|such|all|together|collectively|individually|hereinafter|hereafter|referred|to|as|in|this|called|and|or|with|of|its|their|jointly|severally|respectively|，|,|以下|简称|合称|统称|称|“[^”]*”|"[^"]*")[\s,，:：]*)*$/i.test(
      opened,
    ) && /^[^()（）]{0,90}[)）]/.test(after)
  );
}

function boldTerms(block: Block, emphasis: readonly Range[]): Range[] {
  const first = emphasis[0];
  if (!first) return [];
  const term = block.text.slice(first.start, first.end);
  const led = block.text.slice(0, first.start).replace(/^[\s\d.()a-zA-Z]{0,12}$/, '');
  if (led !== '' || /[“”"]/.test(term) || !/^\p{Lu}/u.test(term) || term.length > 80 || !BOLD_MEANS.test(block.text.slice(first.end))) return [];
  return [{ start: first.start, end: first.end }];
}
