// `codicil compare`: two versions, clause by clause: a redline for the eye, or a report as JSON, Markdown or HTML.
import { statSync } from 'node:fs';
import { entriesOf, type Change, type ChangeGroup, type Comparison } from '../../core/contract/comparison.ts';
import type { Document } from '../../core/contract/document.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { comparisonHtml, comparisonMarkdown, GROUP_LABELS, redlineDocx, refuseInput, writeReport } from './exports.ts';
import { distinctlyNamed, expectSome, resolveInputs } from './inputs.ts';
import { redline } from './redline.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, formatMs, plural, wrap, type Terminal } from './terminal.ts';

export const compare: Command = {
  name: 'compare',
  usage: '<before> <after>',
  about:
    'Aligns the clause trees of two documents, whatever their formats, and shows what was inserted, deleted, changed, moved, renumbered, split or merged. Page numbers, line breaks and hyphens are no changes.',
  options: {
    html: { value: 'FILE', help: 'Write a self-contained HTML report' },
    docx: { value: 'FILE', help: 'Write a DOCX with the changes tracked, on the formatting of <before> when that is a DOCX' },
    author: { value: 'NAME', help: 'Who the tracked changes are said to be by (Codicil)' },
    date: { value: 'TIME', help: 'When they are said to be made, as 2026-01-31T09:00:00Z (now); with it the same inputs give the same bytes' },
    markdown: { help: 'Print the report as Markdown' },
    severity: { value: 'LEVEL', help: 'Only changes of this severity or more: high, medium or low' },
  },
  examples: [
    ['codicil compare msa-v1.pdf msa-v2.docx', 'A redline in the terminal'],
    ['codicil compare v1.docx v2.docx --html redline.html', 'A report to send on'],
    ['codicil compare v1.docx v2.docx --docx redline.docx', 'Tracked changes, to accept or reject in Word'],
    ['codicil compare v1.docx v2.docx --severity high --json', 'Only what matters most, as JSON'],
  ],
  run: async (session) => {
    const { positionals } = session.args;
    if (positionals.length !== 2) throw new UsageError(`compare needs two documents, before and after; ${positionals.length} given.`, 'codicil compare --help');
    const least = severityOf(session.args.text('severity'));
    const date = dateOf(session.args.text('date'));
    const folder = positionals.find((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true);
    if (folder !== undefined)
      throw new UsageError(
        `compare takes one document on each side; "${folder}" is a folder. Name a file in it, or align many with "codicil clauses --align".`,
        'codicil compare --help',
      );
    const found = await resolveInputs(session, positionals);
    // One side alone is nothing to compare.
    if (found.failures.length > 0) expectSome({ inputs: [], failures: found.failures });
    // The same file twice is one document of the library and a comparison without changes.
    const documents = distinctlyNamed(found.inputs);
    const before = documents[0]!;
    const after = documents[1] ?? before;
    session.terminal.progress('Comparing', 0, 0, 'clauses');
    const full = await session.workspace().handlers['comparison.run']({ beforeId: before.id, afterId: after.id });
    const comparison = { ...full, changes: full.changes.filter((change) => SEVERITIES.indexOf(change.severity) <= SEVERITIES.indexOf(least)) };
    const html = session.args.text('html');
    if (html !== undefined) {
      refuseInput(html, session.args.positionals);
      await writeReport(html, comparisonHtml(comparison, before, after));
      session.terminal.note(`Wrote ${html}`);
    }
    const docx = session.args.text('docx');
    if (docx !== undefined) refuseInput(docx, session.args.positionals);
    if (docx !== undefined) await writeTracked(session, docx, before, after, date);
    if (session.json) session.printJson(comparison);
    else if (session.args.flag('markdown')) session.terminal.print(comparisonMarkdown(comparison, before, after));
    else if (html === undefined && docx === undefined) printRedline(session, comparison, before, after);
    return EXIT.ok;
  },
};

/** All changes, whatever --severity says: accepting them has to give the newer document. */
async function writeTracked(session: Session, file: string, before: Document, after: Document, date: string): Promise<void> {
  const bytesOf = async ({ id }: Document): Promise<Uint8Array> => (await session.workspace().handlers['document.bytes']({ documentId: id })).bytes;
  const author = session.args.text('author') ?? 'Codicil';
  const { bytes, report } = redlineDocx(await bytesOf(before), await bytesOf(after), before, after, { author, date });
  await writeReport(file, bytes);
  const counts = [plural(report.insertions, 'insertion'), plural(report.deletions, 'deletion'), plural(report.moves, 'move')].join(', ');
  session.terminal.note(`Wrote ${file}: ${counts}, by ${author}.`);
  for (const [document, accepted] of [
    [before, report.acceptedBefore],
    [after, report.acceptedAfter],
  ] as const)
    if (accepted > 0) session.terminal.note(`${clean(document.name)} held ${plural(accepted, 'tracked change')} of its own; they were accepted first.`);
  const lost = Object.values(report.lost).reduce((sum, count) => sum + count, 0);
  if (lost > 0)
    session.terminal.note(`${plural(lost, 'object')} of ${clean(after.name)} (controls or parts that load others) could not be shown in the redline.`);
}

function dateOf(text: string | undefined): string {
  if (text === undefined) return `${new Date().toISOString().slice(0, 19)}Z`;
  const valid = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!valid) throw new UsageError(`--date takes a time like 2026-01-31T09:00:00Z; "${text}" was given.`, 'codicil compare --help');
  return text;
}

