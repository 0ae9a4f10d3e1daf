// Units that define the same term: a definition that was written anew is the definition of before, whatever words are left of it.
//
// Rule: only units that begin with the term count, and only terms that each side defines once, so that a list of definitions never pairs by chance.
import { link, type Alignment } from './alignment.ts';
import type { Side } from './units.ts';

/** Quotes and a space may stand before the term. */
const LEAD = 3;

export function matchDefinitions(a: Side, b: Side, alignment: Alignment): void {
  const right = leadingTerms(b);
  for (const [term, i] of leadingTerms(a)) {
    const j = right.get(term);
    if (i === null || j === undefined || j === null) continue;
    if (alignment.toB[i] === -1 && alignment.toA[j] === -1) link(alignment, i, j);
  }
}

/** Unit that begins with each defined term; null where more than one does. */
function leadingTerms(side: Side): Map<string, number | null> {
  const begins = new Map<string, number[]>();
  for (const { index, tokens } of side.units) {
    const id = side.document.blocks[tokens[0]!.block]!.id;
    const known = begins.get(id);
    if (known) known.push(index);
    else begins.set(id, [index]);
  }
  const found = new Map<string, number | null>();
  for (const { term, span } of side.document.definitions) {
    const unit = (begins.get(span.blockId) ?? []).find((index) => {
      const first = side.units[index]!.tokens[0]!;
      return first.start <= span.start && span.start - first.start <= LEAD;
    });
    if (unit !== undefined) found.set(term, found.has(term) ? null : unit);
  }
  return found;
}
