// Cross-references: "Section 12.3(b)", "Sections 3 and 4.2(b)", "Article IV", "Exhibit A", 第三条第二款, 附件一; each resolved to the clause it names.
//
// Rule: mentions of other texts ("Section 365(n) of the Bankruptcy Code") are no references; a mention without a clause keeps targetId null.
import { isContent, type Block, type Clause, type Reference } from '../contract/document.ts';
import { readLabel } from '../ingest/labels.ts';
import type { StructureContext } from './context.ts';
import { keyOf } from './paths.ts';

const NUMBER = String.raw`(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7}|[A-Z](?:-\d{1,2})?(?![A-Za-z]))(?:\s?\([A-Za-z0-9]{1,5}\))*`;
const WESTERN = new RegExp(
  String.raw`\b(Sections?|Articles?|Clauses?|Paragraphs?|Subsections?|Sub-clauses?|Parts?|Exhibits?|Schedules?|Annex(?:es)?|Appendix|Appendices|Attachments?|sections?|articles?|clauses?|paragraphs?|subsections?|sub-clauses?|schedules?|§§?)\s{0,2}(${NUMBER}|(?:\([A-Za-z0-9]{1,5}\))+)((?:\s?(?:,|;|and|or|to|through|–|-|&|and\/or)\s?(?:and\s|or\s)?(?:${NUMBER}|(?:\([A-Za-z0-9]{1,5}\))+)(?![A-Za-z]))*)`,
  'g',
);
const ONE = new RegExp(String.raw`${NUMBER}|(?:\([A-Za-z0-9]{1,5}\))+`, 'g');
const CHINESE =
  /(?:第\s?[一二三四五六七八九十百零〇两\d]{1,7}\s?条(?:\s?第\s?[一二三四五六七八九十百\d]{1,4}\s?款)?(?:\s?第?\s?[（(][一二三四五六七八九十\d]{1,3}[)）]\s?项?)?|附件\s?(?:[一二三四五六七八九十]{1,3}|\d{1,2}|[A-Z]))/g;
