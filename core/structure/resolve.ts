// From what a reference names to the clause it means.
//
// Owns: an index of clauses by the key of their path (paths.ts), and the order in which readings are tried: brackets in the clause where the
// reference stands, the exhibit it stands in, the document; at last the nearest clause above whose own text holds the bracketed item.
// Rule: no guess across documents; what is not found stays null.
import type { Block, Clause } from '../contract/document.ts';
import { chineseValue } from '../ingest/numerals.ts';
import type { StructureContext } from './context.ts';
import { keyOf } from './paths.ts';
import type { Mention } from './references.ts';

const SCHEDULE_WORD = /^(?:exhibit|schedule|annex|appendi|attachment)/;
const SCHEDULE_PATH = /^(?:exhibit|schedule|annex|appendix|attachment|附)/i;
const SINGULAR: Readonly<Record<string, string>> = { annexes: 'annex', appendices: 'appendix', '§§': 'section', '§': 'section' };

export class Resolver {
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
      if (clause.number === '' && !clause.path.endsWith('款')) continue;
      this.remember(key, clause.id);
      // "Section 2" of "Article IV Section 2", "Section 5" written with its word, "Section 3.2" of a path "Section 3 3.2".
      if (key.startsWith('article')) this.remember(key.replace(/^article[\d.]+(?=section|clause)/, ''), clause.id);
      if (/^(?:section|clause|article|paragraph)\d/.test(key)) this.remember(key.replace(/^[a-z]+/, ''), clause.id);
    }
  }

  private remember(key: string, id: string): void {
    if (!this.byKey.has(key)) this.byKey.set(key, id);
  }

  /** `ownerId`: the clause the mention stands in. */
  resolve({ word, number }: Mention, ownerId: string | null): string | null {
    const ancestors = this.ancestors(ownerId);
    const lower = singular(word);
    if (number === '') return this.here(lower, ancestors);
    if (word === '') return this.chinese(number, ancestors);
    if (SCHEDULE_WORD.test(lower)) return this.first([keyOf(`${lower} ${number}`), ...(lower === 'annexure' ? [keyOf(`annex ${number}`)] : [])]);
    const own = keyOf(number);
    const candidates: string[] = [];
    if (own.startsWith('(')) for (const clause of ancestors) candidates.push((this.keys.get(clause.id) ?? '') + own);
    const schedule = ancestors.find((clause) => SCHEDULE_PATH.test(clause.path) && clause.parentId === null);
    const inside = schedule === undefined ? '' : (this.keys.get(schedule.id) ?? '');
    if (inside !== '') candidates.push(inside + own, `${inside}${lower}${own}`);
    // Numbers are counted anew in each part of a schedule and of a charter.
    for (const clause of ancestors)
      if (/^(?:part|[a-z])/i.test(clause.number) && !clause.number.startsWith('('))
        candidates.push(`${this.keys.get(clause.id) ?? ''}${own}`, `${this.keys.get(clause.id) ?? ''}.${own}`);
    // "Section 2" inside Article IV is that article's; a roman or single letter number is an article's, whatever the word.
    const article = ancestors.map((clause) => this.keys.get(clause.id) ?? '').find((key) => /^article[\d.]+$/.test(key));
    if (article !== undefined && lower !== 'article') candidates.push(`${article}${lower}${own}`);
    candidates.push(keyOf(`${lower} ${number}`), own, keyOf(`article ${number}`));
    return this.first(candidates);
  }

  /** "this Section": the nearest clause above of that kind, else the outermost numbered one. */
  private here(word: string, ancestors: readonly Clause[]): string | null {
    const numbered = ancestors.filter((clause) => clause.number !== '');
    if (SCHEDULE_WORD.test(word)) return numbered.find((clause) => SCHEDULE_PATH.test(clause.path))?.id ?? null;
    const named = numbered.find((clause) => clause.number.toLowerCase().startsWith(word));
    if (named) return named.id;
    if (word === 'paragraph' || word.startsWith('sub')) return numbered[0]?.id ?? null;
    return (numbered.find((clause) => !clause.number.startsWith('(')) ?? numbered[0])?.id ?? null;
  }

  private chinese(number: string, ancestors: readonly Clause[]): string | null {
    const article = ancestors.find((clause) => /^第.*条$/.test(clause.number.trim()));
    const written = /^[本前上]条/.test(number) ? number.replace(/^[本前上]条/, article?.path.replace(/^附.*(?=第)/, '') ?? '') : number;
    const plain = keyOf(written.replaceAll('條', '条')).replace(/第?(\([^()]+\))(?:项|款|目)?/g, '$1');
    const schedule = ancestors.find((clause) => SCHEDULE_PATH.test(clause.path) && clause.parentId === null);
    const prefix = schedule === undefined ? '' : (this.keys.get(schedule.id) ?? '');
    for (const key of prefix === '' ? [plain] : [prefix + plain, plain]) {
      const found = this.byKey.get(key) ?? this.below(key);
      if (found !== undefined) return found;
    }
    // 第3.2条 where the document prints "3.2".
    return this.first([plain.replace(/^第([\d.]+)条/, '$1')]);
  }

  /** 第三条第二款（一）: down from the article by 款 and 项, as far as the tree goes; 第一款 of an article that has one is the article. */
  private below(key: string): string | undefined {
    const match = /^(.*第[\d.]+条)(?:第(\d+)款)?(\(\w+\))?/.exec(key);
    let id = this.byKey.get(match?.[1] ?? '');
    if (!match || id === undefined) return undefined;
    const paragraph = Number(match[2] ?? 0);
    if (paragraph > 0) {
      const child = this.byKey.get(`${match[1]}第${paragraph}款`) ?? this.childByValue(id, paragraph);
      if (child === undefined && paragraph > 1) return undefined;
      id = child ?? id;
    }
    if (match[3] === undefined) return id;
    return (
      this.byKey.get((this.keys.get(id) ?? '') + match[3]) ??
      (paragraph <= 1 ? this.byKey.get((match[1] as string) + match[3]) : undefined) ??
      this.holding(id, match[3])
    );
  }

  private childByValue(id: string, value: number): string | undefined {
    return this.clauses.get(id)?.children.find((child) => {
      const number = this.clauses.get(child)?.number ?? '';
      return /^\d+$/.test(number) && chineseValue(number) === value;
    });
  }

  private holding(id: string, bracket: string): string | undefined {
    const value = bracket.replace(/[()]/g, '');
    return new RegExp(`[（(]${value}[)）]`).test(keyOf(this.textOf(id))) ? id : undefined;
  }

  /** The clause with one of these keys; else the nearest one above it whose own text holds the bracketed item. */
  private first(keys: readonly string[]): string | null {
    for (const key of keys) {
      const id = this.byKey.get(key);
      if (id !== undefined) return id;
    }
    for (const key of keys) {
      const cut = /^(.+?)((?:\([a-z0-9-]{1,5}\))+)$/.exec(key);
      if (!cut) continue;
      const inside = (cut[2] as string).match(/\([a-z0-9-]{1,5}\)/g) ?? [];
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
      .map((span) => this.blocks.get(span.blockId)?.text.slice(span.start, span.end) ?? '')
      .join('\n')
      .toLowerCase();
  }

  /** The clause and those above it, innermost first. */
  private ancestors(id: string | null): Clause[] {
    const out: Clause[] = [];
    for (let clause = id === null ? undefined : this.clauses.get(id); clause; clause = clause.parentId === null ? undefined : this.clauses.get(clause.parentId))
      out.push(clause);
    return out;
  }
}

function singular(word: string): string {
  const lower = word.toLowerCase();
  return SINGULAR[lower] ?? lower.replace(/s$/, '').replace(/^sub-?(?=section|clause|paragraph)/, 'sub');
}
