// Blocks -> clause tree.
//
// Owns: which clause a block, or a piece of one, begins or belongs to; paths, headings, children; the 款 of a Chinese article (its unnumbered
// paragraphs, counted). Which text may begin a clause is items.ts' decision, which level a number has sequence.ts'.
// Rule: every content block belongs to clauses, each character to exactly one; numbers that are wrong in the document are kept as written.
import type { Block, Clause, Span } from '../contract/document.ts';
import type { RawDocument } from '../ingest/raw.ts';
import { chineseNumeral } from '../ingest/numerals.ts';
import { Owners } from './context.ts';
import { headingOf, trimHeading } from './headings.ts';
import { readItems, type Item } from './items.ts';
import { pathOf } from './paths.ts';
import { placeNumbers, type Placed } from './sequence.ts';

export interface Tree {
  /** Without types: types.ts knows them. */
  readonly clauses: readonly Clause[];
  readonly owners: Owners;
}

interface Draft {
  readonly id: string;
  readonly parent: Draft | null;
  readonly path: string;
  readonly number: string;
  readonly form: string;
  heading: string;
  readonly depth: number;
  readonly indent: number;
  readonly spans: Span[];
  readonly children: string[];
  /** Paragraphs of an article so far, for 条 only: the first is its own text. */
  paragraphs: number;
}

