// Defined terms: “X” means ..., (the “X”), hereinafter "X", X means ... at the start of a paragraph, 以下简称“X”, “X”是指, terms in bold, rows of a table.
//
// Owns: where a term is defined. Uses of terms are found by who needs them.
// Rule: the span is the term itself, without its quotes. One definition per place; the same term defined twice gives two.
import { isContent, type Block, type Definition } from '../contract/document.ts';
import { readLabel } from '../ingest/labels.ts';
import type { Range } from '../ingest/raw.ts';
import type { StructureContext } from './context.ts';

const QUOTED = /[“"„«「『]([^“”"„«»「」『』]{1,80}?)[,.]?[”"»」』]|(?<![\p{L}\p{N}])[‘'](\p{Lu}[^‘’']{1,60}?)[,.]?[’'](?![\p{L}\p{N}])/gu;
const MEANS =
  /^\s*(?:\([^()]{1,60}\)\s*)?(?:or\s+(?:any\s+)?similar\s+(?:phrases?|terms?|expressions?)\s*)?(?:[,，]?\s*(?:as used (?:herein|in this [^,]{1,40}),?\s*))?(?:means?\b|shall\s+mean\b|will\s+mean\b|(?:shall\s+have|has|have|having)\s+the\s+(?:same\s+|respective\s+)?meanings?\b|(?:is|are|shall\s+be)\s+(?:as\s+)?defined\b|includes?\b|refers?\s+to\b|shall\s+(?:include|refer)\b|is\s+a\s+Key\s+Term\b|[，,]?\s*(?:是指|系指|指|意为|意指|包括)|[:：])/i;
/** “A” or “B” means: the first term is defined too. */
const OR_MEANS = /^\s*(?:,|or|and|and\/or|，|或|、)\s*(?:or|and|或)?\s*[“"「]/i;
const PAREN_OPEN = /[(（](?:[^()（）]{0,120}[\s,，:：])?$/;
const SHORT_FOR = /(?:以下简称|以下称|下称|简称|以下合称|合称|统称|以下统称)[：:为]?\s*$/;
const HEREINAFTER = /\b(?:hereinafter|hereafter|herein)\s+(?:(?:referred\s+to|called|known|collectively|individually|each)\s+)*(?:as\s+)?(?:the\s+|an?\s+)?$/i;
/** (the “X”), (each, a “X” and together, the “Xs”), (such period, the “X”), （“甲方”）; not (as “X” is used there). */
const NAMING =
  /^[\s,;，]*(?:(?:the|each|a|an|any|such|all|both|together|collectively|individually|hereinafter|hereafter|referred|to|as|in|this|called|and|or|with|of|its|their|jointly|severally|respectively)(?:[\s,;，:：]+|$|(?=[“"‘]))|(?:以下|简称|合称|统称|称|“[^”]*”|"[^"]*"|‘[^’]*’)[\s,;，:：]*)*$|\b(?:the|an?|collectively|each|together|individually),?\s*$/i;
const UNQUOTED =
  /^((?:\p{Lu}[\p{L}\p{N}’'&/-]*)(?:\s+(?:(?:of|the|and|or|for|in|to|on)\s+)?\p{Lu}[\p{L}\p{N}’'&/()-]*){0,6})\s+(?:means\b|shall\s+mean\b|has\s+the\s+meaning\b|shall\s+have\s+the\s+meaning\b)/u;
const COLON = /^(\p{Lu}[\p{L}\p{N}’'&/ -]{1,60}):\s+(?:[\p{Ll}(]|has the meaning)/u;
/** Words that begin a sentence of another kind. */
const NO_TERM = /^(?:This|That|It|Which|What|Nothing|Neither|No|The|These|Those|Each|Any|All|As|For|If|In)\b/;
const CHINESE_UNQUOTED = /^([\p{Script=Han}A-Za-z0-9]{2,14})(?:[，,：:]\s*)?(?:是指|系指|(?<=[：:]\s*)指)/u;
const CELL_MEANS = /^(?:means?\b|shall\s+mean\b|has\s+the\s+meaning\b|refers?\s+to\b|是指|系指|指)/i;

export function findDefinitions(context: StructureContext, emphasis: ReadonlyMap<string, readonly Range[]>): Definition[] {
  const out: Definition[] = [];
  const listing = new Set(context.clauses.filter((clause) => clause.type === 'definitions').map((clause) => clause.id));
  // Sub-clauses of "Definitions" list terms too.
  for (const clause of context.clauses) if (clause.parentId !== null && listing.has(clause.parentId)) listing.add(clause.id);
  context.blocks.forEach((block, index) => {
    if (!isContent(block)) return;
    const quoted = quotedTerms(block.text);
    const plain =
      quoted.length > 0
        ? []
        : [
            ...boldTerms(block, emphasis.get(block.id) ?? []),
            ...unquotedTerms(block, listing.has(context.owners.at(block.id, 0) ?? '')),
            ...cellTerms(block, context.blocks[index + 1]),
          ];
    const seen = new Set<number>();
    for (const range of [...quoted, ...plain]) {
      if (seen.has(range.start)) continue;
      seen.add(range.start);
      out.push({
        term: block.text.slice(range.start, range.end),
        span: { documentId: context.documentId, blockId: block.id, start: range.start, end: range.end },
        clauseId: context.owners.at(block.id, range.start),
      });
    }
  });
  return out;
}

function quotedTerms(text: string): Range[] {
  const found: { range: Range; defined: boolean; joined: boolean }[] = [];
  for (const match of text.matchAll(QUOTED)) {
    const term = match[1] ?? match[2] ?? '';
    const start = match.index + 1;
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 160);
    const before = text.slice(Math.max(0, match.index - 130), match.index);
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
  // A colon defines only where the term begins the paragraph ("“Fees”: ...").
  if (MEANS.test(after)) return !/^\s*[:：]/.test(after) || /^\s*(?:[\d.()（）a-z]{1,8}\s*)?$/.test(before);
  if (SHORT_FOR.test(before) || HEREINAFTER.test(before)) return true;
  if (!PAREN_OPEN.test(before)) return false;
  const opened = before.slice(Math.max(before.lastIndexOf('('), before.lastIndexOf('（')) + 1);
  return NAMING.test(opened) && /^[^()（）]{0,110}[)）]/.test(after);
}

function boldTerms(block: Block, emphasis: readonly Range[]): Range[] {
  const first = emphasis[0];
  if (!first) return [];
  const term = block.text.slice(first.start, first.end);
  const led = block.text.slice(0, first.start).replace(/^[\s\d.()a-zA-Z]{0,12}$/, '');
  if (led !== '' || /[“”"]/.test(term) || !/^\p{Lu}/u.test(term) || term.length > 80 || !CELL_MEANS.test(block.text.slice(first.end).trimStart())) return [];
  return [{ start: first.start, end: first.end }];
}

/** "Business Day means ..." and 工作日：指 at the start of a paragraph; in a clause of definitions "Business Day: a day ..." too. */
function unquotedTerms(block: Block, listing: boolean): Range[] {
  const from = block.number === null ? 0 : (readLabel(block.text)?.rest ?? 0);
  const text = block.text.slice(from);
  const term = UNQUOTED.exec(text)?.[1] ?? CHINESE_UNQUOTED.exec(text)?.[1] ?? (listing ? COLON.exec(text)?.[1] : undefined);
  return term === undefined || NO_TERM.test(term) ? [] : [{ start: from, end: from + term.length }];
}

/** A row of a table of definitions: the term in its own cell, "means ..." in the next. */
function cellTerms(block: Block, next: Block | undefined): Range[] {
  const same = block.cell !== null && next?.cell?.table === block.cell.table && next.cell.row === block.cell.row;
  return same && block.text.length > 1 && block.text.length <= 80 && CELL_MEANS.test(next.text) ? [{ start: 0, end: block.text.length }] : [];
}