const SEVERITIES = ['high', 'medium', 'low'] as const;
type Severity = (typeof SEVERITIES)[number];

function severityOf(text: string | undefined): Severity {
  const found = SEVERITIES.find((level) => level === (text ?? 'low'));
  if (!found) throw new UsageError(`--severity takes high, medium or low; "${text}" was given.`, 'codicil compare --help');
  return found;
}

const GLYPHS: Readonly<Record<Change['kind'], string>> = {
  inserted: '+',
  deleted: '−',
  changed: '~',
  moved: '→',
  movedChanged: '⇝',
  renumbered: '#',
  split: '⑂',
  merged: '⑃',
};
const WORDS: Readonly<Record<Change['kind'], string>> = {
  inserted: 'inserted',
  deleted: 'deleted',
  changed: 'changed',
  moved: 'moved',
  movedChanged: 'moved and changed',
  renumbered: 'renumbered',
  split: 'split',
  merged: 'merged',
};

function printRedline({ terminal }: Session, comparison: Comparison, before: Document, after: Document): void {
  const { changes } = comparison;
  terminal.print(`${terminal.bold(clean(before.name))} → ${terminal.bold(clean(after.name))}`);
  terminal.print(terminal.dim([...countTexts(comparison), `${plural(comparison.unchangedClauses, 'clause')} unchanged`, formatMs(comparison.ms)].join(' · ')));
  if (changes.length === 0)
    terminal.print(`\n${terminal.green('=')} ${Object.values(comparison.counts).some((count) => count > 0) ? 'No change of this severity.' : 'No changes.'}`);
  for (const note of comparison.notes) terminal.wrap(terminal.yellow(clean(note)), '  ');
  for (const entry of entriesOf(comparison)) {
    if ('change' in entry) printChange(terminal, entry.change);
    else printGroup(terminal, entry.group, entry.changes);
  }
}

function countTexts({ counts }: Comparison): readonly string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${WORDS[kind as Change['kind']]}`);
}

function printChange(terminal: Terminal, change: Change): void {
  const paint =
    { inserted: terminal.blue, deleted: terminal.red, changed: terminal.yellow, movedChanged: terminal.green, moved: terminal.green }[change.kind as string] ??
    terminal.dim;
  const meta = [
    WORDS[change.kind],
    change.severity === 'low' ? '' : change.severity,
    change.topics
      .filter((topic) => topic !== 'wording')
      .map(topicWord)
      .join(', '),
  ]
    .filter((part) => part !== '')
    .join(' · ');
  const room = terminal.width - 2 - columnsOf(meta) - 2;
  const title = clip(clean(titleOf(change)), Math.max(12, room));
  const shownMeta = change.severity === 'high' ? terminal.red(meta) : terminal.dim(meta);
  terminal.print(`\n${paint(GLYPHS[change.kind])} ${terminal.bold(title)}${' '.repeat(Math.max(2, room + 2 - columnsOf(title)))}${shownMeta}`);
  const text = change.diff.length > 0 ? redline(terminal, change.diff) : '';
  const unchanged = clean(change.after?.text ?? change.before?.text ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text !== '') terminal.print(wrap(text, terminal.width, '  '));
  else if (unchanged !== '') terminal.print(wrap(terminal.dim(clip(unchanged, terminal.width * 2)), terminal.width, '  '));
}

/** One finding, and where it shows. */
function printGroup(terminal: Terminal, group: ChangeGroup, changes: readonly Change[]): void {
  const { glyph, label } = GROUP_LABELS[group.kind];
  const meta = `${label.toLowerCase()}${group.severity === 'low' ? '' : ` · ${group.severity}`}`;
  const name =
    group.kind === 'references' ? plural(group.places, 'cross-reference') : `${terminal.deleted(clean(group.before))} ${terminal.inserted(clean(group.after))}`;
  const room = terminal.width - 2 - columnsOf(meta);
  terminal.print(
    `\n${terminal.dim(glyph)} ${terminal.bold(name)}${' '.repeat(Math.max(2, room - columnsOf(name)))}${group.severity === 'high' ? terminal.red(meta) : terminal.dim(meta)}`,
  );
  const places = [...new Set(changes.map((change) => titleOf(change).trim()))];
  const shown = places.slice(0, PLACES).join(', ') + (places.length > PLACES ? ` and ${places.length - PLACES} more` : '');
  terminal.wrap(terminal.dim(clean(`${group.reason} ${group.kind === 'renumbering' ? '' : shown}`).trim()), '  ');
}

/** Clauses that are named below a group; the report names all. */
const PLACES = 8;

const topicWord = (topic: string): string => topic.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function titleOf({ before, after }: Change): string {
  const side = (value: Change['before']): string => [value?.path ?? '', value?.heading ?? ''].filter((part) => part !== '').join(' ');
  const own = side(after ?? before) || 'Text without a number';
  return before && after && before.path !== after.path ? `${before.path || 'no number'} → ${own}` : own;
}