/** Text that closes an agreement belongs to no numbered clause. */
const CLOSING = /^(?:in witness whereof|signed by the parties|以下无正文|（以下无正文|\(以下无正文|本页无正文)/i;
/** Numbers whose heading often stands on the next line. */
const NAMED_BELOW: ReadonlySet<string> = new Set(['schedule', 'article', 'part', 'chapter', 'title', 'section', '章', '节', '编', '部分']);
/** A document of ten thousand nested headings is damaged input, not a contract; the tree stays usable. */
const MAX_DEPTH = 24;
/** A paragraph of an article is a sentence, or leads into a list; a line of a form is neither. */
const ENDS_SENTENCE = /[。：:；;]\s*$/;

export function buildTree(raw: RawDocument): Tree {
  const builder = new TreeBuilder(raw);
  for (const placed of placeNumbers(readItems(raw))) builder.add(placed);
  const clauses = builder.drafts.map((draft): Clause => ({
    id: draft.id,
    parentId: draft.parent?.id ?? null,
    path: draft.path,
    number: draft.number,
    heading: draft.heading,
    depth: draft.depth,
    spans: draft.spans,
    children: draft.children,
    type: null,
  }));
  return { clauses, owners: new Owners(clauses) };
}

class TreeBuilder {
  readonly drafts: Draft[] = [];
  private readonly raw: RawDocument;
  /** Open numbered clauses, outermost first; parallel to the stack of sequence.ts. */
  private open: Draft[] = [];
  /** Unnumbered heading under which the outermost open numbers (below a schedule) stand. */
  private base: Draft | null = null;
  private current: Draft | null = null;
  /** Open unnumbered headings with a declared level. */
  private titles: { readonly level: number; readonly draft: Draft }[] = [];
  private numbered = false;
  private readonly headingBlocks = new Set<string>();

  constructor(raw: RawDocument) {
    this.raw = raw;
  }

  add(placed: Placed): void {
    const { item } = placed;
    if (placed.kind === 'number') this.addNumbered(placed);
    else if (item.heading) this.addHeading(item);
    else if (CLOSING.test(item.block.text)) this.current = this.begin(null, '', '', '', '', item);
    else this.attach(item);
  }

  private addNumbered(placed: Extract<Placed, { kind: 'number' }>): void {
    const { block, label, start, end } = placed.item;
    if (!label) return;
    // A list that starts anew after an unnumbered heading is its child; a title before all numbers is no parent.
    if (placed.fresh || !this.numbered) this.base = this.numbered && this.current?.form === 'title' ? this.current : null;
    this.open.length = Math.min(placed.depth, this.open.length);
    const paragraph = this.openParagraph(placed.form);
    const above = this.open.at(-1) ?? null;
    const parent = paragraph ?? (this.base !== null && placed.form !== 'schedule' && (above === null || above.form === 'schedule') ? this.base : above);
    const path = pathOf(label.number, placed.form, paragraph === null ? this.open : [...this.open, paragraph]);
    const heading = headingOf(block, start + label.rest, end, this.raw.emphasis.get(block.id) ?? []);
    const draft = this.begin(parent, path, label.number, placed.form, heading, placed.item);
    if (placed.form === 'schedule') [this.base, this.titles] = [null, []];
    if (placed.form === '条' && heading.length < block.text.slice(start + label.rest, end).trim().length) draft.paragraphs = 1;
    if (this.open.length < MAX_DEPTH) this.open.push(draft);
    this.current = draft;
    this.numbered = true;
  }

  /** Items （一）, （1） that follow the second paragraph of an article belong to it: 第三条第二款（一）. */
  private openParagraph(form: string): Draft | null {
    const article = this.open.at(-1);
    if (article?.form !== '条' || !/^[(（]/.test(form)) return null;
    const last = this.paragraphOf(this.current);
    return last !== null && last.parent === article ? last : null;
  }

  private paragraphOf(draft: Draft | null): Draft | null {
    for (let at = draft; at !== null; at = at.parent) if (at.form === '款' && at.number === '') return at;
    return null;
  }

  private addHeading(item: Item): void {
    const { block } = item;
    const last = this.current;
    const headed = last !== null && last.spans.every((span) => this.headingBlocks.has(span.blockId));
    // "ARTICLE I" / "DEFINITIONS", "Exhibit A" / "PRICE LIST": the line below a bare number is its heading.
    if (headed && last.heading === '' && NAMED_BELOW.has(last.form)) {
      last.heading = trimHeading(block.text);
      this.span(last, item);
      return;
    }
    // Title lines one after the other are one title: "MUTUAL NDA" / "(Version 1.0)".
    if (headed && last.form === 'title' && (block.level === null || (block.level === 1 && !this.numbered && this.titles.length === 0))) {
      this.span(last, item);
      return;
    }
    let parent: Draft | null = this.open[0]?.form === 'schedule' ? this.open[0] : null;
    if (block.level !== null) {
      const { level } = block;
      while (this.titles.length > 0 && (this.titles.at(-1)?.level ?? 0) >= level) this.titles.pop();
      parent = this.titles.at(-1)?.draft ?? parent;
    }
    const draft = this.begin(parent, parent?.path ?? '', '', 'title', trimHeading(block.text), item);
    if (block.level !== null && block.level > 1) this.titles.push({ level: block.level, draft });
    this.current = draft;
  }

  private begin(parent: Draft | null, path: string, number: string, form: string, heading: string, item: Item): Draft {
    const draft: Draft = {
      id: `c${this.drafts.length}`,
      parent,
      path,
      number,
      form,
      heading,
      depth: parent ? parent.depth + 1 : 0,
      indent: item.block.indent,
      spans: [],
      children: [],
      paragraphs: 0,
    };
    parent?.children.push(draft.id);
    this.drafts.push(draft);
    this.span(draft, item);
    return draft;
  }

  private attach(item: Item): void {
    if (this.current === null) {
      this.current = this.begin(null, '', '', '', '', item);
      return;
    }
    const article = this.articleOf(item.block);
    if (article !== null) {
      article.paragraphs++;
      if (article.paragraphs > 1) {
        this.open.length = this.open.indexOf(article) + 1;
        this.current = this.begin(article, `${article.path}第${chineseNumeral(article.paragraphs)}款`, '', '款', '', item);
        return;
      }
    }
    let owner: Draft = this.current;
    // Text set further left than a sub-clause's number goes on with the clause above it ("... (b) y; / and in each case ...").
    while (owner.parent !== null && owner.number !== '' && item.block.indent < owner.indent - 4 && owner.parent.number !== '') owner = owner.parent;
    this.span(owner, item);
  }

  /** The open 条 whose next 款 this paragraph is; null where it goes on with something else: an item by figures, a table, a title. */
  private articleOf(block: Block): Draft | null {
    if (block.kind !== 'paragraph' || !/^[\p{Script=Han}“《（(]/u.test(block.text) || !ENDS_SENTENCE.test(block.text)) return null;
    const top = this.open.at(-1);
    const article = this.open.findLast((draft) => draft.form === '条');
    if (article === undefined || (top !== article && !/^[(（]/.test(top?.form ?? ''))) return null;
    for (let at: Draft | null = this.current; at !== null; at = at.parent) if (at === article) return article;
    return null;
  }

  private span(draft: Draft, item: Item): void {
    const { block, start, end } = item;
    if (block.kind === 'heading' || (draft.spans.length === 0 && draft.number !== '' && end - start <= draft.number.length + 1))
      this.headingBlocks.add(block.id);
    if (end > start) draft.spans.push({ documentId: this.raw.id, blockId: block.id, start, end });
  }
}
