// Blocks -> clause tree.
//
// Owns: which clause a block begins or belongs to, paths, headings, children. Which level a number has is sequence.ts' decision.
// Rule: every block that is not furniture belongs to exactly one clause; numbers that are wrong in the document are kept as written.
import { isContent, type Block, type Clause, type Span } from '../contract/document.ts';
import { readLabel } from '../ingest/labels.ts';
import type { RawDocument } from '../ingest/raw.ts';
import { headingOf, trimHeading } from './headings.ts';
import { pathOf } from './paths.ts';
import { placeNumbers, type Item, type Placed } from './sequence.ts';

export interface Tree {
  readonly clauses: readonly Clause[];
  readonly ownerOf: ReadonlyMap<string, string>;
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
}

/** Text that closes an agreement belongs to no numbered clause. */
const CLOSING = /^(?:in witness whereof|signed by the parties|以下无正文|（以下无正文|\(以下无正文|本页无正文)/i;
/** Numbers whose heading often stands on the next line. */
const NAMED_BELOW: ReadonlySet<string> = new Set(['schedule', 'article', 'part', 'chapter', 'section', '章', '节', '编', '部分']);
/** A document of ten thousand nested headings is damaged input, not a contract; the tree stays usable. */
const MAX_DEPTH = 24;

export function buildTree(raw: RawDocument): Tree {
  const items = raw.blocks.filter(isContent).map((block) => itemOf(block, raw));
  const builder = new TreeBuilder(raw);
  for (const placed of placeNumbers(items)) builder.add(placed);
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
  return { clauses, ownerOf: builder.ownerOf };
}

function itemOf(block: Block, raw: RawDocument): Item {
  const numbered = block.number !== null && block.kind !== 'tableCell' && block.kind !== 'footnote' && block.kind !== 'signature';
  const read = numbered ? readLabel(block.text) : null;
  const listLevel = raw.listLevel.get(block.id) ?? null;
  // A computed number that the grammar does not know ("1.A.i") is placed by its list level alone.
  const label =
    read ??
    (numbered && block.number !== null
      ? { number: block.number, rest: block.number.length, readings: [{ form: `list${listLevel ?? 0}`, values: [0] }], weak: false }
      : null);
  const unnumberedHeading = block.kind === 'heading' && label === null;
  return { block, label, listLevel, heading: unnumberedHeading };
}

class TreeBuilder {
  readonly drafts: Draft[] = [];
  readonly ownerOf = new Map<string, string>();
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
    else if (item.heading) this.addHeading(item.block);
    else if (CLOSING.test(item.block.text)) this.current = this.begin(null, '', '', '', '', item.block);
    else this.attach(item.block);
  }

  private addNumbered(placed: Extract<Placed, { kind: 'number' }>): void {
    const { block, label } = placed.item;
    if (!label) return;
    // A list that starts anew after an unnumbered heading is its child; a title before all numbers is no parent.
    if (placed.fresh || !this.numbered) this.base = this.numbered && this.current?.form === 'title' ? this.current : null;
    this.open.length = Math.min(placed.depth, this.open.length);
    const above = this.open.at(-1) ?? null;
    const parent = this.base !== null && placed.form !== 'schedule' && (above === null || above.form === 'schedule') ? this.base : above;
    const path = pathOf(label.number, placed.form, this.open);
    const heading = headingOf(block, label.rest, this.raw.emphasis.get(block.id) ?? []);
    const draft = this.begin(parent, path, label.number, placed.form, heading, block);
    if (placed.form === 'schedule') [this.base, this.titles] = [null, []];
    if (this.open.length < MAX_DEPTH) this.open.push(draft);
    this.current = draft;
    this.numbered = true;
  }

  private addHeading(block: Block): void {
    const last = this.current;
    const headed = last !== null && last.spans.every((span) => this.headingBlocks.has(span.blockId));
    // "ARTICLE I" / "DEFINITIONS", "Exhibit A" / "PRICE LIST": the line below a bare number is its heading.
    if (headed && last.heading === '' && NAMED_BELOW.has(last.form)) {
      last.heading = trimHeading(block.text);
      this.span(last, block);
      return;
    }
    // Title lines one after the other are one title: "MUTUAL NDA" / "(Version 1.0)".
    if (headed && last.form === 'title' && (block.level === null || (block.level === 1 && !this.numbered && this.titles.length === 0))) {
      this.span(last, block);
      return;
    }
    let parent: Draft | null = this.open[0]?.form === 'schedule' ? this.open[0] : null;
    if (block.level !== null) {
      const { level } = block;
      while (this.titles.length > 0 && (this.titles.at(-1)?.level ?? 0) >= level) this.titles.pop();
      parent = this.titles.at(-1)?.draft ?? parent;
    }
    const draft = this.begin(parent, parent?.path ?? '', '', 'title', trimHeading(block.text), block);
    if (block.level !== null && block.level > 1) this.titles.push({ level: block.level, draft });
    this.current = draft;
  }

  private begin(parent: Draft | null, path: string, number: string, form: string, heading: string, block: Block): Draft {
    const draft: Draft = {
      id: `c${this.drafts.length}`,
      parent,
      path,
      number,
      form,
      heading,
      depth: parent ? parent.depth + 1 : 0,
      indent: block.indent,
      spans: [],
      children: [],
    };
    parent?.children.push(draft.id);
    this.drafts.push(draft);
    this.span(draft, block);
    return draft;
  }

  private attach(block: Block): void {
    if (this.current === null) {
      this.current = this.begin(null, '', '', '', '', block);
      return;
    }
    let owner: Draft = this.current;
    // Text set further left than a sub-clause's number goes on with the clause above it ("... (b) y; / and in each case ...").
    while (owner.parent !== null && owner.number !== '' && block.indent < owner.indent - 4 && owner.parent.number !== '') owner = owner.parent;
    this.span(owner, block);
  }

  private span(draft: Draft, block: Block): void {
    if (block.kind === 'heading' || (draft.spans.length === 0 && draft.number !== '' && block.text.length <= draft.number.length + 1))
      this.headingBlocks.add(block.id);
    this.ownerOf.set(block.id, draft.id);
    if (block.text.length > 0) draft.spans.push({ documentId: this.raw.id, blockId: block.id, start: 0, end: block.text.length });
  }
}
