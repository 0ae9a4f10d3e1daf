// What a clause is about: one of CLAUSE_TYPES, by its heading first, then by its words.
//
// Owns: weighing heading against wording. The wording itself is data in typeRules.ts.
// Rule: null where no rule is sure; a clause without a heading and words of its own takes its parent's type only through that parent's heading.
import { CLAUSE_TYPES, type Block, type Clause, type ClauseType } from '../contract/document.ts';
import { TYPE_RULES } from './typeRules.ts';
import type { TypeRule } from './typeWording.ts';

/** Characters of a clause that are read: a provision says what it is in its first sentences. */
const READ = 1000;
const HEADING_WEIGHT = 1;
const SAYS_WEIGHT = 0.8;
/** A heading whose text does not speak of the subject. */
const BARE_HEADING_WEIGHT = 0.6;
/** Below a parent whose heading names the type, weaker words are enough. */
const INHERITED_WEIGHT = 0.5;
/** The last of the 41 kinds of CUAD; those behind it are general. */
const GENERAL_FROM = CLAUSE_TYPES.indexOf('thirdPartyBeneficiary') + 1;

export interface TypedText {
  readonly heading: string;
  readonly text: string;
  /** Headings of the clauses above, joined. */
  readonly above: string;
}

/** What told the type: heading and words, words alone, a heading over weaker words, or a heading alone. */
export type Basis = 'both' | 'words' | 'weak' | 'heading';

interface Typed {
  readonly type: ClauseType;
  readonly weight: number;
  readonly basis: Basis;
}

/** Every type that the text is of, with its weight; sentences are judged the same way as clauses. */
export function typesOf(typed: TypedText): Typed[] {
  return new Typer().typesOf(typed);
}

export function typeClauses(clauses: readonly Clause[], blocks: readonly Block[]): readonly Clause[] {
  const texts = new Map(blocks.map((block) => [block.id, block.text]));
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  const typer = new Typer();
  return clauses.map((clause) => {
    const above = clause.parentId === null ? '' : (byId.get(clause.parentId)?.heading ?? '');
    return { ...clause, type: strongest(typer.typesOf({ heading: clause.heading, text: beginningOf(clause, texts), above })) };
  });
}

/** Remembers which rules a heading names: the sub-clauses of one chapter all ask for its heading. */
export class Typer {
  private readonly named = new Map<string, ReadonlySet<TypeRule>>();
  private readonly heads = new Heads();

  typesOf({ heading, text, above }: TypedText): Typed[] {
    const lower = text.toLowerCase();
    this.heads.read(lower);
    const [own, inherited] = [this.rulesNamed(heading), heading === '' ? this.rulesNamed(above) : NONE];
    const out: Typed[] = [];
    for (const rule of TYPE_RULES) {
      const says = speaks(rule, lower, this.heads) && (rule.says?.test(text) ?? false) && !(rule.not?.test(text) ?? false);
      if (own.has(rule)) out.push({ type: rule.type, ...titled(rule, text, says) });
      else if (says) out.push({ type: rule.type, weight: SAYS_WEIGHT, basis: 'words' });
      else if (inherited.has(rule) && isWeak(rule, text)) out.push({ type: rule.type, weight: INHERITED_WEIGHT, basis: 'weak' });
    }
    return out;
  }

  private rulesNamed(heading: string): ReadonlySet<TypeRule> {
    if (heading === '') return NONE;
    const known = this.named.get(heading);
    if (known) return known;
    const found = new Set(TYPE_RULES.filter((rule) => rule.heading?.test(heading)));
    this.named.set(heading, found);
    return found;
  }
}

const NONE: ReadonlySet<TypeRule> = new Set();

/** The first three letters of a word as a number to the base of 26; -1 where it does not begin with three. */
function headAt(text: string, at: number): number {
  let head = 0;
  for (let index = at; index < at + 3; index++) {
    const letter = text.charCodeAt(index) - 0x61;
    if (!(letter >= 0 && letter < 26)) return -1;
    head = head * 26 + letter;
  }
  return head;
}

/** The heads of all words of one text: one look at them spares most of the searches for cues (1.4 s of 1.9 s over 1,687 pages). */
class Heads {
  /** The number of the text that had the head last: nothing has to be emptied for the next one. */
  private readonly seen = new Uint32Array(26 ** 3);
  private text = 0;

  read(lower: string): void {
    this.text++;
    let inWord = false;
    for (let at = 0; at < lower.length; at++) {
      const code = lower.charCodeAt(at);
      const isLetter = code >= 0x61 && code <= 0x7a;
      if (isLetter && !inWord) {
        const head = headAt(lower, at);
        if (head >= 0) this.seen[head] = this.text;
      }
      inWord = isLetter;
    }
  }

  has(head: number): boolean {
    return this.seen[head] === this.text;
  }
}

/** The cues of each rule with their heads. */
const CUES = new Map(TYPE_RULES.map((rule) => [rule, rule.cues?.map((cue) => ({ cue, head: headAt(cue, 0) }))]));

function speaks(rule: TypeRule, lower: string, heads: Heads): boolean {
  const cues = CUES.get(rule);
  return cues === undefined || cues.some(({ cue, head }) => (head < 0 || heads.has(head)) && lower.includes(cue));
}

/** A heading names a chapter as often as a provision; where the text is there, it must at least speak of the subject. */
function titled(rule: TypeRule, text: string, says: boolean): Omit<Typed, 'type'> {
  if (says) return { weight: HEADING_WEIGHT + SAYS_WEIGHT, basis: 'both' };
  if (rule.weak === undefined) return { weight: HEADING_WEIGHT, basis: 'heading' };
  return rule.weak.test(text) ? { weight: HEADING_WEIGHT, basis: 'weak' } : { weight: BARE_HEADING_WEIGHT, basis: 'heading' };
}

const isWeak = (rule: TypeRule, text: string): boolean => (rule.weak?.test(text) ?? false) && !(rule.not?.test(text) ?? false);

function beginningOf(clause: Clause, texts: ReadonlyMap<string, string>): string {
  let text = '';
  for (const span of clause.spans) {
    text += `${(texts.get(span.blockId) ?? '').slice(span.start, Math.min(span.end, span.start + READ))}\n`;
    if (text.length > READ) break;
  }
  return text.slice(0, READ);
}

/** Of equal weight a special kind wins over a general one, and among those the order of the rules. */
function strongest(found: readonly Typed[]): ClauseType | null {
  let best: Typed | undefined;
  for (const entry of found) if (best === undefined || entry.weight + bonus(entry.type) > best.weight + bonus(best.type)) best = entry;
  return best?.type ?? null;
}

const bonus = (type: ClauseType): number => (CLAUSE_TYPES.indexOf(type) < GENERAL_FROM ? 0.1 : 0);
