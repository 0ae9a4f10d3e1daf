// The same clause in other contracts: against the lawyers' labels of CUAD, and against headings that two contracts have in common.
//
// Two truths that the aligner does not see: clauses of two contracts that carry the same CUAD label; and, with headings and types hidden from it, clauses
// whose headings are the same words and stand once in either contract.
import { alignClauses, type AlignOptions } from '../../../core/compare/alignMany.ts';
import type { ClauseTable } from '../../../core/contract/clauseTable.ts';
import type { Document } from '../../../core/contract/document.ts';
import { contractFiles, readContract } from '../contracts.ts';
import { cuadCases, overlap, type CuadCase, type Half } from '../cuad.ts';
import type { Row, RowResult } from '../row.ts';

/** Labels that are a provision of their own; the others mark words inside any clause (dates, parties, the title). */
const LABELS = [
  'Governing Law', 'Anti-Assignment', 'Audit Rights', 'Insurance', 'Cap On Liability', 'Termination For Convenience', 'Non-Compete', 'Exclusivity',
  'License Grant', 'Post-Termination Services', 'Warranty Duration', 'Minimum Commitment', 'Ip Ownership Assignment', 'Covenant Not To Sue', 'Third Party Beneficiary',
]; // prettier-ignore
/** Contracts that are aligned with one baseline at a time. */
const GROUP = 4;

interface Tally {
  wanted: number;
  paired: number;
  right: number;
}

/** Cells of the row that holds the label in the baseline: how many of the others that have the label too are shown it. */
function scoreLabels(cases: readonly CuadCase[], table: ClauseTable, tally: Tally, log: (line: string) => void): void {
  const [base, ...others] = cases as [CuadCase, ...CuadCase[]];
  for (const label of LABELS) {
    const gold = base.gold.get(label) ?? [];
    if (gold.length === 0) continue;
    // The smallest clause that holds the label, since a row stands for an article as well as for each part of it.
    const rows = table.rows.filter(({ cells }) => cells[0]?.spans.some((span) => gold.some((range) => overlap(base.fold(span), range))));
    const row = rows.toSorted((x, y) => x.cells[0]!.text.length - y.cells[0]!.text.length)[0];
    if (row === undefined) continue;
    others.forEach((other, at) => {
      const wanted = other.gold.get(label) ?? [];
      if (wanted.length === 0) return;
      tally.wanted++;
      const cell = row.cells[at + 1];
      if (!cell) return;
      tally.paired++;
      if (cell.spans.some((span) => wanted.some((range) => overlap(other.fold(span), range)))) tally.right++;
      else log(`${label}: ${base.name} "${row.label}" shown ${other.name} "${cell.heading || cell.path}" (${cell.score.toFixed(2)})`);
    });
  }
}

function labels(half: Half): Row['run'] {
  return async (corpora, log) => {
    const cases: CuadCase[] = [];
    for await (const each of cuadCases(corpora, 3)) if (each.half === half && each.document.clauses.length >= 15) cases.push(each);
    const tally: Tally = { wanted: 0, paired: 0, right: 0 };
    for (let at = 0; at + GROUP <= cases.length; at += GROUP) {
      const group = cases.slice(at, at + GROUP);
      scoreLabels(group, alignClauses(group.map(({ document }) => document)), tally, log);
    }
    return { score: sharesOf(tally, `${cases.length} contracts`), reached: null, failures: [] };
  };
}

const sharesOf = ({ wanted, paired, right }: Tally, what: string): string =>
  `${what}: ${right} of ${wanted} shown beside each other (recall ${(right / Math.max(1, wanted)).toFixed(3)}, precision ${(right / Math.max(1, paired)).toFixed(3)})`;

const plain = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Headings that stand once in the contract, by their words. */
function onceIn(document: Document): Map<string, string> {
  const found = new Map<string, string | null>();
  for (const { heading, id } of document.clauses) if (plain(heading) !== '') found.set(plain(heading), found.has(plain(heading)) ? null : id);
  return new Map([...found].filter((entry): entry is [string, string] => entry[1] !== null));
}

async function headings(corpora: string, options: AlignOptions): Promise<Tally> {
  const files = contractFiles(corpora, 'tune').filter((file) => file.endsWith('.md'));
  const documents: Document[] = [];
  for (const file of files) documents.push(await readContract(file));
  const tally: Tally = { wanted: 0, paired: 0, right: 0 };
  for (const base of documents) {
    for (const other of documents) {
      // Versions of one form are no test.
      if (base.name.slice(0, 6) === other.name.slice(0, 6)) continue;
      const table = alignClauses([base, other], options);
      const [left, right] = [onceIn(base), onceIn(other)];
      for (const [heading, id] of left) {
        const wanted = right.get(heading);
        const row = wanted === undefined ? undefined : table.rows.find(({ cells }) => cells[0]?.clauseId === id);
        if (row === undefined) continue;
        tally.wanted++;
        if (row.cells[1]) tally.paired++;
        if (row.cells[1]?.clauseId === wanted) tally.right++;
      }
    }
  }
  return tally;
}

async function headingRow(corpora: string): Promise<RowResult> {
  const [seen, blind] = [await headings(corpora, {}), await headings(corpora, { blind: true })];
  const reached = seen.right / seen.wanted >= 0.97;
  return { score: `${sharesOf(seen, 'headings seen')}; ${sharesOf(blind, 'headings and types hidden')}`, reached, failures: [] };
}

export const rows: readonly Row[] = [
  {
    id: 'align-headings',
    what: 'Clauses of two forms under the same heading shown beside each other',
    set: 'contracts/templates',
    target: '>= 0.97 with headings; hidden: reported',
    run: headingRow,
  },
  {
    id: 'align-labels',
    what: 'Clauses of four contracts with the same lawyers’ label shown beside each other',
    set: 'contracts/cuad',
    target: 'reported',
    run: labels('check'),
  },
  { id: 'align-labels-tune', what: 'The same on the half that is tuned on', set: 'contracts/cuad', target: 'reported', run: labels('tune') },
];
