// `codicil clauses --align`: the same clause in every contract, below one another in the terminal, each against the baseline.
import { alignClauses } from '../../core/compare/alignMany.ts';
import { stemsOf } from '../../core/compare/provisions.ts';
import type { ClauseCell, ClauseRow, ClauseTable } from '../../core/contract/clauseTable.ts';
import type { Document } from '../../core/contract/document.ts';
import { UsageError } from './command.ts';
import { clauseTableHtml, DEVIATION_LABELS, refuseInput, writeReport } from './exports.ts';
import { redline } from './redline.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, formatMs, plural, type Terminal } from './terminal.ts';

/** Prints or writes the table of the documents; `baseline` is one of them. False when --clause names a clause that none of them has. */
export async function alignAll(session: Session, documents: readonly Document[]): Promise<boolean> {
  if (documents.length < 2) throw new UsageError(`--align needs at least two documents; ${documents.length} given.`, 'codicil clauses --help');
  const baseline = baselineOf(documents, session.args.text('baseline'));
  session.terminal.progress('Aligning', 0, 0, 'clauses');
  const full = alignClauses(documents, { baselineId: baseline.id });
  const wanted = session.args.text('clause');
  const table = wanted === undefined ? full : { ...full, rows: full.rows.filter((row) => isWanted(row, wanted)) };
  const html = session.args.text('html');
  if (html !== undefined) {
    refuseInput(html, session.args.positionals);
    await writeReport(html, clauseTableHtml(table));
    session.terminal.note(`Wrote ${html}`);
  }
  if (session.json) session.printJson(table);
  else if (html === undefined) printTable(session.terminal, table);
  if (wanted === undefined || table.rows.length > 0) return true;
  session.terminal.note(`No clause is called "${wanted}" in any of them. Leave --clause out to see the names of all ${full.rows.length}.`);
  return false;
}

function baselineOf(documents: readonly Document[], name: string | undefined): Document {
  if (name === undefined) return documents[0]!;
  const whole = `/${name.replaceAll('\\', '/')}`;
  const found = documents.find((document) => whole.endsWith(`/${document.name}`) || document.id.startsWith(name));
  if (found === undefined)
    throw new UsageError(
      `--baseline takes one of the documents that are aligned (${documents.map((document) => document.name).join(', ')}); "${name}" is none of them.`,
      'codicil clauses --help',
    );
  return found;
}

/** By a heading in any of the contracts, or by the type: "limitation of liability", "limitationOfLiability". */
function isWanted(row: ClauseRow, wanted: string): boolean {
  const wordsOf = (text: string): readonly string[] => stemsOf(text.replace(/([a-z])([A-Z])/g, '$1 $2'));
  const words = wordsOf(wanted);
  return [row.label, row.type ?? '', ...row.cells.map((cell) => cell?.heading ?? '')].some((text) => {
    const known = new Set(wordsOf(text));
    return words.length > 0 && words.every((word) => known.has(word));
  });
}

function printTable(terminal: Terminal, table: ClauseTable): void {
  const baseline = table.documents.find(({ id }) => id === table.baselineId)!;
  terminal.print(`${terminal.bold(plural(table.documents.length, 'contract'))} against ${terminal.bold(clean(baseline.name))}`);
  terminal.print(terminal.dim(`${plural(table.rows.length, 'clause')} · ${formatMs(table.ms)}`));
  const names = table.documents.map(({ name }) => clip(clean(name), 24));
  const room = Math.max(...names.map(columnsOf));
  for (const row of table.rows) {
    terminal.print(`\n${terminal.bold(clip(clean(row.label), terminal.width))}`);
    row.cells.forEach((cell, at) => printCell(terminal, names[at]! + ' '.repeat(room - columnsOf(names[at]!)), cell));
  }
}

function printCell(terminal: Terminal, name: string, cell: ClauseCell | null): void {
  const { glyph, label } = DEVIATION_LABELS[cell?.deviation ?? 'missing'];
  const differs = cell !== null && (cell.deviation === 'edited' || cell.deviation === 'own');
  const topics = differs
    ? cell.topics.filter((topic) => topic !== 'wording').map((topic) => topic.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    : [];
  const verdict = [label, differs && cell.severity === 'high' ? 'high' : '', topics.join(', ')].filter((part) => part !== '').join(' · ');
  const paint = cell === null ? terminal.red : differs ? (cell.severity === 'high' ? terminal.red : terminal.yellow) : terminal.dim;
  const place = clip(cell?.path ?? '', 14).padEnd(6);
  terminal.print(`  ${paint(glyph)} ${name}  ${place} ${paint(verdict)}`);
  if (cell === null || cell.deviation === 'same') return;
  const text = cell.diff.length > 0 ? redline(terminal, cell.diff) : terminal.dim(clip(clean(cell.text).replace(/\s+/g, ' '), terminal.width * 2 - 12));
  terminal.wrap(text, '      ');
}
