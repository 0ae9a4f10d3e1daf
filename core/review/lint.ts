// The linter: eight deterministic rules over a Document, no model. What each rule reports and leaves alone stands in RULES.md.
//
// Rule that must stay true: a finding is a place and a reason a person can check at once; a rule that is often wrong is not kept.
import type { Document } from '../contract/document.ts';
import type { Finding } from '../contract/review.ts';
import { makeContext, quoteAround, type Rule } from './context.ts';
import { brokenReferences, missingExhibits, numberingGaps } from './references.ts';
import { duplicateDefinitions, undefinedTerms, unusedDefinitions } from './terms.ts';
import { amountMismatches, placeholders } from './text.ts';

const RULES: readonly Rule[] = [
  undefinedTerms,
  unusedDefinitions,
  duplicateDefinitions,
  brokenReferences,
  missingExhibits,
  numberingGaps,
  amountMismatches,
  placeholders,
];

/** Findings in the order of the document. */
export function lintDocument(document: Document): Finding[] {
  const context = makeContext(document);
  const order = new Map(document.blocks.map((block, index) => [block.id, index]));
  const drafts = RULES.flatMap((rule) => rule(context)).toSorted(
    (x, y) => order.get(x.blockId)! - order.get(y.blockId)! || x.start - y.start || x.rule.localeCompare(y.rule),
  );
  return drafts.map(({ rule, severity, message, blockId, start, end }, index): Finding => {
    const block = context.blockOf.get(blockId)!;
    const page = block.lines.find((line) => line.start <= start && start < line.end)?.page ?? block.at[0]?.page ?? 0;
    return {
      id: `finding-${index + 1}`,
      rule,
      severity,
      message,
      span: { documentId: document.id, blockId, start, end },
      path: context.clauseOf.get(blockId)?.path ?? '',
      page,
      quote: quoteAround(block.text, start, end),
    };
  });
}
