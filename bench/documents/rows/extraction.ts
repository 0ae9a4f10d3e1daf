// Values by code against lawyers' answers (CUAD) and against values that were filled into real templates.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAUSE_TYPES, type Clause, type Span } from '../../../core/contract/document.ts';
import type { SummaryField } from '../../../core/contract/summary.ts';
import { findAmounts } from '../../../core/extract/amounts.ts';
import { findDurations } from '../../../core/extract/durations.ts';
import { extractFields } from '../../../core/extract/fields.ts';
import { fold } from '../../../core/extract/parties.ts';
import { sentences } from '../../../core/extract/source.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { typesOf } from '../../../core/structure/types.ts';
import { cuadCases, emptyTally, figures, overlap, type CuadCase, type Tally } from '../cuad.ts';
import { answersOf, QUESTIONS } from '../cuadAnswers.ts';
import { fillTemplate, valuesFor, type Truth } from '../filled.ts';
import { MissingSet, type Row, type RowResult } from '../row.ts';

const three = (value: number): string => value.toFixed(3);

interface Halves {
  readonly tune: Map<SummaryField, Tally>;
  readonly check: Map<SummaryField, Tally>;
}

let measured: Promise<Halves> | null = null;

/** All fields in one pass over the contracts; every row takes its own. */
async function measure(corpora: string): Promise<Halves> {
  const halves: Halves = { tune: new Map(), check: new Map() };
  for await (const entry of cuadCases(corpora)) {
    const fields = extractFields(entry.document);
    for (const question of QUESTIONS) {
      const { wanted, given } = answersOf(entry, question, fields[question.field] ?? []);
      const tally = halves[entry.half].get(question.field) ?? emptyTally();
      halves[entry.half].set(question.field, tally);
      const found = wanted.filter((x) => given.some((y) => question.same(x, y))).length;
      const right = given.filter((y) => wanted.some((x) => question.same(x, y))).length;
      tally.wanted += wanted.length;
      tally.given += given.length;
      tally.found += found;
      tally.right += right;
      if (found < wanted.length || right < given.length)
        tally.misses.push(`${entry.name.slice(0, 50)}: wanted [${wanted.join(' | ')}], given [${given.join(' | ')}]`);
    }
  }
  return halves;
}

const fieldRow = (field: SummaryField, least: number | null): Row => ({
  id: `cuad-${field}`,
  what: `${field} against the lawyers' answers, on the half that was not tuned on`,
  set: 'contracts/cuad',
  target: least === null ? 'reported' : `F1 >= ${least}`,
  async run(corpora, log): Promise<RowResult> {
    const { tune, check } = await (measured ??= measure(corpora));
    const tally = check.get(field) ?? emptyTally();
    const { precision, recall, f1 } = figures(tally);
    for (const miss of tally.misses) log(miss);
    return {
      score: `F1 ${three(f1)} (precision ${three(precision)}, recall ${three(recall)}; ${tally.wanted} wanted); tuned half ${three(figures(tune.get(field) ?? emptyTally()).f1)}`,
      reached: least === null ? null : f1 >= least,
      failures: [],
    };
  },
});

/** CUAD's labels in the order of CLAUSE_TYPES. */
const LABELS = (
  'Document Name|Parties|Agreement Date|Effective Date|Expiration Date|Renewal Term|Notice Period To Terminate Renewal|Governing Law|Most Favored Nation|Non-Compete|Exclusivity|' +
  'No-Solicit Of Customers|Competitive Restriction Exception|No-Solicit Of Employees|Non-Disparagement|Termination For Convenience|Rofr/Rofo/Rofn|Change Of Control|Anti-Assignment|' +
  'Revenue/Profit Sharing|Price Restrictions|Minimum Commitment|Volume Restriction|Ip Ownership Assignment|Joint Ip Ownership|License Grant|Non-Transferable License|' +
  'Affiliate License-Licensor|Affiliate License-Licensee|Unlimited/All-You-Can-Eat-License|Irrevocable Or Perpetual License|Source Code Escrow|Post-Termination Services|Audit Rights|' +
  'Uncapped Liability|Cap On Liability|Liquidated Damages|Warranty Duration|Insurance|Covenant Not To Sue|Third Party Beneficiary'
).split('|');

/** "9.4 Governing Law." is a heading, not a sentence. */
const SENTENCE = 45;

/** Sentences by type against the lawyers' spans: a sentence is right that touches one, a span is found that a sentence touches. */
function tallyTypes(entry: CuadCase, tallies: readonly Tally[], clauses: readonly Tally[]): void {
  const { document, gold, fold: place } = entry;
  const blocks = new Map(document.blocks.map((block) => [block.id, block.text]));
  const headings = new Map(document.clauses.map((clause) => [clause.id, clause.heading]));
  const byId = new Map(document.clauses.map((clause) => [clause.id, clause]));
  // A heading alone is right when the provision stands in one of its sub-clauses.
  const below = (clause: Clause): Span[] => [...clause.spans, ...clause.children.flatMap((id) => below(byId.get(id) as Clause))];
  const found: { start: number; end: number }[][] = LABELS.map(() => []);
  for (const clause of document.clauses) {
    const above = clause.heading || (headings.get(clause.parentId ?? '') ?? '');
    const kind = clause.type === null ? -1 : CLAUSE_TYPES.indexOf(clause.type);
    const own = clauses[kind];
    if (own) {
      own.given++;
      if (gold.get(LABELS[kind] as string)?.some((range) => below(clause).some((span) => overlap(place(span), range)))) own.right++;
    }
    for (const span of clause.spans) {
      const text = (blocks.get(span.blockId) ?? '').slice(span.start, span.end);
      for (const [from, to] of sentences(text).filter(([start, end]) => end - start >= SENTENCE))
        for (const { type } of typesOf({ heading: '', text: text.slice(from, to), above })) {
          const at = CLAUSE_TYPES.indexOf(type);
          found[at]?.push(place({ ...span, start: span.start + from, end: span.start + to }));
        }
    }
  }
  LABELS.forEach((label, at) => {
    const tally = tallies[at] as Tally;
    const wanted = gold.get(label) ?? [];
    tally.wanted += wanted.length;
    tally.found += wanted.filter((range) => found[at]?.some((sentence) => overlap(sentence, range))).length;
    tally.given += found[at]?.length ?? 0;
    tally.right += found[at]?.filter((sentence) => wanted.some((range) => overlap(sentence, range))).length ?? 0;
  });
}

