// The provisions of a contract: its clauses with all that stands below them, as weighted words, so that the same provision is known in another contract.
//
// Owns: which clauses are provisions, their words, and how alike two of them are by heading, by type and by what they say.
// Rule: numbers play no part; another contract numbers otherwise.
import type { Clause, Document } from '../contract/document.ts';

export interface Provision {
  readonly index: number;
  readonly clause: Clause;
  /** Index of the provision above; -1 for a top one. */
  readonly parent: number;
  /** The clause and everything below it. */
  readonly clauseIds: readonly string[];
  readonly heading: ReadonlySet<string>;
  readonly words: ReadonlyMap<string, number>;
  readonly size: number;
}

/** With fewer words there is nothing to compare but the heading. */
const LEAST_WORDS = 6;
const STOP = new Set(
  'the of and to in or any a for by such be as that this with shall is on not it its which from at an other all under will may if are have has been their each no than upon out into so but was were hereby herein hereof thereof hereunder agreement party parties section article clause'.split(
    ' ',
  ),
);

/** Six letters without the vowels at their end hold most stems of contract language: "limit", "limits" and "limitation"; "indemnify" and "indemnities". */
function stem(word: string): string {
  const short = word.length > 6 ? word.slice(0, 6) : word.replace(/(?<=..)s$/, '');
  return short.length >= 5 ? short.replace(/[aeiouy]+$/, '') : short;
}

/** Words of a text by their stems; Chinese by pairs of characters. */
export function stemsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{Script=Han}+|[[\p{L}\p{M}]--\p{Script=Han}]+/gv) ?? [];
  return words.flatMap((word) => {
    if (/\p{Script=Han}/u.test(word)) return word.length < 2 ? [word] : Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
    return word.length < 2 || STOP.has(word) ? [] : [stem(word)];
  });
}

export function readProvisions(document: Document): Provision[] {
  const texts = new Map(document.blocks.map((block) => [block.id, block.hidden === null ? block.text : '']));
  const byId = new Map(document.clauses.map((clause) => [clause.id, clause]));
  const provisions: Provision[] = [];
  const visit = (clause: Clause, parent: number): void => {
    const clauseIds = below(clause, byId);
    const words = new Map<string, number>();
    let size = 0;
    for (const id of clauseIds) {
      for (const span of byId.get(id)!.spans) {
        for (const word of stemsOf((texts.get(span.blockId) ?? '').slice(span.start, span.end))) {
          words.set(word, (words.get(word) ?? 0) + 1);
          size++;
        }
      }
    }
    const index = provisions.length;
    // A heading over nothing (the title of the contract) is no provision.
    const heading = new Set(stemsOf(clause.heading));
    const bare = clauseIds.length === 1 && size <= heading.size;
    const counts = !bare && (size >= LEAST_WORDS || clause.heading !== '');
    if (counts) provisions.push({ index, clause, parent, clauseIds, heading, words, size });
    for (const id of clause.children) visit(byId.get(id)!, counts ? index : parent);
  };
  for (const clause of document.clauses) if (clause.parentId === null) visit(clause, -1);
  return provisions;
}

function below(clause: Clause, byId: ReadonlyMap<string, Clause>): string[] {
  return [clause.id, ...clause.children.flatMap((id) => below(byId.get(id)!, byId))];
}

/** Weights of words over all contracts at hand: what few provisions say tells most. */
export class Weights {
  private readonly frequency = new Map<string, number>();
  private readonly total: number;
  private readonly norms = new Map<Provision, number>();

  constructor(documents: readonly (readonly Provision[])[]) {
    const all = documents.flat();
    this.total = all.length;
    for (const { words } of all) for (const word of words.keys()) this.frequency.set(word, (this.frequency.get(word) ?? 0) + 1);
  }

  of(word: string): number {
    return Math.log(1 + this.total / (this.frequency.get(word) ?? 1));
  }

  /** Cosine of the two texts: 1 for the same words in the same proportion. */
  likeness(x: Provision, y: Provision): number {
    const [small, large] = x.words.size <= y.words.size ? [x, y] : [y, x];
    let dot = 0;
    for (const [word, count] of small.words) {
      const other = large.words.get(word);
      if (other !== undefined) dot += this.value(word, count) * this.value(word, other);
    }
    return dot === 0 ? 0 : dot / (this.norm(x) * this.norm(y));
  }

  /** Weighted share of the words that two headings have in common; 0 without a heading. */
  headings(x: Provision, y: Provision): number {
    if (x.heading.size === 0 || y.heading.size === 0) return 0;
    let [common, all] = [0, 0];
    for (const word of x.heading) {
      all += this.of(word);
      if (y.heading.has(word)) common += 2 * this.of(word);
    }
    for (const word of y.heading) all += this.of(word);
    return common / all;
  }

  /** A word that recurs says less each time. */
  private value(word: string, count: number): number {
    return (1 + Math.log(count)) * this.of(word);
  }

  private norm(provision: Provision): number {
    let norm = this.norms.get(provision);
    if (norm === undefined) {
      norm = Math.sqrt([...provision.words].reduce((sum, [word, count]) => sum + this.value(word, count) ** 2, 0));
      this.norms.set(provision, norm);
    }
    return norm;
  }
}