const OTHER_TEXT =
  /^\s*(?:\([^()]{1,40}\)\s*)?(?:of|under|to|in)\s+(?:the\s+)?(?:U\.S\.\s+|United\s+States\s+|[A-Z][\w.’'&-]*\s+(?:(?:of|and|for|on|the)\s+)?){0,7}(?:Act|Code|Law|Laws|Statutes?|Regulations?|Rules?|Directive|GDPR|CCPA|Constitution|Treaty|Convention|C\.?F\.?R\.?|U\.?S\.?C\.?)\b/;
const CHINESE_LAW = /(?:》|法|条例|规定|办法)\s?(?:的|之)?$/;
const SCHEDULE_WORD = /^(?:exhibit|schedule|annex|appendi|attachment)/i;

export function findReferences(context: StructureContext): Reference[] {
  const resolver = new Resolver(context);
  const out: Reference[] = [];
  for (const block of context.blocks) {
    if (!isContent(block)) continue;
    const owner = context.ownerOf.get(block.id);
    const from = block.number === null ? 0 : (readLabel(block.text)?.rest ?? block.number.length);
    for (const mention of [...western(block.text, from), ...chinese(block.text, from)])
      out.push({
        text: mention.text,
        span: { documentId: context.documentId, blockId: block.id, start: mention.start, end: mention.end },
        targetId: resolver.resolve(mention.word, mention.number, owner ?? null),
      });
  }
  return out;
}

interface Mention {
  readonly text: string;
  readonly word: string;
  readonly number: string;
  readonly start: number;
  readonly end: number;
}

function western(text: string, from: number): Mention[] {
  const out: Mention[] = [];
  WESTERN.lastIndex = from;
  for (let match = WESTERN.exec(text); match; match = WESTERN.exec(text)) {
    const end = match.index + match[0].length;
    if (OTHER_TEXT.test(text.slice(end, end + 120)) || /[A-Za-z]/.test(text[end] ?? '')) continue;
    const word = match[1] as string;
    const first = match[2] as string;
    const firstEnd = end - (match[3] as string).length;
    out.push({ text: text.slice(match.index, firstEnd), word, number: first, start: match.index, end: firstEnd });
    ONE.lastIndex = 0;
    const tail = match[3] as string;
    for (let one = ONE.exec(tail); one; one = ONE.exec(tail)) {
      const start = firstEnd + one.index;
      // "Sections 4.2(a) and (b)": a bare bracket takes the number before it.
      const number = one[0].startsWith('(') ? first.replace(/(?:\s?\([A-Za-z0-9]{1,5}\))$/, '') + one[0] : one[0];
      out.push({ text: one[0], word, number, start, end: start + one[0].length });
    }
  }
  return out;
}

function chinese(text: string, from: number): Mention[] {
  const out: Mention[] = [];
  CHINESE.lastIndex = from;
  for (let match = CHINESE.exec(text); match; match = CHINESE.exec(text)) {
    if (CHINESE_LAW.test(text.slice(Math.max(0, match.index - 6), match.index))) continue;
    out.push({ text: match[0], word: '', number: match[0], start: match.index, end: match.index + match[0].length });
  }
  return out;
}

class Resolver {
  private readonly byKey = new Map<string, string>();
  private readonly keys = new Map<string, string>();
  private readonly clauses = new Map<string, Clause>();
  private readonly blocks = new Map<string, Block>();

  constructor(context: StructureContext) {
    for (const block of context.blocks) this.blocks.set(block.id, block);
    for (const clause of context.clauses) {
      this.clauses.set(clause.id, clause);
      const key = keyOf(clause.path);
      this.keys.set(clause.id, key);
      if (clause.number === '') continue;
      this.remember(key, clause.id);
      // "Section 2" of "Article IV Section 2", "Section 5" written with its word.
      if (key.startsWith('article')) this.remember(key.replace(/^article\d+(?=section)/, ''), clause.id);
      if (/^[sc]/.test(key)) this.remember(key.replace(/^(?:section|clause)(?=\d)/, ''), clause.id);
    }
  }

  private remember(key: string, id: string): void {
    if (!this.byKey.has(key)) this.byKey.set(key, id);
  }

  resolve(word: string, number: string, ownerId: string | null): string | null {
    const own = keyOf(number);
    const candidates: string[] = [];
    const ancestors = this.ancestors(ownerId);
    if (own.startsWith('(')) for (const clause of ancestors) candidates.push((this.keys.get(clause.id) ?? '') + own);
    const lower = word
      .toLowerCase()
      .replace(/s$/, '')
      .replace(/^annexe$/, 'annex')
      .replace('appendice', 'appendix');
    if (SCHEDULE_WORD.test(lower)) return this.first([keyOf(`${lower} ${number}`)]);
    const schedule = ancestors.find((clause) => /^(?:exhibit|schedule|annex|appendix|attachment|附)/i.test(clause.path) && clause.parentId === null);
    if (schedule) candidates.push((this.keys.get(schedule.id) ?? '') + own, `${this.keys.get(schedule.id) ?? ''}${lower}${own}`);
    candidates.push(keyOf(`${lower} ${number}`), own);
    return this.first(candidates);
  }

  /** The clause with one of these keys; else the nearest one above it whose own text holds the bracketed item. */
  private first(keys: readonly string[]): string | null {
    for (const key of keys) {
      const id = this.byKey.get(key);
      if (id !== undefined) return id;
    }
    for (const key of keys) {
      const cut = /^(.+?)((?:\([a-z0-9]{1,5}\))+)$/.exec(key);
      if (!cut) continue;
      const inside = (cut[2] as string).match(/\([a-z0-9]{1,5}\)/g) ?? [];
      for (let count = inside.length - 1; count >= 0; count--) {
        const id = this.byKey.get((cut[1] as string) + inside.slice(0, count).join(''));
        if (id === undefined) continue;
        return this.textOf(id).includes(inside[count] as string) ? id : null;
      }
    }
    return null;
  }

  private textOf(id: string): string {
    return (this.clauses.get(id)?.spans ?? [])
      .map((span) => this.blocks.get(span.blockId)?.text ?? '')
      .join('\n')
      .toLowerCase();
  }

  private ancestors(id: string | null): Clause[] {
    const out: Clause[] = [];
    for (let clause = id === null ? undefined : this.clauses.get(id); clause; clause = clause.parentId === null ? undefined : this.clauses.get(clause.parentId))
      out.push(clause);
    return out;
  }
}