const types: Row = {
  id: 'cuad-types',
  what: 'sentences of the 41 kinds of provision by rules, on the half that was not tuned on; precision of Clause.type',
  set: 'contracts/cuad',
  target: 'reported',
  async run(corpora, log): Promise<RowResult> {
    const [tallies, clauses] = [LABELS.map(emptyTally), LABELS.map(emptyTally)];
    for await (const entry of cuadCases(corpora)) if (entry.half === 'check') tallyTypes(entry, tallies, clauses);
    // Title, parties and dates are fields with rows of their own.
    const from = 4;
    LABELS.forEach((label, at) => {
      const { precision, recall } = figures(tallies[at] as Tally);
      const own = clauses[at] as Tally;
      log(
        `${label.padEnd(36)} precision ${precision.toFixed(2)} recall ${recall.toFixed(2)} (${(tallies[at] as Tally).wanted} spans); clauses of the type ${own.right} of ${own.given} right`,
      );
    });
    const sum = (list: readonly Tally[]): Tally =>
      list
        .slice(from)
        .reduce(
          (all, one) => ({ ...all, right: all.right + one.right, given: all.given + one.given, found: all.found + one.found, wanted: all.wanted + one.wanted }),
          emptyTally(),
        );
    const [micro, typed] = [figures(sum(tallies)), sum(clauses)];
    return {
      score: `sentences: precision ${three(micro.precision)}, recall ${three(micro.recall)}; clauses: ${typed.right} of ${typed.given} typed right (each kind with --verbose)`,
      reached: null,
      failures: [],
    };
  },
};

/** Real templates with values of known form in their blanks. */
const filled: Row = {
  id: 'filled-templates',
  what: 'parties, effective date, governing law, periods and sums filled into templates',
  set: 'docx/open-agreements/templates (Markdown)',
  target: 'F1 >= 0.85 each',
  async run(corpora, log): Promise<RowResult> {
    const folder = join(corpora, 'docx/open-agreements/templates/openagreements-cc-by-4.0');
    if (!existsSync(folder)) throw new MissingSet(folder);
    const tallies = new Map<string, Tally>();
    for (const [index, set] of readdirSync(folder).sort().entries()) {
      const file = join(folder, set, 'template.md');
      if (!existsSync(file)) continue;
      const { text, values } = fillTemplate(readFileSync(file, 'utf8'), valuesFor(index, set));
      const document = await parseDocument(new TextEncoder().encode(text), `${set}.md`);
      const fields = extractFields(document);
      const plain = document.blocks.map((block) => block.text).join('\n');
      const given: Truth = {
        parties: (fields.parties ?? []).map((value) => value.normalized ?? ''),
        date: (fields.effectiveDate ?? []).map((value) => value.normalized ?? ''),
        law: (fields.governingLaw ?? []).map((value) => fold(value.normalized ?? '')),
        period: [...new Set(findDurations(plain).map((found) => found.normalized ?? ''))].filter((value) => values.period.includes(value)),
        amount: [...new Set(findAmounts(plain).map((found) => found.normalized ?? ''))],
      };
      for (const [kind, wanted] of Object.entries(values) as [keyof Truth, readonly string[]][]) {
        if (wanted.length === 0) continue;
        const tally = tallies.get(kind) ?? emptyTally();
        tallies.set(kind, tally);
        const own = given[kind];
        tally.wanted += wanted.length;
        tally.given += own.length;
        tally.found += wanted.filter((value) => own.includes(value)).length;
        tally.right += own.filter((value) => wanted.includes(value)).length;
        if (wanted.some((value) => !own.includes(value)) || own.some((value) => !wanted.includes(value))) {
          tally.misses.push(`${set} ${kind}: wanted [${wanted.join(' | ')}], given [${own.join(' | ')}]`);
          log(tally.misses.at(-1) as string);
        }
      }
    }
    const list = [...tallies].map(([kind, tally]) => ({ kind, tally, f1: figures(tally).f1 }));
    return {
      score: list.map(({ kind, tally, f1 }) => `${kind} ${three(f1)} (${tally.found} of ${tally.wanted})`).join(', '),
      reached: list.length > 0 && list.every(({ f1 }) => f1 >= 0.85),
      failures: list.filter(({ f1 }) => f1 < 0.85).flatMap(({ tally }) => tally.misses.slice(0, 6)),
    };
  },
};

export const rows: readonly Row[] = [
  fieldRow('parties', 0.85),
  fieldRow('agreementDate', 0.85),
  fieldRow('effectiveDate', 0.85),
  fieldRow('governingLaw', 0.85),
  fieldRow('expirationDate', null),
  fieldRow('renewal', null),
  fieldRow('renewalNotice', null),
  types,
  filled,
];
