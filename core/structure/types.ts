// What a clause is about: one of CLAUSE_TYPES, by its heading first, then by its words.
//
// Owns: weighing heading against wording. The wording itself is data in typeRules.ts.
// Rule: null where no rule is sure; a clause without a heading and words of its own takes its parent's type only through that parent's heading.
import { CLAUSE_TYPES, type Block, type Clause, type ClauseType } from '../contract/document.ts';
import { TYPE_RULES, type TypeRule } from './typeRules.ts';

/** Characters of a clause that are read: a provision says what it is in its first sentences. */
const READ = 1000;
const HEADING_WEIGHT = 1;
const SAYS_WEIGHT = 0.8;
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

/** Every type that the text is of, with its weight; sentences are judged the same way as clauses. */
export function typesOf({ heading, text, above }: TypedText): { readonly type: ClauseType; readonly weight: number }[] {
  const out: { type: ClauseType; weight: number }[] = [];
  const lower = text.toLowerCase();
  for (const rule of TYPE_RULES) {
    const speaks = rule.cues === undefined || rule.cues.some((cue) => lower.includes(cue));
    const weight = weigh(rule, heading, text, above, speaks);
    if (weight > 0) out.push({ type: rule.type, weight });
  }
  return out;
}

function weigh(rule: TypeRule, heading: string, text: string, above: string, speaks: boolean): number {
  const titled = heading !== '' && (rule.heading?.test(heading) ?? false);
  const says = speaks && (rule.says?.test(text) ?? false) && !(rule.not?.test(text) ?? false);
  if (titled && says) return HEADING_WEIGHT + SAYS_WEIGHT;
  // A heading names a chapter as often as a provision; where the text is there, it must at least speak of the subject.
  if (titled) return rule.weak === undefined || rule.weak.test(text) ? HEADING_WEIGHT : BARE_HEADING_WEIGHT;
  if (says) return SAYS_WEIGHT;
  const inherited =
    heading === '' && above !== '' && (rule.heading?.test(above) ?? false) && (rule.weak?.test(text) ?? false) && !(rule.not?.test(text) ?? false);
  return inherited ? INHERITED_WEIGHT : 0;
}

export function typeClauses(clauses: readonly Clause[], blocks: readonly Block[]): readonly Clause[] {
  const texts = new Map(blocks.map((block) => [block.id, block.text]));
  const byId = new Map(clauses.map((clause) => [clause.id, clause]));
  return clauses.map((clause) => {
    const parent = clause.parentId === null ? undefined : byId.get(clause.parentId);
    return { ...clause, type: typeOf(clause, parent?.heading ?? '', texts) };
  });
}

function typeOf(clause: Clause, above: string, texts: ReadonlyMap<string, string>): ClauseType | null {
  let text = '';
  for (const span of clause.spans) {
    text += `${(texts.get(span.blockId) ?? '').slice(span.start, span.end)}\n`;
    if (text.length > READ) break;
  }
  const found = typesOf({ heading: clause.heading, text: text.slice(0, READ), above });
  let best = found[0];
  // Of equal weight a special kind wins over a general one, and among those the order of the rules.
  for (const entry of found) if (best && entry.weight + bonus(entry.type) > best.weight + bonus(best.type)) best = entry;
  return best?.type ?? null;
}

const bonus = (type: ClauseType): number => (CLAUSE_TYPES.indexOf(type) < GENERAL_FROM ? 0.1 : 0);
