// The linter: deterministic rules over a Document, no model. What each rule reports and leaves alone stands in RULES.md.
//
// Rule that must stay true: a finding is a place and a reason a person can check at once; a rule that is often wrong is not kept.
import type { Document } from '../contract/document.ts';
import type { Finding, RuleId } from '../contract/review.ts';
import { amountMismatches } from './amounts.ts';
import { termCapitals } from './capitals.ts';
import { conflictingLaws, conflictingNotices } from './conflicts.ts';
import { clauseOf, makeContext, quoteAround, type Draft, type Place, type Rule } from './context.ts';
import { dateConflicts, impossibleDates } from './dates.ts';
import { missingExhibits, unreferencedExhibits } from './exhibits.ts';
import { hiddenCharacters, hiddenTexts, injectedInstructions } from './hidden.ts';
import { repeatedWords, unbalancedMarks } from './marks.ts';
import { numberingGaps } from './numbering.ts';
import { partyNames } from './parties.ts';
import { placeholders } from './placeholders.ts';
import { brokenReferences, wrongHeadings } from './references.ts';
import { changesLeft, commentsLeft } from './remarks.ts';
import { duplicateDefinitions, undefinedTerms, unusedDefinitions } from './terms.ts';

const RULES: readonly Rule[] = [
  undefinedTerms,
  unusedDefinitions,
  duplicateDefinitions,
  termCapitals,
  brokenReferences,
  wrongHeadings,
  missingExhibits,
  unreferencedExhibits,
  numberingGaps,
  amountMismatches,
  impossibleDates,
  dateConflicts,
  partyNames,
  conflictingLaws,
  conflictingNotices,
  placeholders,
  hiddenTexts,
  injectedInstructions,
  hiddenCharacters,
  unbalancedMarks,
  repeatedWords,
  commentsLeft,
  changesLeft,
];

/** Findings in the order of the document; `only` keeps those of the rules named. */
export function lintDocument(document: Document, only?: ReadonlySet<RuleId>): Finding[] {
  const context = makeContext(document);
  const order = new Map(document.blocks.map((block, index) => [block.id, index]));
  const span = ({ blockId, start, end }: Place): Finding['span'] => ({ documentId: document.id, blockId, start, end });
  return RULES.flatMap((rule) => rule(context))
    .filter(({ rule, blockId }) => (only === undefined || only.has(rule)) && order.has(blockId))
    .toSorted((x, y) => order.get(x.blockId)! - order.get(y.blockId)! || x.start - y.start || x.rule.localeCompare(y.rule))
    .map((draft: Draft, index): Finding => {
      const block = context.blockOf.get(draft.blockId)!;
      return {
        id: `finding-${index + 1}`,
        rule: draft.rule,
        severity: draft.severity,
        message: draft.message,
        span: span(draft),
        related: (draft.related ?? []).map(span),
        fix: draft.fix === undefined ? null : { span: span(draft), text: draft.fix },
        path: clauseOf(context, draft)?.path ?? '',
        page: block.lines.find((line) => line.start <= draft.start && draft.start < line.end)?.page ?? block.at[0]?.page ?? 0,
        quote: quoteAround(block.text, draft.start, draft.end),
      };
    });
}
